import CachePolicies
import SessionModel

/// One change of a cache, or of the requests of its app. Everything else stays.
///
/// ``CacheConfiguration/levers(for:registry:)`` is the only list of levers. `explain` replays a session with each of
/// them beside the causes of its blank time, and `advise` the sessions of its users.
public struct Lever: Sendable, Hashable {
    /// The kind of change. The raw value is a word of JSON.
    public enum Kind: String, Sendable, CaseIterable {
        /// The images that the app asks for ahead of need.
        case prefetching
        /// Images of the size of their cells come from the server.
        case thumbnails
        /// Images are decoded to the size of their cells.
        case downsampling
        /// The end of a download whose cell disappears.
        case cancelling
        /// The order in which downloads begin.
        case order
        case connections
        /// Where images are decoded.
        case decoding
        case disk
        case lifetime
        case policy
        /// The limit of memory.
        case limit

        /// Whether the code of the app makes the change, and not the settings of its cache.
        public var isOfApp: Bool {
            switch self {
            case .prefetching, .thumbnails, .downsampling: true
            case .cancelling, .order, .connections, .decoding, .disk, .lifetime, .policy, .limit: false
            }
        }

        /// The waits of blank cells that the change can shorten.
        public var waits: [Wait] {
            switch self {
            case .prefetching, .disk: [.connectionQueue, .connect, .firstByte, .transfer]
            case .thumbnails: [.connectionQueue, .transfer, .decode]
            case .downsampling: [.decodeQueue, .decode]
            case .cancelling, .order, .connections: [.connectionQueue]
            case .decoding: [.mainLane, .decodeQueue, .decode]
            case .lifetime: [.validation]
            case .policy, .limit: []
            }
        }

        /// The causes of misses in memory that the change can remove.
        public var causes: [MissCause] {
            switch self {
            case .lifetime: [.expired]
            // Images that are larger than the limit are refused.
            case .downsampling, .limit: [.capacity, .policy, .evictedAtOnce, .wrongPrefetch, .refused]
            case .policy: [.policy]
            case .cancelling: [.cancelled]
            case .prefetching, .thumbnails, .order, .connections, .decoding, .disk: []
            }
        }
    }

    public let kind: Kind
    /// The rule or the limit that changes, and its new value: `order=lifo`. A change of images has the parameter
    /// `images`.
    public let setting: SweptValue

    init(_ kind: Kind, _ parameter: String, _ value: String) {
        self.kind = kind
        setting = SweptValue(parameter: parameter, value: value)
    }

    /// Whether the change removes all misses of its ``Kind/causes``.
    public var removesCauses: Bool { kind == .lifetime || kind == .limit && setting.value == SweptValue.unlimited }

    /// Returns a cache with the change, and with a name that has it. A change of images is in the name alone.
    ///
    /// - Throws: `SpecError` or ``RuleError`` if the cache refuses the value.
    public func applied(to cache: CacheConfiguration, registry: PolicyRegistry) throws -> CacheConfiguration {
        var changed = cache
        switch kind {
        case .thumbnails, .downsampling: break
        case .lifetime: changed = cache.withoutLifetimes
        case .disk: changed.disk = try PolicySpec(setting.value).ifNotNone
        case .prefetching, .cancelling, .order, .connections, .decoding, .policy, .limit:
            return try cache.sweeping(setting, registry: registry)
        }
        changed.name = "\(cache.name) \(setting.text)"
        return changed
    }

    /// The facts about sessions that the list of levers needs.
    public struct Sessions: Sendable {
        fileprivate var hasPrefetches = false
        fileprivate var ofImages: Set<Lever> = []

        public init() {}

        public init(_ trace: Trace) { add(trace) }

        public mutating func add(_ trace: Trace) {
            hasPrefetches =
                hasPrefetches
                || trace.events.contains { if case .prefetch = $0.action { true } else { false } }
            ofImages.formUnion(Lever.changesOfImages.filter { $0.applied(to: trace) != nil })
        }
    }

    fileprivate static let changesOfImages = [
        Lever(.thumbnails, "images", "thumbnails"), Lever(.downsampling, "images", "downsampled"),
    ]
}

extension CacheConfiguration {
    /// Returns the levers of this cache: changes that it accepts, and that give another cache or another session.
    public func levers(for sessions: Lever.Sessions, registry: PolicyRegistry = .builtIn) -> [Lever] {
        let isOther = self.isOther(registry)
        let ofCache = (prefetching(sessions) + ofPipeline + ofTiers(registry)).filter { lever in
            isOther { try lever.applied(to: self, registry: registry) }
        }
        return Lever.changesOfImages.filter(sessions.ofImages.contains) + ofCache
    }

    private func prefetching(_ sessions: Lever.Sessions) -> [Lever] {
        let rules =
            sessions.hasPrefetches || pipeline.prefetch.isPlanned
            ? [PrefetchRule.rows(2), .none] : [.rows(2)]
        return rules.map { Lever(.prefetching, "prefetch", $0.text) }
    }

    private var ofPipeline: [Lever] {
        var levers = [Lever(.cancelling, "cancelOnDisappear", "\(!pipeline.cancelOnDisappear)")]
        levers += FetchOrder.allCases.map { Lever(.order, "order", $0.rawValue) }
        let (rule, number) = connectionLimit
        if let number { levers.append(Lever(.connections, rule, "\(2 * number)")) }
        if pipeline.decodeOnMainLane { levers.append(Lever(.decoding, "decodeOnMainLane", "false")) }
        return levers
    }

    private func ofTiers(_ registry: PolicyRegistry) -> [Lever] {
        var levers = [
            Lever(.disk, "disk", disk == nil ? "lru(150MB)" : PolicySpec.none.name),
            Lever(.lifetime, "lifetime", "never"),
        ]
        levers += ["lru", "s3fifo"].map { Lever(.policy, "policy", $0) }
        let limits = limitOfMemory(registry).map { ["\($0 / 2)B", "\(2 * $0)B"] } ?? []
        return levers + (limits + [SweptValue.unlimited]).map { Lever(.limit, "memory", $0) }
    }

    /// Returns the limit of memory in bytes; nil for none, and for one that is a share of the working set.
    public func limitOfMemory(_ registry: PolicyRegistry) -> Int? {
        guard let limit = try? PolicyContext(registry: registry).byteLimit(of: memory) else { return nil }
        return limit > 1 && limit < PolicySpec.noLimit ? limit : nil
    }

    /// The limit of connections that holds for the fetches from one host: the rule, and its number; nil for none.
    ///
    /// Kingfisher sets no limit of its own; its session has one.
    var connectionLimit: (rule: String, number: Int?) {
        let (all, host) = (pipeline.connections, pipeline.connectionsPerHost)
        return (all ?? .max) > (host ?? .max - 1) ? ("connectionsPerHost", host) : ("connections", all)
    }
}

// Levers that change the images of a session.
extension Lever {
    /// The width of the screen in pixels, which is assumed: no trace records it. The presets' device has it.
    static let screenWidth = 1_080

    /// Returns a trace in which images are not larger than the cells that show them; nil if the lever changes no image.
    ///
    /// ``CellArea`` gives the sizes of cells: only a trace with `list` events, and images whose pixels are recorded,
    /// can change. Cells are squares that an image fills, so its shorter side becomes the side of its largest cell.
    /// Thumbnails have bytes and transfers in proportion to their pixels; a picture that is also opened keeps its own.
    func applied(to trace: Trace) -> Trace? {
        guard kind == .thumbnails || kind == .downsampling else { return nil }
        let areas = CellArea.areas(of: trace)
        guard !areas.isEmpty else { return nil }
        // By object: the side of its largest cell; 0 for one that no cell shows.
        var sides = [Int](repeating: 0, count: trace.objects.count)
        var isOpened = [Bool](repeating: false, count: trace.objects.count)
        let shown = trace.events.compactMap { if case .appear(let object, _) = $0.action { Int(object) } else { nil } }
        for (object, area) in zip(shown, areas) {
            sides[object] = max(sides[object], area.side(onScreenOf: Self.screenWidth))
            if area.isOpened { isOpened[object] = true }
        }
        var changed = trace
        // By object: the pixels with the change, as a share of its own.
        var shares = [Double](repeating: 1, count: trace.objects.count)
        for (number, object) in trace.objects.enumerated() where sides[number] > 0 {
            guard let width = object.pixelWidth, let height = object.pixelHeight, min(width, height) > sides[number],
                kind == .downsampling || !isOpened[number]
            else { continue }
            let factor = Double(sides[number]) / Double(min(width, height))
            changed.objects[number].pixelWidth = Int((Double(width) * factor).rounded())
            changed.objects[number].pixelHeight = Int((Double(height) * factor).rounded())
            shares[number] = factor * factor
        }
        guard shares.contains(where: { $0 < 1 }) else { return nil }
        if kind == .thumbnails { changed.scaleBytes(shares) }
        return changed
    }
}

extension Trace {
    /// Multiplies the bytes and the times of transfer of each object by its share.
    fileprivate mutating func scaleBytes(_ shares: [Double]) {
        func scaled(_ bytes: Int, _ share: Double) -> Int { min(bytes, max(1, Int((Double(bytes) * share).rounded()))) }
        for number in objects.indices {
            objects[number].bytes = objects[number].bytes.map { scaled($0, shares[number]) }
        }
        for number in events.indices {
            guard case .fetch(let object, var fetch) = events[number].action else { continue }
            let share = shares[Int(object)]
            fetch.bytes = fetch.bytes.map { scaled($0, share) }
            fetch.transferTime = fetch.transferTime.map { Int64((Double($0) * share).rounded()) }
            events[number].action = .fetch(object, fetch)
        }
    }
}

extension PreparedTrace {
    /// Returns the trace with the change of a lever; the trace itself if the lever changes no image of it.
    ///
    /// - Throws: ``ReplayError`` for a trace that cannot be replayed.
    public func applying(_ lever: Lever, network: ReplayJob.Network) throws -> PreparedTrace {
        guard let changed = lever.applied(to: trace) else { return self }
        return try PreparedTrace(changed, network: network, registry: context.encoded.registry)
    }
}
