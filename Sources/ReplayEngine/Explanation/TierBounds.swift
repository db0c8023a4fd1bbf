import CachePolicies
import SessionModel

/// What bounds the content of a tier, as its policy states it: bytes and objects, of all images together, or of
/// thumbnails and full images apart.
enum TierBounds: Equatable {
    case all(Limits)
    case split(thumbnail: Limits, full: Limits)

    /// Reads the limits of a policy, or those of the policies inside it.
    ///
    /// Returns nil for a policy without limits, and for one whose limits its specification does not say.
    /// - Throws: `SpecError` if the policy does not exist, or if an argument is not one of its parameters.
    init?(_ spec: PolicySpec, in context: PolicyContext) throws {
        guard let entry = context.registry[spec.name] else { return nil }
        let policies = spec.arguments.compactMap { argument -> (label: String?, spec: PolicySpec)? in
            guard case .spec(let inner) = argument.value,
                entry.parameters.contains(where: { $0.kind == .policy && $0.label == argument.label })
            else { return nil }
            return (argument.label, inner)
        }
        if policies.count == 1 {
            guard let inner = try TierBounds(policies[0].spec, in: context) else { return nil }
            self = inner
            return
        }
        guard policies.isEmpty else {
            guard case .all(let thumbnail)? = try Self.half("thumbnail", of: policies, in: context),
                case .all(let full)? = try Self.half("full", of: policies, in: context)
            else { return nil }
            self = .split(thumbnail: thumbnail, full: full)
            return
        }
        var limits = Limits(bytes: try context.byteLimit(of: spec) ?? .max)
        for argument in spec.arguments {
            guard case .quantity(let text) = argument.value else { continue }
            if argument.label == nil, case .objects(let objects)? = try? Size(text) {
                limits.objects = min(limits.objects, objects)
            }
            if argument.label == "count", let count = Int(text), count > 0 { limits.objects = count }
        }
        // In the policies of libraries, a limit of 0 is no limit. All others then hold nothing, so nothing leaves.
        if limits.bytes == 0 { limits.bytes = .max }
        guard limits != Limits() else { return nil }
        self = .all(limits)
    }

    private static func half(
        _ label: String, of policies: [(label: String?, spec: PolicySpec)], in context: PolicyContext
    ) throws -> TierBounds? {
        guard let spec = policies.first(where: { $0.label == label })?.spec else { return nil }
        return try TierBounds(spec, in: context)
    }

    /// Raises a limit of the bytes of all images, for a policy that may hold more than its limit for some time.
    mutating func allow(bytes: Int) {
        guard case .all(var limits) = self else { return }
        limits.bytes = max(limits.bytes, bytes)
        self = .all(limits)
    }

    /// The room of a policy in these bounds: bytes where they have a limit, otherwise objects; nil for a
    /// split whose halves have limits in different units.
    var room: Capacity? {
        switch self {
        case .all(let limits):
            return limits.bytes < .max ? Capacity(limits.bytes, .bytes) : Capacity(limits.objects, .objects)
        case .split(let thumbnail, let full):
            func sum(_ one: Int, _ other: Int) -> Int { one + min(other, .max - one) }
            if thumbnail.bytes < .max, full.bytes < .max {
                return Capacity(sum(thumbnail.bytes, full.bytes), .bytes)
            }
            guard thumbnail.objects < .max, full.objects < .max else { return nil }
            return Capacity(sum(thumbnail.objects, full.objects), .objects)
        }
    }

    /// The policy that knows the future, in these bounds.
    var knowingPolicy: String {
        func half(_ limits: Limits) -> String {
            var sizes: [String] = []
            if limits.bytes < .max { sizes.append("\(limits.bytes)B") }
            if limits.objects < .max { sizes.append("\(limits.objects) objects") }
            return "belady-bypass(\(sizes.joined(separator: ", ")))"
        }
        return switch self {
        case .all(let limits): half(limits)
        case .split(let thumbnail, let full): "split(thumbnail: \(half(thumbnail)), full: \(half(full)))"
        }
    }
}

/// Whether the fetches of a session succeed, for a cache of which only the number of fetches is known: the nth fetch of
/// an object has the success of its nth recorded one, and later ones that of the last.
struct RecordedSuccess {
    /// Of the objects with a fetch that failed.
    private(set) var outcomes: [Int: [Bool]] = [:]
    private var counts: [Int: Int] = [:]

    init() {}

    init(_ trace: Trace) {
        var unreliable: Set<Int> = []
        for case .fetch(let object, let fetch) in trace.events.lazy.map(\.action) where !fetch.succeeded {
            unreliable.insert(Int(object))
        }
        guard !unreliable.isEmpty else { return }
        for case .fetch(let object, let fetch) in trace.events.lazy.map(\.action)
        where unreliable.contains(Int(object)) {
            outcomes[Int(object), default: []].append(fetch.succeeded)
        }
    }

    /// Counts a fetch, and returns whether it succeeds.
    mutating func succeeds(_ object: Int) -> Bool {
        guard !outcomes.isEmpty, let known = outcomes[object] else { return true }
        let number = counts[object, default: 0]
        counts[object] = number + 1
        return known[min(number, known.count - 1)]
    }
}

/// The cache that knows the future, beside which the misses of a tier are called avoidable or not: its policy, and what
/// the images are in it.
struct KnowingCache {
    /// nil: the tier held nothing.
    var policy: String?
    /// Its peak; nil if that is not known, or if the tier held nothing.
    var room: Capacity?
    /// Returns the number that the image of a cell has in the tier, and its size against the limits.
    var identity: (ImageKey) -> (number: Int, size: Int)
    /// What it fetches and does not get, it cannot hold.
    var fetches = RecordedSuccess()
    /// The images in the sizes of their views; nil if sizes have no effect.
    var renditions: Renditions?

    /// Returns the key with a ``ImageKey/number``.
    func imageKey(number: Int32) -> ImageKey {
        renditions?.imageKey(number: Int(number)) ?? ImageKey(number: Int(number))
    }

    /// - Parameters:
    ///   - bounds: What bounds the tier; nil if it is not known.
    ///   - reached: The most bytes that the tier held, which stand for unknown bounds.
    ///   - costs: Whether the costs of images are the bytes that the tier holds of them.
    ///   - identity: Returns the number of the image of a cell, its cost, and the bytes that the tier holds of it.
    init(
        _ bounds: TierBounds?, reached: Int, costsAreBytes costs: Bool,
        _ identity: @escaping (ImageKey) -> (number: Int, cost: Int, bytes: Int)
    ) {
        guard var bounds else {
            policy = reached > 0 ? TierBounds.all(Limits(bytes: reached)).knowingPolicy : nil
            room = reached > 0 ? Capacity(reached, .bytes) : nil
            self.identity = {
                let image = identity($0)
                return (image.number, image.bytes)
            }
            return
        }
        if costs { bounds.allow(bytes: reached) }
        policy = bounds.knowingPolicy
        room = bounds.room
        if costs, let limit = room, limit.unit == .bytes { room = Capacity(max(limit.value, reached), .bytes) }
        self.identity = {
            let image = identity($0)
            return (image.number, image.cost)
        }
    }
}

extension ReplayJob {
    /// The caches that know the future, for memory and for the disk.
    ///
    /// - Parameters:
    ///   - tiers: The figures of the tiers after the replay.
    ///   - driven: Whether a cache of the app's own is the memory, and whether it is the disk.
    func knowingCaches(
        _ trace: PreparedTrace, _ objects: ReplayObjects, _ tiers: TierFigures, driven: (memory: Bool, disk: Bool)
    ) throws -> (memory: KnowingCache, disk: KnowingCache) {
        // What cells show is held beside the limits, if it is pinned or live.
        let context = trace.context
        let isBounded = !driven.memory && cache.own == nil && !cache.memoryRules.keepsShown
        let memory = try isBounded ? TierBounds(cache.memory, in: context.memory(cache.memoryRules)) : nil
        let disk = try driven.disk ? nil : cache.disk.flatMap { try TierBounds($0, in: context.encoded) }
        let format = cache.diskRules.format
        var caches = (
            memory: KnowingCache(
                memory, reached: Int(tiers.memoryPeakBytes), costsAreBytes: cache.costsAreBytes
            ) { (objects.memoryNumber($0), objects.cost(Int($0.rendition)), objects.held(Int($0.rendition))) },
            disk: KnowingCache(
                disk, reached: Int(tiers.diskPeakBytes), costsAreBytes: format.counted(1) == 1
            ) {
                let bytes = objects.written($0.object)
                return (objects.diskNumber($0), format.counted(bytes), bytes)
            }
        )
        let fetches = RecordedSuccess(trace.trace)
        (caches.memory.fetches, caches.disk.fetches) = (fetches, fetches)
        (caches.memory.renditions, caches.disk.renditions) = (objects.renditions, objects.renditions)
        return caches
    }
}

/// Compares a tier with a cache of the same bounds that knows the future: Belady's policy, which may also refuse an
/// object (`belady-bypass`). It says which misses a policy could have avoided, and bounds their number only for objects
/// of one size: see ``MemoryDemand`` for a bound.
struct FutureKnowledge {
    /// By request; shorter if nothing is known of the last ones.
    private var known: [Bool] = []

    /// - Parameters:
    ///   - accesses: The lookups in the tier, and what emptied it.
    ///   - cache: The cache that knows the future.
    ///   - wanted: The requests that ``hits(_:)`` is asked about, in rising order. Without any, nothing is computed.
    /// - Complexity: O(n log n) in the number of accesses.
    init(
        _ accesses: [ReplayRecorder.TierAccess], in cache: KnowingCache, wanted: [Int]
    ) throws {
        guard let last = wanted.last, let specification = cache.policy else { return }
        known = Array(repeating: false, count: last + 1)
        var isWanted = known
        for request in wanted { isWanted[request] = true }
        // What follows the last lookup that is asked about matters only as the future.
        let stop = accesses.lastIndex { $0.request >= 0 && $0.request <= last && isWanted[Int($0.request)] } ?? -1
        var largest = 0
        let images = accesses.map { access -> (number: Int, size: Int) in
            guard access.imageKey >= 0 else { return (0, 0) }
            let image = cache.identity(cache.imageKey(number: access.imageKey))
            largest = max(largest, image.number)
            return image
        }
        var following = [Int](repeating: .max, count: largest + 1)
        var next = [Int](repeating: .max, count: stop + 1)
        for position in accesses.indices.reversed() where accesses[position].isLookup {
            if position <= stop { next[position] = following[images[position].number] }
            following[images[position].number] = position
        }
        var policy = try PolicyContext().policy(specification)
        policy.reserve(largest + 1)
        var evictions = EvictionList()
        var fetches = cache.fetches
        // By image: the size that was admitted last. A larger view of an image that serves smaller ones alone misses.
        var admitted = [Int](repeating: 0, count: largest + 1)
        for position in 0..<stop + 1 {
            let (number, size) = images[position]
            if accesses[position].isLookup {
                let imageKey = cache.imageKey(number: accesses[position].imageKey)
                let access = Access(
                    object: number, size: size, variant: imageKey.variant, position: position, next: next[position])
                if admitted[number] > 0, admitted[number] < size { policy.remove(number) }
                if policy.liveLookup(access, &evictions).isHit {
                    let request = Int(accesses[position].request)
                    if request >= 0, request <= last { known[request] = true }
                } else if fetches.succeeds(imageKey.object) {
                    admitted[number] = size
                    _ = policy.liveAdmit(access, &evictions)
                }
                evictions.victims.removeAll(keepingCapacity: true)
            } else if accesses[position].imageKey >= 0 {
                policy.remove(number)
            } else {
                policy.clear()
            }
        }
    }

    /// Whether the knowing cache holds the image of a request that was asked about at the request's lookup.
    func hits(_ request: Int) -> Bool { request < known.count && known[request] }
}
