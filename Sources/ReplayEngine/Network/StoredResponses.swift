import HTTPCaching
import SessionModel

/// The storage and use of the responses of a trace's objects in a tier, by their recorded headers and the time of their
/// last fetch. The cache has one user.
struct StoredResponses {
    let lifetime: LifetimeRule
    let rule: RevalidationRule
    /// By object; empty if the policy alone states lifetimes.
    private let rules: [ResponseRules]
    /// By object: the end of its lifetime, in microseconds of the trace. A fetch and a 304 set it. A relaunch keeps it,
    /// because files keep it.
    private var until: [Int64]
    /// The number of objects whose headers state no lifetime.
    let assumedCount: Int

    init(_ trace: PreparedTrace, lifetime: LifetimeRule, rule: RevalidationRule) {
        self.lifetime = lifetime
        self.rule = rule
        guard lifetime != .policy else {
            (rules, until, assumedCount) = ([], [], 0)
            return
        }
        rules = trace.columns.responses(trace.trace, lifetime: lifetime, revalidation: rule)
        until = Array(repeating: 0, count: rules.count)
        assumedCount = rules.count { $0.storing == .asPolicySays }
    }

    /// Notes a response with a body, or a 304. `time`: in microseconds.
    mutating func answered(_ object: Int, at time: Int64) {
        if !rules.isEmpty { until[object] = time + rules[object].lifetime }
    }

    enum Storing {
        case untilPolicySays
        /// Microseconds of the trace.
        case until(Int64)
        case notAtAll
    }

    /// Returns how the object is stored now. What is validated never expires by the policy's clock.
    func storing(_ object: Int) -> Storing {
        guard !rules.isEmpty else { return .untilPolicySays }
        return switch rules[object].storing {
        case .asPolicySays: .untilPolicySays
        case .stored: .until(rule == .never ? until[object] : Self.forever)
        case .refused: .notAtAll
        }
    }

    private static let forever = Int64.max / 4

    func use(_ object: Int, at time: Int64) -> ResponseRules.Use { rules[object].use(staleness: time - until[object]) }

    /// Whether the object may be shown although its validation has failed.
    func mayShowAfterError(_ object: Int, at time: Int64) -> Bool {
        !rules.isEmpty && rules[object].mayShowAfterError(staleness: time - until[object])
    }

    /// The time for which the object is past its lifetime, in microseconds.
    func staleness(_ object: Int, at time: Int64) -> Int64 {
        guard !rules.isEmpty, rules[object].storing == .stored else { return 0 }
        return max(0, time - until[object])
    }
}
