import Foundation
import TestSupport
import Testing

/// Replays of many sessions: folders, patterns and lists, threads and processes, shards and their join.
@Suite("cachereplay replay and merge, many sessions", .namesCommands)
struct FleetTests {
    /// Sessions of a few requests in a folder with another one in it.
    private func sessions(_ count: Int, in folder: URL) throws -> URL {
        let sessions = folder.appendingPathComponent("sessions")
        let inner = try sessions.makeFolder("anna")
        for number in 1...count {
            let file = (number % 2 == 0 ? inner : sessions).appendingPathComponent("s\(number).jsonl")
            try SmallSessions.write(requests: 20 + number * 7, person: number, to: file.path)
        }
        return sessions
    }

    private static let caches = ["--cache", "kingfisher-8; memory: 1MB", "--cache", "lru(1MB)", "--timing", "modelled"]
    private static let files = [
        "runs.jsonl", "summary.csv", "latency.csv", "timeline.csv", "fleet.csv", "fleet-pairs.csv", "fleet-latency.csv",
    ]

    private func replay(_ traces: [String], _ output: URL, _ options: String...) throws -> Binary.Outcome {
        try Command.run(["replay"] + traces + Self.caches + ["--no-charts", "-q", "-o", output.path] + options)
    }

    private func expectSame(_ one: URL, _ other: URL) throws {
        for file in Self.files { #expect(try one.text(file) == other.text(file), "\(file)") }
    }

    @Test("threads and processes, one or several at a time, give the same bytes")
    func isolation() throws {
        try withTemporaryFolder { folder in
            let sessions = try sessions(4, in: folder).path
            let outputs = ["a", "b", "c"].map { folder.appendingPathComponent($0) }
            #expect(try replay([sessions], outputs[0]).status == 0)
            #expect(try replay([sessions], outputs[1], "--isolate", "always", "--jobs", "3").status == 0)
            #expect(try replay([sessions], outputs[2], "--jobs", "1").status == 0)
            try expectSame(outputs[0], outputs[1])
            try expectSame(outputs[0], outputs[2])
            let rows = try outputs[0].text("summary.csv").split(separator: "\n").dropFirst()
            #expect(rows.first?.hasPrefix("anna/s2,") == true)
            // Other models of NSCache have rows where they matter.
            #expect(rows.count > 8)
            #expect(try replay([sessions], folder.appendingPathComponent("d"), "--isolate", "never").status == 0)
            let refused = try Command.run(
                "replay", sessions, "--cache", "lru(1MB)", "--isolate", "never", "-o", folder.path + "/e")
            #expect(refused.status == 64 && refused.errors.contains("needs a process"))
        }
    }

    @Test("shards, joined in any order, are the bytes of the whole replay; others are refused, missing ones named")
    func shards() throws {
        try withTemporaryFolder { folder in
            let sessions = try sessions(5, in: folder).path
            let whole = folder.appendingPathComponent("whole")
            #expect(try replay([sessions], whole).status == 0)
            let parts = (1...3).map { folder.appendingPathComponent("part\($0)") }
            for (index, part) in parts.enumerated() {
                #expect(try replay([sessions], part, "--shard", "\(index + 1)/3").status == 0)
            }
            let joined = folder.appendingPathComponent("joined")
            func merge(_ folders: [URL], _ options: String...) throws -> Binary.Outcome {
                try Command.run(["merge"] + folders.map(\.path) + ["-o", joined.path, "--no-charts", "-q"] + options)
            }
            let missing = try merge([parts[2], parts[0]])
            #expect(missing.status != 0 && missing.errors.contains("1 of 3 shards are missing: 2"))
            #expect(try merge([parts[0], parts[0], parts[1], parts[2]]).errors.contains("name one of the two"))
            #expect(try merge([whole]).errors.contains("--shard"))
            #expect(!FileManager.default.fileExists(atPath: joined.path))
            #expect(try merge([parts[2], parts[0], parts[1]]).status == 0)
            try expectSame(whole, joined)
            #expect(try merge([parts[2], parts[0], parts[1]]).errors.contains("holds results already"))
            #expect(try merge([parts[2], parts[0], parts[1]], "--force").status == 0)

            // A torn shard, as a killed process leaves it, is refused until --resume has completed it.
            let log = parts[1].appendingPathComponent("runs.jsonl")
            let text = try parts[1].text("runs.jsonl")
            try Data(text.dropLast(40).utf8).write(to: log)
            #expect(try merge(parts, "--force").errors.contains("is not complete"))
            #expect(try replay([sessions], parts[1], "--shard", "2/3", "--resume").status == 0)
            #expect(try parts[1].text("runs.jsonl") == text)
            #expect(try merge(parts, "--force").status == 0)
            try expectSame(whole, joined)

            let other = folder.appendingPathComponent("other")
            #expect(try replay([sessions], other, "--shard", "2/3", "--seed", "7").status == 0)
            #expect(
                try merge([parts[0], other, parts[2]], "--force").errors.contains("other traces, caches, settings"))
            // Shards that were judged by other limits are not of one replay.
            let judged = folder.appendingPathComponent("judged")
            #expect(try replay([sessions], judged, "--shard", "2/3", "--budget", "hit_ratio>=0%").status == 0)
            #expect(try merge([parts[0], judged, parts[2]], "--force").errors.contains("has other budgets than"))
            // Shards with different relevance thresholds are joined by one that is stated.
            let tolerant = folder.appendingPathComponent("tolerant")
            #expect(try replay([sessions], tolerant, "--shard", "2/3", "--relevance-threshold", "0.5").status == 0)
            let mixed = try merge([parts[2], tolerant, parts[0]], "--force")
            #expect(mixed.status == 65 && mixed.errors.contains("\(tolerant.path): has the relevance threshold 0.5,1%"))
            #expect(mixed.errors.contains("\(parts[0].path) has 0.1,1%; state the one"), "\(mixed.errors)")
            for (threshold, isKept) in [("0.1", false), ("0.5", true)] {
                let stated = try merge([parts[0], tolerant, parts[2]], "--force", "--relevance-threshold", threshold)
                #expect(stated.status == 0, "\(stated.errors)")
                #expect(try joined.text("run.json").contains("\"relevanceThreshold\"") == isKept)
            }
            // Two traces of one name are refused, also where they are in different shards.
            try Data(contentsOf: folder.appendingPathComponent("sessions/s1.jsonl")).write(
                to: folder.appendingPathComponent("sessions/s1.ndjson"))
            for number in 1...2 {
                let same = try replay([sessions], folder.appendingPathComponent("same"), "--shard", "\(number)/2")
                #expect(same.status == 64 && same.errors.contains("Two traces are called 's1'"), "\(same.errors)")
            }
            for wrong in ["0/3", "4/3", "1", "a/b"] {
                #expect(try replay([sessions], folder.appendingPathComponent("x"), "--shard", wrong).status == 64)
            }
        }
    }

    @Test("merge carries the requests and the events of shards, and says how many runs have none")
    func filesOfRuns() throws {
        try withTemporaryFolder { folder in
            let sessions = try sessions(3, in: folder).path
            let (whole, joined) = (folder.appendingPathComponent("whole"), folder.appendingPathComponent("joined"))
            let parts = (1...2).map { folder.appendingPathComponent("part\($0)") }
            #expect(try replay([sessions], whole, "--requests", "csv", "--events").status == 0)
            for (index, part) in parts.enumerated() {
                let made = try replay([sessions], part, "--shard", "\(index + 1)/2", "--requests", "csv", "--events")
                #expect(made.status == 0, "\(made.errors)")
            }
            func merge(_ options: String...) throws -> Binary.Outcome {
                try Command.run(["merge"] + parts.map(\.path) + ["-o", joined.path, "--no-charts"] + options)
            }
            let merged = try merge()
            #expect(merged.status == 0 && !merged.errors.contains("lacks"), "\(merged.errors)")
            try expectSame(whole, joined)
            #expect(try whole.text("requests.csv") == joined.text("requests.csv"))
            let names = try FileManager.default.contentsOfDirectory(atPath: whole.path + "/events").sorted()
            // A file for each of two caches, and one for both, of three sessions.
            #expect(names.count >= 9)
            #expect(try FileManager.default.contentsOfDirectory(atPath: joined.path + "/events").sorted() == names)
            for name in names { #expect(try whole.text("events/\(name)") == joined.text("events/\(name)"), "\(name)") }

            #expect(try replay([sessions], parts[1], "--shard", "2/2", "--force").status == 0)
            let partly = try merge("--force")
            #expect(partly.status == 0, "\(partly.errors)")
            for (name, option) in [("requests.csv", "--requests csv"), ("events/", "--events")] {
                let lines = partly.errors.split(separator: "\n")
                #expect(
                    lines.contains { $0.hasPrefix("\(name) lacks ") && $0.hasSuffix("without \(option).") },
                    "\(partly.errors)")
            }
        }
    }

    @Test("a shard whose traces are all broken is a part of the whole; without any run, there is no whole")
    func emptyShard() throws {
        try withTemporaryFolder { folder in
            let sessions = try sessions(1, in: folder)
            // Larger than the other one, so it is the first shard.
            try Data(repeating: 0x78, count: 1 << 20).write(to: sessions.appendingPathComponent("broken.jsonl"))
            let whole = folder.appendingPathComponent("whole")
            #expect(try replay([sessions.path], whole).status == 0)
            let parts = (1...2).map { folder.appendingPathComponent("part\($0)") }
            for (index, part) in parts.enumerated() {
                let run = try replay([sessions.path], part, "--shard", "\(index + 1)/2")
                #expect(run.status == 0 && run.errors.contains("broken.jsonl") == (index == 0), "\(run.errors)")
            }
            let joined = folder.appendingPathComponent("joined")
            let merge = ["merge"] + parts.map(\.path) + ["-o", joined.path, "--no-charts", "-q"]
            try Command.succeed(merge)
            for file in ["runs.jsonl", "summary.csv"] { #expect(try whole.text(file) == joined.text(file)) }
            #expect(try joined.text("run.json").contains("broken.jsonl"))

            try FileManager.default.removeItem(at: sessions.appendingPathComponent("s1.jsonl"))
            try Data("x".utf8).write(to: sessions.appendingPathComponent("also.jsonl"))
            for (index, part) in parts.enumerated() {
                #expect(try replay([sessions.path], part, "--shard", "\(index + 1)/2", "--force").status == 0)
            }
            try Command.refuse(65, "no shard has a run", merge + ["--force"])
        }
    }

    @Test("--timeline: rows for steps of seconds, or none; more than 50 runs keep none by themselves")
    func timelines() throws {
        try withTemporaryFolder { folder in
            let sessions = try sessions(1, in: folder).path
            func rows(_ name: String, _ options: String...) throws -> Int {
                let output = folder.appendingPathComponent(name)
                try Command.succeed(
                    ["replay", sessions, "--no-charts", "-q", "-o", output.path] + Self.caches + options)
                return try output.text("timeline.csv").split(separator: "\n").count - 1
            }
            let seconds = try rows("a")
            #expect(seconds > 4)
            #expect(try (1..<seconds).contains(rows("b", "--timeline", "5")))
            #expect(try rows("c", "--timeline", "none") == 0)
            #expect(try rows("d", "--repeat", "30") == 0)
            #expect(try rows("e", "--repeat", "30", "--timeline", "1") >= 60)
            let wrong = try Command.run(
                ["replay", sessions, "--timeline", "0", "-o", folder.path + "/x"] + Self.caches)
            #expect(wrong.status == 64 && wrong.errors.contains("--timeline is auto, none"))
        }
    }

    @Test("a measured replay that lacks only runs with other models of NSCache makes them with an origin")
    func missingModels() throws {
        try withTemporaryFolder { folder in
            let trace = try sessions(1, in: folder).path + "/s1.jsonl"
            let output = folder.appendingPathComponent("o")
            let arguments = [
                "replay", trace, "--cache", "kingfisher-8; memory: 1MB", "--no-charts", "-q", "-o", output.path,
            ]
            #expect(try Command.run(arguments).status == 0)
            let lines = try output.text("runs.jsonl").split(separator: "\n")
            #expect(lines.count > 1, "the limit of this test must evict")
            // The command was killed before it had made the others.
            let first = try #require(lines.first { !$0.contains("[fifo]") && !$0.contains("[frequency]") })
            try Data("\(first)\n".utf8).write(to: output.appendingPathComponent("runs.jsonl"))
            try Command.succeed(arguments + ["--resume"])
            let after = rows(try output.text("summary.csv"))
            #expect(after.count == lines.count)
            #expect(after.allSatisfy { $0["failed"] == "0" && $0["origin_bytes"] != "0" }, "\(after)")
        }
    }

    @Test("an archive is what its folder is; a damaged one, and one that leads out of the folder, are errors")
    func archives() throws {
        try withTemporaryFolder { folder in
            let sessions = try sessions(3, in: folder)
            // It makes the archive so long that one half of it is not read at once.
            let noise = Data((0..<300_000).map { _ in UInt8.random(in: 0...255) })
            try noise.write(to: sessions.appendingPathComponent(".hidden"))
            let script = """
                import io, os, sys, tarfile, zipfile
                source, target = sys.argv[1:]
                with tarfile.open(target + "/s.tar.gz", "w:gz") as tar: tar.add(source, arcname=".")
                with zipfile.ZipFile(target + "/s.zip", "w", zipfile.ZIP_DEFLATED) as archive:
                    for folder, _, names in os.walk(source):
                        for name in names:
                            path = os.path.join(folder, name)
                            archive.write(path, os.path.relpath(path, source))
                with tarfile.open(target + "/out.tar", "w") as tar:
                    entry = tarfile.TarInfo("a/../../escaped.jsonl")
                    entry.size = 1
                    tar.addfile(entry, io.BytesIO(b"x"))
                tarfile.open(target + "/empty.tar", "w").close()
                """
            let made = try Binary.execute("/usr/bin/env", ["python3", "-c", script, sessions.path, folder.path])
            try #require(made.status == 0, "\(made.errors)")
            let outputs = ["a", "b", "c"].map { folder.appendingPathComponent($0) }
            #expect(try replay([sessions.path], outputs[0]).status == 0)
            for (archive, output) in [("s.tar.gz", outputs[1]), ("s.zip", outputs[2])] {
                let run = try replay(["\(folder.path)/\(archive)"], output)
                #expect(run.status == 0, "\(run.errors)")
                try expectSame(outputs[0], output)
                #expect(try output.text("run.json").contains("\(archive)/anna/s2.jsonl"))
            }
            let whole = try Data(contentsOf: folder.appendingPathComponent("s.tar.gz"))
            try whole.prefix(whole.count / 2).write(to: folder.appendingPathComponent("half.tar.gz"))
            for (archive, status, message) in [
                ("half.tar.gz", 65, "damaged"), ("out.tar", 65, "leads out of the folder"),
                ("empty.tar", 66, "no files"),
            ] {
                let run = try replay(["\(folder.path)/\(archive)"], folder.appendingPathComponent("d"))
                #expect(run.status == Int32(status) && run.errors.contains(message), "\(run.status) \(run.errors)")
                #expect(run.errors.contains(archive))
            }
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/escaped.jsonl"))
        }
    }

    @Test("users come from headers or from names, are hashed, and have figures of their own")
    func users() throws {
        try withTemporaryFolder { folder in
            let sessions = try folder.makeFolder("sessions")
            for (person, name) in ["ann-1", "ann-2", "bob-1"].enumerated() {
                let file = sessions.appendingPathComponent("\(name).jsonl")
                try SmallSessions.write(requests: 30, person: person, to: file.path)
                let text = try String(contentsOf: file, encoding: .utf8)
                let user = "{\"user\":\"\(name.prefix(3))\","
                try Data((user + text.dropFirst()).utf8).write(to: file)
            }
            let (headers, names) = (folder.appendingPathComponent("a"), folder.appendingPathComponent("b"))
            #expect(try replay([sessions.path], headers).status == 0)
            #expect(try replay([sessions.path], names, "--user-from", "^([a-z]+)-").status == 0)
            try expectSame(headers, names)
            let users = rows(try names.text("summary.csv")).filter { $0["cache"] == "lru(1MB)" }.map {
                $0["user"] ?? ""
            }
            // printf ann | sha256sum; printf bob | sha256sum
            #expect(users == ["49915e0d7d4b402e", "49915e0d7d4b402e", "81b637d8fcd2c6da"])
            let counts = rows(try names.text("fleet.csv")).filter {
                $0["cache"] == "lru(1MB)" && $0["figure"] == "shown_ratio" && $0["statistic"] == "mean"
            }
            #expect(counts.map { "\($0["over"] ?? "") \($0["count"] ?? "")" } == ["users 2", "sessions 3"])
            // Other users need other results.
            let resumed = try replay([sessions.path], names, "--resume", "--user-from", "([0-9])")
            #expect(resumed.status == 0)
            #expect(Set(rows(try names.text("summary.csv")).map { $0["user"] ?? "" }).count == 2)
            let none = try replay([sessions.path], folder.appendingPathComponent("c"), "--user-from", "(bob)")
            #expect(none.status == 64 && none.errors.contains("ann-1"), "\(none.errors)")
            let broken = try replay([sessions.path], folder.appendingPathComponent("c"), "--user-from", "(")
            #expect(broken.status == 64 && broken.errors.contains("not a regular expression"))
        }
    }

    @Test("above 20 sessions, tables, charts and the report are about the fleet; --table and --trace show a session")
    func fleet() throws {
        try withTemporaryFolder { folder in
            let sessions = try sessions(21, in: folder).path
            let output = folder.appendingPathComponent("o")
            let arguments = ["replay", sessions] + Self.caches + ["-o", output.path]
            let shown = try Command.succeed(arguments + ["--no-charts"])
            #expect(shown.output.contains("in the mean over 21 users") && shown.output.contains("fleet-pairs.csv"))
            #expect(!shown.output.contains("anna/s2"))
            let json = try Command.run(arguments + ["--no-charts", "--resume", "--json"])
            #expect(json.output.contains("\"users\": 21"))
            let one = try Command.run(arguments + ["--no-charts", "--resume", "--table", "anna/s2", "-q"])
            #expect(one.output.contains("anna/s2") && !one.output.contains("95% interval"))
            let blank = try Command.run(arguments + ["--no-charts", "--resume", "--table", "blank", "-q"])
            #expect(blank.output.hasPrefix("blank: share of") && !blank.output.contains("shown:"), "\(blank.output)")
            let drawn = try Command.run("chart", output.path, "--pictures", "svg")
            guard !drawn.errors.contains("apt-get install gnuplot") else { return }
            #expect(
                drawn.output.split(separator: "\n").map { URL(fileURLWithPath: String($0)).lastPathComponent }
                    == ["fleet-users.svg", "fleet-limits.svg"], "\(drawn.errors)")
            #expect(try output.text("report.html").contains("Who is worse off?"))
            let trace = try Command.run("chart", output.path, "--pictures", "svg", "--trace", "anna/s2")
            #expect(trace.status == 0 && trace.output.contains("outcomes.svg"), "\(trace.errors)")
        }
    }
}
