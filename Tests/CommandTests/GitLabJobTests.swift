import Foundation
import Testing
import Yams

/// `scripts/pipelines/gitlab/gate.gitlab-ci.yml`: its installation, and its baselines.
@Suite("The job of GitLab", .namesCommands, .enabled(if: PipelineTools.areInstalled, "needs jq, git, curl and python3"))
struct GitLabJobTests {
    private func job() throws -> Node {
        let yaml = try Binary.root.text("scripts/pipelines/gitlab/gate.gitlab-ci.yml")
        return try #require(try Yams.compose(yaml: yaml)?["cache-gate"])
    }

    private func commands(_ part: String) throws -> String {
        let lines = try #require(try job()[part]?.sequence).map { try #require($0.string) }
        return lines.joined(separator: "\n")
    }

    @Test("a package of a file and of an address is checked and installed")
    func installation() throws {
        try withTemporaryFolder { folder in
            let programs = folder.appendingPathComponent("programs")
            try FileManager.default.createDirectory(at: programs, withIntermediateDirectories: true)
            _ = try programs.writeProgram("#!/bin/sh\necho \"apt-get $*\"\n", to: "apt-get")
            // Writes the file of --output.
            _ = try programs.writeProgram("#!/bin/sh\necho \"curl $*\"\nprintf deb >cachereplay.deb\n", to: "curl")
            let given = try folder.write("deb", to: "given.deb")
            let sum = try PipelineTools.shell("printf deb | sha256sum | cut -d ' ' -f 1", in: folder, [:]).output
                .trimmingCharacters(in: .whitespacesAndNewlines)
            let path = programs.path + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
            for (package, digest, status) in [
                (given, sum, 0), ("https://example.com/c.deb", sum, 0), (given, "12ab", 1),
            ] as [(String, String, Int32)] {
                let made = try PipelineTools.shell(
                    try commands("before_script"), in: folder,
                    ["PATH": path, "CACHEREPLAY_PACKAGE": package, "CACHEREPLAY_SHA256": digest])
                #expect(made.status == status, "\(made.output)\(made.errors)")
                #expect(made.output.contains("--location --output ./cachereplay.deb https") == (package != given))
                #expect(made.output.contains("--no-install-recommends ./cachereplay.deb\n") == (status == 0))
            }
        }
    }

    @Test("a baseline over budget does not end the job, and a file that the base does not have is checked alone")
    func baselines() throws {
        let whole = try job()
        #expect(whole["variables"]?["GIT_DEPTH"]?.string == "0")
        #expect(whole["artifacts"]?["when"]?.string == "always")
        try withTemporaryFolder { folder in
            let programs = URL(fileURLWithPath: Binary.path).deletingLastPathComponent().path
            let path = programs + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent("Sessions"), withIntermediateDirectories: true)
            try FileManager.default.copyItem(
                at: Binary.root.appendingPathComponent("Traces/stress-feed.jsonl"),
                to: folder.appendingPathComponent("Sessions/feed.jsonl"))
            func commit(_ caches: String) throws -> String {
                _ = try folder.write(caches, to: "caches.yaml")
                let git = "git -c user.name=a -c user.email=a@example.com"
                let made = try PipelineTools.shell(
                    "git init -q . && git add caches.yaml && \(git) commit -qm caches && git rev-parse HEAD",
                    in: folder, [:])
                #expect(made.status == 0, "\(made.errors)")
                return made.output.trimmingCharacters(in: .whitespacesAndNewlines)
            }
            func gate(_ base: String) throws -> Binary.Outcome {
                try PipelineTools.shell(
                    try commands("script"), in: folder,
                    [
                        "PATH": path, "CI_MERGE_REQUEST_DIFF_BASE_SHA": base,
                        "CI_JOB_URL": "https://example.com/-/jobs/3",
                    ])
            }
            let caches = "caches:\n  app: \"lru(20MB)\"\n"
            let base = try commit(caches + "budgets: [\"blank_ratio<0.01%\"]\n")
            _ = try commit(caches)
            let passed = try gate(base)
            #expect(passed.status == 0, "\(passed.output)\(passed.errors)")
            #expect(FileManager.default.fileExists(atPath: folder.path + "/Results/gate/junit.xml"))

            let empty = try PipelineTools.shell(
                "git commit-tree -m empty $(git mktree </dev/null)", in: folder,
                [
                    "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "a",
                    "GIT_COMMITTER_EMAIL": "a@example.com",
                ]
            ).output.trimmingCharacters(in: .whitespacesAndNewlines)
            _ = try commit(caches + "budgets: [\"blank_ratio<0.01%\"]\n")
            let first = try gate(empty)
            #expect(first.status == 1, "\(first.output)\(first.errors)")
            #expect(first.output.contains("OVER BUDGET"))
            #expect(first.output.contains("First run, no baseline"))
            // Without a base, there is no verdict.
            #expect(try gate("").status == 128)
        }
    }
}
