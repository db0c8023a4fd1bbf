import CachePolicies

/// Twins of policies that rank objects, and of admissions.
extension SlowTwinTests {
    static let rankedPairs: [Pair] = []
}
