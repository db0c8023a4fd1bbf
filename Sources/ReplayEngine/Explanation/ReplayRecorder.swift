import Basics
import CachePolicies
import CacheTiers

/// Records what the requests of a replay wait for, and why tiers miss. The pipeline calls it at each change.
///
/// Times are nanoseconds of the replay. A request always waits for exactly one thing, from its appearance until it is
/// delivered or its cell vanishes, so the waits sum to the blank time.
///
/// All arrays have their final lengths before the replay: requests are numbered below `requests`, objects below
/// `objects.keys.count`, and cells below twice `objects.imageCount`.
package final class ReplayRecorder {
    /// What the app does while objects leave a tier: ``TierJournal/trigger``.
    enum Trigger: UInt8 {
        case none, memoryWarning, background, relaunch, removal
    }

    /// What became of an object's last fetch or request.
    enum Outcome: UInt8, BitwiseCopyable {
        case none, inProgress, arrived, cancelled, deferred, blocked, failed
    }

    /// An access to a tier, for the comparison with a policy that knows the future.
    struct TierAccess: BitwiseCopyable {
        /// ``ImageKey/number``; negative if the tier was cleared.
        var imageKey: Int32
        /// The request of a lookup; negative for prefetches and removals.
        var request: Int32

        static let prefetch: Int32 = -1
        static let removal: Int32 = -2
        static let clear = TierAccess(imageKey: -1, request: removal)

        init(imageKey: Int32, request: Int32) {
            self.imageKey = imageKey
            self.request = request
        }

        var isLookup: Bool { imageKey >= 0 && request > Self.removal }

        init(_ imageKey: ImageKey, request: Int32) {
            self.init(imageKey: Int32(truncatingIfNeeded: imageKey.number), request: request)
        }
    }

    /// What is known of a lookup that missed in a tier.
    struct Miss: BitwiseCopyable {
        var entry = TierJournal.Entry()
        /// The outcome of the object's last fetch at that time.
        var outcome = Outcome.none
        /// Nothing has asked for the cell's image before.
        var isFirst = false
        /// Nothing has asked for the image before, in any size of a view.
        var isFirstOfFile = false
        /// Something has asked for an image before whose key differs only in its query, or for another variant or size.
        var isSimilar = false
        /// The file was found, and was damaged.
        var isDamaged = false
        /// The tier had the object, and the origin was asked whether it is current.
        var isValidated = false
        /// Whether the tier has missed at all.
        var isMiss = false
    }

    /// What is recorded of a request, beside its waits.
    struct Course: BitwiseCopyable {
        /// When the stage began.
        var since: Int64 = 0
        var stage = Stage.over
        var object: Int32 = 0
        var memory = Miss()
        var disk = Miss()
    }

    /// What a request waits for; a fetch divides its wait later.
    enum Stage: BitwiseCopyable {
        case on(Wait)
        case fetch(Int32)
        /// The wait is over, or the cell has vanished.
        case over
    }

    /// What is recorded of a cell number.
    struct CellState: BitwiseCopyable {
        /// The journal's entry of the last read, if the file was not found.
        var read = TierJournal.Entry()
        var readMissed = false
        /// Whether something has asked for the image in this size.
        var isSeen = false
        /// Whether something has asked for the image in any size. Noted for the object's own size.
        var isFileSeen = false
        /// The launch in which the file is being read; negative if it is not.
        var launch: Int32 = -1
    }

    /// The journals of modelled tiers.
    let memory = TierJournal()
    let disk = TierJournal()
    /// That of the memory of encoded bytes, for a log of events alone: causes are those of the memory of images.
    let encoded = TierJournal()
    /// Whether a read that starts is done later, in a thread of a disk lane: on a wall clock.
    let readsLater: Bool
    let objects: ReplayObjects
    let courses: UncheckedArray<Course>
    let cells: UncheckedArray<CellState>
    /// By object.
    let outcomes: UncheckedArray<Outcome>
    /// By object: the first object whose key differs at most in its query.
    let similar: [Int]
    /// By object: whether something has asked for an object of the group that begins with it.
    let seenKeys: UncheckedArray<Bool>
    /// Points to one value, from the recorder's creation to its end.
    let state: UnsafeMutablePointer<State>
    let end: Int64
    let foreground: ForegroundClock

    static let kinds = Wait.allCases.count

    /// What grows or is replaced. It is behind a pointer, so that it is read and written without the checks of a
    /// class's variables.
    struct State {
        /// The journals of the tiers of a measured replay; nil if the tiers are modelled.
        var real: (any TierJournals)?
        /// Whether there are any. Reading this is cheaper than reading ``real``, which is copied.
        var areReal = false
        /// By request, ``Wait`` after ``Wait``: what the explanations of the requests share.
        var waits: [Int64] = []
        var memoryAccesses: [TierAccess] = []
        var diskAccesses: [TierAccess] = []
        var diskMissCount = 0
        /// The number of relaunches.
        var launch: Int32 = 0
        /// By the number of the prefetch: whether a request has used its image.
        var usedPrefetches: [Bool] = []
        /// By fetch: when its connection is open, and when its first byte arrives.
        var phases: [(connected: Int64, firstByte: Int64)] = []
    }

    var real: (any TierJournals)? { state.pointee.real }
    var areReal: Bool { state.pointee.areReal }
    /// By request, ``Wait`` after ``Wait``.
    var waits: [Int64] { state.pointee.waits }
    var memoryAccesses: [TierAccess] { state.pointee.memoryAccesses }
    var diskAccesses: [TierAccess] { state.pointee.diskAccesses }

    /// - Parameters:
    ///   - requests: The number of requests.
    ///   - objects: The objects as the cache sees them.
    ///   - similar: By object: the first object whose key differs at most in its query. See ``SimilarKeys``.
    ///   - end: The time of the last event.
    ///   - foreground: The time in the foreground, of which waits consist.
    ///   - readsLater: Whether a read that starts is done later, in a thread of a disk lane.
    init(
        requests: Int, objects: ReplayObjects, similar: [Int], end: Int64, foreground: ForegroundClock,
        readsLater: Bool = false
    ) {
        self.end = end
        self.foreground = foreground
        self.readsLater = readsLater
        self.objects = objects
        self.similar = similar
        let count = objects.keys.count
        let images = objects.imageCount
        courses = UncheckedArray(repeating: Course(), count: requests)
        cells = UncheckedArray(repeating: CellState(), count: images * 2)
        seenKeys = UncheckedArray(repeating: false, count: count)
        outcomes = UncheckedArray(repeating: .none, count: count)
        state = .allocate(capacity: 1)
        state.initialize(to: State())
        state.pointee.waits = Array(repeating: 0, count: requests * Self.kinds)
        state.pointee.memoryAccesses.reserveCapacity(requests)
        state.pointee.phases.reserveCapacity(requests)
    }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
    }

    /// Returns what has left modelled tiers since the last call.
    func takeDepartures() -> [(tier: ReplayEvents.Tier, departures: [TierJournal.Departure])] {
        let journals: [(tier: ReplayEvents.Tier, journal: TierJournal)] = [
            (.memory, memory), (.encodedMemory, encoded), (.disk, disk),
        ]
        return journals.map { ($0.tier, $0.journal.takeDepartures()) }
    }

    /// Follows real tiers, which have journals of their own. Memory that the recorder will need is in use from now on,
    /// so that it does not count as the cache's.
    package func follow(_ journals: some TierJournals) {
        state.pointee.real = journals
        state.pointee.areReal = true
        let unused = Array(repeating: TierAccess(imageKey: 0, request: TierAccess.prefetch), count: courses.count)
        state.pointee.memoryAccesses = unused
        state.pointee.memoryAccesses.removeAll(keepingCapacity: true)
        state.pointee.diskAccesses = unused
        state.pointee.diskAccesses.removeAll(keepingCapacity: true)
        state.pointee.phases = Array(repeating: (0, 0), count: courses.count)
    }
}
