import ArgumentParser
import Basics
import Foundation

struct DemonstrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demonstrate",
        abstract: "Demonstrate surprising behavior of caches, step by step.",
        discussion: """
            A demonstration runs on the same tiers as a replay. Each step shows an outcome,
            and the expected outcome if it differs. The exit code is 1 if any outcome
            differs. A measured figure has no expected outcome.

            Example: cachereplay demonstrate evicted-by-its-own-insert
            """)

    @Argument(help: "The demonstration to run, or 'all'.")
    var name: String?

    @OptionGroup var printing: JSONOption

    @Option(
        help: ArgumentHelp(
            "Run a scenario that needs its own process. The demonstrations start it.", visibility: .hidden))
    var isolated: String?

    func run() throws {
        if let isolated { return try run(isolated: isolated) }
        guard let name else {
            if printing.json { return try printJSON(Demonstration.all.map { Listing(name: $0.name, claim: $0.claim) }) }
            let width = Demonstration.all.map(\.name.count).max() ?? 0
            for demonstration in Demonstration.all {
                CommandOutput.print(
                    """
                    \(demonstration.name.padding(toLength: width, withPad: " ", startingAt: 0))  \(demonstration.claim)
                    """
                )
            }
            return CommandOutput.print(
                "\n`cachereplay demonstrate NAME` runs one demonstration, and `cachereplay demonstrate all` runs all.")
        }
        let chosen = name == "all" ? Demonstration.all : try [named(name)]
        let reports = try chosen.map { ($0, try $0.run(command: ChildProcess.executable)) }
        if printing.json {
            try printJSON(reports.map(Shown.init))
        } else {
            CommandOutput.print(reports.map(Self.text).joined(separator: "\n"), terminator: "")
        }
        if reports.contains(where: { !$0.1.isAsExpected }) { throw ExitCode(ExitStatus.worse.rawValue) }
    }

    private func named(_ name: String) throws -> Demonstration {
        if let demonstration = Demonstration.all.first(where: { $0.name == name }) { return demonstration }
        let hint = nearestName(to: name, among: Demonstration.all.map(\.name)).map { " Did you mean '\($0)'?" } ?? ""
        throw CommandFailure(
            .usage, "There is no demonstration '\(name)'.\(hint) `cachereplay demonstrate` lists all.")
    }

    private func run(isolated name: String) throws {
        guard let scenario = IsolatedScenario.all.first(where: { $0.name == name }) else {
            throw CommandFailure(.usage, "There is no isolated scenario '\(name)'.")
        }
        try scenario.run(print: CommandOutput.writeLine)
    }

    private static func text(_ demonstration: Demonstration, _ report: DemonstrationReport) -> String {
        var lines = ["\(demonstration.name): \(demonstration.claim)"]
        for section in report.sections {
            lines.append("  \(section.cache)")
            let width = section.steps.map(\.action.count).max() ?? 0
            for step in section.steps {
                let remark =
                    switch step.expected {
                    case nil: "  (measured)"
                    case let expected?: step.isAsExpected ? "" : "  (NOT AS EXPECTED: \(expected))"
                    }
                lines.append(
                    "    \(step.action.padding(toLength: width, withPad: " ", startingAt: 0))  \(step.outcome)\(remark)"
                )
            }
        }
        lines.append("  \(demonstration.meaning)")
        return lines.joined(separator: "\n") + "\n"
    }

    private struct Listing: Encodable {
        var name: String
        var claim: String
    }

    private struct Shown: Encodable {
        struct Step: Encodable {
            var cache: String
            var action: String
            /// The expected outcome; nil for a measured figure.
            var expected: String?
            var outcome: String
        }

        var name: String
        var claim: String
        var meaning: String
        var steps: [Step]
        var isAsExpected: Bool

        init(_ demonstration: Demonstration, _ report: DemonstrationReport) {
            name = demonstration.name
            claim = demonstration.claim
            meaning = demonstration.meaning
            steps = report.sections.flatMap { section in
                section.steps.map {
                    Step(cache: section.cache, action: $0.action, expected: $0.expected, outcome: $0.outcome)
                }
            }
            isAsExpected = report.isAsExpected
        }
    }
}
