import DequeModule

/// One request: a cell that appeared and wants its image.
package struct ReplayRequest {
    var imageKey = ImageKey(object: 0, variant: 1)
    /// Nanoseconds of replay time; negative if it has not happened.
    var appeared: Int64 = 0
    /// As long as the cell is visible, this can be later than now. After that, it is not later than ``vanished``,
    /// except for cells that are visible at the end of the trace.
    var delivered: Int64 = -1
    var vanished: Int64 = -1
    var state = State.looking
    /// The outcome; nil while the request is in progress.
    package var outcome: RequestOutcome?
    var isStale = false
    var isWrong = false
    /// The cache has forgotten the request: its fetch ended without a result for it.
    var isForgotten = false
    /// Since when the visible cell waits for a validation; negative if it does not.
    var validatedSince: Int64 = -1
    /// The time for which the delivered object is past its lifetime, in nanoseconds.
    var staleness: Int64 = 0
    /// The next cell that shows the same object, or -1.
    var nextOpen: Int32 = -1

    enum State: Equatable {
        /// The request looks in memory or on disk.
        case looking
        /// The request is held back until the list is at rest.
        case heldBack
        /// The request waits for the fetch with this number.
        case waiting(Int, own: Bool)
        case done
    }

    var isVisible: Bool { vanished < 0 }
    var isDone: Bool { state == .done }

    /// Whether the fetch that the request waits for has ended.
    func hasNoPendingFetch(_ fetches: [ReplayFetch]) -> Bool {
        guard case .waiting(let fetch, _) = state else { return false }
        return fetches[fetch].state.isOver
    }
}

/// One fetch of an object, running or waiting for a connection.
struct ReplayFetch {
    var imageKey: ImageKey
    var waiters = FetchWaiters()
    /// The number of visible cells among the waiters.
    var visibleWaiters: Int32 = 0
    /// The class and the rank in ``QueuedFetches`` that count while the fetch is queued.
    var kind = QueuedFetches.Class.needed
    var rank = 0
    /// The fetch is a prefetch, so it continues without requests.
    var isPrefetch = false
    /// The fetch was begun for an object that was shown, so it continues without requests.
    var isInBackground = false
    /// The object is stored: a tier has it, past its lifetime.
    var validates = false
    /// The request has conditions, so that the origin can answer 304.
    var isConditional = false
    /// The stored object is delivered.
    var usesStored = false
    /// The stored object is delivered because of an error.
    var showsStale = false
    var attempts = 0
    /// The body is not an image.
    var isUndecodable = false
    /// The current attempt gets a response, whatever its status is.
    var isAnswered = true
    /// The current attempt gets no response, or a status from 500 on.
    var isUnavailable = false
    /// The status of the current attempt; 0 without a response.
    var status = 0
    /// The bytes of the body that the current attempt receives if it is not the object.
    var failedBytes = 0
    /// The bytes of the body that the current attempt receives.
    var transferBytes = 0
    /// The current attempt began while no request waited for it.
    var transfersAhead = false
    var state = State.queued

    /// Returns the waiters. It is mutating so that the call does not copy the other variables of a fetch in an array.
    mutating func allWaiters() -> FetchWaiters { waiters }

    enum State {
        case queued, running
        /// The fetch has failed, and is attempted again at this time.
        case resting(until: Int64)
        /// The body has arrived, and is decoded.
        case decoding
        case over

        var isOver: Bool { if case .over = self { true } else { false } }
        var isDecoding: Bool { if case .decoding = self { true } else { false } }
        var isQueued: Bool { if case .queued = self { true } else { false } }
        func rests(until time: Int64) -> Bool { if case .resting(time) = self { true } else { false } }
        var isRunning: Bool { if case .running = self { true } else { false } }
    }
}

/// The requests that wait for a fetch, in the order in which they came.
///
/// Most fetches have one, which takes no allocation.
struct FetchWaiters: RandomAccessCollection {
    /// The request that came first; negative for none.
    private var oldest = -1
    /// The requests that came later; nil before the first of them.
    private var others: Deque<Int>?

    init() {}

    init(_ request: Int) { oldest = request }

    var startIndex: Int { 0 }
    var endIndex: Int { oldest < 0 ? 0 : 1 + (others?.count ?? 0) }
    subscript(position: Int) -> Int { position == 0 ? oldest : others?[position - 1] ?? oldest }

    mutating func append(_ request: Int) {
        if oldest < 0 {
            oldest = request
        } else if others == nil {
            others = [request]
        } else {
            others?.append(request)
        }
    }

    /// Removes a request if it waits. Cells of one object disappear in the order in which they appeared, so it usually
    /// is the first one.
    mutating func remove(_ request: Int) {
        if oldest == request {
            oldest = others?.popFirst() ?? -1
        } else if let place = others?.firstIndex(of: request) {
            others?.remove(at: place)
        }
    }
}
