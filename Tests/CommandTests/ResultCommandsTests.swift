import ArgumentParser
import CacheReports
import Foundation
import Runs
import Testing

@testable import CacheReplayCommand

@Suite("The commands that read results", .namesCommands)
struct ResultCommandsTests {
    private static let header = "trace,cache,repeat,seed,clock,timing,requests,hit_ratio,origin_bytes\n"

    /// Writes two `summary.csv` files, and runs `compare` on them.
    private func compare(_ baseline: String, _ candidate: String, _ arguments: String...) throws {
        try withTemporaryFolder { folder in
            let files = [
                try folder.write(Self.header + baseline, to: "baseline.csv"),
                try folder.write(Self.header + candidate, to: "candidate.csv"),
            ]
            var command = try CompareCommand.parse(files + ["--quiet"] + arguments)
            try command.run()
        }
    }

    private let good = "feed,lru,1,1,virtual,modelled,10,0.700000,2000\n"
    private let bad = "feed,lru,1,1,virtual,modelled,10,0.690000,2000\n"

    @Test("compare passes when no figure is worse than allowed")
    func passing() throws {
        try compare(good, good)
        try compare(bad, good)
        try compare(good, bad, "--allow", "hit_ratio:1pt", "--allow", "origin_bytes:5%")
    }

    @Test("compare exits with 1 when a figure is worse than allowed")
    func failing() {
        #expect(throws: ExitCode(1)) { try compare(good, bad) }
        #expect(throws: ExitCode(1)) { try compare(good, bad, "--allow", "hit_ratio:0.9pt") }
    }

    @Test("compare exits with 65 for bad data and with 66 for missing results")
    func unreadable() throws {
        let broken = #expect(throws: ResultsError.self) { try compare(good, "feed,lru\n") }
        #expect(broken.flatMap { CommandFailure($0) }?.status == .badData)
        #expect(broken?.description.contains("candidate.csv:2: ") == true)
        let missing = try withTemporaryFolder { folder in
            #expect(throws: ResultsError.self) {
                var command = try CompareCommand.parse(["\(folder.path)/a", "\(folder.path)/b"])
                try command.run()
            }
        }
        #expect(missing.flatMap { CommandFailure($0) }?.status == .noInput)
    }

    @Test(
        "wrong usage exits with 64, and the message names the remedy",
        arguments: [
            (["a", "b", "--allow", "hit_ratios:1"], "did you mean hit_ratio?"),
            (["a", "b", "--allow", "hit_ratio"], "METRIC:WORSENING"),
            (["a", "b", "--allow", "hit_ratio:0.01"], "write 1pt for percentage points"),
            (["a", "b", "--allow", "failed:1", "--allow", "failed:2"], "more than once"),
            (["a", "b", "--as", "yaml"], "markdown"),
            (["a"], "candidate"),
        ])
    func usage(arguments: [String], reason: String) {
        let error = #expect(throws: (any Error).self) { try CompareCommand.parse(arguments) }
        guard let error else { return }
        #expect(CompareCommand.exitCode(for: error).rawValue == 64)
        #expect(CompareCommand.fullMessage(for: error).contains(reason))
    }

    @Test("--sort takes columns of the table and metrics, and its error lists the columns")
    func sort() throws {
        for column in ["given", "cache", "peak mem", "latency_p90_us"] {
            #expect(throws: Never.self) { try ReplayCommand.parse(["feed.jsonl", "--sort", column]) }
        }
        let error = #expect(throws: (any Error).self) { try MergeCommand.parse(["a", "-o", "b", "--sort", "blnk"]) }
        let message = error.map { MergeCommand.fullMessage(for: $0) } ?? ""
        #expect(
            message.contains("there is no column 'blnk'. Columns are given, cache, ≤100ms, blank, fetched,"),
            "\(message)")
    }

    @Test(
        "chart refuses a size, a font or an order that it cannot draw, and says what it can",
        arguments: [
            (["--size", "479x320"], "from 480x320 to 7680x7680"), (["--size", "1920x7681"], "not '1920x7681'"),
            (["--font", "31"], "from 8 to 30 pixels high in pictures of this size, not 31"),
            (["--font", "Georgia,13", "--size", "480x320"], "from 8 to 12 pixels"),
            (["--font", "\"><script>"], "A name has letters"), (["--font", "A,B"], "such as Georgia,24"),
            (["--order", "best"], "blank"),
        ])
    func chartOptions(arguments: [String], reason: String) throws {
        let error = #expect(throws: (any Error).self) { try ChartCommand.parse(["results"] + arguments) }
        guard let error else { return }
        #expect(ChartCommand.exitCode(for: error).rawValue == 64)
        #expect(ChartCommand.fullMessage(for: error).contains(reason))
        _ = try ChartCommand.parse(["results", "--font", "Open Sans,24", "--size", "1920x1080", "--order", "name"])
    }

    @Test("export prints JSON, and a wrong metric has a remedy")
    func export() throws {
        let wrong = #expect(throws: (any Error).self) {
            try ExportCommand.parse(["results", "--as", "bencher", "--metric", "hit_ration"])
        }
        if let wrong { #expect(ExportCommand.fullMessage(for: wrong).contains("did you mean hit_ratio?")) }
        let run = try Binary.succeed("export", "Results/example", "--as", "bencher", "--metric", "hit_ratio")
        let figures = try JSONDecoder().decode([String: [String: [String: Double]]].self, from: Data(run.output.utf8))
        #expect(!figures.isEmpty && figures.values.allSatisfy { Array($0.keys) == ["hit_ratio"] })
    }

    @Test("chart exits with 64 for an unknown format and with 66 for a missing folder")
    func chart() throws {
        let wrong = #expect(throws: (any Error).self) { try ChartCommand.parse(["results", "--pictures", "svg,gif"]) }
        if let wrong { #expect(ChartCommand.fullMessage(for: wrong).contains("unknown format \"gif\"")) }
        let missing = try withTemporaryFolder { folder in
            #expect(throws: ResultsError.self) {
                var command = try ChartCommand.parse(["\(folder.path)/results"])
                try command.run()
            }
        }
        #expect(missing.flatMap { CommandFailure($0) }?.status == .noInput)
    }
}
