import Basics

/// The movement of a list after the finger has left it, in closed form.
///
/// UIScrollView documents its deceleration rate as the factor by which the velocity falls each millisecond: 0.998
/// (`normal`) or 0.99 (`fast`). With d the rate and k = −1000 ln d per second, a list let go at velocity v₀ has
///
///     v(t) = v₀ · d^(1000 t) = v₀ · e^(−k t)
///     x(t) − x₀ = v₀ · (1 − e^(−k t)) / k,   and v₀ / k = −v₀ / (1000 ln d) in the end
///
/// The undocumented parts are assumptions: the list stops below ``restVelocity``; it stops at its ends without a
/// bounce; with paging (`isPagingEnabled`) it comes to rest on the page nearest to its end position without paging, at
/// most one page from the start of the drag, and approaches it as x(t) = target + (x₀ − target) · e^(−k t) with k
/// of the fast rate.
public struct ScrollPhysics: Sendable, Equatable {
    /// `UIScrollView.DecelerationRate.normal`.
    public static let normalRate = 0.998
    /// `UIScrollView.DecelerationRate.fast`.
    public static let fastRate = 0.99
    /// The velocity in points per second below which the list stops.
    public static let restVelocity = 10.0

    /// The factor by which the velocity falls each millisecond; between 0 and 1.
    public let rate: Double
    /// The rate k of exponential decay, per second.
    public let decay: Double

    /// Creates the physics of a deceleration rate.
    public init(rate: Double = normalRate) {
        self.rate = rate
        decay = -1_000 * PortableMath.log(rate)
    }

    /// Returns the velocity `seconds` after the list was released.
    public func velocity(after seconds: Double, from velocity: Double) -> Double {
        velocity * PortableMath.exp(-decay * seconds)
    }

    /// Returns the points travelled `seconds` after the list was released.
    public func travelled(after seconds: Double, from velocity: Double) -> Double {
        velocity * (1 - PortableMath.exp(-decay * seconds)) / decay
    }

    /// Returns the points travelled until the list stops.
    public func distance(from velocity: Double) -> Double { velocity / decay }

    /// Returns the velocity for which the list stops after `distance` points.
    public func velocity(toTravel distance: Double) -> Double { distance * decay }

    /// Returns the seconds until the list stops.
    public func duration(from velocity: Double) -> Double {
        max(0, PortableMath.log(max(abs(velocity), Self.restVelocity) / Self.restVelocity) / decay)
    }

    /// Returns the page at which a paged list comes to rest that is released at `offset` with `velocity`, after a drag
    /// from `page`.
    public func restingPage(from page: Int, offset: Double, velocity: Double, pageLength: Double, pages: Int) -> Int {
        let nearest = Int(((offset + distance(from: velocity)) / pageLength).rounded())
        return min(max(nearest, page - 1, 0), page + 1, max(0, pages - 1))
    }
}
