import CachePolicies
import SessionModel

/// The bounds of a tier's content, as its policy states them: bytes and objects, of all images together, or of
/// thumbnails and full images apart.
enum TierBounds: Equatable {
    case all(Limits)
    case split(thumbnail: Limits, full: Limits)

    /// Reads the limits of a policy, or of the policies inside it.
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
    var knowingPolicy: any CachePolicy {
        switch self {
        case .all(let limits): limits.knowingPolicy
        case .split(let thumbnail, let full): Limits.knowingPolicy(thumbnail: thumbnail, full: full)
        }
    }
}

/// Whether the fetches of a session succeed, for a cache of which only the number of fetches is known: the nth fetch of
/// an object has the success of its nth recorded one, and later ones have the success of the last.
struct RecordedSuccess {
    /// Of the objects with a fetch that failed.
    private(set) var outcomes: [Int: [Bool]] = [:]
    /// By object: whether it is one of them. Most objects are not, and are not searched for.
    private var areUnreliable: [Bool]
    private var counts: [Int: Int] = [:]

    init(_ trace: Trace) {
        areUnreliable = Array(repeating: false, count: trace.objects.count)
        for case .fetch(let object, let fetch) in trace.events.lazy.map(\.action) where !fetch.succeeded {
            areUnreliable[Int(object)] = true
        }
        for case .fetch(let object, let fetch) in trace.events.lazy.map(\.action) where areUnreliable[Int(object)] {
            outcomes[Int(object), default: []].append(fetch.succeeded)
        }
    }

    /// Counts a fetch, and returns whether it succeeds.
    mutating func succeeds(_ object: Int) -> Bool {
        guard areUnreliable[object], let known = outcomes[object] else { return true }
        let number = counts[object, default: 0]
        counts[object] = number + 1
        return known[min(number, known.count - 1)]
    }
}
