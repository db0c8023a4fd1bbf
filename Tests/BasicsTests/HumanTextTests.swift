import Basics
import Testing

@Suite("Amounts for people")
struct HumanTextTests {
    private static let bounds: [(bound: Double, share: Double, texts: [String])] = [
        (0.024_999, 0.0461, ["2.4%", "4.6%"]), (0.024_999, 0.025, ["2.4%", "2.5%"]), (0.025, 0.046, ["2.5%", "4.6%"]),
        // The binary fraction of 0.29 is 28.999999999999996 %.
        (0.29, 0.3, ["29.0%", "30.0%"]), (0.0241, 0.0244, ["2.41%", "2.44%"]), (0.0008, 0.3, ["0.08%", "30.00%"]),
        (0, 0.3, ["0.0%", "30.0%"]), (1e-9, 0.5, ["0.0%", "50.0%"]), (0.999_999, 1, ["99.9%", "100.0%"]),
        // An optimum: equal, with more digits where one would round the share up.
        (0, 0, ["0.0%", "0.0%"]), (1, 1, ["100.0%", "100.0%"]), (1.0 / 3, 1.0 / 3, ["33.3%", "33.3%"]),
        (0.0246, 0.0246, ["2.46%", "2.46%"]), (2.0 / 3, 2.0 / 3, ["66.6%", "66.6%"]),
    ]

    @Test("A bound is rounded down, and differs from a larger share")
    func rounding() {
        for (bound, share, texts) in Self.bounds {
            let (low, high) = HumanText.shares(bound: bound, share)
            #expect([low, high] == texts)
        }
    }

    @Test("The text of no bound is above the bound")
    func neverAbove() throws {
        var random = SplitMix64(seed: 3)
        for _ in 0..<2_000 {
            let share = Double(random.next(below: 1_000_000)) / 1_000_000
            let bound = share * Double(random.next(below: 1_001)) / 1_000
            let text = HumanText.shares(bound: bound, share).0
            let number = try #require(Double(text.dropLast()))
            #expect(number <= bound * 100 * (1 + 1e-12), "\(text) \(bound)")
        }
    }
}
