import CachePolicies
import Testing

/// The example at the head of CachePolicy.swift, word for word.
struct FirstCome: QueuePolicy {
    var queue: BoundedQueue
    mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        queue.contains(access.object) ? .hit : .miss
    }
    mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        queue.limits.fits(access.size, beside: queue.occupancy) && queue.push(access, &sink)
    }
}

@Suite("A policy outside the package")
struct OwnPolicyTests {
    static let entry = PolicyEntry("first-come", "Keeps the first objects that fit.", parameters: [.limits]) {
        FirstCome(queue: BoundedQueue(limits: try $0.limits()))
    }

    @Test("joins the registry by one line, nests in others, and runs in the kernel")
    func own() throws {
        let context = PolicyContext(registry: .builtIn.adding(Self.entry))
        #expect(
            try context.canonical("ttl(first-come(2 objects), lifetime: 9s)").hasPrefix(
                "ttl(first-come(2 objects), lifetime: 9s"))
        var policy = try context.policy("first-come(2 objects)")
        policy.reserve(3)
        var counts = SimulationCounts()
        let objects: [UInt32] = [0, 1, 2, 0, 1, 2, 2]
        objects.withUnsafeBufferPointer { objects in
            if let base = objects.baseAddress { policy.run(RequestColumns(objects: base), 0..<7, into: &counts) }
        }
        #expect(counts.misses == 5)
        #expect(counts.evictions == 0)
        #expect(throws: SpecError.self) { try PolicyContext().policy("first-come(2 objects)") }
    }
}
