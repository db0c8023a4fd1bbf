import Foundation
import Testing
import Yams

/// `.github/actions/gate`: its steps in order, as GitHub's runner executes them.
@Suite(
    "The action of GitHub", .namesCommands, .enabled(if: PipelineTools.areInstalled, "needs jq, git, curl and python3"))
struct GateActionTests {
    /// A repository with a session and caches in two commits. Calls the body with it and the first commit.
    private func withRepository(_ before: String, _ after: String, _ body: (URL, String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let repository = folder.appendingPathComponent("app")
            _ = try repository.makeFolder("Sessions")
            try repository.copyTrace("stress-feed.jsonl", to: "Sessions/feed.jsonl")
            func commit(_ memory: String) throws -> String {
                let caches = "caches:\n  app: \"\(memory)\"\n"
                try Data(caches.utf8).write(to: repository.appendingPathComponent("caches.yaml"))
                try git("init -q .", in: repository)
                try git("add .", in: repository)
                try git("commit -qm caches --allow-empty", in: repository)
                return try git("rev-parse HEAD", in: repository)
            }
            let first = try commit(before)
            _ = try commit(after)
            try body(repository, first)
        }
    }

    private func runner(_ repository: URL, _ base: String, _ name: String, _ more: [String: String] = [:]) throws
        -> ActionRunner
    {
        let folder = repository.deletingLastPathComponent().appendingPathComponent(name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(#"{"pull_request": {"number": 7}}"#.utf8).write(to: folder.appendingPathComponent("event.json"))
        let inputs = ["traces": "Sessions\n", "caches": "caches.yaml", "base": base].merging(more) { $1 }
        return ActionRunner(repository, folder, event: "pull_request", inputs)
    }

    @Test("a limit that is 1 % lower fails the last step; the verdict links to the run, and its entries accept it")
    func worse() throws {
        try withRepository("lru(20MB)", "lru(19.8MB)") { repository, base in
            let first = try runner(repository, base, "one", ["comment": "false"])
            #expect(try first.run() == 1, "\(first.log)")
            // install, prepare, gate, verdict.
            #expect(first.executed == 4)
            let summary = try first.folder.text("summary.md")
            #expect(summary.hasPrefix("**WORSE: "), "\(summary)")
            let annotation = "::error file=caches.yaml,line=2,title=memory_hit_ratio is worse::feed, app: "
            #expect(first.log.contains(annotation), "\(first.log)")
            #expect(summary.contains("](<https://github.com/owner/app/actions/runs/12#artifacts>)"), "\(summary)")
            #expect(summary.contains("base: commit \(base)"), "\(summary)")
            let artifact = URL(fileURLWithPath: try #require(first.artifact))
            #expect(try artifact.text("junit.xml").contains("<failure type=\"worse\""))
            #expect(try artifact.text("verdict.html").contains("baseline beside candidate"))

            // The entries accept the change in the file of the pull request.
            let caches = try repository.text("caches.yaml") + (try artifact.text("accept.yaml"))
            _ = try repository.write(caches, to: "caches.yaml")
            let second = try runner(repository, base, "two", ["comment": "false"])
            #expect(try second.run() == 0, "\(second.log)")
            #expect(try second.folder.text("summary.md").contains("accepted: say why"))
        }
    }

    /// Runs git with the author of the tests, and returns what it prints.
    @discardableResult private func git(_ command: String, in repository: URL) throws -> String {
        let made = try PipelineTools.shell(
            "git -c user.name=a -c user.email=a@example.com \(command)", in: repository, [:])
        #expect(made.status == 0, "\(made.errors)")
        return made.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// A repository whose main branch has lowered a limit after another branch, which changes no cache, began. Calls
    /// the body with the commit before, the head of that branch, and the head of main. The merge of both is checked
    /// out.
    private func withMerge(_ body: (_ app: URL, _ old: String, _ head: String, _ main: String) throws -> Void) throws {
        try withRepository("lru(20MB)", "lru(15MB)") { repository, old in
            let main = try git("rev-parse HEAD", in: repository)
            try git("checkout -q -b branch \(old)", in: repository)
            _ = try repository.write("Nothing about caches.\n", to: "README")
            try git("add README", in: repository)
            try git("commit -qm readme", in: repository)
            let head = try git("rev-parse HEAD", in: repository)
            try git("checkout -q --detach \(main)", in: repository)
            try git("merge -q --no-ff -m merge branch", in: repository)
            try body(repository, old, head, main)
        }
    }

    @Test("the baseline of a pull request is the first parent of its merge, not the older base of the event")
    func mergeCommit() throws {
        try withMerge { repository, old, head, main in
            let merged = try runner(repository, "", "merged", ["comment": "false"])
            (merged.baseOfEvent, merged.headOfEvent) = (old, head)
            #expect(try merged.run() == 0, "\(merged.log)")
            #expect(merged.log.contains("The baseline is commit \(main)"))
            // A comparison with the older base includes the change of main.
            let blamed = try runner(repository, old, "blamed", ["comment": "false"])
            #expect(try blamed.run() == 1, "\(blamed.log)")

            // A clone of one commit has the names of the parents only.
            let shallow = repository.deletingLastPathComponent().appendingPathComponent("shallow")
            try git("branch merged HEAD", in: repository)
            try git("clone -q --depth 1 -b merged 'file://\(repository.path)' '\(shallow.path)'", in: repository)
            let single = try runner(shallow, "", "single", ["comment": "false"])
            (single.baseOfEvent, single.headOfEvent) = (old, head)
            #expect(try single.run() == 0, "\(single.log)")
            #expect(single.log.contains("The baseline is commit \(main)"))

            // The branch itself is compared with the commit from which it starts.
            try git("checkout -q branch", in: repository)
            let branch = try runner(repository, "", "branch", ["comment": "false"])
            (branch.baseOfEvent, branch.headOfEvent) = (main, head)
            #expect(try branch.run() == 0, "\(branch.log)")
            #expect(branch.log.contains("The baseline is commit \(old)"))
        }
    }

    @Test("the first run has no baseline and checks budgets alone; a renamed file has its own baseline")
    func firstRun() throws {
        try withRepository("lru(20MB)", "lru(20MB)") { repository, base in
            for (budget, status) in [("wrong<1", 0), ("blank_ratio<0.01%", 1)] as [(String, Int32)] {
                _ = try repository.write("caches:\n  new: \"lru(5MB)\"\nbudgets: [\"\(budget)\"]\n", to: "new.yaml")
                let first = try runner(repository, base, UUID().uuidString, ["comment": "false", "caches": "new.yaml"])
                #expect(try first.run() == status, "\(first.log)")
                #expect(first.log.contains("first run, no baseline"))
                #expect(try first.folder.text("summary.md").hasPrefix("First run, no baseline"))
            }
            try git("mv caches.yaml own.yaml", in: repository)
            try git("commit -qm rename", in: repository)
            let renamed = try runner(repository, base, "renamed", ["comment": "false", "caches": "own.yaml"])
            #expect(try renamed.run() == 0, "\(renamed.log)")
            #expect(!renamed.log.contains("first run"))
        }
    }

    @Test("a comment that cannot be written is a warning: verdict, summary and artifact stay")
    func fork() throws {
        try withRepository("lru(20MB)", "lru(19.8MB)") { repository, base in
            // Nothing answers at the address.
            let runner = try runner(repository, base, "fork")
            #expect(try runner.run() == 1, "\(runner.log)")
            #expect(runner.executed == 5)
            #expect(runner.log.contains("::warning title=cachereplay::the verdict is not a comment"), "\(runner.log)")
            #expect(try runner.folder.text("summary.md").hasPrefix("**WORSE: "))
            #expect(runner.artifact != nil)
        }
    }

    @Test("the comment is created once, and updated in place by the next run")
    func comment() throws {
        try withRepository("lru(20MB)", "lru(19.8MB)") { repository, base in
            let state = repository.deletingLastPathComponent()
            try Data(Self.server.utf8).write(to: state.appendingPathComponent("server.py"))
            let server = Process()
            server.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            server.arguments = ["python3", "server.py"]
            server.currentDirectoryURL = state
            let output = Pipe()
            server.standardOutput = output
            server.standardError = FileHandle.nullDevice
            try server.run()
            defer {
                // Children inherit blocked signals, of which SIGKILL is none.
                kill(server.processIdentifier, SIGKILL)
                server.waitUntilExit()
            }
            let port = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
                .trimmingCharacters(in: .whitespacesAndNewlines)
            for name in ["first", "second"] {
                let runner = try runner(repository, base, name)
                #expect(try runner.run(api: "http://127.0.0.1:\(port)") == 1, "\(runner.log)")
                #expect(runner.executed == 5)
            }
            let log = try state.text("requests.txt")
            #expect(
                log == """
                    GET /repos/owner/app/issues/7/comments?per_page=100&page=1 Bearer secret
                    POST /repos/owner/app/issues/7/comments Bearer secret
                    GET /repos/owner/app/issues/7/comments?per_page=100&page=1 Bearer secret
                    PATCH /repos/owner/app/issues/comments/5 Bearer secret

                    """)
            let comment = try state.text("comment.txt")
            #expect(comment.hasPrefix("<!-- cachereplay gate: gate -->\n**WORSE: "), "\(comment)")
        }
    }

    /// Keeps one comment with the id 5, beside one of somebody else.
    private static let server = """
        import http.server, json, os
        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *args): pass
            def answer(self):
                with open('requests.txt', 'a') as log:
                    log.write(f"{self.command} {self.path} {self.headers['Authorization']}\\n")
                length = int(self.headers.get('Content-Length', 0))
                body = self.rfile.read(length)
                result = []
                if self.command == 'GET':
                    result = [{'id': 4, 'body': 'Looks good'}]
                    if os.path.exists('comment.txt'):
                        result.append({'id': 5, 'body': open('comment.txt').read()})
                else:
                    open('comment.txt', 'w').write(json.loads(body)['body'])
                data = json.dumps(result).encode()
                self.send_response(200)
                self.send_header('Content-Length', str(len(data)))
                self.end_headers()
                self.wfile.write(data)
            do_GET = do_POST = do_PATCH = answer
        server = http.server.HTTPServer(('127.0.0.1', 0), Handler)
        print(server.server_port, flush=True)
        server.serve_forever()
        """

    @Test("the examples for GitLab and for a plain shell gate the same two commits")
    func examples() throws {
        try withRepository("lru(20MB)", "lru(19.8MB)") { repository, base in
            let programs = URL(fileURLWithPath: Binary.path).deletingLastPathComponent().path
            let path = programs + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
            let yaml = try Binary.root.text("scripts/pipelines/gitlab/gate.gitlab-ci.yml")
            let job = try #require(try Yams.compose(yaml: yaml)?["cache-gate"])
            let lines = try #require(job["script"]?.sequence).map { try #require($0.string) }
            #expect(lines.count == 4)
            let gitlab = try PipelineTools.shell(
                lines.joined(separator: "\n"), in: repository,
                ["PATH": path, "CI_MERGE_REQUEST_DIFF_BASE_SHA": base, "CI_JOB_URL": "https://example.com/-/jobs/3"])
            #expect(gitlab.status == 1, "\(gitlab.output)\(gitlab.errors)")
            #expect(gitlab.output.contains("WORSE"))
            let report = "https://example.com/-/jobs/3/artifacts/file/Results/gate/verdict.html"
            #expect(gitlab.output.contains("Report: \(report)"), "\(gitlab.output)")
            #expect(try repository.text("Results/gate/junit.xml").contains("<failure type=\"worse\""))

            let example = Binary.root.appendingPathComponent("scripts/pipelines/gate-example").path
            for (commit, status) in [(base, 1), ("HEAD", 0)] as [(String, Int32)] {
                let shell = try PipelineTools.shell(
                    "'\(example)' \(commit) caches.yaml Sessions", in: repository, ["PATH": path])
                #expect(shell.status == status, "\(shell.output)\(shell.errors)")
            }
        }
    }
}
