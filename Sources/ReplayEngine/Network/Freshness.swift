import CacheTraces
import SessionModel

/// How long a response may be used again without asking its server, by the headers that were recorded with it (RFC
/// 9111, section 4.2). For a cache of one user: `s-maxage` and `private` mean nothing to it.
enum Freshness: Equatable {
    /// No headers were recorded, or none that says: the cache's own lifetime holds.
    case unstated
    /// Never: `no-store`, or a response that must be validated before each use, which costs a round trip whatever is
    /// kept.
    case none
    /// Microseconds from the fetch.
    case lasts(Int64)

    /// `started`: when time 0 of the trace was, in microseconds since 1970, where dates are to be understood; nil where
    /// that is unknown. `control`: the `cache-control` among the headers.
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

/// What `cache-control` says to the cache of one user (RFC 9111, section 5.2.2).
struct CacheControl: Equatable {
    /// `no-store`, or `no-cache`.
    var forbids = false
    /// Seconds; nil where it says none.
    var maxAge: Int64?

    /// A year, in seconds: RFC 2616 told servers to promise no more.
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

    /// What is no number says that the response is old (section 4.2.1), what is too large a number, that it is fresh
    /// for long (1.2.2).
    private static func seconds(_ text: Substring) -> Int64 {
        min(Int64(text) ?? (!text.isEmpty && text.allSatisfy(\.isASCIIDigit) ? longest : 0), longest)
    }
}

/// The form of dates that HTTP prefers (RFC 9110, section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Microseconds since 1970; nil where the text is no such date.
    static func microseconds(_ text: String) -> Int64? {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", let month = months.firstIndex(of: String(parts[2])) else {
            return nil
        }
        return Timestamp.microseconds("\(parts[3])-\(month < 9 ? "0" : "")\(month + 1)-\(parts[1])T\(parts[4])Z")
    }
}

/// Until when a tier may use what it holds of each object, where HTTP's headers say so.
struct HTTPLifetimes {
    /// By object; empty where the policy alone says it.
    private let freshness: [Freshness]
    /// By object, in microseconds of the trace: set by each fetch, kept over a relaunch, since files keep it.
    private var until: [Int64]
    /// Objects whose headers say nothing.
    let assumedCount: Int

    init(_ trace: Trace, rule: LifetimeRule) {
        guard rule != .policy else {
            (freshness, until, assumedCount) = ([], [], 0)
            return
        }
        let started = trace.header.started.flatMap(Timestamp.microseconds)
        // Most images of a trace say the same.
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

    /// What storing the object means for its expiration.
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
