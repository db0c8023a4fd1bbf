/// One request under way: a cell that appeared and wants its image.
package struct ReplayRequest {
    var cell = Cell(object: 0, variant: 1)
    /// Nanoseconds of replay time; negative where it has not happened.
    var appeared: Int64 = 0
    var delivered: Int64 = -1
    var vanished: Int64 = -1
    var state = State.looking
    /// How it ended; nil before it has.
    package var outcome: RequestOutcome?
    package var isStale = false
    package var isWrong = false
    /// It waited for a fetch that had ended without word to it.
    package var isForgotten = false
    /// The next cell that shows the same object, or -1.
    var nextOpen: Int32 = -1

    enum State: Equatable {
        /// In memory or on disk.
        case looking
        /// Held back until the list rests.
        case heldBack
        /// For the fetch of that number.
        case waiting(Int, own: Bool)
        case done
    }

    var isVisible: Bool { vanished < 0 }
    var isDone: Bool { state == .done }

    /// Whether the request waits for a fetch that has ended without word to it.
    func waitsInVain(_ fetches: [ReplayFetch]) -> Bool {
        guard case .waiting(let fetch, _) = state else { return false }
        return fetches[fetch].state.isOver
    }
}

/// One fetch of an object, under way or waiting for a connection.
struct ReplayFetch {
    var cell: Cell
    var waiters: [Int] = []
    /// Nobody need wait for it.
    var isPrefetch = false
    var attempts = 0
    /// What comes is no image.
    var isUndecodable = false
    var state = State.queued

    enum State {
        case queued, running
        /// It has failed, and waits for its next attempt at this time.
        case resting(until: Int64)
        /// It has come, and is being made a bitmap of.
        case decoding
        case over

        var isOver: Bool { if case .over = self { true } else { false } }
        var isDecoding: Bool { if case .decoding = self { true } else { false } }
        var isRunning: Bool { if case .running = self { true } else { false } }
    }
}
