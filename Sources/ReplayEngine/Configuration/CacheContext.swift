import CachePolicies
import SessionModel

/// The working sets of a trace, which sizes such as `5%` refer to. The disk tier counts encoded bytes. A memory tier
/// counts the same bytes as its cost.
public struct CacheContext: Sendable {
    /// The working set in encoded bytes.
    public var encoded: PolicyContext
    /// The working set in bytes of bitmaps.
    public var decoded: PolicyContext

    public init(_ trace: Trace, registry: PolicyRegistry = .builtIn) {
        self.init(ImageSizes(trace, sizes: trace.resolvedSizes()), registry: registry)
    }

    /// Creates the context of a trace whose objects have these sizes.
    init(_ images: ImageSizes, registry: PolicyRegistry) {
        func context(_ bytes: [Int]) -> PolicyContext {
            PolicyContext(
                workload: Workload(uniqueBytes: bytes.reduce(0, +), objects: bytes.count), registry: registry)
        }
        (encoded, decoded) = (context(images.workingSet(images.encoded)), context(images.workingSet(images.decoded)))
    }

    /// Creates the context of a working set whose objects have one size in all forms.
    public init(_ context: PolicyContext) { (encoded, decoded) = (context, context) }

    /// Creates the policy of a cache's memory.
    ///
    /// - Throws: `SpecError` for a policy that cannot be created.
    public func memoryPolicy(of cache: CacheConfiguration) throws -> any CachePolicy {
        let context = memory(cache.memoryRules)
        return try context.policy(cache.runningMemory(context.registry))
    }

    /// Creates the policy of a cache's disk; nil without a disk tier.
    ///
    /// - Throws: `SpecError` for a policy that cannot be created.
    public func diskPolicy(of cache: CacheConfiguration) throws -> (any CachePolicy)? {
        try cache.runningDisk(encoded.registry).map { try encoded.policy($0) }
    }

    func memory(_ rules: MemoryRules) -> PolicyContext {
        switch rules.cost {
        case .held: rules.holds == .decoded ? decoded : encoded
        case .decoded, .encodedAndDecoded: decoded
        case .encoded, .file, .none: encoded
        }
    }
}

/// A plausible model of the eviction order of Darwin's NSCache. The policy `nscache` has the same names.
public enum NSCacheModelChoice: String, Codable, Sendable, CaseIterable {
    case lru, fifo, frequency
}

extension CacheConfiguration {
    /// The model of Darwin's NSCache that the cache runs with, or nil if its memory does not rest on that class.
    ///
    /// The answer follows from the specification: a preset rests on the class only as long as its memory policy still
    /// is an `nscache` with a plausible model.
    public var model: NSCacheModelChoice? {
        guard presetRestsOnDarwinNSCache, own == nil, chosenNSCache == nil,
            let policy = memory.first(named: "nscache")
        else { return nil }
        return policy.word("model").map(NSCacheModelChoice.init(rawValue:)) ?? .lru
    }

    /// Returns the same cache with the model of the policy `nscache` that the user chose for Darwin's NSCache, or
    /// unchanged if its memory does not rest on that class, or if its specification names a model that is not a
    /// plausible one.
    public func choosing(_ chosen: String) -> CacheConfiguration {
        guard model != nil else { return self }
        var cache = self
        cache.memory = memory.setting("model", to: chosen, inPoliciesNamed: "nscache")
        cache.chosenNSCache = chosen
        cache.name = "\(name) [\(chosen)]"
        return cache
    }

    /// Returns the same cache with another model of Darwin's NSCache.
    public func with(_ model: NSCacheModelChoice) -> CacheConfiguration {
        var cache = self
        cache.memory = memory.setting("model", to: model.rawValue, inPoliciesNamed: "nscache")
        cache.name = model == .lru ? name : "\(name) [\(model.rawValue)]"
        return cache
    }
}
