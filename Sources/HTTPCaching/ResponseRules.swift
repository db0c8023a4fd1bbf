/// The rules of a cache of one user for a response, by its headers (RFC 9111, RFC 5861, RFC 8246).
///
/// A replay makes one value for each object, and asks it at each request. `s-maxage` and `private` have no effect,
/// because they are for shared caches.
public struct ResponseRules: Sendable, Equatable {
    public enum Storing: Sendable {
        /// The headers state no lifetime. The policy's lifetime applies.
        case asPolicySays
        /// For its lifetime if it is never validated, and else until the policy makes room.
        case stored
        case refused
    }

    /// The use of the stored response by a request.
    public enum Use: Sendable, Equatable {
        case show
        /// The response is shown, and validated meanwhile.
        case showAndValidate(isStale: Bool)
        case validateFirst
    }

    public private(set) var storing = Storing.asPolicySays
    /// Microseconds from the fetch, or from the 304 that confirms the response. 0: each use needs a validation.
    public private(set) var lifetime: Int64 = 0
    /// Microseconds past the lifetime (RFC 5861, section 3).
    private var staleWhileRevalidate: Int64 = 0
    /// Microseconds past the lifetime (RFC 5861, section 4).
    private var staleIfError: Int64 = 0
    /// `no-cache` or `Vary: *`: no use without a validation.
    private var isAlwaysValidated = false
    /// `must-revalidate`: never used past its lifetime.
    private var mustRevalidate = false
    private var isImmutable = false
    private var revalidation: RevalidationRule

    /// A year, in seconds: the longest lifetime that RFC 2616 allowed servers to state.
    private static let longest: Int64 = 365 * 86_400

    /// - Parameters:
    ///   - headers: The headers of the response.
    ///   - lifetime: The source of the lifetime.
    ///   - revalidation: What happens at the end of the lifetime.
    ///   - received: The time of the response, in microseconds since 1970, which replaces a missing `Date`; nil if it
    ///     is unknown.
    public init(
        _ headers: [HTTPField], lifetime: LifetimeRule, revalidation: RevalidationRule, received: Int64?
    ) {
        let directives = ResponseDirectives(headers.combined("cache-control"))
        self.init(headers, directives, lifetime, revalidation, received: received)
    }

    /// Returns the rules of many responses. Most images of a trace have the same `Cache-Control`, which is read once.
    public static func all(
        _ responses: some Sequence<[HTTPField]>, lifetime: LifetimeRule, revalidation: RevalidationRule,
        received: Int64?
    ) -> [ResponseRules] {
        var known: [String: ResponseDirectives] = [:]
        return responses.map { headers in
            let text = headers.combined("cache-control")
            let directives = known[text] ?? ResponseDirectives(text)
            known[text] = directives
            return ResponseRules(headers, directives, lifetime, revalidation, received: received)
        }
    }

    private init(
        _ headers: [HTTPField], _ directives: ResponseDirectives, _ rule: LifetimeRule,
        _ revalidation: RevalidationRule, received: Int64?
    ) {
        self.revalidation = revalidation
        guard rule != .policy else { return }
        guard rule != .maxAge else {
            setLifetime(byMaxAgeOf: directives, isKnown: !headers.isEmpty)
            return
        }
        let isVaryAny =
            rule != .httpDate && headers.contains("vary") && listItems(headers.combined("vary")).contains("*")
        isAlwaysValidated = directives.noCache || isVaryAny
        staleWhileRevalidate = (directives.staleWhileRevalidate ?? 0) * 1_000_000
        staleIfError = (directives.staleIfError ?? 0) * 1_000_000
        mustRevalidate = directives.mustRevalidate
        isImmutable = directives.isImmutable
        let isRefused = isRefused(headers, directives, rule)
        guard !headers.isEmpty, !isRefused else {
            storing = isRefused ? .refused : .asPolicySays
            return
        }
        let seconds = isVaryAny ? 0 : Self.freshSeconds(headers, directives, rule, received: received)
        if let seconds, seconds > 0 {
            storing = .stored
            self.lifetime = min(seconds, Self.longest) * 1_000_000
        } else if seconds != nil {
            storing = revalidation == .never ? .refused : .stored
        } else if revalidation != .never {
            // A lifetime that depends on the unknown date of the recording is unknown. Without any, a response that can
            // be validated is validated at each use (RFC 9111, section 4.2).
            let isUnknown = received == nil && ["expires", "last-modified"].contains { headers.contains($0) }
            if isAlwaysValidated || !isUnknown && !HTTPValidators(headers).isEmpty { storing = .stored }
        }
    }

    /// Sets a lifetime of which only `max-age` and `no-cache` decide. Of both, `no-cache` counts.
    private mutating func setLifetime(byMaxAgeOf directives: ResponseDirectives, isKnown: Bool) {
        guard isKnown else { return }
        let stated = directives.maxAge.flatMap { $0 > 0 ? $0 : nil } ?? 7 * 86_400
        let seconds = directives.noCache ? 0 : min(stated, Self.longest)
        lifetime = seconds * 1_000_000
        storing = seconds == 0 && revalidation == .never ? .refused : .stored
    }

    /// Whether the headers forbid to store the response. Without validations, what is always validated is not stored.
    private func isRefused(_ headers: [HTTPField], _ directives: ResponseDirectives, _ rule: LifetimeRule) -> Bool {
        if directives.noStore || revalidation == .never && isAlwaysValidated { return true }
        guard rule == .httpExplicit, !headers.isEmpty else { return false }
        let isStated = directives.maxAge != nil || headers.contains("expires")
        return headers.contains("vary") || !isStated && !directives.noCache
    }

    /// The seconds for which the response is fresh when it comes: its lifetime without its age (RFC 9111, section 4.2).
    /// Nil if the headers state no lifetime.
    private static func freshSeconds(
        _ headers: [HTTPField], _ directives: ResponseDirectives, _ rule: LifetimeRule, received: Int64?
    ) -> Int64? {
        // An age that is no number is ignored (section 5.1).
        let age = headers.first("age").flatMap { listItems(String($0)).first }.flatMap { deltaSeconds($0) } ?? 0
        if rule == .httpDate { return secondsFromDate(headers, directives, age: age, received: received) }
        if let seconds = directives.maxAge { return seconds - age }
        let date = headers.first("date").flatMap { HTTPDates.microseconds($0) } ?? received
        if let text = headers.first("expires") {
            // `Expires: 0` and similar mean that the response is stale (section 5.3).
            guard let expires = HTTPDates.microseconds(text) else { return 0 }
            return date.map { (expires - $0) / 1_000_000 - age }
        }
        guard rule == .http else { return 0 }
        // A text that is no date counts as a missing one.
        guard let date, let modified = headers.first("last-modified").flatMap({ HTTPDates.microseconds($0) }) else {
            return nil
        }
        // A tenth of the time since the change (section 4.2.2). A server that states 1970 has no date.
        return modified > 0 && modified < date ? (date - modified) / 10_000_000 - age : 0
    }

    /// The seconds from the response to the end of its lifetime, which is counted from `Date`. Nil if the headers state
    /// no lifetime.
    ///
    /// Servers send `Date`, but most recordings lack it. `Age` tells how old it was, because caches on the way keep it.
    ///
    /// - Parameter age: The seconds that `Age` states.
    private static func secondsFromDate(
        _ headers: [HTTPField], _ directives: ResponseDirectives, age: Int64, received: Int64?
    ) -> Int64? {
        if directives.maxAge == 0 { return 0 }
        // A server that states 1970 has no date.
        let stated = headers.first("date").flatMap { HTTPDates.microseconds($0) }.flatMap { $0 > 0 ? $0 : nil }
        let sinceStated = stated.flatMap { date in received.map { max(0, ($0 - date) / 1_000_000) } }
        let passed = sinceStated ?? age
        if let seconds = directives.maxAge { return seconds - passed }
        guard let date = stated ?? received.map({ $0 - min(age, longest) * 1_000_000 }) else { return nil }
        if let text = headers.first("expires") {
            return HTTPDates.microseconds(text).map { ($0 - date) / 1_000_000 - passed }
        }
        return headers.first("last-modified").flatMap { HTTPDates.microseconds($0) }
            .map { (date - $0) / 10_000_000 - passed }
    }

    /// Returns the use of the stored response by a request.
    ///
    /// - Parameter staleness: The microseconds since the end of the lifetime; negative before it.
    public func use(staleness: Int64) -> Use {
        guard storing == .stored else { return .show }
        let isFresh = staleness < 0 && !isAlwaysValidated
        switch revalidation {
        case .never: return .show
        case .conditional: return isFresh ? .show : .validateFirst
        case .staleWhileRevalidate:
            if isFresh { return .show }
            return mayBeStale && staleness < staleWhileRevalidate ? .showAndValidate(isStale: true) : .validateFirst
        case .cacheThenNetwork:
            return isFresh && isImmutable ? .show : .showAndValidate(isStale: staleness >= 0)
        case .staleThenNetwork: return isFresh ? .show : .showAndValidate(isStale: staleness >= 0)
        }
    }

    /// Whether the response may be shown although its validation has failed (RFC 5861, section 4).
    ///
    /// - Parameter staleness: The microseconds since the end of the lifetime; negative before it.
    public func mayShowAfterError(staleness: Int64) -> Bool {
        storing == .stored && mayBeStale && staleness < staleIfError
    }

    /// Whether the headers allow a use past the lifetime at all.
    private var mayBeStale: Bool { !mustRevalidate && !isAlwaysValidated }
}

/// The source of an object's lifetime in a tier. The policy's lifetime applies to objects without another one.
public enum LifetimeRule: String, Codable, Sendable, CaseIterable {
    case policy
    /// The HTTP headers of the response (RFC 9111): `no-store` and `no-cache` are not stored. `max-age` and `Expires`
    /// give the lifetime; without them it is a tenth of the time since `Last-Modified`.
    case http
    /// The HTTP headers of responses that state a lifetime explicitly. Other responses, and those with `Vary`, are not
    /// stored.
    case httpExplicit
    /// `max-age` alone, and 7 days without one above 0. `no-cache` is a lifetime of 0. `no-store`, `Expires`, `Age`,
    /// `Vary` and dates have no effect, and an origin is asked with the entity tag alone. This is what Flutter's
    /// `flutter_cache_manager` does.
    case maxAge
    /// The HTTP headers, counted from `Date`, as React Native's image cache reads them: `no-store`, `no-cache` and
    /// `max-age=0` are not stored. `max-age` and `Expires` give the lifetime; without them it is a tenth of the time
    /// from `Last-Modified` to `Date`. The cache reads neither `Age` nor `Vary`. A response whose `Date` was not
    /// recorded is taken to have one: `Age` before the time of the response.
    case httpDate
}

/// The treatment of an object in a tier when its lifetime by HTTP headers has ended.
public enum RevalidationRule: String, Codable, Sendable, CaseIterable {
    /// It expires.
    case never
    /// It stays, and a request asks the origin first whether it is still current.
    case conditional
    /// The same, but within the time that `stale-while-revalidate` states (RFC 5861) it is shown at once, and validated
    /// meanwhile.
    case staleWhileRevalidate
    /// Every request shows the stored object at once, and validates it meanwhile.
    case cacheThenNetwork
    /// A request shows the stored object at once. Past its lifetime, it is validated meanwhile, and decoded again if
    /// the origin confirms it.
    case staleThenNetwork
}
