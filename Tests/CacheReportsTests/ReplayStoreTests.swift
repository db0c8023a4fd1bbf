import Basics
import Foundation
import ReplayEngine
import Testing

@testable import CacheReports
@testable import Runs

@Suite("A results folder")
struct ReplayStoreTests {
    private let done = Date(timeIntervalSince1970: 1_700_000_060)

    @Test("after each run, the run's file and all CSV files exist, and no other file")
    func adding() throws {
        try withTemporaryFolder { root in
            let path = "\(root)/deep/results"
            let folder = try ReplayStore.begin(at: path, Samples.describe(), resume: false)
            try folder.add(Samples.ten())
            #expect(try names(in: path) == ["latency.csv", "run.json", "runs.jsonl", "summary.csv", "timeline.csv"])
            #expect(try text(of: "\(path)/summary.csv") == ResultFiles.summary([Samples.ten()]))
            #expect(try text(of: "\(path)/timeline.csv") == ResultFiles.timeline([Samples.ten()]))
            #expect(try ReplayStore.open(path).results == [Samples.ten()])
        }
    }

    @Test("rows of a trace are in the order of the networks, and those of all sessions name the chosen network")
    func networks() throws {
        try withTemporaryFolder { root in
            var description = Samples.describe(caches: ["zeta", "alpha"])
            description.networks = ["lte", "auto"]
            let folder = try ReplayStore.begin(at: root, description, resume: false)
            for (trace, automatic) in [("grid", "shared"), ("feed", "recorded")] {
                for (network, cache) in [(automatic, "alpha"), ("lte", "alpha"), ("lte", "zeta")] {
                    var identity = Samples.identity(trace: trace, cache: cache)
                    identity.network = network
                    try folder.add(Samples.ten(identity))
                }
            }
            try folder.finish(at: done)
            let results = try ReplayStore.open(root).results.map(\.identity)
            #expect(
                results.map { "\($0.trace) \($0.network) \($0.cache)" }
                    == [("feed", "recorded"), ("grid", "shared")].flatMap { trace, automatic in
                        ["lte zeta", "lte alpha", "\(automatic) alpha"].map { "\(trace) \($0)" }
                    })
            let fleet = try text(of: "\(root)/fleet.csv").split(separator: "\n").dropFirst()
            let names = fleet.map { String($0.prefix { $0 != "," }) }.unique()
            #expect(names == ["zeta over lte", "alpha over lte", "alpha over auto"])
            // Both sessions count, over whichever network.
            #expect(fleet.filter { $0.contains(",sessions,") && !$0.hasSuffix(",2,0") }.isEmpty)
            let conclusions = try #require(try folder.fleet?.conclusions)
            #expect(conclusions.count { $0.subject == .best } == 2)
            #expect(conclusions.flatMap(\.caches).allSatisfy { ["zeta", "alpha"].contains($0) })
        }
    }

    @Test("sessions of auto are one fleet, except beside a network that auto can be")
    func chosenNetwork() {
        var facts = Samples.describe().facts
        facts.networks = ["lte", "auto"]
        #expect(["lte", "shared", "recorded"].map(facts.chosenNetwork) == ["lte", "auto", "auto"])
        facts.networks = ["auto", "recorded"]
        #expect(["shared", "recorded"].map(facts.chosenNetwork) == ["shared", "recorded"])
    }

    @Test("a replay over another network keeps the requests and events of the runs before it")
    func extendedByNetwork() throws {
        try withTemporaryFolder { root in
            func replay(over network: String, resume: Bool) throws -> ReplayStore {
                var description = Samples.describe()
                description.networks = [network]
                let folder = try ReplayStore.begin(at: root, description, resume: resume)
                var identity = Samples.identity()
                identity.network = network
                try folder.add(Samples.ten(identity))
                try folder.addRequests("\(network)\n", of: identity, as: .csv)
                try folder.addEvents(of: identity) { _ in }
                return folder
            }
            _ = try replay(over: "lte", resume: false)
            #expect(try names(in: "\(root)/requests") == ["feed--lru--1.csv"])
            let folder = try replay(over: "3g", resume: true)
            let files = ["feed--3g--lru--1", "feed--lte--lru--1"]
            #expect(try names(in: "\(root)/requests") == files.map { "\($0).csv" })
            #expect(try names(in: "\(root)/events") == files.map { "\($0).json" })
            #expect(try folder.finishRequests(as: .csv).missing == 0)
            // The networks of the present command are before those of earlier ones.
            #expect(try text(of: "\(root)/requests.csv").hasSuffix("\n3g\nlte\n"))
        }
    }

    @Test("runs that finish in another order, interrupted or not, give the same bytes")
    func sameBytes() throws {
        try withTemporaryFolder { root in
            let runs = (1...3).map { Samples.ten(Samples.identity(repetition: $0)) }
            let straight = try ReplayStore.begin(at: "\(root)/straight", Samples.describe(), resume: false)
            for run in runs { try straight.add(run) }
            try ReplayStore.begin(at: "\(root)/resumed", Samples.describe(), resume: false).add(runs[2])
            let resumed = try ReplayStore.begin(at: "\(root)/resumed", Samples.describe(), resume: true)
            for run in [runs[1], runs[0]] { try resumed.add(run) }
            for folder in [straight, resumed] { try folder.finish(at: done) }
            for file in ["summary.csv", "latency.csv", "timeline.csv", "runs.jsonl"] {
                #expect(try text(of: "\(root)/straight/\(file)") == text(of: "\(root)/resumed/\(file)"))
            }
        }
    }

    @Test("resuming finds exactly the runs that are done")
    func resuming() throws {
        try withTemporaryFolder { root in
            try ReplayStore.begin(at: root, Samples.describe(), resume: false).add(Samples.ten())
            let folder = try ReplayStore.begin(at: root, Samples.describe(), resume: true)
            #expect(folder.finished(Samples.identity()) == Samples.ten())
            #expect(folder.finished(Samples.identity(seed: 2)) == nil)
            #expect(folder.finished(Samples.identity(repetition: 2)) == nil)
        }
    }

    @Test("without resume, earlier results are removed and files of the user stay")
    func startingAfresh() throws {
        try withTemporaryFolder { root in
            try ReplayStore.begin(at: root, Samples.describe(), resume: false).add(Samples.ten())
            try write("mine", to: "\(root)/notes.txt")
            let folder = try ReplayStore.begin(at: root, Samples.describe(), resume: false)
            #expect(try folder.results.isEmpty)
            #expect(try names(in: root) == ["notes.txt", "run.json"])
        }
    }

    @Test("a line that a killed process tore is ignored, and removed by the next replay")
    func tornLine() throws {
        try withTemporaryFolder { root in
            try ReplayStore.begin(at: root, Samples.describe(), resume: false).add(Samples.ten())
            let whole = try text(of: "\(root)/runs.jsonl")
            try write(whole + "{\"half", to: "\(root)/runs.jsonl")
            #expect(try ReplayStore.open(root).results.count == 1)
            let folder = try ReplayStore.begin(at: root, Samples.describe(), resume: true)
            #expect(try text(of: "\(root)/runs.jsonl") == whole)
            try folder.add(Samples.ten(Samples.identity(repetition: 2)))
            #expect(try ReplayStore.open(root).results.map(\.identity.repetition) == [1, 2])
        }
    }

    @Test("the message of a broken run has its line and the remedy")
    func brokenRun() throws {
        try withTemporaryFolder { root in
            try ReplayStore.begin(at: root, Samples.describe(), resume: false).add(Samples.ten())
            try write(try text(of: "\(root)/runs.jsonl") + "{\"half\n", to: "\(root)/runs.jsonl")
            let error = #expect(throws: ResultsError.self) { try ReplayStore.open(root) }
            #expect(error?.kind == .badData)
            #expect(error?.file == "\(root)/runs.jsonl")
            #expect(error?.line == 2)
            #expect(error?.message == "not the whole result of a run; remove the line and replay with --resume")
        }
    }

    @Test("runs beyond those that stay in memory are read from the file, in order")
    func manyRuns() throws {
        try withTemporaryFolder { root in
            let folder = try ReplayStore.begin(at: root, Samples.describe(), resume: false)
            let all = RunLog.mostInMemory + 3
            for repetition in (1...all).reversed() {
                try folder.add(Samples.ten(Samples.identity(repetition: repetition)))
            }
            #expect(folder.finished(Samples.identity(repetition: 7)) == Samples.ten(Samples.identity(repetition: 7)))
            try folder.finish(at: done)
            #expect(try folder.results.map(\.identity.repetition) == Array(1...all))
            #expect(try text(of: "\(root)/summary.csv") == ResultFiles.summary(try folder.results))
            #expect(try text(of: "\(root)/latency.csv") == ResultFiles.latency(try folder.results))
            let lines = try text(of: "\(root)/runs.jsonl").split(separator: "\n")
            let first = try JSONDecoder().decode(RunResult.self, from: Data(lines[0].utf8))
            #expect(lines.count == all && first.identity.repetition == 1)
            // After the files are in order, further runs are added to them.
            try folder.add(Samples.ten(Samples.identity(repetition: all + 1)))
            try folder.add(Samples.ten(Samples.identity(cache: "fifo")))
            try folder.finish(at: done)
            #expect(try ReplayStore.open(root).results.count == all + 2)
            #expect(try text(of: "\(root)/summary.csv") == ResultFiles.summary(try folder.results))
        }
    }

    @Test("a folder has no end before it is finished, also if its description comes from finished ones")
    func noEndAtTheBeginning() throws {
        try withTemporaryFolder { root in
            var description = Samples.describe()
            description.end = done
            let folder = try ReplayStore.begin(at: root, description, resume: false)
            try folder.add(Samples.ten())
            #expect(try ReplayStore.open(root).manifest?.end == nil)
            try folder.finish(at: done)
            #expect(try ReplayStore.open(root).manifest?.end == done)
        }
    }

    private static func described(_ change: (inout Manifest<ReplayFacts>) -> Void) -> Manifest<ReplayFacts> {
        var description = Samples.describe()
        change(&description)
        return description
    }

    @Test(
        "the runs of another program, plugin, bodies, trace, timeline or events are repeated, and a message says so",
        arguments: [
            (Samples.describe(inputs: RunInputs(program: "p2", plugins: ["mine": "m1"], bodies: "b1")), .program),
            (
                Samples.describe(inputs: RunInputs(program: "p1", plugins: ["mine": "m2"], bodies: "b1")),
                .plugin(policy: "mine")
            ),
            (Samples.describe(inputs: RunInputs(program: "p1", plugins: ["mine": "m1"], bodies: "b2")), .bodies),
            (Samples.describe(inputs: RunInputs(program: "p1", plugins: ["mine": "m1"])), .bodies),
            (Samples.describe(format: "har"), .traceFormat("feed", from: "jsonl", to: "har")),
            (Samples.describe(sha256: "bb"), .traceContent("feed")),
            (Samples.describe(version: "1.0.1"), .version(from: "1.0.0", to: "1.0.1")),
            (described { $0.timeline = 0 }, .timeline),
            (described { $0.injected = "relaunch at 90s" }, .injectedEvents),
        ] as [(Manifest<ReplayFacts>, InputChange)])
    func changedInputs(now: Manifest<ReplayFacts>, change: InputChange) throws {
        try withTemporaryFolder { root in
            let first = try ReplayStore.begin(at: root, Samples.describe(), resume: false)
            for repetition in 1...2 { try first.add(Samples.ten(Samples.identity(repetition: repetition))) }
            let folder = try ReplayStore.begin(at: root, now, resume: true)
            #expect(try folder.results.isEmpty)
            #expect(folder.repeated == [RepeatedResults(change: change, count: 2)])
            #expect(try text(of: "\(root)/summary.csv") == ResultFiles.summary([]))
        }
    }

    @Test("a folder is one of a simulation by the kind in run.json, which decides what --force may remove")
    func kinds() throws {
        try withTemporaryFolder { root in
            let simulation = SimulationChartTests.describe()
            let text = try JSONFile.text(simulation, file: "run.json")
            for kind in ["simulation", "other", "replay"] {
                try write(text.replacing("\"simulation\"", with: "\"\(kind)\""), to: "\(root)/run.json")
                #expect(!ReplayStore.isOwn(root))
                if kind == "simulation" {
                    #expect(try SimulationStore.manifest(in: root) == simulation)
                } else {
                    #expect(!SimulationStore.isOwn(root))
                }
            }
        }
    }

    @Test("a plugin that is new or no longer loaded repeats no run, and neither does a trace that is not replayed now")
    func unchangedInputs() throws {
        try withTemporaryFolder { root in
            try ReplayStore.begin(at: root, Samples.describe(), resume: false).add(Samples.ten())
            var now = Samples.describe(inputs: RunInputs(program: "p1", plugins: ["other": "o1"], bodies: "b1"))
            now.traces = [.init(name: "grid", path: "grid.jsonl", sha256: "cc", format: "jsonl")]
            let folder = try ReplayStore.begin(at: root, now, resume: true)
            #expect(try folder.results.count == 1 && folder.repeated.isEmpty)
        }
    }

    @Test("a folder without run.json is repeated")
    func unrecordedInputs() throws {
        try withTemporaryFolder { root in
            try ReplayStore.begin(at: root, Samples.describe(), resume: false).add(Samples.ten())
            try FileManager.default.removeItem(atPath: "\(root)/run.json")
            let folder = try ReplayStore.begin(at: root, Samples.describe(), resume: true)
            #expect(folder.repeated == [RepeatedResults(change: .unrecorded, count: 1)])
        }
    }

    @Test("the bytes written grow linearly with the number of runs")
    func linearCost() throws {
        func bytes(_ runs: Int) throws -> Int {
            try withTemporaryFolder { root in
                let folder = try ReplayStore.begin(at: root, Samples.describe(), resume: false)
                for repetition in 1...runs { try folder.add(Samples.ten(Samples.identity(repetition: repetition))) }
                try folder.finish(at: done)
                return folder.bytesWritten
            }
        }
        let (few, many) = (try bytes(20), try bytes(200))
        #expect(many < 11 * few, "\(few) bytes for 20 runs, \(many) for 200")
    }

    @Test("before the end the CSV files have whole rows of the finished runs, and after it the rows are in order")
    func interrupted() throws {
        try withTemporaryFolder { root in
            let folder = try ReplayStore.begin(at: root, Samples.describe(), resume: false)
            let runs = [2, 1, 3].map { Samples.ten(Samples.identity(repetition: $0)) }
            for run in runs { try folder.add(run) }
            #expect(try text(of: "\(root)/summary.csv") == ResultFiles.summary(runs))
            #expect(try text(of: "\(root)/timeline.csv") == ResultFiles.timeline(runs))
            try folder.orderRows()
            #expect(try text(of: "\(root)/summary.csv") == ResultFiles.summary(folder.results))
            #expect(try folder.results.map(\.identity.repetition) == [1, 2, 3])
        }
    }

    @Test("rows that a killed process tore or lost are made again from the runs, by opening and by resuming")
    func tornRows() throws {
        for resume in [false, true] {
            try withTemporaryFolder { root in
                let folder = try ReplayStore.begin(at: root, Samples.describe(), resume: false)
                for repetition in 1...3 { try folder.add(Samples.ten(Samples.identity(repetition: repetition))) }
                let whole = try text(of: "\(root)/summary.csv")
                try write(String(whole.dropLast(20)), to: "\(root)/summary.csv")
                try FileManager.default.removeItem(atPath: "\(root)/latency.csv")
                _ = try resume ? ReplayStore.begin(at: root, Samples.describe(), resume: true) : ReplayStore.open(root)
                #expect(try text(of: "\(root)/summary.csv") == whole)
                #expect(try text(of: "\(root)/latency.csv") == ResultFiles.latency(folder.results))
            }
        }
    }

    @Test("a folder that cannot be created is refused before the first run")
    func unwritable() throws {
        try withTemporaryFolder { root in
            try write("", to: "\(root)/file")
            let error = #expect(throws: ResultsError.self) {
                try ReplayStore.begin(at: "\(root)/file/results", Samples.describe(), resume: false)
            }
            #expect(error?.kind == .cannotCreate)
            #expect(error?.file == "\(root)/file/results")
        }
    }

    @Test("a missing folder and a folder without runs are different errors")
    func nothingThere() throws {
        try withTemporaryFolder { root in
            let missing = #expect(throws: ResultsError.self) { try ReplayStore.open("\(root)/none") }
            #expect(missing?.kind == .notFound)
            let empty = #expect(throws: ResultsError.self) { try ReplayStore.open(root) }
            #expect(empty?.kind == .badData)
        }
    }

    @Test(
        "a full disk is an I/O error that names the file",
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func fullDevice() throws {
        let error = #expect(throws: ResultsError.self) { try ResultFile.write("x", to: "/dev/full") }
        #expect(error?.kind == .ioError)
        #expect(error?.file == "/dev/full")
        #expect(error?.message.contains("No space left") == true)
    }

    @Test("when a file cannot replace its target, the target stays and no part of it is left")
    func failedWrite() throws {
        try withTemporaryFolder { root in
            // A file cannot replace a folder.
            try FileManager.default.createDirectory(atPath: "\(root)/summary.csv/x", withIntermediateDirectories: true)
            let error = #expect(throws: ResultsError.self) { try ResultFile.write("new", to: "\(root)/summary.csv") }
            #expect(error?.kind == .cannotCreate)
            #expect(try names(in: root) == ["summary.csv"])
        }
    }

    @Test("the disk tiers of a killed replay are removed, and those of a running process are kept")
    func abandonedScratch() throws {
        try withTemporaryFolder { root in
            let gone = Process()
            gone.executableURL = URL(fileURLWithPath: "/bin/true")
            try gone.run()
            gone.waitUntilExit()
            let (left, used, other) = (".run-\(gone.processIdentifier)-0", ".run-\(getpid())-0", ".run-notes")
            for name in [left, used, other] {
                try FileManager.default.createDirectory(
                    atPath: "\(root)/\(name)/disk", withIntermediateDirectories: true)
            }
            _ = try ReplayStore.begin(at: root, Samples.describe(), resume: true)
            #expect(try names(in: root).filter { $0.hasPrefix(".run") } == [used, other].sorted())
        }
    }
}
