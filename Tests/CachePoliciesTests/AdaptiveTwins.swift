import CachePolicies

/// Twins of policies that learn from what they have let go.
extension SlowTwinTests {
    static let adaptivePairs: [Pair] = []
}
