import CacheReports
import Foundation
import Testing

/// Python with pandas, DuckDB and jsonschema, which `scripts/test` installs.
enum PythonPeers {
    static let python = Binary.root.appendingPathComponent(".build/test-python/bin/python").path

    static let isInstalled = FileManager.default.fileExists(
        atPath: Binary.root.appendingPathComponent(".build/test-python/ready").path)

    /// Runs a program, and returns all that it prints.
    static func run(_ program: String, _ arguments: String...) throws -> (status: Int32, output: String) {
        let run = try script(["-c", program] + arguments)
        return (run.status.code, run.output + run.errors)
    }

    /// Runs a script of the package in this Python.
    static func script(_ arguments: [String]) throws -> Binary.Outcome { try Binary.execute(python, arguments) }
}

@Suite(
    "Other programs read the files", .namesCommands,
    .enabled(if: PythonPeers.isInstalled, "scripts/test installs pandas, DuckDB and jsonschema from PyPI"))
struct PythonPeerTests {
    /// A folder with results, in which names are hostile to parsers of CSV.
    private func withResults(_ body: (URL) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let output = folder.appendingPathComponent("o")
            try Command.succeed(
                "replay", "Traces/photo-feed.jsonl", "--cache", "a, \"b\"\nc=lru(2MB)", "--cache", "kingfisher-8",
                "--sweep", "connections=1,4", "--timing", "modelled", "--no-charts", "--requests", "csv",
                "--output", output.path)
            try body(output)
        }
    }

    @Test("the lines of Python in the tour work on the results of its command")
    func tour() throws {
        let command = try #require(ReadmeTests.commands(in: ReadmeTests.tour).first { $0.contains("--user-from") })
        let block = try #require(ReadmeTests.tour.components(separatedBy: "```python\n").dropFirst().first)
        let lines = (block.components(separatedBy: "```").first ?? "").split(separator: "\n")
        try withTemporaryFolder { folder in
            try folder.link("Traces")
            try Command.succeed(ReadmeTests.words(command) + ["--no-charts"], in: folder)
            let shown = lines.map { "print(\($0))\n" }.joined()
            let program = "import os, sys, pandas, duckdb\nos.chdir(sys.argv[1])\n" + shown
            let result = try PythonPeers.run(program, folder.path)
            // The rows of both caches, and the columns of the users.
            #expect(result.status == 0 && result.output.contains("│ nuke-13"), "\(result.output)")
            #expect(lines.count == 2 && result.output.contains("fresco   nuke-13"), "\(result.output)")
        }
    }

    @Test("pandas and DuckDB read every CSV file with the same rows, and numbers as numbers")
    func tables() throws {
        try withResults { output in
            let dictionary = try Command.run("list", "schema", "columns")
            try Data(dictionary.output.utf8).write(to: output.appendingPathComponent("columns.csv"))
            let program = """
                import sys, pandas, duckdb
                folder = sys.argv[1]
                dictionary = pandas.read_csv(folder + "/columns.csv")
                for name in ["summary", "latency", "timeline", "requests"]:
                    path = f"{folder}/{name}.csv"
                    frame = pandas.read_csv(path)
                    told = dictionary[dictionary.file == name + ".csv"]
                    assert list(frame.columns) == list(told.column), name
                    for column, unit in zip(told.column, told.unit):
                        if unit != "text" and not frame[column].isna().all():
                            assert pandas.api.types.is_numeric_dtype(frame[column]), (name, column)
                    table = duckdb.read_csv(path)
                    assert table.columns == list(frame.columns), (name, table.columns)
                    assert len(table) == len(frame), (name, len(table), len(frame))
                    print(name, len(frame))
                summary = pandas.read_csv(folder + "/summary.csv")
                assert sorted(summary.cache.str.split(" connections").str[0].unique()) == ['a, "b"\\nc', "kingfisher-8"]
                best = duckdb.sql(f"select base_cache, min(blank_ratio) from '{folder}/summary.csv' group by 1")
                assert len(best) == 2
                latency = pandas.read_csv(folder + "/latency.csv").groupby("cache")["count"].sum()
                assert (latency == summary.set_index("cache").shown).all()
                """
            let run = try PythonPeers.run(program, output.path)
            #expect(run.status == 0, "\(run.output)")
            #expect(run.output.contains("summary 4\n"), "\(run.output)")
        }
    }

    /// Exits with 1 and prints the first error if a file does not match a schema.
    private static let validator = """
        import json, sys, yaml, jsonschema
        schema = json.load(open(sys.argv[1]))
        jsonschema.Draft202012Validator.check_schema(schema)
        try:
            document = yaml.safe_load(open(sys.argv[2]))
        except yaml.YAMLError as error:
            print("not YAML"); sys.exit(1)
        errors = list(jsonschema.Draft202012Validator(schema).iter_errors(document))
        for error in errors[:1]: print(error.message[:300])
        sys.exit(1 if errors else 0)
        """

    @Test("the schema of configurations accepts every example")
    func examples() throws {
        try withTemporaryFolder { folder in
            let schema = try folder.write(Command.run("list", "schema", "config").output, to: "schema.json")
            let own = try folder.write(
                """
                traces: Traces/photo-feed.jsonl
                repeat: 2
                caches:
                  plain: lru(20MB)
                  limited: "nuke-13; memory: 64MB"
                  ours:
                    memory: {policy: "split(thumbnail: lru(100 objects), full: lru(20 objects))", cost: encoded}
                    disk: {policy: "ttl(lru(500MB), lifetime: 7d)", layout: md5-fanout, atomicWrites: true}
                    pipeline: {connections: 1, coalesce: true, store: memoryAndDisk, retryDelay: 4s}
                  kingfisher: {preset: kingfisher-8, ram: 4GB, disk: {diskEntryLimit: none}}
                costs: {disk_read: 50us}
                inject: {memory-warning-at: [10s, every 30s], background-at: "45s:20s", relaunch-at: 90s}
                """, to: "own.yaml")
            try Command.succeed(
                "replay", "--config", own, "--timing", "modelled", "--no-charts", "--output", folder.path + "/o")
            for file in [own, "scripts/demo.yaml", "scripts/studies/libraries.yaml"] {
                let path = file.hasPrefix("/") ? file : Binary.root.appendingPathComponent(file).path
                let run = try PythonPeers.run(Self.validator, schema, path)
                #expect(run.status == 0, "\(file): \(run.output)")
            }
        }
    }

    @Test("the schema of configurations rejects what the command rejects", arguments: BadInputTests.configurations)
    func rejected(content: String, message: String) throws {
        // The schema knows names of policies, not their arguments.
        guard !content.contains("lru(3)") else { return }
        try withTemporaryFolder { folder in
            let schema = try folder.write(Command.run("list", "schema", "config").output, to: "schema.json")
            let run = try PythonPeers.run(Self.validator, schema, try folder.write(content, to: "c.yaml"))
            #expect(run.status == 1, "\(content)")
        }
    }
}
