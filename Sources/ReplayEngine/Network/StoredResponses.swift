import SessionModel

/// What the responses that a tier has stored are worth, by their recorded headers (RFC 9111, RFC 5861, RFC 8246), in a
/// tier that validates them.
struct StoredResponses {
    let rule: RevalidationRule
    /// By object; empty if the tier validates nothing.
    private let facts: [Facts]
    /// By object: the end of its lifetime, in microseconds of the trace. A fetch and a 304 set it.
    private var until: [Int64]
    /// The number of objects whose headers state no lifetime.
    let assumedCount: Int

    /// What the headers of one object say. Times are microseconds.
    struct Facts: Equatable {
        var storing = Storing.asPolicySays
        /// 0: each use needs a validation.
        var lifetime: Int64 = 0
        var staleWhileRevalidate: Int64 = 0
        var staleIfError: Int64 = 0
        /// `no-cache` or `Vary: *`: no use without a validation.
        var isAlwaysValidated = false
        /// `must-revalidate`: never used past its lifetime.
        var mustRevalidate = false
        var isImmutable = false

        enum Storing { case asPolicySays, stored, refused }
    }

    /// What a request does with a stored object.
    enum Use: Equatable {
        case show
        /// The object is shown, and validated meanwhile.
        case showAndValidate(isStale: Bool)
        case validateFirst
    }

    init(_ trace: Trace, lifetime: LifetimeRule, rule: RevalidationRule) {
        self.rule = rule
        guard rule != .never, lifetime != .policy else {
            (facts, until, assumedCount) = ([], [], 0)
            return
        }
        let started = trace.header.started.flatMap(Timestamp.microseconds)
        facts = trace.objects.map { Facts($0.headers, lifetime, started: started) }
        until = Array(repeating: 0, count: facts.count)
        assumedCount = facts.count { $0.storing == .asPolicySays }
    }

    /// Notes a response with a body, or a 304. `time`: in microseconds.
    mutating func answered(_ object: Int, at time: Int64) {
        if !facts.isEmpty { until[object] = time + facts[object].lifetime }
    }

    /// Returns how the object is stored. What headers give a lifetime never expires by the policy's clock.
    func storing(_ object: Int) -> HTTPLifetimes.Storing {
        switch facts[object].storing {
        case .asPolicySays: .untilPolicySays
        case .stored: .until(Self.forever)
        case .refused: .notAtAll
        }
    }

    private static let forever = Int64.max / 4

    func use(_ object: Int, at time: Int64) -> Use {
        let facts = facts[object]
        guard facts.storing == .stored else { return .show }
        let staleness = time - until[object]
        let isFresh = staleness < 0 && !facts.isAlwaysValidated
        switch rule {
        case .never: return .show
        case .conditional: return isFresh ? .show : .validateFirst
        case .staleWhileRevalidate:
            if isFresh { return .show }
            let isAllowed = !facts.mustRevalidate && !facts.isAlwaysValidated
            return isAllowed && staleness < facts.staleWhileRevalidate
                ? .showAndValidate(isStale: true) : .validateFirst
        case .cacheThenNetwork:
            return isFresh && facts.isImmutable ? .show : .showAndValidate(isStale: staleness >= 0)
        }
    }

    /// Whether the object may be shown although its validation has failed (RFC 5861, section 4).
    func mayShowAfterError(_ object: Int, at time: Int64) -> Bool {
        guard !facts.isEmpty, facts[object].storing == .stored else { return false }
        let facts = facts[object]
        return !facts.mustRevalidate && !facts.isAlwaysValidated && time - until[object] < facts.staleIfError
    }

    /// The time for which the object is past its lifetime, in microseconds.
    func staleness(_ object: Int, at time: Int64) -> Int64 {
        guard !facts.isEmpty, facts[object].storing == .stored else { return 0 }
        return max(0, time - until[object])
    }
}

extension StoredResponses.Facts {
    /// - Parameter started: The date of time 0 of the trace, in microseconds since 1970; nil if it is unknown.
    init(_ headers: [HTTPField], _ rule: LifetimeRule, started: Int64?) {
        func value(_ name: String) -> String? { headers.last { $0.name == name }?.value }
        let text = headers.lazy.filter { $0.name == "cache-control" }.map(\.value).joined(separator: ",")
        var control = CacheControl(text)
        let directives = control.directives
        // What must be validated is stored here, and so has the lifetime that its other headers state.
        control.forbids = false
        staleWhileRevalidate = (directives.staleWhileRevalidate ?? 0) * 1_000_000
        staleIfError = (directives.staleIfError ?? 0) * 1_000_000
        mustRevalidate = directives.mustRevalidate
        isImmutable = directives.immutable
        let vary = value("vary")
        isAlwaysValidated = directives.noCache || vary?.contains("*") == true
        if directives.noStore {
            storing = .refused
            return
        }
        let isStated = control.maxAge != nil || value("expires") != nil
        if rule == .httpExplicit, !headers.isEmpty, vary != nil || !isStated && !directives.noCache {
            storing = .refused
            return
        }
        switch Freshness(headers, control, by: rule, started: started) {
        case .lasts(let lifetime):
            storing = .stored
            self.lifetime = lifetime
        case .none: storing = .stored
        case .unstated:
            // A lifetime that depends on the unknown date of the recording is unknown. Without any, a response that can
            // be validated is validated at each use (RFC 9111, section 4.2).
            let isUnknown = started == nil && (isStated || value("last-modified") != nil)
            if isAlwaysValidated || !isUnknown && !HTTPValidators(headers).isEmpty { storing = .stored }
        }
    }
}
