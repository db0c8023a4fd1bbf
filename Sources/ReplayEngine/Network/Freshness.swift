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
        func value(_ name: String) -> String? { headers.last { $0.name == name }?.value }
        if control.forbids { return .none }
        if let vary = value("vary"), rule == .httpExplicit || vary.contains("*") { return .none }
        let age = value("age").flatMap(Int64.init) ?? 0
        if let lifetime = control.maxAge { return lasting(seconds: lifetime - min(max(0, age), CacheControl.longest)) }
        if let expires = value("expires") {
            guard let date = HTTPDate.microseconds(expires) else { return .none }
            guard let started else { return .unstated }
            return lasting(seconds: (date - started) / 1_000_000)
        }
        if rule == .http, let modified = value("last-modified").flatMap(HTTPDate.microseconds), let started {
            return lasting(seconds: (started - modified) / 10 / 1_000_000)
        }
        return rule == .httpExplicit && !headers.isEmpty ? .none : .unstated
    }

    private static func lasting(seconds: Int64) -> Freshness {
        seconds > 0 ? .lasts(min(seconds, CacheControl.longest) * 1_000_000) : .none
    }
}

/// The directives of `cache-control` that matter to a cache of one user (RFC 9111, section 5.2.2).
struct CacheControl: Equatable {
    /// `no-store`, or `no-cache`.
    var forbids = false
    /// Seconds; nil without such a directive.
    var maxAge: Int64?

    /// A year, in seconds: the longest lifetime that RFC 2616 allowed servers to state.
    static let longest: Int64 = 365 * 86_400

    /// Reads `max-age=60, no-transform`.
    init(_ text: String) {
        for directive in text.lowercased().split(separator: ",") {
            let sides = directive.split(separator: "=", maxSplits: 1)
            switch sides.first?.trimmed {
            case "no-store", "no-cache": forbids = true
            case "max-age": maxAge = Self.seconds(sides.count > 1 ? sides[1].trimmed : "")
            default: break
            }
        }
    }

    /// A text that is not a number means that the response is stale (section 4.2.1). A number that is too large means
    /// that it is fresh for long (section 1.2.2).
    private static func seconds(_ text: Substring) -> Int64 {
        min(Int64(text) ?? (!text.isEmpty && text.allSatisfy(\.isASCIIDigit) ? longest : 0), longest)
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

extension Character {
    fileprivate var isASCIIDigit: Bool { isASCII && isWholeNumber }
}

extension Substring {
    fileprivate var trimmed: Substring {
        var text = drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
