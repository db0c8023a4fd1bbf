import Basics

/// How a list moves after the finger has left it, in closed form.
///
/// UIScrollView documents its deceleration rate as the factor by which the velocity falls each millisecond: 0.998
/// (`normal`) or 0.99 (`fast`). With d the rate and k = −1000 ln d per second, a list let go at velocity v₀ has
///
///     v(t) = v₀ · d^(1000 t) = v₀ · e^(−k t)
///     x(t) − x₀ = v₀ · (1 − e^(−k t)) / k,   and v₀ / k = −v₀ / (1000 ln d) in the end
///
/// What is not documented is chosen: the list stands still below ``restVelocity``; it stops at the ends without a
/// bounce; with paging (`isPagingEnabled`) it comes to rest on the page nearest to where it would have run out, at most
/// one page from where the drag began, and nears it as x(t) = target + (x₀ − target) · e^(−k t) with k of the fast
/// rate.
public struct ScrollPhysics: Sendable, Equatable {
    public static let normalRate = 0.998
    public static let fastRate = 0.99
    /// Points per second.
    public static let restVelocity = 10.0

    /// The factor by which the velocity falls each millisecond; between 0 and 1.
    public let rate: Double
    /// k: by what share the velocity falls, per second.
    public let decay: Double

    public init(rate: Double = normalRate) {
        self.rate = rate
        decay = -1_000 * PortableMath.log(rate)
    }

    public func velocity(after seconds: Double, from velocity: Double) -> Double {
        velocity * PortableMath.exp(-decay * seconds)
    }

    /// Points travelled `seconds` after the list was let go.
    public func travelled(after seconds: Double, from velocity: Double) -> Double {
        velocity * (1 - PortableMath.exp(-decay * seconds)) / decay
    }

    /// Points travelled in the end.
    public func distance(from velocity: Double) -> Double { velocity / decay }

    /// The velocity that ends after `distance` points.
    public func velocity(toTravel distance: Double) -> Double { distance * decay }

    /// Seconds until the list stands still.
    public func duration(from velocity: Double) -> Double {
        max(0, PortableMath.log(max(abs(velocity), Self.restVelocity) / Self.restVelocity) / decay)
    }

    /// The page at which a paged list comes to rest, when it is let go at `offset` with `velocity`, after a drag that
    /// began on `page`.
    public func restingPage(from page: Int, offset: Double, velocity: Double, pageLength: Double, pages: Int) -> Int {
        let nearest = Int(((offset + distance(from: velocity)) / pageLength).rounded())
        return min(max(nearest, page - 1, 0), page + 1, max(0, pages - 1))
    }
}
