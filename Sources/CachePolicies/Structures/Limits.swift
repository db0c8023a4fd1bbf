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
