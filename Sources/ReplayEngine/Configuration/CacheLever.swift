import CachePolicies

public struct CacheLever: Sendable {
    public let parameter: String
    public let values: [String]
    public init(_ parameter: String, _ values: [String]) { (self.parameter, self.values) = (parameter, values) }
}

extension CacheConfiguration {
    public func levers(registry: PolicyRegistry = .builtIn) -> [CacheLever] {
        [
            CacheLever("connectionsPerHost", ["2", "4", "8", "12", "16", "32"]),
            CacheLever("order", ["lifo", "visibleFirst"]),
        ]
    }
    public func sweeping(_ values: [SweptValue], registry: PolicyRegistry = .builtIn) throws -> CacheConfiguration {
        try values.reduce(self) { try $0.sweeping($1, registry: registry) }
    }
}
