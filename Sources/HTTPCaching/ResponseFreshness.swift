/// How long a response is fresh, and why (RFC 9111, section 4.2.1).
public struct FreshnessLifetime: Sendable, Equatable {
    public enum Source: String, Sendable, CaseIterable {
        case maxAge = "max-age"
        case expires = "Expires"
        /// A tenth of the time since `Last-Modified` (section 4.2.2).
        case heuristic
        /// The response states no lifetime, and none can be estimated: it is stale at once.
        case none
    }

    /// In microseconds; 0 if the response is stale at once.
    public var duration: Int64
    public var source: Source

    public var seconds: Int64 { duration / 1_000_000 }

    public init(_ duration: Int64, _ source: Source) {
        self.duration = max(0, duration)
        self.source = source
    }

    /// - Parameters:
    ///   - response: The head of the response.
    ///   - directives: Those of the response.
    ///   - received: The time of the response, in microseconds since 1970. It replaces a missing `Date`.
    ///   - oddities: Counts what is wrong with the response.
    public static func of(
        _ response: ResponseHead, _ directives: ResponseDirectives, received: Int64, oddities: inout HTTPOddities
    ) -> FreshnessLifetime {
        if let seconds = directives.maxAge { return FreshnessLifetime(seconds * 1_000_000, .maxAge) }
        let date = HTTPDates.date(of: response, received: received, oddities: &oddities)
        if let text = response.fields.first("Expires") {
            guard let expires = HTTPDates.microseconds(text, now: received) else {
                // `Expires: 0` and similar mean that the response is stale (section 5.3).
                oddities.count(.invalidExpires)
                return FreshnessLifetime(0, .expires)
            }
            if expires <= 0 { oddities.count(.dateOf1970) }
            return FreshnessLifetime(expires - date, .expires)
        }
        guard heuristicStatuses.contains(response.status) || directives.isPublic,
            let text = response.fields.first("Last-Modified")
        else { return FreshnessLifetime(0, .none) }
        guard let modified = HTTPDates.microseconds(text, now: received) else {
            oddities.count(.invalidLastModified)
            return FreshnessLifetime(0, .none)
        }
        guard modified > 0 else {
            oddities.count(.dateOf1970)
            return FreshnessLifetime(0, .none)
        }
        return modified < date ? FreshnessLifetime((date - modified) / 10, .heuristic) : FreshnessLifetime(0, .none)
    }

    /// The statuses whose lifetime may be estimated (RFC 9110, section 15.1).
    public static let heuristicStatuses: Set<Int> = [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501]
}

/// What the head of a response says about its use from a store. The time is the caller's.
///
/// A pipeline that replays a trace makes one value for each object, and asks it at each request.
public struct ResponseFreshness: Sendable, Equatable {
    public var directives: ResponseDirectives
    public var lifetime: FreshnessLifetime
    /// Microseconds since 1970.
    public var received: Int64
    /// The age when the response came, in microseconds (RFC 9111, section 4.2.3).
    public var initialAge: Int64
    /// - Parameters:
    ///   - response: The head of the response.
    ///   - requested: The time of the request, in microseconds since 1970.
    ///   - received: The time of the response.
    ///   - targets: The fields of targeted caching that concern this cache.
    ///   - oddities: Counts what is wrong with the response.
    public init(
        _ response: ResponseHead, requested: Int64, received: Int64, targets: [String] = [],
        oddities: inout HTTPOddities
    ) {
        directives = ResponseDirectives(response.fields, targets: targets)
        if !directives.isValid { oddities.count(.invalidCacheControl) }
        lifetime = .of(response, directives, received: received, oddities: &oddities)
        self.received = received
        var unused = HTTPOddities()
        let date = HTTPDates.date(of: response, received: received, oddities: &unused)
        let stated = Self.statedAge(of: response, oddities: &oddities) * 1_000_000
        initialAge = max(0, received - date, stated + max(0, received - requested))
    }

    /// The first number of `Age`, in seconds; 0 if it is missing or no number (section 5.1).
    public static func statedAge(of response: ResponseHead, oddities: inout HTTPOddities) -> Int64 {
        guard let text = response.fields.first("Age") else { return 0 }
        guard let seconds = listItems(text).first.flatMap(deltaSeconds) else {
            oddities.count(.invalidAge)
            return 0
        }
        return seconds
    }

    /// In microseconds. A clock that goes back does not make a response younger.
    public func age(at time: Int64) -> Int64 { initialAge + max(0, time - received) }

    public func isFresh(at time: Int64) -> Bool { lifetime.duration > age(at: time) }

    /// Microseconds for which the response has been stale; negative while it is fresh.
    public func staleness(at time: Int64) -> Int64 { age(at: time) - lifetime.duration }

    /// Whether the response must not be used stale, not even without a connection.
    public var mustRevalidate: Bool { directives.mustRevalidate || directives.noCache }

    /// Whether the response may be used stale while it is validated in the background (RFC 5861, section 3).
    public func allowsStaleWhileRevalidate(at time: Int64) -> Bool {
        guard let window = directives.staleWhileRevalidate, !mustRevalidate else { return false }
        return staleness(at: time) <= window * 1_000_000
    }

    /// Whether the response may be used after an error of the server (RFC 5861, section 4).
    public func allowsStaleIfError(at time: Int64, request: RequestDirectives = RequestDirectives("")) -> Bool {
        guard let window = [directives.staleIfError, request.staleIfError].compactMap({ $0 }).max(), !mustRevalidate
        else { return false }
        return staleness(at: time) <= window * 1_000_000
    }
}

extension HTTPDates {
    /// `Date`, or the time at which the response came, in microseconds since 1970 (RFC 9110, section 6.6.1).
    static func date(of response: ResponseHead, received: Int64, oddities: inout HTTPOddities) -> Int64 {
        guard let text = response.fields.first("Date") else { return received }
        guard let date = microseconds(text, now: received) else {
            oddities.count(.invalidDate)
            return received
        }
        return date
    }
}
