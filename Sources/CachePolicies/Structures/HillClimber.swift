/// A search for the value of a parameter at which the hit ratio is highest. A step that helped is followed by another
/// in the same direction, a step that hurt by one back. Steps shrink, until the hit ratio changes so much that the
/// climb restarts.
///
/// At the end of the range the climb turns round (see ``turn()``), instead of waiting for the hit ratio to fall.
///
/// Source: Einziger, Eytan, Friedman, Manes, Adaptive Software Cache Management, Middleware 2018. The numbers are those
/// of the cache library Caffeine.
public struct HillClimber {
    public struct Rules: Sendable {
        /// The first step, and the first after a change of `restart`: a share of the parameter's range.
        public var step = 0.0625
        /// Each step is the one before times this.
        public var decay = 0.98
        /// A change of the hit ratio by this or more restarts the climb.
        public var restart = 0.05

        public init() {}
    }

    public let rules: Rules
    private var next: Double
    private var lastRatio = 0.0
    @usableFromInline var requests = 0
    @usableFromInline var hits = 0

    public init(_ rules: Rules) {
        self.rules = rules
        next = -rules.step
    }

    @inlinable public mutating func note(isHit: Bool) {
        requests &+= 1
        hits &+= isHit ? 1 : 0
    }

    /// Returns the next step as a share of the parameter's range, or nil until `period` requests have been noted since
    /// the last step.
    public mutating func step(after period: Int) -> Double? {
        guard requests >= period, requests > 0 else { return nil }
        let ratio = Double(hits) / Double(requests)
        let change = ratio - lastRatio
        let amount = change >= 0 ? next : -next
        next = abs(change) >= rules.restart ? (amount < 0 ? -rules.step : rules.step) : amount * rules.decay
        lastRatio = ratio
        requests = 0
        hits = 0
        return amount
    }

    /// Reverses the direction at the end of the range.
    public mutating func turn() { next = -next }

    public mutating func removeAll() { self = HillClimber(rules) }
}
