/// How much a policy may hold: by bytes, by objects, by both, or without limit.
public struct Limits: Sendable, Equatable {
    public var bytes: Int
    public var objects: Int

    @inlinable public init(bytes: Int = .max, objects: Int = .max) {
        self.bytes = bytes
        self.objects = objects
    }

    /// Whether an object of `size` fits beside what is held. Sums are compared by difference: they cannot overflow.
    @inlinable public func fits(_ size: Int, beside held: Occupancy) -> Bool {
        held.objects < objects && size <= bytes &- held.bytes
    }
}

/// Limits as one measure, for policies that divide what they may hold into parts: bytes, or objects where bytes are not
/// limited.
///
/// Where both are limited, parts are measured in bytes, and the number of objects bounds the whole, see
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

    /// An object of `size` bytes, in the measure.
    @inlinable public func measure(_ size: Int) -> Int { countsObjects ? 1 : size }

    @inlinable public func measure(_ occupancy: Occupancy) -> Int {
        countsObjects ? occupancy.objects : occupancy.bytes
    }

    /// Whether an object of `size` bytes fits beside what the whole policy holds.
    @inlinable public func fits(_ size: Int, beside held: Occupancy) -> Bool { limits.fits(size, beside: held) }

    /// Whether an object of `size` bytes could be held if nothing else were.
    @inlinable public func fitsAlone(_ size: Int) -> Bool { limits.fits(size, beside: Occupancy()) }

    /// A part of the capacity, rounded down.
    public func share(_ fraction: Double) -> Int {
        capacity == .max ? .max : Int(exactly: (Double(capacity) * fraction).rounded(.down)) ?? .max
    }
}
