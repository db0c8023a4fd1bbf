import ReplayEngine
import Testing

@testable import CacheReports

@Suite("Notes that limit what the figures mean")
struct CaveatsTests {
    private func run(
        _ cache: String, model: String? = nil, evictions: Int = 0, memoryHits: Int = 5, wrong: Int = 0, stale: Int = 0
    ) -> RunResult {
        var run = RunResult(
            identity: RunIdentity(
                trace: "feed", cache: cache, specification: "", repetition: 1, seed: 1, timing: "modelled"))
        run.nsCacheModel = model.flatMap(NSCacheModelChoice.init)
        run.tiers.memoryEvictions = evictions
        run.counts.memoryHits = memoryHits
        run.counts.originFetches = 10 - memoryHits
        run.counts.wrong = wrong
        run.counts.staleHits = stale
        return run
    }

    @Test("one line for all traces on which a limit of an NSCache was reached, with the widest spread")
    func spreadsOfTraces() {
        func runs(_ trace: String, _ hits: [Int]) -> [RunResult] {
            zip(["lru", "fifo"], hits).map { model, hits in
                var run = run(model == "lru" ? "ours" : "ours [fifo]", model: model, evictions: 1, memoryHits: hits)
                run.identity.trace = trace
                return run
            }
        }
        let notes = Caveats.notes(runs("feed", [5, 4]) + runs("grid", [6, 3]))
        #expect(
            notes.map(\.text) == [
                """
                ours on feed and grid: the memory is Darwin's NSCache, and a limit of it was reached. Apple documents \
                neither its eviction order nor how strict its limits are: the plausible models lru, fifo differ most \
                for ours on grid: 30.0% to 60.0% of the requests hit memory.
                """
            ])
    }

    @Test("wrong images, which are no hits, and stale ones")
    func slips() {
        let notes = Caveats.notes([run("two-tier-as-written", wrong: 312), run("ttl", stale: 2), run("plain")])
        #expect(
            notes.map(\.text) == [
                """
                two-tier-as-written: 312 requests got the picture of another key. They are no hits, and their \
                cells count as blank.
                """,
                "ttl: 2 requests were shown an image past its lifetime.",
            ])
    }
}
