import ArgumentParser
import CacheReports
import Foundation
import Testing

@testable import CacheReplayCommand

@Suite("The commands that read results")
struct ResultCommandsTests {
    private static let header = "trace,cache,repeat,seed,clock,timing,requests,hit_ratio,origin_bytes\n"

    /// Writes two `summary.csv` files, and runs `compare` on them with more arguments.
    private func compare(_ baseline: String, _ candidate: String, _ arguments: String...) throws {
        let folder = FileManager.default.temporaryDirectory.path + "/cachereplay-commands-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let files = ["\(folder)/baseline.csv", "\(folder)/candidate.csv"]
        for (file, row) in zip(files, [baseline, candidate]) {
            try Data((Self.header + row).utf8).write(to: URL(fileURLWithPath: file))
        }
        var command = try CompareCommand.parse(files + ["--quiet"] + arguments)
        try command.run()
    }

    private let good = "feed,lru,1,1,virtual,modelled,10,0.700000,2000\n"
    private let bad = "feed,lru,1,1,virtual,modelled,10,0.690000,2000\n"

    @Test("compare passes when nothing got worse, or no more than allowed")
    func passing() throws {
        try compare(good, good)
        try compare(bad, good)
        try compare(good, bad, "--allow", "hit_ratio:0.01", "--allow", "origin_bytes:5%")
    }

    @Test("compare exits with 1 when something got worse")
    func failing() {
        #expect(throws: ExitCode(1)) { try compare(good, bad) }
        #expect(throws: ExitCode(1)) { try compare(good, bad, "--allow", "hit_ratio:0.009") }
    }

    @Test("compare tells bad data (65) from results that are not there (66)")
    func unreadable() {
        let broken = #expect(throws: CommandFailure.self) { try compare(good, "feed,lru\n") }
        #expect(broken?.status == .badData)
        #expect(broken?.description.contains("candidate.csv:2: ") == true)
        let missing = #expect(throws: CommandFailure.self) {
            var command = try CompareCommand.parse(["/nonexistent/a", "/nonexistent/b"])
            try command.run()
        }
        #expect(missing?.status == .noInput)
    }

    @Test(
        "wrong usage is 64 and names the way out",
        arguments: [
            (["a", "b", "--allow", "hit_ratios:1"], "did you mean hit_ratio?"),
            (["a", "b", "--allow", "hit_ratio"], "METRIC:WORSENING"),
            (["a", "b", "--allow", "failed:1", "--allow", "failed:2"], "more than once"),
            (["a", "b", "--format", "yaml"], "markdown"),
            (["a"], "candidate"),
        ])
    func usage(arguments: [String], reason: String) {
        let error = #expect(throws: (any Error).self) { try CompareCommand.parse(arguments) }
        guard let error else { return }
        #expect(CompareCommand.exitCode(for: error).rawValue == 64)
        #expect(CompareCommand.fullMessage(for: error).contains(reason))
    }

    @Test("the help of compare lists what is gated")
    func help() {
        let help = CompareCommand.helpMessage()
        for metric in SummaryColumns.metrics where metric.isGated { #expect(help.contains(metric.name)) }
    }

    @Test("chart refuses an unknown format (64) and a folder that is not there (66)")
    func chart() throws {
        let wrong = #expect(throws: (any Error).self) { try ChartCommand.parse(["results", "--format", "svg,gif"]) }
        if let wrong { #expect(ChartCommand.fullMessage(for: wrong).contains("unknown format \"gif\"")) }
        let missing = #expect(throws: CommandFailure.self) {
            var command = try ChartCommand.parse(["/nonexistent/results"])
            try command.run()
        }
        #expect(missing?.status == .noInput)
    }
}
