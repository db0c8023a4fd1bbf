import Foundation
import Testing
import Yams

/// The programs that steps of a pipeline need, and the shell that runs them.
enum PipelineTools {
    static let areInstalled = ["jq", "git", "curl", "python3"].allSatisfy { tool in
        (try? shell("command -v \(tool)", in: Binary.root, [:]).status.code) == 0
    }

    static func shell(_ command: String, in folder: URL, _ environment: [String: String]) throws -> Binary.Outcome {
        try Binary.execute(
            "/bin/bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", command], in: folder,
            environment: environment)
    }
}

/// The parts of GitHub's runner that the action uses.
final class ActionRunner {
    private static let action = Binary.root.appendingPathComponent(".github/actions/gate")

    let repository: URL
    let folder: URL
    let event: String
    var inputs: [String: String]
    /// The commits of the pull request, as the event names them.
    var baseOfEvent = ""
    var headOfEvent = ""
    var steps: [String: [String: String]] = [:]
    var log = ""
    /// The number of steps with `run:` that were executed.
    var executed = 0
    var artifact: String?

    init(_ repository: URL, _ folder: URL, event: String, _ inputs: [String: String]) {
        (self.repository, self.folder, self.event, self.inputs) = (repository, folder, event, inputs)
    }

    /// Replaces the expressions that the action uses.
    func value(_ text: String) throws -> String {
        var result = text
        while let range = result.range(of: #"\$\{\{[^}]*\}\}"#, options: .regularExpression) {
            let name = result[range].dropFirst(3).dropLast(2).trimmingCharacters(in: .whitespaces)
            result.replaceSubrange(range, with: try lookUp(name))
        }
        return result
    }

    private func lookUp(_ name: String) throws -> String {
        let parts = name.split(separator: ".").map(String.init)
        switch parts.first {
        case "inputs": return try #require(inputs[parts[1]], "\(name)")
        case "steps": return steps[parts[1]]?[parts[3]] ?? ""
        case "github" where parts.last == "event_name": return event
        case "github" where parts.last == "token": return "secret"
        case "github" where name == "github.event.pull_request.base.sha": return baseOfEvent
        case "github" where name == "github.event.pull_request.head.sha": return headOfEvent
        default:
            Issue.record("unknown expression \(name)")
            return ""
        }
    }

    /// Returns whether a condition of `A == 'B' && C != 'D'` holds, after a step has failed or before.
    func holds(_ condition: String, hasFailed: Bool) throws -> Bool {
        var parts = condition.components(separatedBy: "&&").map { $0.trimmingCharacters(in: .whitespaces) }
        let isAlways = parts.contains("always()")
        guard isAlways || !hasFailed else { return false }
        parts.removeAll { $0 == "always()" }
        for part in parts {
            let isEquality = part.contains("==")
            let sides = part.components(separatedBy: isEquality ? "==" : "!=")
                .map { $0.trimmingCharacters(in: .whitespaces) }
            let value = "'" + (try lookUp(sides[0])) + "'"
            if (value == sides[1]) != isEquality { return false }
        }
        return true
    }

    /// Executes all steps whose condition holds, and returns the status of the first one that fails, or 0.
    func run(api: String = "http://127.0.0.1:9") throws -> Int32 {
        let yaml = try String(contentsOf: Self.action.appendingPathComponent("action.yml"), encoding: .utf8)
        let root = try #require(try Yams.compose(yaml: yaml))
        for (key, value) in try #require(root["inputs"]?.mapping) {
            let name = try #require(key.string)
            guard inputs[name] == nil else { continue }
            inputs[name] = try #require(value["default"]?.string, "the input \(name) is required")
            if inputs[name]?.contains("${{ github.token }}") == true { inputs[name] = "secret" }
        }
        var failure: Int32 = 0
        for step in try #require(root["runs"]?["steps"]?.sequence) {
            // A step without a condition has that of success().
            let isDue = try holds(step["if"]?.string ?? "inputs.caches != ''", hasFailed: failure != 0)
            guard isDue else { continue }
            if let uses = step["uses"]?.string {
                try use(uses, step)
                continue
            }
            let status = try execute(step, api)
            if failure == 0 { failure = status }
        }
        return failure
    }

    private func execute(_ step: Node, _ api: String) throws -> Int32 {
        let outputs = folder.appendingPathComponent("output-\(UUID())")
        var environment = [
            "PATH": URL(fileURLWithPath: Binary.path).deletingLastPathComponent().path + ":"
                + (ProcessInfo.processInfo.environment["PATH"] ?? ""),
            "GITHUB_ACTION_PATH": Self.action.path, "GITHUB_OUTPUT": outputs.path,
            "GITHUB_STEP_SUMMARY": folder.appendingPathComponent("summary.md").path,
            "GITHUB_PATH": folder.appendingPathComponent("path").path, "RUNNER_TEMP": folder.path,
            "GITHUB_EVENT_PATH": folder.appendingPathComponent("event.json").path, "GITHUB_API_URL": api,
            "GITHUB_REPOSITORY": "owner/app", "GITHUB_SERVER_URL": "https://github.com", "GITHUB_RUN_ID": "12",
        ]
        _ = FileManager.default.createFile(atPath: outputs.path, contents: nil)
        for (key, value) in step["env"]?.mapping ?? [:] {
            environment[try #require(key.string)] = try self.value(try #require(value.string))
        }
        #expect(step["shell"]?.string == "bash")
        let command = try #require(step["run"]?.string)
        // Inputs reach a step by its environment only, so that they cannot become commands.
        #expect(!command.contains("${{"))
        let outcome = try PipelineTools.shell(command, in: repository, environment)
        executed += 1
        log += outcome.output + outcome.errors
        if let id = step["id"]?.string {
            for line in try String(contentsOf: outputs, encoding: .utf8).split(separator: "\n") {
                let sides = line.split(separator: "=", maxSplits: 1).map(String.init)
                steps[id, default: [:]][sides[0]] = sides.count > 1 ? sides[1] : ""
            }
        }
        return outcome.status.code
    }

    /// Stands in for the action of GitHub that keeps an artifact.
    private func use(_ name: String, _ step: Node) throws {
        #expect(name.hasPrefix("actions/upload-artifact@"))
        artifact = try value(try #require(step["with"]?["path"]?.string))
    }
}
