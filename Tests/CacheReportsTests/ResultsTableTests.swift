import Basics
import ReplayEngine
import Testing

@testable import CacheReports

@Suite("The table on the terminal")
struct ResultsTableTests {
    @Test("one row per cache, medians of the repeats, a long name spelled out below")
    func table() throws {
        var runs = (1...3).map { Samples.ten(Samples.identity(repetition: $0)) }
        runs[2].tiers.originBytes = 900_000
        runs.append(Samples.ten(Samples.identity(cache: Samples.longName)))
        runs[0].notes = [.traceWarning("Sizes were assumed.")]
        let text = ResultsTable.document(ResultSet(runs, source: "x")).plain()
        #expect(
            text == """
                * Stay with what you have: both caches tie on feed. They leave 25.0% of the visible time blank.
                * Each holds up to 1.5 kB in memory.
                * No limit of any cache was reached on this session: nothing was evicted, so the figures say nothing \
                about smaller limits. Try some, such as --sweep memory=8MB..64MB.
                * These figures rest on modelled durations and recorded fetch times, and on 1 to 3 runs of each cache. \
                Sessions of more users would tell for how many of them this holds.

                feed · 10 requests · medians of 1 to 3 repeats · modelled durations · recorded fetch times
                cache                     ≤100ms  blank  fetched  peak mem  shown  memory   disk   p50   p99  evicted
                ------------------------  ------  -----  -------  --------  -----  ------  -----  ----  ----  -------
                lru                        80.0%  25.0%     2 kB    1.5 kB  80.0%   50.0%  20.0%  1 µs  1 ms        0
                memory: sp…time: 7d) [1]   80.0%  25.0%     2 kB    1.5 kB  80.0%   50.0%  20.0%  1 µs  1 ms        0

                Notes
                [1] memory: split(thumbnail: lru(100 objects), full: lru(20 objects)); disk: ttl(lru(500MB), lifetime: \
                7d)
                ≤100ms: requests shown within 100 ms. blank: share of the visible time without an image. memory, \
                disk: hits.
                shown: requests whose image came while the cell was visible. evicted: objects that left to make room.
                p50, p99: half and 99% of the shown images came within this time. Other requests count in blank alone.
                modelled durations: a cost model says how long disk and decoding take, so every machine prints these \
                figures.
                sessions: lru: Sizes were assumed.

                """)
    }

    @Test("a note starts with the traces or the first three caches that it concerns, unless it concerns all runs")
    func notes() {
        func runs(_ notes: (_ trace: String, _ cache: String) -> [String]) -> [RunResult] {
            ["feed", "grid"].flatMap { trace in
                ["a", "b", "c", "d", "e"].map { cache in
                    var run = RunResult(identity: Samples.identity(trace: trace, cache: cache))
                    run.notes = notes(trace, cache).map(RunNote.traceWarning)
                    return run
                }
            }
        }
        #expect(ResultNotes.shared(runs { _, _ in ["Sizes were assumed."] }).map(\.text) == ["Sizes were assumed."])
        #expect(
            ResultNotes.shared(runs { trace, _ in trace == "grid" ? ["Sizes were assumed."] : [] }).map(\.text) == [
                "grid: Sizes were assumed."
            ])
        #expect(
            ResultNotes.shared(runs { _, cache in cache == "b" ? ["One."] : ["Two."] }).map(\.text) == [
                "a on feed, c on feed, d on feed and 5 more: Two.", "b on feed, b on grid: One.",
            ])
        let feed = runs { _, cache in cache < "c" ? ["Two."] : [] }.filter { $0.identity.trace == "feed" }
        #expect(ResultNotes.shared(feed).map(\.text) == ["a, b: Two."])
    }

    @Test("notes that differ in figures only are one line, with the largest figure")
    func likeNotes() {
        let runs = [3, 7].enumerated().map { index, fetches in
            var run = RunResult(identity: Samples.identity(cache: "\(index)"))
            run.notes = [.latenciesDrawn(fetches: fetches), .sessionScripted]
            return run
        }
        #expect(
            ResultNotes.notes(runs) == [
                ResultNote(
                    group: "sessions",
                    text: "The session was recorded while a program operated the app, not a person."),
                ResultNote(
                    group: "network",
                    text: """
                        Up to 7 fetches are not in the recording: their latencies were drawn from recorded ones.
                        """),
            ])
    }

    @Test("runs that a wall clock left behind, and damaged files, get a column each")
    func markedRows() {
        var late = Samples.ten(Samples.identity(cache: "late"))
        late.machine = MachineFigures(
            residentPeakBytes: 0, wallTime: 1_000_000_000, lag: ClockLag(count: 50, late: 1, p99: 0, max: 17_000_000))
        var punctual = Samples.ten(Samples.identity(cache: "punctual"))
        punctual.machine = MachineFigures(
            residentPeakBytes: 0, wallTime: 1_000_000_000, lag: ClockLag(count: 100, late: 1, p99: 0, max: 17_000_000))
        func table(_ runs: [RunResult]) -> [Substring] {
            ResultsTable.document(ResultSet(runs, source: "x"), onlyTables: true).plain().split(separator: "\n")
        }
        let both = table([late, punctual])
        #expect(both[1].hasSuffix("  evicted  late events"))
        #expect(both[3].hasSuffix("        0         2.0%") && both[4].hasSuffix("        0         1.0%"))
        #expect(table([punctual])[1].hasSuffix("  evicted"))
        punctual.tiers.damagedFiles = 12
        #expect(table([punctual])[1].contains("  disk  damaged   "))
        #expect(table([punctual])[3].contains("  20.0%       12  "))
    }

    @Test("ordinary results fit 120 columns")
    func width() throws {
        let text = ResultsTable.document(ResultSet(Samples.review(caches: 12), source: "x"), onlyTables: true).plain()
        let table = text.split(separator: "\n").prefix { !$0.hasPrefix("[1]") }
        #expect(table.count == 15)
        #expect(table.allSatisfy { TextGrid.width(String($0)) <= 120 })
    }

    @Test("requests have a column when the caches of a trace differ in them")
    func differingRequests() throws {
        let runs = [Samples.ten(), RunResult(identity: Samples.identity(cache: "fifo"))]
        let text = ResultsTable.document(ResultSet(runs, source: "x")).plain()
        #expect(text.contains("\nlru          10   80.0%"))
        #expect(text.contains("\nfifo          0       –"))
    }

    @Test("JSON has every metric, and null where there is no figure")
    func json() throws {
        let text = ResultsTable.json(ResultSet([Samples.ten()], source: "x"))
        #expect(text.contains("\"hit_ratio\": 0.700000,"))
        #expect(text.contains("\"origin_bytes\": 2000,"))
        #expect(text.contains("\"wall_s\": null,"))
    }

    @Test("long names lose the words with which all begin, and their middle, and a line spells each out")
    func shortNames() {
        let names = ["kingfisher-8; memory: 16MB; order: newest", "kingfisher-8; memory: 32MB; order: newest", "fifo"]
        let short = ShortNames(names + names, limit: 24)
        // The number leaves 20 of 24 columns, which are enough for what follows the common words.
        #expect(names.map { short[$0] } == ["…16MB; order: newest [1]", "…32MB; order: newest [2]", "fifo"])
        let narrow = ShortNames(names, limit: 16)
        #expect(names.map { narrow[$0] } == ["…16MB;…ewest [1]", "…32MB;…ewest [2]", "fifo"])
        #expect(short.explanations == ["[1] \(names[0])", "[2] \(names[1])"])
    }

    @Test("units fit the figure")
    func units() {
        #expect(HumanText.bytes(0) == "0 B")
        #expect(HumanText.bytes(999.6) == "1 kB")
        #expect(HumanText.bytes(12_345_678) == "12.3 MB")
        #expect(HumanText.microseconds(0.25) == "0.25 µs")
        #expect(HumanText.microseconds(1_234) == "1.23 ms")
        #expect(HumanText.count(1_234_567) == "1,234,567")
        #expect(HumanText.count(-1_234) == "-1,234")
        #expect(HumanText.share(0.00001) == "<0.1%")
        #expect(HumanText.share(0.99999) == ">99.9%")
        #expect(HumanText.share(1) == "100.0%")
    }

    @Test("names are escaped in Markdown")
    func markdown() {
        let grid = TextGrid(
            headings: [.init(title: "a", alignment: .left), .init(title: "b")], rows: [["x|y", "<b>\n&"]])
        #expect(grid.markdown() == "| a | b |\n| :-- | --: |\n| x\\|y | &lt;b&gt; &amp; |\n")
    }
}
