import CachePolicies

/// Twins of queues, clocks and segments.
extension SlowTwinTests {
    static let queuePairs: [Pair] = []
}
