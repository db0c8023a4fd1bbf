import Foundation
import Testing

@testable import CacheReports

/// Output folders and files that hold files of the user under names that a command writes.
@Suite("Files of the user in an output folder", .namesCommands)
struct ForeignFilesTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var arguments: [String]
        /// The files, the one by which the command recognises its own folder first.
        var files: [String]
        /// What had written the file, in the message.
        var origin: String
        var hasForce: Bool

        var testDescription: String { arguments[0] }
    }

    private static let trace = Binary.root.appendingPathComponent("Traces/stress-grid.jsonl").path

    static let cases = [
        Case(
            arguments: ["replay", trace, "--cache", "lru(2MB)", "--timing", "instant", "--no-charts", "-q"],
            files: ["run.json", "summary.csv", "report.html"], origin: "an earlier replay", hasForce: true),
        Case(
            arguments: ["simulate", trace, "--policy", "lru", "--capacity", "2MB", "--no-charts", "-q"],
            files: ["run.json", "miss_ratio.csv", "miss_ratio_over_time.csv", "curve.csv", "least_misses.csv"],
            origin: "an earlier simulation", hasForce: true),
        Case(
            arguments: ["explain", trace, "--cache", "lru(2MB)", "--timing", "instant", "--no-charts", "-q"],
            files: ["explanation.json", "causes.csv", "waits.csv", "requests.csv", "explanation.html"],
            origin: "an earlier explanation", hasForce: true),
        Case(
            arguments: ["advise", trace, "--for", "kingfisher-8", "--memory", "64MB", "--no-charts", "-q"],
            files: ["advice.json", "advice.csv", "advice.html"], origin: "an earlier advice", hasForce: true),
        Case(
            arguments: ["trace", "info", trace, "--quiet"], files: ["trace.json", "charts.json"],
            origin: "earlier figures of a trace", hasForce: false),
        Case(
            arguments: ["gate", "caches.yaml", "caches.yaml", trace, "--timing", "instant", "-q"],
            files: ["verdict.json", "verdict.md", "verdict.html", "junit.xml", "annotations.txt", "accept.yaml"],
            origin: "an earlier gate", hasForce: true),
    ]

    private func write(caches folder: URL) throws {
        _ = try folder.write("caches:\n  app: {memory: lru(2MB)}\n", to: "caches.yaml")
    }

    @Test("no command overwrites them, also with --force, and the message is that of replay", arguments: cases)
    func refused(_ command: Case) throws {
        try withTemporaryFolder { folder in
            try write(caches: folder)
            for (number, file) in command.files.enumerated() {
                let output = try folder.makeFolder("out\(number)")
                _ = try output.write("[\"mine\"]\n", to: file)
                for force in command.hasForce ? [[], ["--force"]] : [[]] {
                    let run = try Command.run(command.arguments + ["--output", output.path] + force, in: folder)
                    #expect(run.status == 73, "\(file): \(run.errors)")
                    #expect(
                        run.errors.contains(
                            """
                            \(output.path): holds a \(file), but no \(command.files[0]) of \(command.origin); name \
                            another folder with --output, or remove the file
                            """), "\(run.errors)")
                    #expect(try output.text(file) == "[\"mine\"]\n")
                    let left = try FileManager.default.contentsOfDirectory(atPath: output.path)
                    #expect(left.allSatisfy { $0 == file || $0.hasPrefix(".") }, "\(left)")
                }
            }
        }
    }

    @Test("results of the command itself are replaced with --force, and refused without", arguments: cases)
    func own(_ command: Case) throws {
        try withTemporaryFolder { folder in
            try write(caches: folder)
            let arguments = command.arguments + ["--output", "out"]
            let first = try Command.run(arguments, in: folder)
            #expect(first.status == 0 || first.status == 69, "\(first.errors)")
            let again = try Command.run(arguments, in: folder)
            guard command.hasForce else {
                // The figures of a trace are the same every time.
                return #expect(again.status == first.status.code, "\(again.errors)")
            }
            #expect(again.status == 73 && again.errors.contains("--force"), "\(again.errors)")
            #expect(try Command.run(arguments + ["--force"], in: folder).status == 0)
        }
    }

    @Test("explain leaves the report of a replay in its folder alone", .enabled(if: (try? Gnuplot()) != nil))
    func reports() throws {
        try withTemporaryFolder { folder in
            let output = ["--cache", "lru(2MB)", "--timing", "instant", "-q", "--output", folder.path]
            try #require(try Command.run(["replay", Self.trace] + output).status == 0)
            let report = try folder.text("report.html")
            for force in [[], ["--force"]] {
                try Command.succeed(["explain", Self.trace] + output + force)
                #expect(try folder.text("explanation.html").contains("<h1>Why were images missing?</h1>"))
                #expect(try folder.text("report.html") == report)
            }
        }
    }

    @Test("charts of an earlier result of the command are removed, and other files of the folder are not")
    func charts() throws {
        try withTemporaryFolder { folder in
            for (number, ending) in [(2, "causes"), (4, "popularity")] {
                let command = Self.cases[number]
                let output = folder.appendingPathComponent("out\(number)")
                let charts = try output.makeFolder("charts")
                _ = try charts.write("mine\n", to: "mine-\(ending).csv")
                func run(_ force: [String]) throws -> [String] {
                    _ = try Command.run(command.arguments + ["--output", output.path] + force, in: folder)
                    return try FileManager.default.contentsOfDirectory(atPath: charts.path)
                }
                #expect(try run([]).contains("mine-\(ending).csv"))
                _ = try charts.write("old\n", to: "earlier-\(ending).csv")
                #expect(try !run(command.hasForce ? ["--force"] : []).contains("earlier-\(ending).csv"))
            }
        }
    }
}
