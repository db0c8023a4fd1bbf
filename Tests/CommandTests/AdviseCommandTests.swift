import Foundation
import TestSupport
import Testing
import TraceSynthesis

@Suite("cachereplay advise", .namesCommands)
struct AdviseCommandTests {
    private static func trace(_ name: String) -> String {
        Binary.root.appendingPathComponent("Traces/\(name).jsonl").path
    }

    /// The text of a run without the breaks of its lines.
    private static func words(_ run: Binary.Outcome) -> String {
        run.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    @Test("The figures are those of a replay with the same limit, and the smaller limit is enough")
    func budget() throws {
        let trace = Self.trace("stress-grid")
        let advice = try Command.run("advise", trace, "--memory", "64MB", "--for", "nuke-13,fresco", "--json").object()
        let rows = try #require(advice["rows"] as? [[String: Any]])
        #expect(rows.count == 2 && advice["users"] as? Int == 1)
        // One session says nothing about others.
        #expect(rows.allSatisfy { $0["low"] == nil })
        let first = try #require(rows[0]["blank_ratio"] as? Double)
        #expect(first <= (try #require(rows[1]["blank_ratio"] as? Double)))
        for row in rows {
            let cache = try #require(row["cache"] as? String)
            for limit in ["64MB"] + ((row["enough_bytes"] as? Int).map { ["\($0)B"] } ?? []) {
                let replayed = try Command.modelledRow(trace, "\(cache); memory: \(limit)")
                let blank = try #require(replayed["blank_ratio"].flatMap(Double.init))
                let asked = try #require(row["blank_ratio"] as? Double)
                if limit == "64MB" { #expect(abs(blank - asked) < 1e-6, "\(cache): \(blank) \(asked)") }
                // Within the tolerance of 0.1 points.
                #expect(blank <= asked + 0.001 + 1e-6, "\(cache) \(limit)")
            }
        }
    }

    @Test("The code of the recommended cache, and of the second one if it is of another library")
    func settings() throws {
        let grid = Self.trace("stress-grid")
        // The limits that are enough: both libraries tie, and with the size of the largest image, they lose less than
        // 0.1 points of blank time.
        let json = try Command.run("advise", grid, "--memory", "64MB", "--for", "coil-3,nuke-13", "--json").object()
        let settings = try #require(json["settings"] as? [[String: Any]])
        #expect(settings.map { $0["library"] as? String } == ["Coil", "Nuke"])
        #expect(settings.map { $0["limit_bytes"] as? Int } == [6_828_800, 6_828_800])
        #expect((settings[1]["source"] as? String)?.hasPrefix("kean/Nuke: ") == true)
        // Two presets of one library have one code.
        let same = try Command.run("advise", grid, "--memory", "64MB", "--for", "nuke-12,nuke-13", "--json").object()
        #expect((same["settings"] as? [Any])?.count == 1)
    }

    @Test(
        "Limits of the disk are replayed below the given one, and caches without such a limit are left out or refused")
    func disk() throws {
        let start = ["advise", Self.trace("stress-return"), "--memory", "32MB", "--disk", "8MB"]
        let advice = try Command.run(start + ["--for", "nuke-13,glide,coalescing-memory", "--json"]).object()
        let points = try #require(advice["points"] as? [[String: Any]])
        let disks = Set(
            points.filter { $0["cache"] as? String == "glide" }.compactMap { $0["disk_limit_bytes"] as? Int })
        // 8 MB, divided by √2 down to the largest image.
        #expect(disks.max() == 8_000_000 && disks.contains(5_656_854) && disks.contains(4_000_000))
        let none = points.filter { $0["cache"] as? String == "coalescing-memory" }
        #expect(!none.isEmpty && none.allSatisfy { $0["disk_limit_bytes"] == nil })
        let rows = try #require(advice["rows"] as? [[String: Any]])
        for row in rows {
            guard let enough = row["enough_disk_bytes"] as? Int, let cache = row["cache"] as? String else { continue }
            let same = points.filter {
                $0["cache"] as? String == cache && $0["memory_limit_bytes"] as? Int == 32_000_000
            }
            let asked = try #require(
                same.first { $0["disk_limit_bytes"] as? Int == 8_000_000 }?["blank_ratio"] as? Double)
            let kept = try #require(same.first { $0["disk_limit_bytes"] as? Int == enough }?["blank_ratio"] as? Double)
            #expect(kept <= asked + 0.001 + 1e-9)
        }
        let code = try Command.run(start + ["--for", "nuke-13", "--details", "--quiet"])
        #expect(code.output.contains("sizeLimit = 8000000"), "\(code.output)")
        // Glide holds what visible cells show beside its limit.
        let glide = try Command.run(start + ["--for", "glide", "--quiet"])
        #expect(glide.status == 0 && glide.output.hasPrefix("No cache keeps within 32 MB."), "\(glide.output)")
        let everyday = try Command.run(start + ["--quiet"])
        #expect(
            Self.words(everyday).contains("Left out, because their disk has no limit that could be set: kingfisher-8"))
        let written = try Command.run(
            start + ["--for", "kingfisher-8; disk: ttl(lru(200MB), lifetime: 7d),fresco", "--json"])
        #expect((try written.object()["rows"] as? [Any])?.count == 2)
        for (options, text) in [
            (["--for", "kingfisher-8"], "or leave kingfisher-8 out of --for"), (["--for", "lru(64MB)"], "has a disk"),
            (["--disk", "1KB"], "takes on disk"), (["--disk", "5%"], "such as 64MB"),
        ] {
            try Command.refuse(64, text, start + options)
        }
    }

    @Test("Data per day: sessions of minutes need the sessions per day, and sessions of days have a rate")
    func dataPerDay() throws {
        let start = ["advise", Self.trace("stress-grid"), "--memory", "64MB", "--for", "nuke-13", "--data-per-day"]
        try Command.refuse(65, "such as --sessions-per-day 5", start + ["50MB"])
        let five = try Command.run(start + ["50MB", "--sessions-per-day", "5", "--json"]).object()
        let row = try #require((five["rows"] as? [[String: Any]])?.first)
        let bytes = try #require(row["origin_bytes"] as? Double)
        #expect(abs((row["bytes_per_day"] as? Double ?? 0) - 5 * bytes) < 1)
        #expect(row["qualifies"] as? Bool == (5 * bytes <= 50_000_000))
        try withTemporaryFolder { folder in
            // Two days with one image of 1,000 bytes: 500 bytes per day.
            let file = folder.appendingPathComponent("days.jsonl")
            let lines = [
                #"{"cachereplay_trace":1,"title":"Two days"}"#,
                #"{"e":"object","o":0,"key":"a.jpg","bytes":1000,"type":"image/jpeg","width":10,"height":10}"#,
                #"{"t":0,"e":"appear","o":0}"#,
                #"{"t":1000,"e":"fetch","o":0,"status":200,"bytes":1000,"ttfb_us":1000,"transfer_us":100}"#,
                #"{"t":2000,"e":"disappear","o":0}"#, #"{"t":172800000000,"e":"terminate"}"#,
            ]
            try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
            let days = try Command.run("advise", file.path, "--for", "nuke-13", "--data-per-day", "499B", "--json")
                .object()
            let row = try #require((days["rows"] as? [[String: Any]])?.first)
            #expect(row["bytes_per_day"] as? Double == 500 && row["qualifies"] as? Bool == false)
        }
    }

    @Test("Without disappearances, blank time is refused with the reason, and bytes are compared with a note")
    func withoutDisappearances() throws {
        try withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("requests.jsonl")
            var lines = [#"{"cachereplay_trace":1}"#]
            for object in 0..<4 { lines.append(#"{"e":"object","o":\#(object),"key":"\#(object)","bytes":1000}"#) }
            for time in 0..<12 { lines.append(#"{"t":\#(time * 1_000_000),"e":"appear","o":\#(time % 4)}"#) }
            try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
            let start = ["advise", file.path, "--memory", "1MB", "--for", "lru(1MB)"]
            for objective in ["blank", "memory"] {
                let refused = try Command.run(start + ["--objective", objective])
                #expect(refused.status == 65 && refused.output.isEmpty, "\(refused.errors)")
                #expect(refused.errors.contains("records no disappearance of a cell"), "\(refused.errors)")
                #expect(refused.errors.contains("Compare bytes with --objective bytes"), "\(refused.errors)")
            }
            let bytes = try Command.run(start + ["--objective", "bytes", "--quiet"])
            #expect(bytes.status == 0 && bytes.output.hasPrefix("Use lru(1MB) with memory: 1 MB"), "\(bytes.errors)")
            #expect(Self.words(bytes).contains("In 1 of 1 session, no disappearance of a cell is recorded"))
        }
    }

    @Test("A kept cache whose limit is below an image, and a trace without sizes, are refused")
    func badInput() throws {
        // The limit of a kept cache is that of the question, unless --memory gives another one.
        let own = ["advise", Self.trace("stress-grid"), "--keep", "nuke-13; memory: 1KB", "--for", "nuke-13"]
        let kept = try Command.run(own)
        #expect(kept.status == 64 && kept.output.isEmpty, "\(kept.output)")
        #expect(
            kept.errors.contains("--keep nuke-13; memory: 1KB: 1 kB is less than the largest image takes in memory"),
            "\(kept.errors)")
        #expect(kept.errors.contains("give at least that with --memory."), "\(kept.errors)")
        #expect(try Command.run(own + ["--memory", "64MB"]).status == 0)
        try withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("unsized.csv")
            try Data("time,key\n1,a\n2,b\n".utf8).write(to: file)
            try Command.refuse(65, "no sizes", "advise", file.path, "--memory", "64MB", "--for", "nuke-13")
        }
    }

    @Test(
        "A search that was interrupted continues with --resume: no replay is repeated, and the answer is the same"
    )
    func resume() throws {
        try withTemporaryFolder { folder in
            let sessions = try folder.makeFolder("sessions")
            for seed in 1...3 {
                try SmallSessions.write(requests: 60, person: seed, to: "\(sessions.path)/s\(seed).jsonl")
            }
            let output = folder.appendingPathComponent("advice").path
            let options = [
                "advise", sessions.path, "--memory", "64MB", "--for", "nuke-13,glide", "--no-charts", "--json",
            ]
            let whole = try Command.run(options).object()
            let cut = try Command.run(options + ["--output", output, "--time-limit", "1us", "--jobs", "1"]).object()
            #expect((cut["search"] as? [String: Any])?["complete"] as? Bool == false)
            let log = "\(output)/replays.jsonl"
            let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
            // The first session was replayed with both caches.
            #expect(lines.count == 2 && lines[1].contains(#""runs":[{"#), "\(lines)")

            try Command.refuse(73, "continue it with --resume", options + ["--output", output])
            // A torn line at the end is dropped.
            let handle = try #require(FileHandle(forWritingAtPath: log))
            try handle.seekToEnd()
            try handle.write(contentsOf: Data(#"{"session":"s"#.utf8))
            try handle.close()
            var resumed = try Command.run(options + ["--output", output, "--resume"]).object()
            var search = try #require(resumed["search"] as? [String: Any])
            #expect(search["replays_read"] as? Int == 2 && search["complete"] as? Bool == true)
            let expected = try #require(whole["search"] as? [String: Any])
            #expect((search["replays"] as? Int ?? 0) + 2 == expected["replays"] as? Int)
            // All else is the same.
            for key in ["replays", "replays_read"] { search[key] = expected[key] }
            resumed["search"] = search
            #expect(NSDictionary(dictionary: resumed) == NSDictionary(dictionary: whole))
            #expect(!FileManager.default.fileExists(atPath: log))
        }
    }

    @Test("The log of another seed is not used, and a damaged one is an error that says what to do")
    func foreignLog() throws {
        try withTemporaryFolder { folder in
            let output = folder.appendingPathComponent("advice").path
            let options = [
                "advise", Self.trace("stress-grid"), "--memory", "64MB", "--for", "nuke-13", "--no-charts", "--output",
                output,
            ]
            #expect(try Command.run(options + ["--time-limit", "1us"]).status == 0)
            let log = "\(output)/replays.jsonl"
            let text = try String(contentsOfFile: log, encoding: .utf8)
            try Data((text + "{}\n").utf8).write(to: URL(fileURLWithPath: log))
            try Command.refuse(65, "replays.jsonl:3", options + ["--resume"])
            try Data(text.dropFirst().utf8).write(to: URL(fileURLWithPath: log))
            try Command.refuse(65, "replays.jsonl:1: does not say", options + ["--resume"])
            try Data(text.utf8).write(to: URL(fileURLWithPath: log))
            let other = try Command.succeed(options + ["--resume", "--seed", "2", "--json"])
            #expect(other.errors.contains("all replays are repeated"), "\(other.errors)")
        }
    }

    @Test("--vary searches rules beside the limits; the answer names those that help, and the gain")
    func vary() throws {
        let options = ["advise", Self.trace("stress-flicks"), "--memory", "64MB", "--for", "nuke-13", "--quiet"]
        let own = try Command.run(options + ["--json"]).object()
        let varied = try Command.run(options + ["--json", "--vary", "order,connections"]).object()
        let (before, after) = (own["rows"] as? [[String: Any]], varied["rows"] as? [[String: Any]])
        let blank = try #require(before?.first?["blank_ratio"] as? Double)
        let row = try #require(after?.first)
        #expect(before?.first?["changes"] as? [Any] != nil && (before?.first?["changes"] as? [Any])?.isEmpty == true)
        let changes = try #require(row["changes"] as? [[String: String]])
        #expect(!changes.isEmpty && row["unchanged"] as? Double == blank)
        #expect(try #require(row["blank_ratio"] as? Double) < blank)
        let text = Self.words(try Command.run(options + ["--vary", "order,connections", "--details"]))
        let change = try #require(changes.first)
        let named = "\(change["parameter"] ?? ""): \(change["value"] ?? "")"
        #expect(text.contains("With its own rules in place of \(named)"), "\(text)")
        #expect(text.contains("Why: per session, nuke-13 with its own rules has more"), "\(text)")
        // The figures are those of a replay with these rules.
        let cache =
            "nuke-13; memory: 64MB" + changes.map { "; \($0["parameter"] ?? ""): \($0["value"] ?? "")" }.joined()
        let replayed = try #require(
            Command.modelledRow(Self.trace("stress-flicks"), cache)["blank_ratio"].flatMap(Double.init))
        #expect(abs(replayed - (row["blank_ratio"] as? Double ?? 0)) < 1e-6)
    }

    @Test("The figures of each lever are those of replays, and the changes of the app come first in the table")
    func levers() throws {
        let grid = Self.trace("stress-grid")
        let options = ["advise", grid, "--memory", "8MB", "--for", "kingfisher-8", "--quiet"]
        let advice = try Command.run(options + ["--json"]).object()
        let levers = try #require(advice["levers"] as? [[String: Any]])
        // The cache has no list events, so images have no cells that they could be too large for.
        #expect(
            levers.compactMap { $0["setting"] as? String } == [
                "prefetch=rows(2)", "cancelOnDisappear=false", "order=lifo", "order=visibleFirst",
                "connectionsPerHost=12", "decodeOnMainLane=false", "disk=none", "lifetime=never", "policy=lru",
                "policy=s3fifo", "memory=4000000B", "memory=16000000B", "memory=unlimited",
            ])
        func figure(_ row: [String: String], _ column: String) -> Double { row[column].flatMap(Double.init) ?? .nan }
        let own = try Command.modelledRow(grid, "kingfisher-8; memory: 8MB")
        for setting in ["order=lifo", "connectionsPerHost=12", "disk=none", "cancelOnDisappear=false"] {
            let gain = try #require(levers.first { $0["setting"] as? String == setting })
            let changed = try Command.modelledRow(
                grid, "kingfisher-8; memory: 8MB; \(setting.replacing("=", with: ": "))")
            let blank = figure(own, "blank_ratio") - figure(changed, "blank_ratio")
            #expect(abs(blank - (gain["gain"] as? Double ?? .nan)) < 2e-6, "\(setting)")
            for (column, added) in [
                ("origin_bytes", "added_origin_bytes"), ("memory_peak_bytes", "added_memory_peak_bytes"),
            ] {
                let difference = figure(changed, column) - figure(own, column)
                #expect(gain[added] as? Double == difference, "\(setting) \(column)")
            }
        }
    }

    @Test("The platform leaves out libraries of others, and refuses those that are named, with the remedy")
    func platform() throws {
        let grid = Self.trace("stress-grid")
        let start = ["advise", grid, "--memory", "64MB"]
        func caches(_ options: [String]) throws -> Set<String> {
            let rows = try Command.run(options + ["--json"]).object()["rows"] as? [[String: Any]]
            return Set(try #require(rows).compactMap { $0["cache"] as? String })
        }
        #expect(try caches(start + ["--platform", "android"]) == ["glide", "coil-3", "fresco"])
        #expect(try caches(start + ["--platform", "react-native"]) == ["sdwebimage-5", "glide", "fresco"])
        #expect(try caches(start + ["--platform", "flutter"]) == ["flutter-3", "cached-network-image-3"])
        for (options, text) in [
            (["--keep", "glide", "--platform", "ios"], "--keep glide: apps for iOS cannot have this cache; name"),
            (["--for", "nuke-13", "--platform", "android"], "--for nuke-13: apps for Android cannot have this cache"),
            (["--for", "nuke-13", "--platform", "flutter"], "name another one, such as flutter-3, or give"),
            (["--platform", "symbian"], "'symbian' is invalid for '--platform <platform>'"),
        ] {
            try Command.refuse(64, text, start + options)
        }
        #expect(try caches(start + ["--platform", "flutter", "--for", "lru(64MB)"]) == ["lru(64MB)"])
        // An app that recorded itself is one for Apple's systems.
        try withTemporaryFolder { folder in
            let text = try String(contentsOfFile: grid, encoding: .utf8)
            let own = try folder.write(
                text.replacing("cachereplay gallery 0.1.0", with: "SessionRecorder 1"), to: "own.jsonl")
            let options = ["advise", own, "--memory", "64MB"]
            #expect(try caches(options) == ["kingfisher-8", "nuke-13", "sdwebimage-5"])
            try Command.refuse(64, "or give --platform any", options + ["--for", "glide"])
            #expect(try caches(options + ["--for", "glide", "--platform", "any"]) == ["glide"])
        }
    }
}
