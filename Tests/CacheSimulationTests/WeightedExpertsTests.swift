import CachePolicies
import TestSupport
import Testing

/// LeCaR and CACHEUS draw at random, and libCacheSim by another generator than ours: counts agree within a tolerance
/// only.
@Suite("Randomised policies against libCacheSim", .enabled(if: SharedData.isPresent))
struct WeightedExpertsTests {
    /// The mean of three seeds lies between these shares of the misses of libCacheSim's single run.
    ///
    /// CACHEUS may miss far less than there in large caches: libCacheSim takes the hit rate that its learning rate
    /// follows by integer division, and is thus all but blind to it.
    @Test(
        "Misses on cloudPhysicsIO, within a tolerance",
        arguments: [("LeCaR", "lecar", 0.96...1.04), ("Cacheus", "cacheus", 0.8...1.06)])
    func golden(name: String, specification: String, tolerance: ClosedRange<Double>) throws {
        let trace = try ReferenceTrace("cloudPhysicsIO")
        for cell in ReferenceCell.golden where cell.policy == name {
            let counts = try (1...3).map { seed in
                try trace.run("\(specification)(\(cell.capacity)B, seed: \(seed))").misses
            }
            let mean = Double(counts.reduce(0, +)) / Double(counts.count)
            #expect(
                tolerance.contains(mean / Double(cell.misses)),
                "\(specification), \(cell.capacity): \(counts), there \(cell.misses)")
        }
    }
}
