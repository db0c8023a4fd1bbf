import Basics

/// The movement of a list of iOS or Android after a finger has left it.
///
/// - **iOS**: exponential decay, as ``ScrollPhysics`` documents. A release in the direction of a list that still moves
///   adds min(0.000816 · |v|^1.967, 40,000) to its speed v, which the authors of Flutter fitted to iOS
///   (`BouncingScrollPhysics.carriedMomentum`).
/// - **Android**: `OverScroller` with `ViewConfiguration.getScrollFriction()` of 0.015. With
///   D = ln 0.78 / ln 0.9, P = 9.80665 · 39.37 · 160 · 0.84 dp/s², f = 0.015 and V = f P / 0.35, a release at speed v
///   lasts (v / V)^(1 / (D − 1)) seconds and goes f P (v / V)^(D / (D − 1)) dp. Position over time is a cubic
///   Bézier curve of both (inflexion 0.35, tensions 0.5 and 1). A release in the direction of a list that still moves
///   adds its speed.
public enum FlingPhysics: String, Sendable, CaseIterable {
    /// UIScrollView with the deceleration rate `normal`.
    case iOS = "ios"
    /// OverScroller.
    case android

    private static let exponent = PortableMath.log(0.78) / PortableMath.log(0.9)
    /// f P in dp/s².
    private static let friction = 0.015 * 9.80665 * 39.37 * 160 * 0.84
    private static let reference = friction / 0.35
    private static let decay = ScrollPhysics()

    /// Returns the speed of a release at `speed` while the list still moves at `moving` in the same direction. All are
    /// at least 0, in points per second.
    public func carried(_ speed: Double, moving: Double) -> Double {
        guard moving > 0 else { return speed }
        switch self {
        case .iOS: return speed + min(0.000816 * PortableMath.exp(1.967 * PortableMath.log(moving)), 40_000)
        case .android: return speed + moving
        }
    }

    /// Returns the seconds until a list stops that was released at `speed`, in points per second.
    public func duration(_ speed: Double) -> Double {
        switch self {
        case .iOS: Self.decay.duration(from: speed)
        case .android: speed <= 0 ? 0 : Self.power(speed / Self.reference, 1 / (Self.exponent - 1))
        }
    }

    /// Returns the points that a list travels that was released at `speed`.
    public func distance(_ speed: Double) -> Double {
        switch self {
        case .iOS: Self.decay.distance(from: max(0, speed - ScrollPhysics.restVelocity))
        case .android:
            speed <= 0
                ? 0 : Self.friction * Self.power(speed / Self.reference, Self.exponent / (Self.exponent - 1))
        }
    }

    /// Returns the points travelled and the speed, `seconds` after a release at `speed`.
    public func state(after seconds: Double, from speed: Double) -> (travelled: Double, speed: Double) {
        switch self {
        case .iOS:
            return (
                Self.decay.travelled(after: seconds, from: speed), Self.decay.velocity(after: seconds, from: speed)
            )
        case .android:
            let (duration, distance) = (duration(speed), distance(speed))
            guard duration > 0, seconds < duration else { return (distance, 0) }
            let (place, slope) = Self.spline.at(seconds / duration)
            return (distance * place, distance / duration * slope)
        }
    }

    private static func power(_ base: Double, _ exponent: Double) -> Double {
        PortableMath.exp(exponent * PortableMath.log(base))
    }

    private static let spline = Spline()

    /// The share of the distance over the share of the time, as a table of 100 steps with straight lines between them,
    /// which is also what OverScroller uses.
    private struct Spline: Sendable {
        private let places: [Double]

        init() {
            places =
                (0..<100).map { step in
                    var (low, high) = (0.0, 1.0)
                    // Time grows with the curve's parameter, so halving finds it to 2^-60.
                    for _ in 0..<60 {
                        let middle = (low + high) / 2
                        if Self.curve(middle, 0.35 * 0.5, 1 - 0.65) < Double(step) / 100 {
                            low = middle
                        } else {
                            high = middle
                        }
                    }
                    return Self.curve(low, 0.5, 1)
                } + [1]
        }

        /// A cubic Bézier curve from 0 to 1.
        private static func curve(_ x: Double, _ first: Double, _ second: Double) -> Double {
            3 * x * (1 - x) * ((1 - x) * first + x * second) + x * x * x
        }

        func at(_ share: Double) -> (place: Double, slope: Double) {
            let step = min(99, Int(share * 100))
            let slope = (places[step + 1] - places[step]) * 100
            return (places[step] + (share - Double(step) / 100) * slope, slope)
        }
    }
}

/// The movement of a list of iOS after the finger has left it, in closed form.
///
/// UIScrollView documents its deceleration rate `normal` as the factor by which the velocity falls each millisecond:
/// 0.998. With d the rate and k = −1000 ln d per second, a list let go at velocity v₀ has
///
///     v(t) = v₀ · d^(1000 t) = v₀ · e^(−k t)
///     x(t) − x₀ = v₀ · (1 − e^(−k t)) / k,   and v₀ / k = −v₀ / (1000 ln d) in the end
///
/// The undocumented parts are assumptions: the list stops below ``restVelocity``, and at its ends without a bounce.
public struct ScrollPhysics: Sendable, Equatable {
    /// `UIScrollView.DecelerationRate.normal`: the factor by which the velocity falls each millisecond.
    public static let rate = 0.998
    /// The velocity in points per second below which the list stops.
    public static let restVelocity = 10.0

    /// The rate k of exponential decay, per second.
    public let decay = -1_000 * PortableMath.log(rate)

    /// Creates the physics of the deceleration rate `normal`.
    public init() {}

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

    /// Returns the seconds until the list stops.
    public func duration(from velocity: Double) -> Double {
        max(0, PortableMath.log(max(abs(velocity), Self.restVelocity) / Self.restVelocity) / decay)
    }
}
