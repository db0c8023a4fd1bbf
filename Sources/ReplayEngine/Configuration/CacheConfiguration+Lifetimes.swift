import CachePolicies
import HTTPCaching

extension CacheConfiguration {
    /// The same cache, in which objects never expire: neither by its policies nor by headers.
    public var withoutLifetimes: CacheConfiguration {
        var cache = self
        cache.memory = memory.setting("lifetime", to: "never", inPoliciesNamed: "ttl")
        cache.disk = disk?.setting("lifetime", to: "never", inPoliciesNamed: "ttl")
        cache.memoryRules.lifetime = .policy
        cache.diskRules.lifetime = .policy
        cache.memoryRules.revalidate = .never
        cache.diskRules.revalidate = .never
        return cache
    }
}

// Lifetimes by HTTP headers, in policies that have none.
extension CacheConfiguration {
    /// The policy that runs in memory: that of the specification, within a `ttl` if HTTP headers state lifetimes and
    /// the policy has none. Objects without such headers then stay as long as the policy keeps them.
    func runningMemory(_ registry: PolicyRegistry) throws -> PolicySpec {
        try Self.needsLifetimes(memoryRules.lifetime, memoryRules.revalidate)
            ? memory.keepingLifetimes(registry) : memory
    }

    /// The same for the disk; nil without a disk tier.
    func runningDisk(_ registry: PolicyRegistry) throws -> PolicySpec? {
        try Self.needsLifetimes(diskRules.lifetime, diskRules.revalidate)
            ? disk?.keepingLifetimes(registry) : disk
    }

    /// A tier that validates its objects keeps them past their lifetimes, and needs no policy for that.
    private static func needsLifetimes(_ lifetime: LifetimeRule, _ revalidate: RevalidationRule) -> Bool {
        lifetime != .policy && revalidate == .never
    }
}

extension PolicySpec {
    /// Returns a policy in which each object can have a lifetime: this one if a `ttl` is in it, or else this one within
    /// a `ttl` that is longer than any session. Of a `split`, each half is considered apart.
    func keepingLifetimes(_ registry: PolicyRegistry) throws -> PolicySpec {
        guard name != PolicySpec.none.name else { return self }
        let inner = policyArguments(registry)
        guard inner.count > 1 else { return hasLifetimes(registry) ? self : try withLongLifetime() }
        var spec = self
        for index in inner {
            guard case .spec(let policy) = arguments[index].value else { continue }
            spec.arguments[index].value = .spec(try policy.keepingLifetimes(registry))
        }
        return spec
    }

    private func hasLifetimes(_ registry: PolicyRegistry) -> Bool {
        if name == "ttl" { return true }
        return policyArguments(registry).contains { index in
            guard case .spec(let policy) = arguments[index].value else { return false }
            return policy.hasLifetimes(registry)
        }
    }

    /// Fifty years. With `never`, files would have one date, and no order after a relaunch.
    private func withLongLifetime() throws -> PolicySpec { try PolicySpec("ttl(\(self), lifetime: 18250d)") }

    /// The places of the arguments that are policies.
    private func policyArguments(_ registry: PolicyRegistry) -> [Int] {
        let parameters = registry[name]?.parameters ?? []
        return arguments.indices.filter { index in
            parameters.contains { $0.kind == .policy && $0.label == arguments[index].label }
        }
    }
}
