import Foundation
import TestSupport
import Testing

@Suite("cachereplay advise", .namesCommands)
struct AdviseCommandTests {
    private static func trace(_ name: String) -> String {
        Binary.root.appendingPathComponent("Traces/\(name).jsonl").path
    }

    /// The text of a run without the breaks of its lines.
    private static func words(_ run: Binary.Outcome) -> String {
        run.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    private static func json(_ run: Binary.Outcome) throws -> [String: Any] {
        #expect(run.status == 0, "\(run.errors)")
        return try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    }

    @Test("The figures are those of a replay with the same limit, and the smaller limit is enough")
    func budget() throws {
        try withTemporaryFolder { folder in
            let arguments = ["advise", Self.trace("stress-grid"), "--memory", "64MB", "--for", "nuke-13,fresco"]
            let advice = try Self.json(try Binary.run(arguments + ["--json"]))
            let rows = try #require(advice["rows"] as? [[String: Any]])
            #expect(rows.count == 2 && advice["users"] as? Int == 1)
            // One session says nothing about others.
            #expect(rows.allSatisfy { $0["low"] == nil })
            let first = try #require(rows[0]["blank_ratio"] as? Double)
            #expect(first <= (try #require(rows[1]["blank_ratio"] as? Double)))
            for row in rows {
                let cache = try #require(row["cache"] as? String)
                let limits = ["64MB"] + ((row["enough_bytes"] as? Int).map { ["\($0)B"] } ?? [])
                for limit in limits {
                    let output = folder.appendingPathComponent("\(cache)-\(limit)").path
                    let replay = try Binary.run(
                        "replay", Self.trace("stress-grid"), "--timing", "modelled", "--no-charts", "--cache",
                        "\(cache); memory: \(limit)", "--output", output)
                    #expect(replay.status == 0, "\(replay.errors)")
                    let lines = try String(contentsOfFile: "\(output)/summary.csv", encoding: .utf8)
                        .split(separator: "\n").map { $0.split(separator: ",", omittingEmptySubsequences: false) }
                    let column = try #require(lines[0].firstIndex(of: "blank_ratio"))
                    let blank = try #require(Double(lines[1][column]))
                    let asked = try #require(row["blank_ratio"] as? Double)
                    if limit == "64MB" { #expect(abs(blank - asked) < 1e-6, "\(cache): \(blank) \(asked)") }
                    // Within the tolerance of 0.1 points.
                    #expect(blank <= asked + 0.001 + 1e-6, "\(cache) \(limit)")
                }
            }
        }
    }

    @Test("Several sessions have intervals, and any number of threads the same answer")
    func sessions() throws {
        try withTemporaryFolder { folder in
            for seed in 1...60 {
                let run = try Binary.run(
                    "trace", "synthesize", "--session", "grid", "--requests", "60", "--seed", "\(seed)", "--output",
                    folder.appendingPathComponent("s\(seed).jsonl").path)
                #expect(run.status == 0, "\(run.errors)")
            }
            let arguments = ["advise", folder.path, "--memory", "20MB", "--for", "nuke-13,kingfisher-8", "--quiet"]
            let one = try Binary.run(arguments + ["--jobs", "1"])
            let two = try Binary.run(arguments + ["--jobs", "2"])
            #expect(one.status == 0, "\(one.errors)")
            #expect(one.output == two.output && !one.output.isEmpty)
            let advice = try Self.json(try Binary.run(arguments + ["--json"]))
            let rows = try #require(advice["rows"] as? [[String: Any]])
            #expect(advice["users"] as? Int == 60)
            for row in rows {
                let (low, high) = (row["low"] as? Double ?? .nan, row["high"] as? Double ?? .nan)
                let blank = try #require(row["blank_ratio"] as? Double)
                #expect(low <= blank && blank <= high, "\(row)")
            }
        }
    }

    @Test("A limit of time leaves sessions out, and the answer says how many it rests on")
    func timeLimit() throws {
        try withTemporaryFolder { folder in
            for number in 1...4 {
                let made = try Binary.run(
                    "trace", "synthesize", "--requests", "60", "--seed", "\(number)", "--output",
                    "\(folder.path)/s\(number).jsonl")
                #expect(made.status == 0, "\(made.errors)")
            }
            let options = ["advise", folder.path, "--memory", "64MB", "--for", "nuke-13", "--jobs", "1"]
            // The time is over when the first session ends.
            let cut = try Binary.run(options + ["--time-limit", "1us"])
            #expect(Self.words(cut).contains("After --time-limit, 1 of 4 sessions had been replayed"), "\(cut.output)")
            let json = try Self.json(try Binary.run(options + ["--time-limit", "1us", "--json"]))
            #expect(json["sessions"] as? Int == 1 && json["sessions_left_out"] as? Int == 3)
            // A limit that is not reached has no effect.
            let whole = try Binary.run(options + ["--json"])
            #expect(try Binary.run(options + ["--json", "--time-limit", "30h"]).output == whole.output)
            let wrong = try Binary.run(options + ["--time-limit", "0s"])
            #expect(wrong.status == 64 && wrong.errors.contains("--time-limit is above 0"), "\(wrong.errors)")
        }
    }

    @Test("Sessions that do not fill the limit, and without a limit: the answer says so")
    func cannotTell() throws {
        let loose = try Binary.run("advise", Self.trace("stress-search"), "--memory", "2GB", "--for", "nuke-13,fresco")
        #expect(loose.status == 0 && Self.words(loose).contains("cannot tell"), "\(loose.output) \(loose.errors)")
        let open = try Binary.run("advise", Self.trace("stress-grid"), "--for", "nuke-13")
        let words = Self.words(open)
        #expect(words.contains("with no limit of memory") && words.contains("is enough"), "\(open.output)")
    }

    @Test("The code of the recommended cache, and of the second one if it is of another library")
    func settings() throws {
        let grid = Self.trace("stress-grid")
        let text = try Binary.run(
            "advise", grid, "--memory", "64MB", "--for", "coil-3,nuke-13", "--details", "--quiet")
        #expect(text.status == 0, "\(text.errors)")
        // The limits that are enough: both libraries tie, and with the size of the largest image, they lose less than
        // 0.1 points of blank time.
        #expect(text.output.hasPrefix("coil-3 and nuke-13 tie with memory: 64 MB"))
        #expect(text.output.contains("nuke-13 with memory: 6.83 MB, in Swift\n\n    import Nuke\n\n"))
        #expect(text.output.contains("    ImageCache.shared.costLimit = 6828800\n"))
        #expect(text.output.contains("        .maxSizeBytes(6828800L)\n"))
        let json = try Self.json(
            try Binary.run("advise", grid, "--memory", "64MB", "--for", "coil-3,nuke-13", "--json"))
        let settings = try #require(json["settings"] as? [[String: Any]])
        #expect(settings.map { $0["library"] as? String } == ["Coil", "Nuke"])
        #expect(settings.map { $0["limit_bytes"] as? Int } == [6_828_800, 6_828_800])
        #expect((settings[1]["source"] as? String)?.hasPrefix("kean/Nuke: ") == true)
        // Two presets of one library have one code. A policy is of no library.
        let same = try Self.json(
            try Binary.run("advise", grid, "--memory", "64MB", "--for", "nuke-12,nuke-13", "--json"))
        #expect((same["settings"] as? [Any])?.count == 1)
        let policy = try Binary.run("advise", grid, "--memory", "64MB", "--for", "lru(64MB)", "--details", "--quiet")
        #expect(Self.words(policy).contains("is no library's cache, so no library has a setting for it."))
        let short = try Binary.run("advise", grid, "--memory", "64MB", "--for", "nuke-13")
        #expect(!short.output.contains("import Nuke") && short.output.contains("--details prints the code"))
    }

    @Test("The share of sessions near a limit of the app, given or of a device")
    func appLimit() throws {
        try withTemporaryFolder { folder in
            let sessions = folder.appendingPathComponent("sessions")
            try FileManager.default.createDirectory(at: sessions, withIntermediateDirectories: true)
            for seed in 1...4 {
                // Two small sessions and two larger ones.
                let run = try Binary.run(
                    "trace", "synthesize", "--session", "grid", "--requests", seed < 3 ? "10" : "80", "--seed",
                    "\(seed)", "--output", sessions.appendingPathComponent("s\(seed).jsonl").path)
                #expect(run.status == 0, "\(run.errors)")
            }
            let arguments = ["advise", sessions.path, "--memory", "1GB", "--for", "nuke-13", "--json"]
            let output = folder.appendingPathComponent("replay").path
            let replay = try Binary.run(
                "replay", sessions.path, "--timing", "modelled", "--decode", "--no-charts", "--cache",
                "nuke-13; memory: 1GB",
                "--output", output)
            #expect(replay.status == 0, "\(replay.errors)")
            let lines = try String(contentsOfFile: "\(output)/summary.csv", encoding: .utf8)
                .split(separator: "\n").map { $0.split(separator: ",", omittingEmptySubsequences: false) }
            let column = try #require(lines[0].firstIndex(of: "image_memory_peak_bytes"))
            let peaks = lines.dropFirst().compactMap { Int($0[column]) }.sorted()
            try #require(peaks.count == 4 && peaks[1] < peaks[2])
            // Nine tenths of the limit are the third peak and the baseline.
            let limit = (peaks[2] + 9_000_000) / 9 * 10
            let near = try Self.json(
                try Binary.run(arguments + ["--app-limit", "\(limit)B", "--app-baseline", "9MB"]))
            let row = try #require((near["rows"] as? [[String: Any]])?.first?["near_app_limit"] as? [String: Any])
            #expect(row["near"] as? Int == 2 && row["sessions"] as? Int == 4 && row["share"] as? Double == 0.5)
            // Wilson's interval of 2 of 4.
            #expect(abs((row["low"] as? Double ?? 0) - 0.150036) < 1e-5)
            #expect(abs((row["high"] as? Double ?? 0) - 0.849964) < 1e-5)
            let device = try Binary.run(arguments.dropLast() + ["--device", "iphone 7"])
            let words = Self.words(device)
            #expect(words.contains("at which iOS ends an app on iPhone 7 (reported for iOS 10.2)."))
            #expect(words.contains("0 of 4 sessions") && words.contains("--app-baseline is not given"))
            let android = try Binary.run(arguments.dropLast() + ["--device", "Android 480dpi"])
            #expect(Self.words(android).contains("From Android 8 on, the pixels of bitmaps are outside"))
        }
        let list = try Binary.run("advise", "--device", "list")
        #expect(list.status == 0 && list.output.contains("iPhone XS Max") && list.output.contains("[2] http"))
    }

    @Test("Contradictory or unknown limits of the app are errors that say what would help")
    func badAppLimits() throws {
        let start = ["advise", Self.trace("stress-grid"), "--for", "nuke-13"]
        for (options, text) in [
            (["--device", "iPhone 7", "--app-limit", "1GB"], "leave out --app-limit"),
            (["--device", "iFone 7"], "did you mean 'iPhone 7'?"), (["--app-baseline", "1GB"], "give --app-limit"),
            (["--app-limit", "1GB", "--app-baseline", "1GB"], "what the app holds without the cache"),
            (["--app-limit", "5%"], "such as 64MB"),
        ] {
            let run = try Binary.run(start + options)
            #expect(run.status == 64 && run.errors.contains(text), "\(options): \(run.errors)")
        }
        let none = try Binary.run("advise", "--for", "nuke-13")
        #expect(none.status == 64 && none.errors.contains("Which traces?"), "\(none.errors)")
    }

    @Test("The folder has a row per setting, the answer as JSON, and a chart; a second advice needs --force")
    func folder() throws {
        try withTemporaryFolder { folder in
            let output = folder.appendingPathComponent("advice").path
            let arguments = [
                "advise", Self.trace("stress-return"), "--memory", "64MB", "--for", "nuke-13,coil-3", "--details",
                "--output", output,
            ]
            let run = try Binary.run(arguments)
            #expect(run.status == 0 && run.output.contains("Written to \(output), with 2 pictures"), "\(run.errors)")
            let lines = try String(contentsOfFile: "\(output)/advice.csv", encoding: .utf8)
                .split(separator: "\n").map { $0.split(separator: ",", omittingEmptySubsequences: false) }
            let json = try JSONSerialization.jsonObject(
                with: Data(contentsOf: URL(fileURLWithPath: "\(output)/advice.json")))
            let points = try #require((json as? [String: Any])?["points"] as? [[String: Any]])
            #expect(lines.count == points.count + 1 && points.count > 10)
            let place = try #require(lines[0].firstIndex(of: "front"))
            let front = points.count { $0["front"] as? Bool == true }
            #expect(lines.dropFirst().count { $0[place] == "yes" } == front)
            // One setting that matches all others is no front.
            let sentence = "\(front) of \(points.count) settings make the front"
            #expect(Self.words(run).contains(sentence) == (front > 1), "\(run.output)")
            #expect(FileManager.default.fileExists(atPath: "\(output)/charts/advice.svg"))
            let again = try Binary.run(arguments)
            #expect(again.status == 73 && again.errors.contains("--force"), "\(again.errors)")
            let forced = try Binary.run(arguments + ["--force", "--no-charts"])
            #expect(forced.status == 0 && !forced.output.contains("pictures"))
        }
        let run = try Binary.run("advise", Self.trace("stress-grid"), "--force")
        #expect(run.status == 64 && run.errors.contains("--force needs --output"), "\(run.errors)")
    }

    @Test(
        "Limits of the disk are replayed below the given one, and caches without such a limit are left out or refused")
    func disk() throws {
        let start = ["advise", Self.trace("stress-return"), "--memory", "32MB", "--disk", "8MB"]
        let advice = try Self.json(try Binary.run(start + ["--for", "nuke-13,glide,coalescing-memory", "--json"]))
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
        let code = try Binary.run(start + ["--for", "nuke-13", "--details", "--quiet"])
        #expect(code.output.contains("sizeLimit = 8000000"), "\(code.output)")
        // Glide holds what visible cells show beside its limit.
        let glide = try Binary.run(start + ["--for", "glide", "--quiet"])
        #expect(glide.status == 0 && glide.output.hasPrefix("No cache keeps within 32 MB."), "\(glide.output)")
        let everyday = try Binary.run(start + ["--quiet"])
        #expect(
            Self.words(everyday).contains("Left out, because their disk has no limit that could be set: kingfisher-8"))
        let written = try Binary.run(
            start + ["--for", "kingfisher-8; disk: ttl(lru(200MB), lifetime: 7d),fresco", "--json"])
        #expect((try Self.json(written)["rows"] as? [Any])?.count == 2)
        for (options, text) in [
            (["--for", "kingfisher-8"], "or leave kingfisher-8 out of --for"), (["--for", "lru(64MB)"], "has a disk"),
            (["--disk", "1KB"], "takes on disk"), (["--disk", "5%"], "such as 64MB"),
        ] {
            let run = try Binary.run(start + options)
            #expect(run.status == 64 && run.errors.contains(text), "\(options): \(run.errors)")
        }
    }

    @Test("Data per day: sessions of minutes need the sessions per day, and sessions of days have a rate")
    func dataPerDay() throws {
        let start = ["advise", Self.trace("stress-grid"), "--memory", "64MB", "--for", "nuke-13", "--data-per-day"]
        let short = try Binary.run(start + ["50MB"])
        #expect(short.status == 65 && short.errors.contains("such as --sessions-per-day 5"), "\(short.errors)")
        let five = try Self.json(try Binary.run(start + ["50MB", "--sessions-per-day", "5", "--json"]))
        let row = try #require((five["rows"] as? [[String: Any]])?.first)
        let bytes = try #require(row["origin_bytes"] as? Double)
        #expect(abs((row["bytes_per_day"] as? Double ?? 0) - 5 * bytes) < 1)
        #expect(row["qualifies"] as? Bool == (5 * bytes <= 50_000_000))
        let alone = try Binary.run("advise", Self.trace("stress-grid"), "--sessions-per-day", "5")
        #expect(alone.status == 64 && alone.errors.contains("needs --data-per-day"), "\(alone.errors)")
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
            let days = try Self.json(
                try Binary.run("advise", file.path, "--for", "nuke-13", "--data-per-day", "499B", "--json"))
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
                let refused = try Binary.run(start + ["--objective", objective])
                #expect(refused.status == 65 && refused.output.isEmpty, "\(refused.errors)")
                #expect(refused.errors.contains("records no disappearance of a cell"), "\(refused.errors)")
                #expect(refused.errors.contains("Use --objective bytes"), "\(refused.errors)")
            }
            let bytes = try Binary.run(start + ["--objective", "bytes", "--quiet"])
            #expect(bytes.status == 0 && bytes.output.hasPrefix("Use lru(1MB) with memory: 1 MB"), "\(bytes.errors)")
            #expect(Self.words(bytes).contains("In 1 of 1 session, no disappearance of a cell is recorded"))
            // The tables of other commands say so too.
            let replay = try Binary.run(
                "replay", file.path, "--cache", "lru(1MB)", "--timing", "modelled", "--no-charts", "--output",
                folder.appendingPathComponent("results").path)
            #expect(replay.output.replacing("\n", with: " ").contains("records no disappearance of a cell"))
            let explained = try Binary.run("explain", file.path, "--cache", "lru(1MB)")
            #expect(explained.output.contains("records no disappearance of a cell"))
        }
    }

    @Test("The objective: the least bytes, or the least memory at a blank time near the least")
    func objectives() throws {
        let start = ["advise", Self.trace("stress-return"), "--memory", "64MB", "--for", "nuke-13,glide", "--quiet"]
        let bytes = try Binary.run(start + ["--objective", "bytes"])
        #expect(
            bytes.status == 0 && Self.words(bytes).contains(": a session fetches "), "\(bytes.output) \(bytes.errors)")
        let memory = try Binary.run(start + ["--objective", "memory"])
        #expect(
            Self.words(memory).contains("the least for a blank time within 0.1 points of the least one"),
            "\(memory.output)")
        let bad = try Binary.run(start + ["--objective", "speed"])
        #expect(bad.status == 64 && bad.errors.contains("'blank', 'bytes' or 'memory'"), "\(bad.errors)")
    }

    @Test("Bad input: a limit below an image, a cache without a limit, a trace without sizes or cells")
    func badInput() throws {
        let small = try Binary.run("advise", Self.trace("stress-grid"), "--memory", "1KB", "--for", "nuke-13")
        #expect(small.status == 64 && small.errors.contains("the largest image"), "\(small.errors)")
        // The limit of a kept cache is that of the question, unless --memory gives another one.
        let own = ["advise", Self.trace("stress-grid"), "--keep", "nuke-13; memory: 1KB", "--for", "nuke-13"]
        let kept = try Binary.run(own)
        #expect(kept.status == 64 && kept.output.isEmpty, "\(kept.output)")
        #expect(
            kept.errors.contains("--keep nuke-13; memory: 1KB: 1 kB is less than the largest image takes in memory"),
            "\(kept.errors)")
        #expect(kept.errors.contains("give at least that with --memory."), "\(kept.errors)")
        #expect(try Binary.run(own + ["--memory", "64MB"]).status == 0)
        let none = try Binary.run("advise", Self.trace("stress-grid"), "--memory", "64MB", "--for", "none")
        #expect(none.status == 64 && none.errors.contains("no limit that could be set"), "\(none.errors)")
        let unit = try Binary.run("advise", Self.trace("stress-grid"), "--memory", "5%")
        #expect(unit.status == 64 && unit.errors.contains("such as 64MB"), "\(unit.errors)")
        try withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("unsized.csv")
            try Data("time,key\n1,a\n2,b\n".utf8).write(to: file)
            let run = try Binary.run("advise", file.path, "--memory", "64MB", "--for", "nuke-13")
            #expect(run.status == 65 && run.errors.contains("no sizes"), "\(run.errors)")
        }
    }

    @Test(
        "A search that was interrupted continues with --resume: no replay is repeated, and the answer is the same"
    )
    func resume() throws {
        try withTemporaryFolder { folder in
            let sessions = folder.appendingPathComponent("sessions")
            try FileManager.default.createDirectory(at: sessions, withIntermediateDirectories: true)
            for seed in 1...3 {
                let made = try Binary.run(
                    "trace", "synthesize", "--requests", "60", "--seed", "\(seed)", "--output",
                    "\(sessions.path)/s\(seed).jsonl")
                #expect(made.status == 0, "\(made.errors)")
            }
            let output = folder.appendingPathComponent("advice").path
            let options = [
                "advise", sessions.path, "--memory", "64MB", "--for", "nuke-13,glide", "--no-charts", "--json",
            ]
            let whole = try Self.json(try Binary.run(options))
            let cut = try Self.json(
                try Binary.run(options + ["--output", output, "--time-limit", "1us", "--jobs", "1"]))
            #expect((cut["search"] as? [String: Any])?["complete"] as? Bool == false)
            let log = "\(output)/replays.jsonl"
            let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
            // The first session was replayed with both caches.
            #expect(lines.count == 2 && lines[1].contains(#""runs":[{"#), "\(lines)")

            let again = try Binary.run(options + ["--output", output])
            #expect(again.status == 73 && again.errors.contains("continue it with --resume"), "\(again.errors)")
            // A torn line at the end is dropped.
            let handle = try #require(FileHandle(forWritingAtPath: log))
            try handle.seekToEnd()
            try handle.write(contentsOf: Data(#"{"session":"s"#.utf8))
            try handle.close()
            var resumed = try Self.json(try Binary.run(options + ["--output", output, "--resume"]))
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
            #expect(try Binary.run(options + ["--time-limit", "1us"]).status == 0)
            let log = "\(output)/replays.jsonl"
            let text = try String(contentsOfFile: log, encoding: .utf8)
            try Data((text + "{}\n").utf8).write(to: URL(fileURLWithPath: log))
            let damaged = try Binary.run(options + ["--resume"])
            #expect(damaged.status == 65 && damaged.errors.contains("replays.jsonl:3"), "\(damaged.errors)")
            try Data(text.dropFirst().utf8).write(to: URL(fileURLWithPath: log))
            let headless = try Binary.run(options + ["--resume"])
            #expect(
                headless.status == 65 && headless.errors.contains("replays.jsonl:1: does not say"), "\(headless.errors)"
            )
            try Data(text.utf8).write(to: URL(fileURLWithPath: log))
            let other = try Binary.run(options + ["--resume", "--seed", "2", "--json"])
            #expect(other.status == 0 && other.errors.contains("all replays are repeated"), "\(other.errors)")
        }
    }

    @Test("Broken sessions of a folder are skipped and named, and --strict stops at the first one")
    func brokenSessions() throws {
        try withTemporaryFolder { folder in
            try FileManager.default.copyItem(
                atPath: Self.trace("stress-grid"), toPath: "\(folder.path)/a.jsonl")
            try Data("{\"cachereplay_trace\":1}\nnonsense\n".utf8).write(
                to: folder.appendingPathComponent("b.jsonl"))
            try Data("time,key\n1,a\n2,b\n".utf8).write(to: folder.appendingPathComponent("c.csv"))
            let options = ["advise", folder.path, "--memory", "64MB", "--for", "nuke-13"]
            let run = try Binary.run(options)
            #expect(
                run.status == 0 && Self.words(run).contains("This rests on 1 session"), "\(run.output) \(run.errors)")
            #expect(run.errors.contains("b.jsonl:2") && run.errors.contains("no sizes"), "\(run.errors)")
            #expect(run.errors.contains("2 of 3 traces could not be replayed and were skipped"), "\(run.errors)")
            let json = try Self.json(try Binary.run(options + ["--json"]))
            #expect((json["search"] as? [String: Any])?["skipped"] as? [String] == ["b", "c"])
            #expect(json["sessions"] as? Int == 1 && json["sessions_left_out"] as? Int == 0)
            let strict = try Binary.run(options + ["--strict"])
            #expect(strict.status == 65 && strict.errors.contains("b.jsonl:2"), "\(strict.errors)")
            try FileManager.default.removeItem(atPath: "\(folder.path)/a.jsonl")
            let none = try Binary.run(options)
            #expect(none.status == 65 && none.errors.contains("no session could be replayed"), "\(none.errors)")
        }
    }

    @Test("--vary searches rules beside the limits; the answer names those that help, and the gain")
    func vary() throws {
        let options = ["advise", Self.trace("stress-flicks"), "--memory", "64MB", "--for", "nuke-13", "--quiet"]
        let own = try Self.json(try Binary.run(options + ["--json"]))
        let varied = try Self.json(try Binary.run(options + ["--json", "--vary", "order,connections"]))
        let (before, after) = (own["rows"] as? [[String: Any]], varied["rows"] as? [[String: Any]])
        let blank = try #require(before?.first?["blank_ratio"] as? Double)
        let row = try #require(after?.first)
        #expect(before?.first?["changes"] as? [Any] != nil && (before?.first?["changes"] as? [Any])?.isEmpty == true)
        let changes = try #require(row["changes"] as? [[String: String]])
        #expect(!changes.isEmpty && row["unchanged"] as? Double == blank)
        #expect(try #require(row["blank_ratio"] as? Double) < blank)
        let text = Self.words(try Binary.run(options + ["--vary", "order,connections", "--details"]))
        let change = try #require(changes.first)
        let named = "\(change["parameter"] ?? ""): \(change["value"] ?? "")"
        #expect(text.contains("With its own rules in place of \(named)"), "\(text)")
        #expect(text.contains("Why: per session, nuke-13 with its own rules has more"), "\(text)")
        // The figures are those of a replay with these rules.
        try withTemporaryFolder { folder in
            let cache =
                "nuke-13; memory: 64MB" + changes.map { "; \($0["parameter"] ?? ""): \($0["value"] ?? "")" }.joined()
            let output = folder.appendingPathComponent("replay").path
            let replay = try Binary.run(
                "replay", Self.trace("stress-flicks"), "--timing", "modelled", "--no-charts", "--cache", cache,
                "--output", output)
            #expect(replay.status == 0, "\(replay.errors)")
            let summary = rows(try String(contentsOfFile: "\(output)/summary.csv", encoding: .utf8))
            let replayed = try #require(summary.first?["blank_ratio"].flatMap(Double.init))
            #expect(abs(replayed - (row["blank_ratio"] as? Double ?? 0)) < 1e-6)
        }
        let wrong = try Binary.run(options + ["--vary", "speed"])
        #expect(wrong.status == 64 && wrong.errors.contains("expected connections, order"), "\(wrong.errors)")
    }

    @Test("The figures of each lever are those of replays, and the changes of the app come first in the table")
    func levers() throws {
        let grid = Self.trace("stress-grid")
        let options = ["advise", grid, "--memory", "8MB", "--for", "kingfisher-8", "--quiet"]
        let advice = try Self.json(try Binary.run(options + ["--json"]))
        let levers = try #require(advice["levers"] as? [[String: Any]])
        // The cache has no list events, so images have no cells that they could be too large for.
        #expect(
            levers.compactMap { $0["setting"] as? String } == [
                "prefetch=rows(2)", "cancelOnDisappear=false", "order=lifo", "order=visibleFirst",
                "connectionsPerHost=12", "decodeOnMainLane=false", "disk=none", "lifetime=never", "policy=lru",
                "policy=s3fifo", "memory=4000000B", "memory=16000000B", "memory=unlimited",
            ])
        try withTemporaryFolder { folder in
            func row(_ cache: String, _ name: String) throws -> [String: String] {
                let output = folder.appendingPathComponent(name).path
                let replay = try Binary.run(
                    "replay", grid, "--timing", "modelled", "--no-charts", "--cache", cache, "--output", output)
                #expect(replay.status == 0, "\(replay.errors)")
                return try #require(
                    rows(try String(contentsOfFile: "\(output)/summary.csv", encoding: .utf8)).first)
            }
            func figure(_ row: [String: String], _ column: String) -> Double {
                row[column].flatMap(Double.init) ?? .nan
            }
            let own = try row("kingfisher-8; memory: 8MB", "own")
            for setting in ["order=lifo", "connectionsPerHost=12", "disk=none", "cancelOnDisappear=false"] {
                let gain = try #require(levers.first { $0["setting"] as? String == setting })
                let changed = try row("kingfisher-8; memory: 8MB; \(setting.replacing("=", with: ": "))", setting)
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
    }

    @Test("--relevance-threshold is what the answer judges by, and the JSON has it")
    func relevanceThreshold() throws {
        let options = ["advise", Self.trace("stress-grid"), "--memory", "64MB", "--for", "nuke-13,coil-3"]
        let all = try Self.json(try Binary.run(options + ["--relevance-threshold", "100", "--json"]))
        let threshold = try #require(all["relevance_threshold"] as? [String: Any])
        #expect(threshold["points"] as? Double == 100 && threshold["percent"] as? Double == 1)
        // Nothing is 100 points apart.
        #expect(all["ties"] as? Int == 2)
        let levers = try #require(all["levers"] as? [[String: Any]])
        #expect(!levers.isEmpty && levers.allSatisfy { $0["relevant"] as? Bool == false })
        let points = try #require(all["points"] as? [[String: Any]])
        #expect(points.allSatisfy { $0["knee"] as? Bool == false })
        let text = try Binary.run(options + ["--relevance-threshold", "100", "--quiet"])
        #expect(Self.words(text).contains("is enough: the blank time stays within 100 points"), "\(text.output)")
        let wrong = try Binary.run(options + ["--relevance-threshold", "much"])
        #expect(wrong.status == 64 && wrong.errors.contains("points from 0 to 100"), "\(wrong.errors)")
    }

    @Test("The answer ends with the blank time that no cache avoids, which no cache of the answer is below")
    func room() throws {
        let options = [
            "advise", Self.trace("stress-grid"), "--memory", "64MB", "--for", "nuke-13,lru(64MB)", "--network", "lte",
        ]
        let advice = try Self.json(try Binary.run(options + ["--json"]))
        let room = try #require(advice["room"] as? [String: Any])
        let least = try #require(room["least"] as? [String: Any])
        let bound = try #require(least["blank_ratio"] as? Double)
        let parts = least.filter { $0.key.hasSuffix("_ratio") && !$0.key.hasSuffix("blank_ratio") }
            .compactMap { $0.value as? Double }
        #expect(parts.count == 5 && abs(parts.reduce(0, +) - bound) < 1e-9 && bound > 0)
        #expect(room["networks"] as? [String] == ["lte"] && room["sessions"] as? Int == 1)
        let rows = try #require(advice["rows"] as? [[String: Any]])
        let blank = rows.compactMap { $0["blank_ratio"] as? Double }
        #expect(blank.count == 2 && blank.allSatisfy { $0 >= bound })
        #expect(abs((blank.min() ?? 0) - (least["own_blank_ratio"] as? Double ?? .nan)) < 1e-9)
        // No lever of a cache is below it either, whatever its disk and its connections.
        let levers = try #require(advice["levers"] as? [[String: Any]]).filter { lever in
            ["order", "connections", "cancelling", "disk", "policy"].contains(lever["lever"] as? String ?? "")
        }
        #expect(!levers.isEmpty && levers.allSatisfy { $0["value"] as? Double ?? 0 >= bound })
        let run = try Binary.run(options + ["--quiet"])
        #expect(
            Self.words(run).contains("No cache of 64 MB over lte without prefetching leaves less than "),
            "\(run.output) \(run.errors)")
        // The bound of a cache that prefetches has its calls. A cache that knows the future has no bound.
        for (rule, text) in [
            ("rows(2)", "of 64 MB over wifi with these prefetches "),
            ("oracle(2s)", "which with foresight could remove almost all blank time"),
        ] {
            let ahead = try Binary.run(
                "advise", Self.trace("stress-grid"), "--memory", "64MB", "--for", "nuke-13; prefetch: \(rule)",
                "--network", "wifi", "--quiet")
            #expect(Self.words(ahead).contains(text), "\(ahead.output)")
        }
    }

    @Test("Without --details, the answer has at most 25 lines of 80 columns")
    func size() throws {
        let options = ["advise", "Traces/stress-*.jsonl", "--memory", "64MB"]
        for others in [["--for", "kingfisher-8,nuke-13,sdwebimage-5"], ["--keep", "kingfisher-8"]] {
            let run = try Binary.run(options + others)
            #expect(run.status == 0, "\(run.errors)")
            let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            #expect(lines.count <= 25 && lines.allSatisfy { $0.count <= 80 }, "\(run.output)")
            #expect(run.output.contains("One change of "), "\(run.output)")
        }
    }

    @Test("A cache that the user has comes first, with its own limit, and other libraries beside it")
    func keep() throws {
        let grid = Self.trace("stress-grid")
        let kept = try Binary.run("advise", grid, "--keep", "nuke-13", "--memory", "64MB", "--for", "coil-3")
        #expect(kept.status == 0 && kept.output.hasPrefix("Stay with nuke-13: coil-3 ties with it"), "\(kept.output)")
        let own = try Self.json(try Binary.run("advise", grid, "--keep", "nuke-13; memory: 32MB", "--json"))
        #expect(own["keep"] as? String == "nuke-13; memory: 32MB" && own["budget_bytes"] as? Int == 32_000_000)
        let levers = try #require(own["levers"] as? [[String: Any]])
        #expect(!levers.isEmpty && levers.allSatisfy { $0["cache"] as? String == "nuke-13; memory: 32MB" })
        // The other five libraries are beside it.
        #expect((own["rows"] as? [Any])?.count == 6)
        let settings = try #require(own["settings"] as? [[String: Any]])
        #expect(settings.map { $0["cache"] as? String } == ["nuke-13; memory: 32MB"])
        // Named twice, it is one cache.
        let twice = try Self.json(
            try Binary.run("advise", grid, "--keep", "nuke-13", "--memory", "64MB", "--for", "nuke-13", "--json"))
        #expect((twice["rows"] as? [Any])?.count == 1)
    }

    @Test("The platform leaves out libraries of others, and refuses those that are named, with the remedy")
    func platform() throws {
        let grid = Self.trace("stress-grid")
        let start = ["advise", grid, "--memory", "64MB"]
        func caches(_ options: [String]) throws -> Set<String> {
            let rows = try Self.json(try Binary.run(options + ["--json"]))["rows"] as? [[String: Any]]
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
            let run = try Binary.run(start + options)
            #expect(run.status == 64 && run.errors.contains(text), "\(options): \(run.errors)")
        }
        #expect(try caches(start + ["--platform", "flutter", "--for", "lru(64MB)"]) == ["lru(64MB)"])
        // An app that recorded itself is one for Apple's systems.
        try withTemporaryFolder { folder in
            let text = try String(contentsOfFile: grid, encoding: .utf8)
            let own = try folder.write(
                text.replacing("cachereplay gallery 0.1.0", with: "SessionRecorder 1"), to: "own.jsonl")
            let options = ["advise", own, "--memory", "64MB"]
            #expect(try caches(options) == ["kingfisher-8", "nuke-13", "sdwebimage-5"])
            let refused = try Binary.run(options + ["--for", "glide"])
            #expect(refused.status == 64 && refused.errors.contains("or give --platform any"), "\(refused.errors)")
            #expect(try caches(options + ["--for", "glide", "--platform", "any"]) == ["glide"])
        }
    }

    @Test("Caches of YAML files; a cache that is named twice is an error")
    func caches() throws {
        try withTemporaryFolder { folder in
            let file = try folder.write("caches:\n  ours: lru(32MB)\n  theirs: \"nuke-13\"\n", to: "own.yaml")
            let run = try Self.json(
                try Binary.run("advise", Self.trace("stress-grid"), "--memory", "64MB", "--for", file, "--json"))
            let names = (run["rows"] as? [[String: Any]])?.compactMap { $0["cache"] as? String }
            #expect(names.map(Set.init) == ["ours", "theirs"])
        }
        let twice = try Binary.run(
            "advise", Self.trace("stress-grid"), "--memory", "64MB", "--for", "nuke-13,nuke-13")
        #expect(twice.status == 64 && twice.errors.contains("names nuke-13 twice"), "\(twice.errors)")
    }

    @Test("Sessions without a common host may be of different apps, and the answer says so")
    func differentApps() throws {
        try withTemporaryFolder { folder in
            for (place, host) in ["one.example", "two.example"].enumerated() {
                let lines = [
                    #"{"cachereplay_trace":1}"#,
                    #"{"e":"object","o":0,"key":"https://\#(host)/a.jpg","bytes":1000,"width":10,"height":10}"#,
                    #"{"t":0,"e":"appear","o":0}"#,
                    #"{"t":1000,"e":"fetch","o":0,"status":200,"bytes":1000,"ttfb_us":1000,"transfer_us":100}"#,
                    #"{"t":90000,"e":"disappear","o":0}"#,
                ]
                _ = try folder.write(lines.joined(separator: "\n") + "\n", to: "s\(place).jsonl")
            }
            let run = try Binary.run("advise", folder.path, "--for", "nuke-13")
            #expect(
                Self.words(run).contains(
                    "of 2 groups without a common host: 1 session with one.example, 1 session with two.example"),
                "\(run.output) \(run.errors)")
        }
        let one = try Binary.run("advise", "Traces/stress-*.jsonl", "--memory", "64MB", "--for", "nuke-13")
        #expect(one.status == 0 && !one.output.contains("groups without a common host"), "\(one.output)")
    }
}
