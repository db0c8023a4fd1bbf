/// The least recently used object leaves first. Objects larger than the whole cache are refused.
public struct LRU: QueuePolicy {
    public var queue: BoundedQueue

    @inlinable public init(_ limits: Limits) { queue = BoundedQueue(limits: limits) }

    @inlinable public mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        guard queue.contains(access.object) else { return .miss }
        queue.moveToFront(access.object)
        return .hit
    }

    @inlinable public mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        queue.push(access, &sink)
    }
}

extension LRU {
    static let entry = PolicyEntry(
        "lru", "The least recently used object leaves first.", parameters: [.limits]
    ) { LRU(try $0.limits()) }
}
