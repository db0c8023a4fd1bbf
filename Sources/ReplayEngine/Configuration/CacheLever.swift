import CachePolicies

/// A parameter of a cache beside its limits, and other values of it that are worth a replay.
public struct CacheLever: Sendable, Equatable {
    /// A parameter of ``SweptValue``.
    public let parameter: String
    /// The values, in a fixed order. The cache's own value is not among them.
    public let values: [String]

    public init(parameter: String, values: [String]) {
        self.parameter = parameter
        self.values = values
    }
}

extension CacheConfiguration {
    /// Returns the parameters of this cache that an app can choose, beside the limits of memory and disk.
    ///
    /// The cache accepts each value alone, and each gives another cache. `lifetime` is a lever only if the policy of a
    /// tier determines lifetimes; beside HTTP headers, it is an assumption of the replay and not a setting. Of
    /// `connections` and `connectionsPerHost`, the lever is the one that limits the fetches from one host: Kingfisher
    /// sets no limit of its own, but that of its session.
    public func levers(registry: PolicyRegistry = .builtIn) -> [CacheLever] {
        let context = PolicyContext(workload: Workload(uniqueBytes: 1 << 40, objects: 1 << 20), registry: registry)
        let own = try? canonical(for: context)
        return candidates.compactMap { lever in
            let values = lever.values.filter { value in
                let swept = SweptValue(parameter: lever.parameter, value: value)
                guard let cache = try? sweeping(swept, registry: registry),
                    let text = try? cache.canonical(for: context)
                else { return false }
                return text != own
            }
            return values.isEmpty ? nil : CacheLever(parameter: lever.parameter, values: values)
        }
    }

    private var candidates: [CacheLever] {
        var levers: [CacheLever] = []
        if memory.first(named: "split") != nil {
            levers.append(
                CacheLever(parameter: "thumbnails", values: ["10%", "20%", "30%", "40%", "50%", "60%", "75%"]))
        }
        let lifetimes = [(memory, memoryRules.lifetime), (disk ?? .none, diskRules.lifetime)]
        if lifetimes.contains(where: { $0.first(named: "ttl") != nil && $1 == .policy }) {
            levers.append(CacheLever(parameter: "lifetime", values: ["5min", "1h", "1d", "7d", "30d", "never"]))
        }
        let perHost = (pipeline.connections ?? .max) > (pipeline.connectionsPerHost ?? .max - 1)
        levers.append(
            CacheLever(
                parameter: perHost ? "connectionsPerHost" : "connections",
                values: ["2", "4", "6", "8", "12", "16", "32"]))
        levers.append(CacheLever(parameter: "order", values: FetchOrder.allCases.map(\.rawValue)))
        let policies = PolicyRegistry.builtIn.entries.filter(\.needsOnlyLimits)
        levers.append(CacheLever(parameter: "policy", values: policies.map(\.name)))
        levers.append(
            CacheLever(
                parameter: "prefetch",
                values: ["none", "next(6)", "next(12)", "rows(2)", "rows(4)", "velocity(250ms)", "velocity(500ms)"]))
        return levers
    }
}
