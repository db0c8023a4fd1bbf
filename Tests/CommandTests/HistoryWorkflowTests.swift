import Foundation
import Testing
import Yams

/// `scripts/pipelines/github/history.yml`: the steps that replay and that add to the branch, with a repository in a
/// folder in the place of GitHub's.
@Suite(
    "The workflow of histories", .namesCommands,
    .enabled(if: PipelineTools.areInstalled, "needs jq, git, curl and python3"))
struct HistoryWorkflowTests {
    private static let branch = "cachereplay-history"

    /// The commands of the steps after the installation.
    private func commands() throws -> [String] {
        let root = try #require(try Yams.compose(yaml: try Binary.root.text("scripts/pipelines/github/history.yml")))
        #expect(root["permissions"]?["contents"]?.string == "write")
        let job = try #require(root["jobs"]?["history"])
        #expect(job["defaults"]?["run"]?["shell"]?.string == "bash")
        var commands: [String] = []
        for step in try #require(job["steps"]?.sequence) {
            guard let command = step["run"]?.string, step["name"]?.string != "Install cachereplay" else { continue }
            // Expressions could become commands.
            #expect(!command.contains("${{"))
            commands.append(command)
        }
        return commands
    }

    /// Runs git with the author of the tests, on a day of January, and returns what it prints.
    @discardableResult
    private func git(_ command: String, in folder: URL, day: Int = 1) throws -> String {
        let made = try PipelineTools.shell(
            "git -c user.name=a -c user.email=a@example.com \(command)", in: folder,
            ["GIT_COMMITTER_DATE": "2026-01-0\(day)T12:00:00+01:00"])
        #expect(made.status == 0, "\(made.errors)")
        return made.output
    }

    /// Runs the steps in a repository, and returns what they print.
    private func run(in app: URL) throws -> String {
        let folder = app.deletingLastPathComponent()
        let programs = URL(fileURLWithPath: Binary.path).deletingLastPathComponent().path
        let path = programs + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
        var log = ""
        for command in try commands() {
            let made = try PipelineTools.shell(command, in: app, ["PATH": path, "RUNNER_TEMP": folder.path])
            log += made.output + made.errors
            #expect(made.status == 0, "\(made.output)\(made.errors)")
        }
        return log
    }

    /// Expects so many commits and lines, the header among them, of the history's branch.
    private func expect(_ commits: Int, _ lines: Int, in origin: URL) throws {
        let count = try git("rev-list --count \(Self.branch)", in: origin)
        #expect(count == "\(commits)\n")
        let history = try git("show \(Self.branch):history.csv", in: origin)
        #expect(history.split(separator: "\n").count == lines, "\(history)")
    }

    @Test("each commit adds its figures to the branch, a commit again adds or replaces them, and a push is repeated")
    func branch() throws {
        try withTemporaryFolder { folder in
            let origin = folder.appendingPathComponent("origin.git")
            let app = folder.appendingPathComponent("app")
            let sessions = app.appendingPathComponent("Sessions")
            try FileManager.default.createDirectory(at: sessions, withIntermediateDirectories: true)
            try FileManager.default.copyItem(
                at: Binary.root.appendingPathComponent("Traces/stress-feed.jsonl"),
                to: sessions.appendingPathComponent("feed.jsonl"))
            try git("init -q --bare '\(origin.path)'", in: folder)
            try git("init -q .", in: app)
            try git("remote add origin 'file://\(origin.path)'", in: app)
            func commit(_ memory: String, day: Int) throws {
                let caches = "caches:\n  app: \"\(memory)\"\nbudgets: [\"blank_ratio<0.01%\"]\n"
                _ = try app.write(caches, to: "caches.yaml")
                try git("add .", in: app)
                try git("commit -qm 'Set the limit to \(memory)'", in: app, day: day)
            }
            // A header, and 12 figures. The figure over budget does not end the job.
            try commit("lru(20MB)", day: 1)
            _ = try run(in: app)
            try expect(1, 13, in: origin)
            let again = try run(in: app)
            #expect(again.contains("has these figures already"), "\(again)")
            try expect(1, 13, in: origin)

            // The first push is refused, as after the push of another run.
            let hooks = origin.appendingPathComponent("hooks")
            try FileManager.default.createDirectory(at: hooks, withIntermediateDirectories: true)
            _ = try hooks.writeProgram("#!/bin/sh\n[ -e once ] || { touch once; exit 1; }\n", to: "update")
            try commit("lru(5MB)", day: 2)
            let second = try run(in: app)
            #expect(FileManager.default.fileExists(atPath: origin.path + "/once"), "\(second)")
            try expect(2, 25, in: origin)

            // Other figures of the same commit replace those that the history has.
            _ = try app.write("caches:\n  app: \"lru(4MB)\"\n", to: "caches.yaml")
            _ = try run(in: app)
            try expect(3, 25, in: origin)
            let page = try git("show \(Self.branch):history.html", in: origin)
            #expect(page.contains("Set the limit to lru(5MB)"))
        }
    }
}
