import CachePolicies
import CacheTiers
import SessionModel

/// A trace that was checked, with the data that all its replays need: sizes, working sets, and the recorded network.
///
/// Replays of one trace through many caches share it, also in several threads.
public struct PreparedTrace: Sendable {
    public let trace: Trace
    public let context: CacheContext
    package let sizes: ResolvedSizes
    package let images: ImageSizes
    package let keys: [String]
    /// By object: the first object with the same key, usually itself.
    let objectsWithSameKey: [Int]
    /// The names of the objects' files in modelled replays.
    let diskNames: DiskNames
    let similarKeys: SimilarKeys
    /// The events of the trace, as replays read them.
    let events: [SessionEvent]
    /// The number of requests: of cells that appear.
    let requestCount: Int
    let recordsPrefetches: Bool
    let recordedSuccess: RecordedSuccess
    /// The images in the sizes of their views; nil for a trace without sizes of views.
    let renditions: Renditions?
    /// The columns that replays through caches with equal rules share.
    let columns = SharedColumns()
    /// The networks that most replays use. Their seeds are replaced.
    private let models: [(network: ReplayJob.Network, model: NetworkModel)]
    public let cellsStay: Bool
    let marks: (marks: [SessionMark], omitted: Int)
    let motion: ListMotion
    package let foreground: ForegroundClock
    /// The places of cells in their lists, in order of appearance; none for a trace without `list` events.
    let cellPlaces: [CellPlace]

    /// - Parameters:
    ///   - trace: The trace.
    ///   - network: The network of most replays. Replays over another network take longer to begin.
    ///   - registry: The policies that caches may name.
    /// - Throws: ``ReplayError`` for a trace that cannot be replayed.
    public init(
        _ trace: Trace, network: ReplayJob.Network = .recorded, registry: PolicyRegistry = .builtIn
    ) throws {
        try self.init(trace, networks: [network], registry: registry)
    }

    /// - Parameters:
    ///   - trace: The trace.
    ///   - networks: The networks of most replays. Replays over another network take longer to begin.
    ///   - registry: The policies that caches may name.
    /// - Throws: ``ReplayError`` for a trace that cannot be replayed.
    public init(_ trace: Trace, networks: [ReplayJob.Network], registry: PolicyRegistry = .builtIn) throws {
        try ReplayJob.check(trace)
        self.trace = trace
        sizes = trace.resolvedSizes()
        images = ImageSizes(trace, sizes: sizes)
        context = CacheContext(images, registry: registry)
        keys = trace.objects.map(\.key)
        objectsWithSameKey = ReplayObjects.firstObjectsWithSameKey(keys)
        similarKeys = SimilarKeys(keys)
        events = trace.events.map(SessionEvent.init)
        requestCount = trace.events.count { if case .appear = $0.action { true } else { false } }
        recordsPrefetches = trace.recordsPrefetches
        recordedSuccess = RecordedSuccess(trace)
        renditions = Renditions(trace, decoded: images.decoded)
        let hasThumbnails = trace.events.contains { event in
            switch event.action {
            case .appear(_, .thumbnail), .prefetch(_, .thumbnail): true
            default: false
            }
        }
        diskNames = DiskNames(
            keys, hasThumbnails: hasThumbnails,
            areDistinct: objectsWithSameKey.enumerated().allSatisfy { $0.offset == $0.element })
        models = networks.map { [sizes] network in
            var model = NetworkModel(trace, sizes: sizes.bytes, seed: 0, network: network)
            model.prepareNeighbours()
            return (network, model)
        }
        cellsStay = trace.cellsStay
        marks = SessionMark.marks(of: trace)
        motion = ListMotion(trace)
        foreground = ForegroundClock(trace)
        cellPlaces = CellPlace.places(of: trace)
    }

    /// Returns the images as the memory of a cache tells them apart; nil if sizes of views have no effect on it.
    func renditions(for cache: CacheConfiguration) -> Renditions? {
        cache.memoryRules.sizes == .one ? nil : renditions
    }

    /// The bytes of the largest image in memory.
    public var largestImage: Int { trace.objects.indices.map { images.held($0, .decoded) }.max() ?? 0 }

    func network(_ network: ReplayJob.Network, seed: UInt64) -> NetworkModel {
        guard var model = models.first(where: { $0.network == network })?.model else {
            return NetworkModel(trace, sizes: sizes.bytes, seed: seed, network: network)
        }
        model.seed = seed
        return model
    }
}

extension ReplayJob {
    /// A trace whose times are in another unit than microseconds, or count from another moment than its start, would
    /// ask for millions of years of seconds.
    public static func check(_ trace: Trace) throws {
        let days = (trace.events.last?.time ?? 0) / day
        guard days <= longestDays else {
            throw ReplayError(
                """
                the trace ends \(days) days after time 0; replay takes up to \(longestDays). Are its times \
                microseconds since the \
                start of the session? `trace head` shows them.
                """)
        }
        for case .fetch(let object, let fetch) in trace.events.lazy.map(\.action) where (fetch.duration ?? 0) > day {
            throw ReplayError(
                """
                a fetch of \(trace.objects[Int(object)].key.prefix(80)) took \((fetch.duration ?? 0) / 3_600_000_000) \
                hours; replay \
                takes up to 24. Are ttfb_us and transfer_us in microseconds?
                """)
        }
    }

    static let longestDays: Int64 = 31
    /// In microseconds.
    private static let day: Int64 = 86_400_000_000
}
