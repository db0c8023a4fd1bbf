import HTTPCaching
import SessionModel

/// The time for which a response may be used again without asking its server, by its recorded headers (RFC 9111,
/// section 4.2). The cache has one user, so `s-maxage` and `private` have no effect.
enum Freshness: Equatable {
    /// No headers were recorded, or none states a lifetime: the cache's own lifetime applies.
    case unstated
    /// Never: `no-store`, or a response that must be validated before each use, which costs a round trip in any case.
    case none
    /// Microseconds from the fetch.
    case lasts(Int64)

    /// - Parameters:
    ///   - control: The `cache-control` among the headers.
    ///   - started: The date of time 0 of the trace, in microseconds since 1970; nil if it is unknown.
    init(_ headers: [HTTPField], _ control: CacheControl, by rule: LifetimeRule, started: Int64?) {
        self = rule == .policy ? .unstated : Self.said(by: headers, control, rule, started: started)
    }

    private static func said(by headers: [HTTPField], _ control: CacheControl, _ rule: LifetimeRule, started: Int64?)
        -> Freshness
    {
        guard !headers.isEmpty else { return .unstated }
        let response = ResponseHead(200, HeaderFields(headers.map { ($0.name, $0.value) }))
        let fields = response.fields
        if control.forbids { return .none }
        if fields.contains("vary"), rule == .httpExplicit || VaryKey.isAny(fields) { return .none }
        var oddities = HTTPOddities()
        let lifetime = FreshnessLifetime.of(response, control.directives, received: started ?? 0, oddities: &oddities)
        // Expires and Last-Modified are compared with the date of the response, or else with the start of the trace.
        let hasDate = started != nil || fields.first("date").flatMap { HTTPDate.microseconds($0) } != nil
        switch lifetime.source {
        case .maxAge:
            return lasting(seconds: lifetime.seconds - ResponseFreshness.statedAge(of: response, oddities: &oddities))
        case .expires:
            if oddities[.invalidExpires] > 0 { return .none }
            return hasDate ? lasting(seconds: lifetime.seconds) : .unstated
        case .heuristic where rule == .http && hasDate: return lasting(seconds: lifetime.seconds)
        case .heuristic, .none:
            // A date of change that allows no estimate means that the response is stale.
            let isChanged = fields.first("last-modified").flatMap { HTTPDate.microseconds($0) } != nil
            return rule == .httpExplicit || isChanged && hasDate ? .none : .unstated
        }
    }

    private static func lasting(seconds: Int64) -> Freshness {
        seconds > 0 ? .lasts(min(seconds, CacheControl.longest) * 1_000_000) : .none
    }
}

/// The directives of `cache-control`, of which most images of a trace have the same text.
struct CacheControl: Equatable {
    let directives: ResponseDirectives
    /// `no-store`, or `no-cache`.
    var forbids: Bool
    /// Seconds; nil without such a directive.
    var maxAge: Int64? { directives.maxAge }

    /// A year, in seconds: the longest lifetime that RFC 2616 allowed servers to state.
    static let longest: Int64 = 365 * 86_400

    /// Reads `max-age=60, no-transform`.
    init(_ text: String) {
        directives = ResponseDirectives(text)
        forbids = directives.noStore || directives.noCache
    }
}

/// The expirations of objects in a tier that follow from HTTP headers.
struct HTTPLifetimes {
    /// By object; empty if the policy alone states lifetimes.
    private let freshness: [Freshness]
    /// By object, in microseconds of the trace. A fetch sets the expiration. A relaunch keeps it, because files keep
    /// it.
    private var until: [Int64]
    /// The number of objects whose headers state no lifetime.
    let assumedCount: Int

    init(_ trace: Trace, rule: LifetimeRule) {
        guard rule != .policy else {
            (freshness, until, assumedCount) = ([], [], 0)
            return
        }
        let started = trace.header.started.flatMap(Timestamp.microseconds)
        // Most images of a trace have the same text.
        var controls: [String: CacheControl] = [:]
        freshness = trace.objects.map { object in
            let text = object.headers.lazy.filter { $0.name == "cache-control" }.map(\.value).joined(separator: ",")
            let control = controls[text] ?? CacheControl(text)
            controls[text] = control
            return Freshness(object.headers, control, by: rule, started: started)
        }
        until = Array(repeating: 0, count: freshness.count)
        assumedCount = freshness.count { $0 == .unstated }
    }

    /// `time`: in microseconds.
    mutating func fetched(_ object: Int, at time: Int64) {
        guard !freshness.isEmpty, case .lasts(let lifetime) = freshness[object] else { return }
        until[object] = time + lifetime
    }

    /// Returns the expiration of the object if it is stored now.
    func storing(_ object: Int) -> Storing {
        guard !freshness.isEmpty else { return .untilPolicySays }
        switch freshness[object] {
        case .unstated: return .untilPolicySays
        case .none: return .notAtAll
        case .lasts: return .until(until[object])
        }
    }

    enum Storing {
        case untilPolicySays
        case until(Int64)
        case notAtAll
    }
}
