/// Two policies side by side, one for thumbnails and one for full images. Their sizes differ so much that neither kind
/// should evict the other.
///
/// A split names no next victim: which half evicts depends on the object that comes.
public struct Split<Thumbnail: TimedPolicy, Full: TimedPolicy>: PolicyWrapper {
    @usableFromInline var thumbnail: Thumbnail
    @usableFromInline var full: Full

    @inlinable public init(thumbnail: Thumbnail, full: Full) {
        self.thumbnail = thumbnail
        self.full = full
    }

    public static var innerPolicies: [any CachePolicy.Type] { [Thumbnail.self, Full.self] }

    public var inners: [any CachePolicy] { [thumbnail, full] }

    @inlinable public static var hasTimers: Bool { Thumbnail.hasTimers || Full.hasTimers }

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

    @inlinable public mutating func setExpiration(of object: Int, to expiration: Int64) {
        thumbnail.contains(object)
            ? thumbnail.setExpiration(of: object, to: expiration) : full.setExpiration(of: object, to: expiration)
    }

    @inlinable public mutating func noteOuterExpiration(of object: Int, at expiration: Int64) {
        thumbnail.contains(object)
            ? thumbnail.noteOuterExpiration(of: object, at: expiration)
            : full.noteOuterExpiration(of: object, at: expiration)
    }

    @inlinable public var nextTimer: Int64 { min(thumbnail.nextTimer, full.nextTimer) }

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

    @inlinable public mutating func clear() {
        thumbnail.clear()
        full.clear()
    }

    @inlinable public mutating func relaunch(at time: Int64) {
        thumbnail.relaunch(at: time)
        full.relaunch(at: time)
    }

    @inlinable public mutating func liveLookup(_ access: Access, _ evictions: inout EvictionList) -> Lookup {
        access.variant == 0 ? thumbnail.liveLookup(access, &evictions) : full.liveLookup(access, &evictions)
    }

    @inlinable public mutating func liveAdmit(_ access: Access, _ evictions: inout EvictionList) -> Bool {
        access.variant == 0 ? thumbnail.liveAdmit(access, &evictions) : full.liveAdmit(access, &evictions)
    }

    @inlinable public mutating func liveAdvance(to time: Int64, _ evictions: inout EvictionList) {
        thumbnail.liveAdvance(to: time, &evictions)
        full.liveAdvance(to: time, &evictions)
    }

    /// Runs the halves in their own loops: block by block the requests are sorted into two.
    public mutating func run(_ requests: RequestColumns, _ range: Range<Int>, into counts: inout SimulationCounts) {
        guard let variants = requests.variants, let last = range.last else {
            return timedLoop(requests, range, into: &counts)
        }
        var (thumbnails, rest) = (RequestBlock(), RequestBlock())
        for start in stride(from: range.lowerBound, to: range.upperBound, by: RequestBlock.capacity) {
            for index in start..<min(start &+ RequestBlock.capacity, range.upperBound) {
                if variants[Int(requests.objects[index])] == 0 {
                    thumbnails.append(requests, index)
                } else {
                    rest.append(requests, index)
                }
            }
            thumbnails.drain(requests) { thumbnail.run($0, $1, into: &counts) }
            rest.drain(requests) { full.run($0, $1, into: &counts) }
        }
        // For both halves time has passed up to the last request of either.
        guard Self.hasTimers else { return }
        var sink = EvictionCounter()
        advance(to: requests.time(of: last), &sink)
        counts.evictions += sink.evictions
        counts.expirations += sink.expirations
    }
}

/// Some requests picked out of others, as columns of their own.
private struct RequestBlock {
    /// Small enough for the processor's cache.
    static let capacity = 16_384

    private let objects = UncheckedArray<UInt32>(repeating: 0, count: capacity)
    private let times = UncheckedArray<UInt32>(repeating: 0, count: capacity)
    private let nexts = UncheckedArray<UInt32>(repeating: 0, count: capacity)
    private let positions = UncheckedArray<UInt32>(repeating: 0, count: capacity)
    private var count = 0

    mutating func append(_ requests: RequestColumns, _ index: Int) {
        objects[count] = requests.objects[index]
        if let column = requests.times { times[count] = column[index] }
        if let column = requests.nexts { nexts[count] = column[index] }
        positions[count] = requests.positions?[index] ?? UInt32(truncatingIfNeeded: index)
        count &+= 1
    }

    /// Runs the appended requests, and empties the block.
    mutating func drain(_ requests: RequestColumns, _ run: (RequestColumns, Range<Int>) -> Void) {
        var columns = requests
        columns.objects = UnsafePointer(objects.base)
        columns.times = requests.times.map { _ in UnsafePointer(times.base) }
        columns.nexts = requests.nexts.map { _ in UnsafePointer(nexts.base) }
        columns.positions = UnsafePointer(positions.base)
        run(columns, 0..<count)
        count = 0
    }
}

enum SplitPolicy {
    static let entry = PolicyEntry(
        "split", "One policy for thumbnails, one for full images.", parameters: [.policy("thumbnail"), .policy("full")]
    ) { arguments in
        func join(_ thumbnail: some TimedPolicy, _ full: some TimedPolicy) -> any CachePolicy {
            Split(thumbnail: thumbnail, full: full)
        }
        return join(
            try arguments.policy("thumbnail", sharesCapacity: false).timed(),
            try arguments.policy("full", sharesCapacity: false).timed())
    }
}
