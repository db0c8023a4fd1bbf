import CacheTiers
import SessionModel

/// The course of a replay on the virtual clock: what each lane did and when, what left the tiers, and why they missed.
///
/// Times are nanoseconds of the replay.
public struct ReplayEvents: Sendable {
    /// The work of a lane. The raw values are part of the stored form of ``FrameDelays``.
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

    /// The lanes, in the order of the threads of a picture.
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
        /// Of a lookup in memory and a read from disk: whether the tier had the object; nil for other work.
        public var isHit: Bool?

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
        /// Why memory did not have the image; nil for a memory hit.
        public var memoryCause: MissCause?
        /// Why the disk did not have the image; nil if it was not asked, or had it.
        public var diskCause: MissCause?
        /// When the disk had answered that it does not have the image; nil if it has not.
        public var missedOnDisk: Int64?

        /// The end of the time without the image.
        public var blankEnd: Int64 { min(delivered ?? vanished, vanished) }
    }

    public enum Tier: String, Sendable {
        case memory
        /// The memory of encoded bytes, behind the memory of images.
        case encodedMemory = "encoded_memory"
        case disk
    }

    /// Something that happens at a moment.
    public struct Mark: Sendable, Equatable {
        public enum Kind: String, Sendable, CaseIterable {
            /// An object leaves a tier to make room, or because the tier is trimmed.
            case eviction
            /// An object leaves a tier because its lifetime is over.
            case expiration
            /// An object is lost: its tier is cleared, its file is damaged, or a new image of its key is too large.
            case clearing
            /// The app removes an object from a tier.
            case removal
            /// A request joins a fetch of its object that is in progress.
            case joinedFetch = "joined_fetch"
            /// A request joins a read of its file that is queued or running.
            case joinedRead = "joined_read"
            /// A request ends without its image, because its cell has vanished or the app has ended.
            case cancelledRequest = "cancelled_request"
            /// A fetch ends because nothing waits for it, or because the app takes back a prefetch.
            case cancelledFetch = "cancelled_fetch"
            /// A read from disk does not begin, because nothing waits for it.
            case cancelledRead = "cancelled_read"
        }

        public var kind: Kind
        public var time: Int64
        /// The object; negative if it is not known.
        public var object: Int
        /// The request that joins or is cancelled. Of an object that leaves memory to make room: the request for whose
        /// image it leaves. nil if there is no such request.
        public var request: Int?
        /// The tier that the object leaves; nil if it leaves none.
        public var tier: Tier?
        /// The event of the system or the app during which the object leaves; nil for none.
        public var occasion: MissCause?
    }

    public var slices: [Slice] = []
    public var levels: [Level] = []
    public var cells: [CellSpan] = []
    /// In order of their times.
    public var marks: [Mark] = []
    public var memoryLimit: Int?
}

/// Collects the events of a replay. The virtual lanes and the pipeline call it.
package final class ReplayEventLog {
    private(set) var events = ReplayEvents()
    /// The slices of fetches that have not ended.
    private var fetches: [Int: Int] = [:]
    /// The first slice since the last relaunch.
    private var firstOpen = 0
    /// By request: when the disk had answered that it does not have the image.
    private var missesOnDisk: [Int: Int64] = [:]
    /// By the number of an image in the memory's ledger: the image.
    private var memoryImages: [ImageKey] = []
    private var diskImages: [DiskName: ImageKey] = [:]

    func worked(
        _ work: ReplayEvents.Work, on object: Int, from start: Int64, for duration: Int64, isOnMainLane: Bool = false,
        isHit: Bool? = nil
    ) {
        events.slices.append(
            .init(
                work: work, object: object, start: start, end: start + duration, isOnMainLane: isOnMainLane,
                isHit: isHit))
    }

    func note(_ kind: ReplayEvents.Mark.Kind, of object: Int, by request: Int? = nil, at time: Int64) {
        events.marks.append(.init(kind: kind, time: time, object: object, request: request))
    }

    func missedOnDisk(_ request: Int, at time: Int64) { missesOnDisk[request] = time }

    // MARK: Departures

    /// Notes the image of the next number in the memory's ledger.
    func numberedInMemory(_ imageKey: ImageKey) { memoryImages.append(imageKey) }

    /// Notes the names of files: two for each object, as `DiskNames` has them. The first object with a name counts.
    func nameFiles(_ names: [DiskName?]) {
        for (number, name) in names.enumerated() {
            guard let name, diskImages[name] == nil else { continue }
            diskImages[name] = ImageKey(number: number)
        }
    }

    func note(_ departures: [TierJournal.Departure], from tier: ReplayEvents.Tier, at time: Int64) {
        for departure in departures {
            let trigger = ReplayRecorder.Trigger(rawValue: departure.trigger) ?? ReplayRecorder.Trigger.none
            // A relaunch counts all files as lost, and finds them again.
            if tier == .disk, departure.reason == .purged, trigger == .relaunch { continue }
            var mark = ReplayEvents.Mark(
                kind: .eviction, time: time, object: image(of: departure, in: tier)?.object ?? -1, tier: tier)
            switch departure.reason {
            case .evicted:
                // A file is written after the request whose image it has, so the journal can name a later one.
                if tier == .memory, trigger == .none, departure.accessor >= 0 {
                    mark.request = Int(departure.accessor)
                }
            case .expired: mark.kind = .expiration
            case .purged: mark.kind = trigger == .removal ? .removal : .clearing
            case .removed: mark.kind = .removal
            }
            if mark.kind == .clearing || mark.kind == .eviction, trigger != .none {
                mark.occasion = trigger.cause(isMemory: tier != .disk)
            }
            events.marks.append(mark)
        }
    }

    /// The image that has left a tier; nil for a file whose name the log does not know.
    private func image(of departure: TierJournal.Departure, in tier: ReplayEvents.Tier) -> ImageKey? {
        switch tier {
        case .memory: memoryImages[departure.object]
        // Its ledger has the numbers of images.
        case .encodedMemory: ImageKey(number: departure.object)
        case .disk: departure.name.flatMap { diskImages[$0] }
        }
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

    /// Completes the events with the cells, and with the causes of their misses.
    func finish(_ requests: [ReplayRequest], _ causes: [RequestCauses], memoryLimit: Int?) {
        events.memoryLimit = memoryLimit
        events.cells = requests.enumerated().map { index, request in
            ReplayEvents.CellSpan(
                object: request.imageKey.object, appeared: request.appeared,
                delivered: request.delivered >= 0 ? request.delivered : nil, vanished: request.vanished,
                source: request.isWrong ? "wrong" : request.outcome?.name ?? "cancelled",
                memoryCause: causes[index].memory, diskCause: causes[index].disk, missedOnDisk: missesOnDisk[index])
        }
    }
}
