import CachePolicies

/// Twins of policies that know the future.
extension SlowTwinTests {
    static let futurePairs: [Pair] = []
}
