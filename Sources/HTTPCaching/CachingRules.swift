/// The source of an object's lifetime in a tier. The policy's lifetime applies to objects without another one.
public enum LifetimeRule: String, Codable, Sendable, CaseIterable {
    /// The policy alone.
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

/// What happens to an object in a tier when its lifetime by HTTP headers has ended.
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
