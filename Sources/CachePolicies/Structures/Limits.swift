/// The limits of a policy: by bytes, by objects, by both, or none.
public struct Limits: Sendable, Equatable {
    public var bytes: Int
    public var objects: Int

    @inlinable public init(bytes: Int = .max, objects: Int = .max) {
        self.bytes = bytes
        self.objects = objects
    }

    /// Returns whether an object of `size` bytes fits beside `held`. Differences are compared, so that no sum can
    /// overflow.
    @inlinable public func fits(_ size: Int, beside held: Occupancy) -> Bool {
        held.objects < objects && size <= bytes &- held.bytes
    }
}

/// Limits as one measure, for policies that divide their capacity into parts: bytes, or objects if bytes are not
/// limited.
///
/// If both are limited, parts are measured in bytes, and the number of objects bounds the whole, see
/// ``fits(_:beside:)``.
public struct Budget: Sendable, Equatable {
    public let limits: Limits
    /// In the measure.
    public let capacity: Int
    public let countsObjects: Bool

    @inlinable public init(_ limits: Limits) {
        self.limits = limits
        countsObjects = limits.bytes == .max
        capacity = countsObjects ? limits.objects : limits.bytes
    }

    /// Returns an object of `size` bytes in the measure.
    @inlinable public func measure(_ size: Int) -> Int { countsObjects ? 1 : size }

    @inlinable public func measure(_ occupancy: Occupancy) -> Int {
        countsObjects ? occupancy.objects : occupancy.bytes
    }

    /// Returns whether an object of `size` bytes fits beside the content of the whole policy.
    @inlinable public func fits(_ size: Int, beside held: Occupancy) -> Bool { limits.fits(size, beside: held) }

    /// Returns whether an object of `size` bytes fits into an empty policy.
    @inlinable public func fitsAlone(_ size: Int) -> Bool { limits.fits(size, beside: Occupancy()) }

    /// Returns a share of the capacity, rounded down.
    public func share(_ fraction: Double) -> Int {
        capacity == .max ? .max : Int(exactly: (Double(capacity) * fraction).rounded(.down)) ?? .max
    }
}
