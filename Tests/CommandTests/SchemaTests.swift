import Foundation
import TestSupport
import Testing
import TraceSynthesis

@Suite(
    "cachereplay list schema describes what commands print as JSON", .namesCommands,
    .enabled(if: PythonPeers.isInstalled, "scripts/test installs jsonschema from PyPI"))
struct SchemaTests {
    /// Prints the first error of each document, and the declared properties that no document has.
    private static let validator = """
        import json, sys, jsonschema
        schema = json.load(open(sys.argv[1]))
        jsonschema.Draft202012Validator.check_schema(schema)
        seen = set()
        def declared(schema, path=""):
            for name, member in schema.get("properties", {}).items():
                yield f"{path}/{name}"
                yield from declared(member, f"{path}/{name}")
            if "items" in schema: yield from declared(schema["items"], path)
        def walk(value, path=""):
            for name, member in value.items() if isinstance(value, dict) else []:
                seen.add(f"{path}/{name}")
                walk(member, f"{path}/{name}")
            for member in value if isinstance(value, list) else []: walk(member, path)
        for file in sys.argv[2:]:
            document = json.load(open(file))
            errors = list(jsonschema.Draft202012Validator(schema).iter_errors(document))
            for error in errors[:1]: print("invalid", list(error.path), error.message[:300])
            walk(document)
        properties = set(declared(schema))
        print(len(properties), "properties, never seen:", sorted(properties - seen))
        """

    /// Writes a schema and documents to a folder, and returns the lines of the validator.
    private func lines(_ schema: String, _ documents: [String], in folder: URL) throws -> [String] {
        let printed = try Command.succeed("list", "schema", schema)
        let path = try folder.write(printed.output, to: "schema.json")
        var files: [String] = []
        for (number, document) in documents.enumerated() {
            files.append(try folder.write(document, to: "document\(number).json"))
        }
        let file = try folder.write(Self.validator, to: "validate.py")
        let run = try PythonPeers.script([file, path] + files)
        #expect(run.status == 0, "\(run.errors)")
        return run.output.split(separator: "\n").map(String.init)
    }

    private func output(_ arguments: String...) throws -> String {
        let run = try Command.succeed(arguments)
        return run.output
    }

    /// Expects that the documents match the schema and have each of its properties, and that a document without a
    /// property, or with another word, does not match.
    private func expect(
        _ documents: [String], match schema: String, without property: String, word: (String, String), in folder: URL
    ) throws {
        let valid = try lines(schema, documents, in: folder)
        #expect(valid.count == 1 && valid[0].hasSuffix("never seen: []") && !valid[0].hasPrefix("0 "), "\(valid)")
        for (old, new) in [("\"\(property)\"", "\"unknown\""), ("\"\(word.0)\"", "\"\(word.1)\"")] {
            let changed = documents[0].replacing(old, with: new)
            #expect(changed != documents[0], "\(old)")
            let invalid = try lines(schema, [changed], in: folder)
            #expect(invalid.first?.hasPrefix("invalid") == true, "\(old): \(invalid)")
        }
    }

    /// Makes five sessions, and copies of them: intervals of means need 50 users, and those of bytes 200.
    private func sessions(_ count: Int, of app: PeopleModel.App = .feed, in folder: URL) throws -> String {
        let sessions = try folder.makeFolder("sessions-\(app.rawValue)")
        func file(_ number: Int) -> URL { sessions.appendingPathComponent("s\(number).jsonl") }
        for number in 0..<5 {
            try SmallSessions.write(
                requests: app == .gallery ? 60 : 15 + number * 5, person: number, app: app, to: file(number).path)
        }
        for number in 5..<count { try FileManager.default.copyItem(at: file(number % 5), to: file(number)) }
        return sessions.path
    }

    @Test("fleet: the output of replay --json for more than 20 sessions")
    func fleet() throws {
        try withTemporaryFolder { folder in
            let caches = ["--cache", "kingfisher-8; memory: 1MB", "--cache", "lru(1MB)"]
            let run = try Command.succeed(
                ["replay", try sessions(60, in: folder)] + caches + [
                    "--timing", "modelled", "--no-charts", "--json", "--output", folder.path + "/o",
                ])
            try expect(
                [run.output], match: "fleet", without: "no_interval", word: ("disk_hit_ratio", "disk_ratio"),
                in: folder)
            // The output for few sessions is another one.
            let few = try output(
                "replay", "Traces/photo-feed.jsonl", "--cache", "lru(2MB)", "--timing", "modelled", "--no-charts",
                "--json", "--output", folder.path + "/few")
            #expect(try lines("fleet", [few], in: folder).first?.hasPrefix("invalid") == true)
            #expect(try lines("results", [few], in: folder).first?.hasPrefix("invalid") == false)
        }
    }

    @Test("advice: the output of advise --json, and the file advice.json")
    func advice() throws {
        try withTemporaryFolder { folder in
            let sessions = try sessions(200, in: folder)
            let limits = try output(
                "advise", sessions, "--memory", "16MB", "--for", "nuke-13,lru(16MB)", "--disk", "4MB",
                "--data-per-day", "500MB", "--sessions-per-day", "3", "--device", "iPhone 7", "--app-baseline", "200MB",
                "--json", "--no-charts", "--output", folder.path + "/advice")
            let none = try output("advise", sessions, "--for", "nuke-13", "--memory-warning-at", "0s", "--json")
            let rules = try output(
                "advise", try self.sessions(50, of: .gallery, in: folder), "--memory", "64MB", "--disk", "50MB",
                "--for", "nuke-13", "--vary", "order", "--json")
            // A cache that fetches nothing while the list moves is behind, and no bound holds for one that lets each
            // request fetch for itself.
            let kept = try output(
                "advise", sessions, "--memory", "16MB", "--keep",
                "lru(16MB); fetchWhileScrolling: false; coalesce: false", "--for", "nuke-13", "--json")
            let bounded = try output(
                "advise", "Traces/stress-search.jsonl", "--memory", "64MB", "--for", "nuke-13", "--json")
            let file = try String(contentsOfFile: folder.path + "/advice/advice.json", encoding: .utf8)
            try expect(
                [limits, none, rules, kept, bounded, file], match: "advice", without: "qualifies",
                word: ("blank", "blanks"), in: folder)
        }
    }

    @Test("verdict: the file verdict.json, and the output of gate --json and compare --json")
    func verdict() throws {
        try withTemporaryFolder { folder in
            let trace = Binary.root.appendingPathComponent("Traces/stress-feed.jsonl").path
            _ = try folder.write("caches: {app: lru(20MB), old: lru(20MB)}\n", to: "main.yaml")
            _ = try folder.write(
                "caches: {app: lru(18MB), new: lru(20MB)}\nbudgets: [wrong<1]\n"
                    + "accept: [{figure: failed, cache: app, value: 1, reason: r}]\n", to: "branch.yaml")
            let gate = ["gate", "main.yaml", "branch.yaml", trace, "--json"]
            let modelled = try Command.run(gate + ["--base-commit", "1a2b3c4", "--output", "g"], in: folder)
            let measured = try Command.run(
                gate + ["--timing", "measured", "--max-repeats", "2", "--output", "m"], in: folder)
            let first = try Command.run("gate", "none", "branch.yaml", trace, "--json", "--output", "f", in: folder)
            let compared = try Command.run("compare", "g/baseline", "g", "--json", in: folder)
            let file = try folder.text("g/verdict.json")
            let documents = [modelled.output, measured.output, first.output, compared.output, file]
            let found = try lines("verdict", documents, in: folder)
            #expect(found.count == 1 && !found[0].hasPrefix("0 "), "\(found)")
            #expect(file.contains("\"base_commit\": \"1a2b3c4\""), "\(file)")
            #expect(file.contains("lru(20MB) → lru(18MB)"), "\(file)")
            let wrong = try lines("verdict", [file.replacing("\"gated\"", with: "\"unknown\"")], in: folder)
            #expect(wrong.first?.hasPrefix("invalid") == true, "\(wrong)")
        }
    }

    @Test("served: the output of validate --cache --json")
    func served() throws {
        try withTemporaryFolder { folder in
            let trace = try ServedSession.write(to: folder)
            let document = try output(
                "validate", trace, "--cache", "memory: lru(2 objects); disk: lru(1MB)", "--cache", "memory: none",
                "--json")
            try expect(
                [document], match: "served", without: "agreement_low", word: ("capacity", "capacities"), in: folder)
        }
    }

    @Test("explanation: the output of explain --json")
    func explanation() throws {
        try withTemporaryFolder { folder in
            let documents = try ["Traces/stress-return.jsonl", "Traces/photo-feed.jsonl"].map {
                try output(
                    "explain", $0, "--cache", "nuke-13; memory: 24MB", "--cache", "kingfisher-8", "--relaunch-at",
                    "30s", "--json")
            }
            try expect(
                documents, match: "explanation", without: "gained_memory_hits", word: ("first_request", "first"),
                in: folder)
        }
    }
}
