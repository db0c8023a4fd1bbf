import SessionModel

/// The course of a replay on the virtual clock: what each lane did and when.
///
/// Times are nanoseconds of the replay.
public struct ReplayEvents: Sendable {
    /// What a lane did. The raw values are part of the stored form of ``FrameDelays``.
    public enum Work: String, Sendable, CaseIterable {
        case memoryLookup = "memory_lookup"
        case memoryStore = "memory_store"
        case diskRead = "disk_read"
        case diskStore = "disk_store"
        case diskTouch = "disk_touch"
        case diskRemoval = "disk_removal"
        case diskSweep = "disk_sweep"
        case decode, fetch

        package var lane: Lane {
            switch self {
            case .memoryLookup, .memoryStore: .main
            case .diskRead, .diskStore, .diskTouch, .diskRemoval, .diskSweep: .disk
            case .decode: .decode
            case .fetch: .connection
            }
        }
    }

    /// What works. The order is that of the threads of a picture.
    package enum Lane: Int, CaseIterable {
        case main, disk, decode, connection
    }

    /// Work from its start to its end.
    public struct Slice: Sendable, Equatable {
        public var work: Work
        /// The object; negative for none.
        public var object: Int
        public var start: Int64
        public var end: Int64
        /// Of a fetch: when its connection is open, and when its first byte arrives.
        public var connected: Int64 = 0
        public var firstByte: Int64 = 0
        /// Whether the fetch was cancelled before its end.
        public var isCancelled = false
        /// Whether the work ran on the main lane, although there is a lane for it.
        public var isOnMainLane = false

        package var lane: Lane { isOnMainLane ? .main : work.lane }
    }

    /// A level at a time.
    public struct Level: Sendable, Equatable {
        public var time: Int64
        public var memoryBytes: Int
        public var diskBytes: Int
        public var fetches: Int
    }

    /// A request: its cell is blank from its appearance until the image is there, or until it vanishes.
    public struct CellSpan: Sendable, Equatable {
        public var object: Int
        public var appeared: Int64
        public var delivered: Int64?
        public var vanished: Int64
        public var source: String

        /// The end of the time without the image.
        public var blankEnd: Int64 { min(delivered ?? vanished, vanished) }
    }

    public var slices: [Slice] = []
    public var levels: [Level] = []
    public var cells: [CellSpan] = []
}

/// Collects the events of a replay. The virtual lanes and the pipeline call it.
package final class ReplayEventLog {
    private(set) var events = ReplayEvents()
    /// The slices of fetches that have not ended.
    private var fetches: [Int: Int] = [:]
    /// The first slice since the last relaunch.
    private var firstOpen = 0

    func worked(
        _ work: ReplayEvents.Work, on object: Int, from start: Int64, for duration: Int64, isOnMainLane: Bool = false
    ) {
        events.slices.append(
            .init(work: work, object: object, start: start, end: start + duration, isOnMainLane: isOnMainLane))
    }

    func fetches(_ fetch: Int, _ object: Int, _ sample: NetworkModel.Sample, at time: Int64) {
        fetches[fetch] = events.slices.count
        let connected = time + sample.connect
        events.slices.append(
            .init(
                work: .fetch, object: object, start: time, end: time, connected: connected,
                firstByte: connected + sample.timeToFirstByte))
    }

    func ended(fetch: Int, at time: Int64, isCancelled: Bool = false) {
        guard let place = fetches.removeValue(forKey: fetch) else { return }
        events.slices[place].end = time
        events.slices[place].isCancelled = isCancelled
    }

    /// Ends all work: the app was relaunched, or the replay has ended.
    func endAll(at time: Int64) {
        for fetch in Array(fetches.keys) { ended(fetch: fetch, at: time, isCancelled: true) }
        var index = events.slices.count - 1
        // Work that has started last may end last; the lanes have few slices at a time.
        while index >= max(firstOpen, 0) {
            if events.slices[index].end > time { events.slices[index].end = time }
            index -= 1
        }
        firstOpen = events.slices.count
    }

    func note(_ level: ReplayEvents.Level) {
        if let last = events.levels.last, last.time == level.time { events.levels.removeLast() }
        if let last = events.levels.last, last.memoryBytes == level.memoryBytes, last.diskBytes == level.diskBytes,
            last.fetches == level.fetches
        {
            return
        }
        events.levels.append(level)
    }

    func finish(_ requests: [ReplayRequest]) -> ReplayEvents {
        events.cells = requests.map { request in
            ReplayEvents.CellSpan(
                object: request.imageKey.object, appeared: request.appeared,
                delivered: request.delivered >= 0 ? request.delivered : nil, vanished: request.vanished,
                source: request.isWrong ? "wrong" : request.outcome?.name ?? "cancelled")
        }
        return events
    }
}
