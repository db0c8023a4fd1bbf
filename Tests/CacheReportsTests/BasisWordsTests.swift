import Testing

@testable import CacheReports

@Suite("Words for what figures rest on") struct BasisWordsTests {
    @Test(
        "Timings read as durations",
        arguments: [
            ("modelled", "modelled durations"), ("modelled+decode", "modelled durations with decoding"),
            ("measured", "measured durations"), ("instant+decode", "no durations"), ("", "no durations"),
            ("modelled+decode+costs:1a2b3c4d", "modelled durations with decoding (costs 1a2b3c4d)"),
        ])
    func durations(timing: String, words: String) { #expect(BasisWords.durations(timing) == words) }

    @Test("A wall clock is named, and the virtual one is not")
    func clocks() {
        #expect(BasisWords.durations("measured", clock: "wall") == "measured durations in real time")
        #expect(BasisWords.durations("measured", clock: "virtual") == "measured durations")
    }

    @Test("Networks")
    func networks() {
        #expect(
            ["none", "recorded", "shared", "lte"].map(BasisWords.network) == [
                "no network", "recorded fetch times", "fetches over one shared link", "network lte",
            ])
    }
}
