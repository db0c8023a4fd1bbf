import CachePolicies

/// A plausible model of the eviction order of Darwin's NSCache. The names are those of the policy `nscache`.
public enum NSCacheModelChoice: String, Codable, Sendable, CaseIterable {
    case lru, fifo, frequency
}

/// The model that the user chose for Darwin's NSCache, in place of all plausible ones.
public struct ChosenNSCache: Codable, Sendable, Hashable {
    /// A model of the policy `nscache`.
    public var model: String
    /// For the model `gnustep`: objects have discardable content.
    public var isDiscardable: Bool
    /// What says so, such as the file of a probe; nil for the user's own choice.
    public var source: String?

    public init(model: String, isDiscardable: Bool = false, source: String? = nil) {
        (self.model, self.isDiscardable, self.source) = (model, isDiscardable, source)
    }
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

    /// Returns the same cache with the model that the user chose for Darwin's NSCache, or unchanged if its memory does
    /// not rest on that class, or if its specification names a model that is not a plausible one.
    public func choosing(_ chosen: ChosenNSCache) -> CacheConfiguration {
        guard model != nil else { return self }
        var cache = self
        cache.memory = memory.setting("model", to: chosen.model, inPoliciesNamed: "nscache")
        if chosen.isDiscardable {
            cache.memory = cache.memory.setting("discardable", to: "true", inPoliciesNamed: "nscache")
        }
        cache.chosenNSCache = chosen
        cache.name = "\(name) [\(chosen.model)]"
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
