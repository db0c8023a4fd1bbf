import Foundation
import Testing

/// The workflow for GitHub Actions, and `scripts/fleets/parquet`.
@Suite(
    "Tools around fleets", .namesCommands,
    .enabled(if: PythonPeers.isInstalled, "scripts/test installs DuckDB and PyYAML from PyPI"))
struct FleetToolsTests {
    private static let caches = ["--cache", "lru(2MB)", "--cache", "kingfisher-8; memory: 1MB", "--timing", "modelled"]

    private func synthesize(_ count: Int, in folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for number in 1...count {
            try SmallSessions.write(requests: 40, person: number, to: "\(folder.path)/s\(number).jsonl")
        }
    }

    /// Prints the number of shards, and then, separated by zero bytes, the commands that run cachereplay: first those
    /// of each shard, and then the others.
    private static let workflow = """
        import sys, yaml
        jobs = yaml.safe_load(open(sys.argv[1]))["jobs"]
        assert jobs["shard"]["needs"] == "build" and jobs["merge"]["needs"] == "shard"
        numbers = jobs["shard"]["strategy"]["matrix"]["number"]
        assert numbers == list(range(1, len(numbers) + 1)), numbers
        assert jobs["shard"]["strategy"]["fail-fast"] is False
        def commands(job):
            return [step["run"] for step in jobs[job]["steps"] if "cachereplay " in step.get("run", "")]
        shards = [command.replace("${{ matrix.number }}", str(number))
                         .replace("${{ strategy.job-total }}", str(len(numbers)))
                  for number in numbers for command in commands("shard") if "./cachereplay" in command]
        print(*shards, *commands("merge"), sep="\\0", end="")
        """

    @Test("the commands of the workflow for GitHub Actions make the bytes of a replay without shards")
    func workflow() throws {
        let file = Binary.root.appendingPathComponent("scripts/pipelines/github/fleet.yml").path
        let read = try PythonPeers.run(Self.workflow, file)
        #expect(read.status == 0, "\(read.output)")
        let commands = read.output.split(separator: "\0").map(String.init)
        try #require(commands.count > 2 && commands.last?.contains("merge") == true, "\(commands)")
        try withTemporaryFolder { folder in
            try synthesize(commands.count, in: folder.appendingPathComponent("Sessions"))
            _ = try folder.write("caches: {a: \"lru(2MB)\", b: \"kingfisher-8; memory: 1MB\"}\n", to: "caches.yaml")
            try FileManager.default.createSymbolicLink(
                atPath: folder.path + "/cachereplay", withDestinationPath: Binary.path)
            for command in commands {
                #expect(!command.contains("${{"), "\(command)")
                let run = try PipelineTools.shell(command, in: folder, [:])
                #expect(run.status == 0, "\(command): \(run.errors)")
            }
            try Binary.succeed(
                "replay", "Sessions", "--config", "caches.yaml", "--timing", "modelled", "--no-charts", "-q",
                "--output", "whole", in: folder)
            for name in ["runs.jsonl", "summary.csv", "latency.csv"] {
                #expect(try folder.text("whole/\(name)") == folder.text("results/\(name)"), "\(name)")
            }
        }
    }

    /// Compares each Parquet file with its CSV file, value by value, and prints its types and metadata.
    private static let comparison = """
        import csv, duckdb, json, sys
        folder, output = sys.argv[1:]
        for name in ["summary", "latency", "timeline"]:
            target = f"{output}/{name}.parquet"
            rows = list(csv.reader(open(f"{folder}/{name}.csv", newline="")))
            table = duckdb.sql(f"from '{target}'")
            assert table.columns == rows[0], table.columns
            found = table.fetchall()
            assert len(found) == len(rows) - 1, (name, len(found), len(rows))
            for line, (row, expected) in enumerate(zip(found, rows[1:])):
                for column, value, text in zip(rows[0], row, expected):
                    if isinstance(value, str):
                        assert value == text, (name, line, column, value, text)
                    elif value is None:
                        assert text == "", (name, line, column, text)
                    else:
                        assert type(value)(text) == value, (name, line, column, value, text)
            metadata = {key.decode(): value.decode() for key, value in duckdb.sql(
                f"select key, value from parquet_kv_metadata('{target}')").fetchall()}
            columns = json.loads(metadata["columns"])
            assert [column["column"] for column in columns] == rows[0]
            assert metadata["file"] == name + ".csv"
            assert json.loads(metadata["run.json"])["timing"].startswith("modelled")
            types = dict(zip(table.columns, map(str, table.types)))
            for column in columns:
                print(name, column["column"], types[column["column"]], column["unit"], column["meaning"], sep="|")
        """

    @Test("scripts/fleets/parquet writes every value of the CSV files, with types, units and meanings")
    func parquet() throws {
        try withTemporaryFolder { folder in
            // Names that are hostile to parsers, and one that looks like a number.
            try synthesize(1, in: folder.appendingPathComponent("s"))
            try FileManager.default.moveItem(atPath: folder.path + "/s/s1.jsonl", toPath: folder.path + "/s/007.jsonl")
            let output = folder.appendingPathComponent("o")
            try Binary.succeed(
                ["replay", folder.path + "/s/007.jsonl", "--cache", "a, \"b'\"\nc=lru(2MB)"] + Self.caches
                    + ["--seed", "18446744073709551615", "--no-charts", "-q", "--output", output.path])
            func write(_ options: String...) throws -> Binary.Outcome {
                try PythonPeers.script(["scripts/fleets/parquet", output.path, "--cachereplay", Binary.path] + options)
            }
            let written = try write()
            #expect(written.status == 0, "\(written.errors)")
            #expect(written.output.contains("summary.parquet: 5 rows"), "\(written.output)")
            let compared = try PythonPeers.run(Self.comparison, output.path, output.path + "/parquet")
            #expect(compared.status == 0, "\(compared.output)")
            let lines = compared.output.split(separator: "\n").map { $0.split(separator: "|").map(String.init) }
            func line(_ file: String, _ column: String) -> [String] {
                Array((lines.first { $0[0] == file && $0[1] == column } ?? []).dropFirst(2))
            }
            #expect(line("summary", "trace").prefix(2) == ["VARCHAR", "text"])
            #expect(line("summary", "seed").prefix(2) == ["UBIGINT", "count"])
            #expect(line("summary", "requests") == ["BIGINT", "count", "view cells that appear and need an image"])
            #expect(line("summary", "hit_ratio").prefix(2) == ["DOUBLE", "ratio"])
            #expect(line("latency", "p99_us").prefix(2) == ["DOUBLE", "microseconds"])

            let again = try write()
            #expect(again.status == 73 && again.errors.contains("--force"), "\(again.errors)")
            #expect(try write("--force").status == 0)
            #expect(try FileManager.default.contentsOfDirectory(atPath: output.path + "/parquet").count == 3)

            // A column of another version, and a torn row.
            let summary = try output.text("summary.csv")
            _ = try output.write(summary.replacing("hit_ratio", with: "hits_ratio"), to: "summary.csv")
            let unknown = try write("--force")
            #expect(unknown.status == 65 && unknown.errors.contains("hits_ratio is unknown"), "\(unknown.errors)")
            _ = try output.write(String(summary.dropLast(40)), to: "summary.csv")
            let torn = try write("--force")
            #expect(torn.status == 65 && torn.errors.contains("summary.csv"), "\(torn.errors)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: output.path + "/parquet").count == 3)
        }
        try withTemporaryFolder { folder in
            let none = try PythonPeers.script(["scripts/fleets/parquet", folder.path, "--cachereplay", Binary.path])
            #expect(none.status == 66 && none.errors.contains("has no CSV file"), "\(none.errors)")
            let absent = try PythonPeers.script([
                "scripts/fleets/parquet", folder.path + "/x", "--cachereplay", Binary.path,
            ])
            #expect(absent.status == 66 && absent.errors.contains("no folder"), "\(absent.errors)")
            let wrong = try PythonPeers.script(["scripts/fleets/parquet"])
            #expect(wrong.status == 64, "\(wrong.errors)")
        }
    }
}
