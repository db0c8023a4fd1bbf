/// First in, first out: hits change nothing. Objects larger than the whole cache are refused.
public struct FIFO: QueuePolicy {
    public var queue: BoundedQueue

    @inlinable public init(_ limits: Limits) { queue = BoundedQueue(limits: limits) }

    @inlinable public mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        queue.contains(access.object) ? .hit : .miss
    }

    @inlinable public mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        queue.push(access, &sink)
    }
}

extension FIFO {
    static let entry = PolicyEntry(
        "fifo", "First in, first out; a hit changes nothing.", parameters: [.limits]
    ) { FIFO(try $0.limits()) }
}
