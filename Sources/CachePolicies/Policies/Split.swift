/// Two policies side by side, one for thumbnails and one for full images, which differ so much in size that neither
/// should push the other out.
public struct Split<Thumbnail: CachePolicy, Full: CachePolicy>: CachePolicy {
    @usableFromInline var thumbnail: Thumbnail
    @usableFromInline var full: Full

    @inlinable public init(thumbnail: Thumbnail, full: Full) {
        self.thumbnail = thumbnail
        self.full = full
    }

    @inlinable public static var usesTime: Bool { Thumbnail.usesTime || Full.usesTime }

    @inlinable public static var usesFuture: Bool { Thumbnail.usesFuture || Full.usesFuture }

    @inlinable public var occupancy: Occupancy { thumbnail.occupancy + full.occupancy }

    @inlinable public func contains(_ object: Int) -> Bool { thumbnail.contains(object) || full.contains(object) }

    @inlinable public func expiration(of object: Int) -> Int64? {
        thumbnail.expiration(of: object) ?? full.expiration(of: object)
    }

    @inlinable public mutating func reserve(_ count: Int) {
        thumbnail.reserve(count)
        full.reserve(count)
    }

    @inlinable public mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        access.variant == 0 ? thumbnail.lookup(access, &sink) : full.lookup(access, &sink)
    }

    @inlinable public mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        access.variant == 0 ? thumbnail.admit(access, &sink) : full.admit(access, &sink)
    }

    @inlinable public mutating func restore(
        _ access: Access, expiration: Int64?, _ sink: inout some EvictionSink
    ) -> Bool {
        access.variant == 0
            ? thumbnail.restore(access, expiration: expiration, &sink)
            : full.restore(access, expiration: expiration, &sink)
    }

    @inlinable public mutating func advance(to time: Int64, _ sink: inout some EvictionSink) {
        thumbnail.advance(to: time, &sink)
        full.advance(to: time, &sink)
    }

    @inlinable public mutating func removeExpired(at time: Int64, _ sink: inout some EvictionSink) {
        thumbnail.removeExpired(at: time, &sink)
        full.removeExpired(at: time, &sink)
    }

    @inlinable public mutating func remove(_ object: Int) {
        thumbnail.remove(object)
        full.remove(object)
    }

    @inlinable public mutating func removeAll() {
        thumbnail.removeAll()
        full.removeAll()
    }
}

enum SplitPolicy {
    static let entry = PolicyEntry(
        "split", "One policy for thumbnails, one for full images.", parameters: [.policy("thumbnail"), .policy("full")]
    ) { arguments in
        func join(_ thumbnail: some CachePolicy, _ full: some CachePolicy) -> any CachePolicy {
            Split(thumbnail: thumbnail, full: full)
        }
        return join(try arguments.policy("thumbnail", sharesCapacity: false), try arguments.policy("full", sharesCapacity: false))
    }
}
