/// What happens to an object in a tier when its lifetime by HTTP headers has ended. <doc:Revalidation> describes the
/// values.
public enum RevalidationRule: String, Codable, Sendable, RuleChoice {
    /// It expires.
    case never
    /// It stays, and a request asks the origin first whether it is still current.
    case conditional
    /// The same, but within the time that `stale-while-revalidate` states (RFC 5861) it is shown at once, and validated
    /// meanwhile.
    case staleWhileRevalidate
    /// Every request shows the stored object at once, and validates it meanwhile.
    case cacheThenNetwork
}

extension CacheConfiguration {
    /// Whether stored objects are validated, in any tier.
    var revalidates: Bool {
        memoryRules.revalidate != .never || disk != nil && diskRules.revalidate != .never
    }

    /// Checks that the tiers that validate objects know when a lifetime ends.
    ///
    /// - Throws: ``RuleError``.
    public func checkRevalidation() throws(RuleError) {
        for (tier, rule, lifetime) in [
            ("memory", memoryRules.revalidate, memoryRules.lifetime),
            ("disk", diskRules.revalidate, diskRules.lifetime),
        ] where rule != .never && lifetime == .policy {
            throw RuleError(
                rule: "\(tier)Revalidate",
                message: """
                    \(tier)Revalidate: \(rule.rawValue) needs lifetimes that HTTP headers state, and with \
                    \(tier)Lifetime: policy no header counts; add \(tier)Lifetime: http or httpExplicit, or write \
                    \(tier)Revalidate: never
                    """)
        }
    }
}
