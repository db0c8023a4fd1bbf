import Foundation
import Runs
import TestSupport
import Testing

@Suite("replay --events", .namesCommands)
struct ReplayEventsTests {
    private struct Event {
        var phase: String
        var name: String
        var category: String
        var process: Int
        var thread: Int
        /// Nanoseconds.
        var time: Int64
        var duration: Int64
        var arguments: [String: Any]
        var id: String?

        func text(_ argument: String) -> String? { arguments[argument] as? String }
        var request: Int? { arguments["request"] as? Int }
    }

    private static func nanoseconds(_ value: Any?) -> Int64 {
        (value as? NSNumber).map { Int64(($0.doubleValue * 1_000).rounded()) } ?? 0
    }

    private static func events(_ path: String) throws -> [Event] {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        let file = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        return try #require(file["traceEvents"] as? [[String: Any]]).map { event in
            Event(
                phase: try #require(event["ph"] as? String), name: try #require(event["name"] as? String),
                category: event["cat"] as? String ?? "", process: try #require(event["pid"] as? Int),
                thread: try #require(event["tid"] as? Int), time: nanoseconds(event["ts"]),
                duration: nanoseconds(event["dur"]),
                arguments: event["args"] as? [String: Any] ?? [:], id: event["id"] as? String)
        }
    }

    private static func rows(_ path: String) throws -> [[String: String]] {
        let records = try CSVReader.records(of: try String(contentsOfFile: path, encoding: .utf8), file: path)
        let header = try #require(records.first?.fields)
        return records.dropFirst().map { Dictionary(uniqueKeysWithValues: zip(header, $0.fields)) }
    }

    @Test("Slices sum to the figures of summary.csv, and threads, flows and counters are well formed")
    func sums() throws {
        try withTemporaryFolder { folder in
            let output = folder.appendingPathComponent("out").path
            let trace = Binary.root.appendingPathComponent("Traces/stress-return.jsonl").path
            try Command.succeed(
                "replay", trace, "--timing", "modelled", "--events", "--no-charts", "--cache",
                "small=memory: lru(4MB); disk: lru(9MB)", "--output", output)
            let events = try Self.events("\(output)/events/stress-return--small--1.json")
            let summary = try #require(try Self.rows("\(output)/summary.csv").first)
            func slices(_ name: String) -> [Event] { events.filter { $0.phase == "X" && $0.name == name } }
            let blank = events.filter { $0.category == "blank" }
            #expect("\(blank.count)" == summary["requests"])
            let blankTime = Double(blank.reduce(0) { $0 + $1.duration })
            let seconds = try #require(Double(summary["blank_s"] ?? ""))
            #expect(abs(blankTime / 1e9 - seconds) <= 1e-6 * Double(blank.count), "\(blankTime) \(seconds)")
            let fetches = events.filter { $0.text("work") == "fetch" }
            let origin = try #require(Int(summary["origin_fetches"] ?? ""))
            let delivered = Set(blank.filter { $0.text("source") == "origin" }.map(\.time)).count
            // Each cell is visible from the same moment, and at least as long as it is blank.
            let visible = events.filter { $0.category == "visible" }
            #expect(visible.count == blank.count)
            for (one, other) in zip(visible, blank) {
                #expect(one.time == other.time && one.duration >= other.duration && one.thread == other.thread)
            }
            #expect(fetches.count >= origin && delivered > 0)
            // A fetch consists of its phases.
            let phases = ["connect", "first byte", "transfer"].flatMap(slices).reduce(0) { $0 + $1.duration }
            #expect(phases == fetches.reduce(0) { $0 + $1.duration })
            // On a thread, a slice ends before the next begins, except that phases lie within fetches, and blank times
            // within visible ones.
            let threads = Dictionary(grouping: events.filter { $0.phase == "X" }) { $0.process * 100_000 + $0.thread }
            for (_, own) in threads {
                let outer = own.filter {
                    !["connect", "first byte", "transfer"].contains($0.name) && $0.category != "blank"
                }
                .sorted { ($0.time, $0.time + $0.duration) < ($1.time, $1.time + $1.duration) }
                for (one, next) in zip(outer, outer.dropFirst()) { #expect(one.time + one.duration <= next.time) }
            }
            let named = Set(
                events.filter { $0.phase == "M" && $0.name == "thread_name" }.map { $0.process * 100_000 + $0.thread })
            #expect(Set(threads.keys).isSubset(of: named))
            let starts = events.filter { $0.phase == "s" }.compactMap(\.id)
            #expect(!starts.isEmpty && Set(starts) == Set(events.filter { $0.phase == "f" }.compactMap(\.id)))
            #expect(events.contains { $0.phase == "i" && $0.name == "relaunch" })
            let cells = events.filter { $0.phase == "C" && $0.name == "blank cells" }
            #expect(cells.last?.arguments["cells"] as? Int == 0)
            #expect(Set(events.map(\.phase)) == ["M", "X", "C", "s", "f", "i"])
        }
    }

    /// Nuke cancels requests of cells that vanish, and Fresco has a second memory of encoded bytes. The others have
    /// small tiers, and one has lifetimes.
    private static let caches = [
        "nuke=nuke-13; memory: 8MB", "small=memory: lru(4MB); disk: lru(9MB)",
        "short=memory: ttl(lru(4MB), lifetime: 2s); disk: none", "twice=fresco; memory: 4MB",
    ]

    /// Replays a session through ``caches``, and calls `body` with the folder of the results.
    private static func withEvents(of session: String, _ body: (String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let output = folder.appendingPathComponent("out").path
            let trace = Binary.root.appendingPathComponent("Traces/\(session).jsonl").path
            try Command.succeed(
                ["replay", trace, "--timing", "modelled", "--events", "--no-charts", "--output", output]
                    + caches.flatMap { ["--cache", $0] })
            try body(output)
        }
    }

    @Test("What leaves tiers, is joined and is cancelled has the counts of summary.csv, and misses have their causes")
    func moments() throws {
        try Self.withEvents(of: "stress-return") { output in
            let explained = "\(output)-why"
            try Command.succeed(
                ["explain", Binary.root.appendingPathComponent("Traces/stress-return.jsonl").path, "--no-charts"]
                    + ["--output", explained] + Self.caches.flatMap { ["--cache", $0] })
            let causes = try Self.rows("\(explained)/causes.csv")
            let summaries = try Self.rows("\(output)/summary.csv")
            #expect(summaries.map { $0["cache"] } == ["nuke", "small", "short", "twice"])
            for summary in summaries {
                let cache = try #require(summary["cache"])
                let events = try Self.events("\(output)/events/stress-return--\(cache)--1.json")
                let misses = events.filter { $0.category == "miss" }
                let counts = Dictionary(grouping: misses) { "\($0.text("tier") ?? "") \($0.text("cause") ?? "")" }
                    .mapValues { "\($0.count)" }
                let expected = causes.filter { $0["cache"] == cache }.map {
                    ("\($0["tier"] ?? "") \($0["cause"] ?? "")", $0["requests"] ?? "")
                }
                #expect(counts == Dictionary(uniqueKeysWithValues: expected) && misses.count > 0, "\(cache)")
                for tier in ["memory", "disk"] {
                    let left = events.filter { $0.text("tier")?.hasSuffix(tier) == true }
                    let evictions = left.count { $0.category == "eviction" }
                    let expirations = left.count { $0.category == "expiration" }
                    #expect("\(evictions)" == summary["\(tier)_evictions"], "\(cache) \(tier)")
                    #expect("\(expirations)" == summary["\(tier)_expirations"], "\(cache) \(tier)")
                    #expect(left.allSatisfy { $0.text("key") != nil }, "\(cache) \(tier)")
                }
                let cancelled = events.count { $0.text("kind") == "cancelled_request" }
                #expect("\(cancelled)" == summary["cancelled"], "\(cache)")
                // A request that joins can also end otherwise, and one that is coalesced has joined a fetch.
                let joined = events.filter { $0.text("kind") == "joined_fetch" }.map(\.request)
                let coalesced = events.filter { $0.category == "blank" && $0.text("source") == "coalesced" }
                #expect(Set(coalesced.map(\.request)).isSubset(of: joined), "\(cache)")
                // Every lookup in memory says what it has found.
                let lookups = events.filter { $0.text("work") == "memory_lookup" }
                let found = lookups.compactMap { $0.arguments["hit"] as? Bool }
                #expect(found.count == lookups.count && found.contains(false), "\(cache)")
                #expect(found.contains(true) || summary["memory_hits"] == "0", "\(cache)")
            }
            let small = try Self.events("\(output)/events/stress-return--small--1.json")
            let limits = small.filter { $0.name == "memory limit" }
            #expect(limits.map { $0.arguments["bytes"] as? Int } == [4_000_000, 4_000_000])
            #expect(limits.first?.process == small.first { $0.name == "memory" }?.process)
        }
    }

    /// Each fetch takes a second. The second cell of `a` joins the fetch of the first one; `b` vanishes before it is
    /// there. With room for one object, `c` takes the place of `a`, which comes back. With lifetimes of two seconds,
    /// `a` has expired by then.
    @Test("A story: a joined fetch, a cancelled one, an eviction, an expiration, and the causes of misses")
    func story() throws {
        try withTemporaryFolder { folder in
            var lines = [#"{"cachereplay_trace":1}"#]
            for (object, key) in ["a", "b", "c"].enumerated() {
                let times = #""ttfb_us":500000,"transfer_us":500000"#
                lines.append(#"{"e":"object","o":\#(object),"key":"\#(key)","bytes":1000}"#)
                lines.append(#"{"t":0,"e":"fetch","o":\#(object),"status":200,"bytes":1000,\#(times)}"#)
            }
            for (milliseconds, event, object) in [
                (0, "appear", 0), (100, "appear", 0), (200, "appear", 1), (300, "disappear", 1), (2_000, "appear", 2),
                (5_000, "appear", 0), (9_000, "disappear", 0), (9_000, "disappear", 0), (9_000, "disappear", 0),
                (9_000, "disappear", 2),
            ] {
                lines.append(#"{"t":\#(milliseconds * 1_000),"e":"\#(event)","o":\#(object)}"#)
            }
            let trace = try folder.write(lines.joined(separator: "\n") + "\n", to: "story.jsonl")
            let rules = "disk: none; coalesce: true; cancelOnDisappear: true"
            let output = folder.appendingPathComponent("out").path
            try Command.succeed(
                "replay", trace, "--timing", "modelled", "--network", "recorded", "--events", "--no-charts",
                "--cache", "one=memory: lru(1 objects); \(rules)", "--cache",
                "short=memory: ttl(lru(5 objects), lifetime: 2s, sweep: 1s); \(rules)", "--output", output)
            let one = try Self.events("\(output)/events/story--one--1.json")
            func said(_ category: String) -> [String] {
                one.filter { $0.category == category }.map { "\($0.name) \($0.request.map(String.init) ?? "-")" }
            }
            #expect(said("coalescing") == ["joins fetch a 1"])
            #expect(said("cancellation") == ["request cancelled b 2", "fetch cancelled b -"])
            // `c` is request 3; the fetch of `a` for request 4 evicts it again.
            #expect(said("eviction") == ["evicted a 3", "evicted c 4"])
            #expect(
                said("miss") == [
                    "miss, first request: a 0", "miss, in flight: a 1", "miss, first request: b 2",
                    "miss, first request: c 3", "miss, evicted by a poor choice: a 4",
                ])
            let short = try Self.events("\(output)/events/story--short--1.json")
            #expect(short.contains { $0.name == "expired a" && $0.text("tier") == "memory" })
            #expect(short.contains { $0.name == "miss, expired: a" })
        }
    }

    @Test("One file has the events of all caches, each with processes and arrows of its own")
    func joined() throws {
        try Self.withEvents(of: "stress-return") { output in
            let caches = ["nuke", "small", "short", "twice"]
            let single = try caches.map { try Self.events("\(output)/events/stress-return--\($0)--1.json") }
            let all = try Self.events("\(output)/events/stress-return--1.json")
            #expect(all.count == single.reduce(0) { $0 + $1.count })
            let names = all.filter { $0.name == "process_name" }.map { "\($0.process) \($0.text("name") ?? "")" }
            #expect(
                names
                    == caches.enumerated().flatMap { place, cache in
                        [
                            "\(2 * place + 1) stress-return, \(cache)",
                            "\(2 * place + 2) cells of stress-return, \(cache)",
                        ]
                    })
            for (place, events) in single.enumerated() {
                let own = all.filter { ($0.process - 1) / 2 == place }
                #expect(own.map(\.name) == events.map(\.name) && own.map(\.time) == events.map(\.time))
                #expect(own.map(\.process) == events.map { $0.process + 2 * place })
            }
            // Perfetto drops a slice that begins within another one of its thread and ends behind it.
            let slices = all.filter { $0.phase == "X" || $0.phase == "i" && $0.thread > 0 }
            for (_, own) in Dictionary(grouping: slices, by: { $0.process * 100_000 + $0.thread }) {
                var open: [Int64] = []
                for (_, slice) in own.enumerated().sorted(by: { ($0.1.time, $0.0) < ($1.1.time, $1.0) }) {
                    while let end = open.last, end <= slice.time { open.removeLast() }
                    #expect(slice.duration >= 0 && slice.time + slice.duration <= open.last ?? .max, "\(slice.name)")
                    open.append(slice.time + slice.duration)
                }
            }
            let starts = all.filter { $0.phase == "s" }.compactMap(\.id)
            #expect(starts.count == Set(starts).count && !starts.isEmpty)
            #expect(Set(starts) == Set(all.filter { $0.phase == "f" }.compactMap(\.id)))
            #expect(starts.allSatisfy { UInt64($0, radix: 16) != nil })
        }
    }

    @Test("Keys of any characters are exact in arguments, and visible and short in names")
    func hostileKeys() throws {
        let long = String(repeating: "long/", count: 100)
        let keys = ["\"quote\" and \\", "line\nbreak \u{1B}[31m \u{202E}", "}],\"ph\":\"X\"{[", "ключ 🙂", long]
        try withTemporaryFolder { folder in
            var lines = [#"{"cachereplay_trace":1}"#]
            for (object, key) in keys.enumerated() {
                let line: [String: Any] = ["e": "object", "o": object, "key": key, "bytes": 9]
                lines.append(String(decoding: try JSONSerialization.data(withJSONObject: line), as: UTF8.self))
                lines.append(#"{"t":\#(object * 1_000),"e":"appear","o":\#(object)}"#)
            }
            lines += keys.indices.map { #"{"t":\#(9_000_000 + $0),"e":"disappear","o":\#($0)}"# }
            let trace = folder.appendingPathComponent("hostile.jsonl")
            try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: trace)
            let output = folder.appendingPathComponent("out").path
            try Command.succeed(
                "replay", trace.path, "--timing", "modelled", "--events", "--no-charts", "--cache", "a=lru(4MB)",
                "--cache", "b=lru(1MB)", "--output", output)
            let events = try Self.events("\(output)/events/hostile--1.json")
            let visible = events.filter { $0.category == "visible" && $0.process == 4 }
            #expect(visible.map { $0.text("key") } == keys)
            let names = visible.map(\.name)
            #expect(names.prefix(2) == [#"visible "quote" and \"#, #"visible line\u{a}break \u{1b}[31m \u{202e}"#])
            let half = String(long.prefix(50))
            #expect(names.last == "visible \(half)…\(long.suffix(50))")
            // Perfetto misreads a text that ends in an escaped backslash.
            let text = try String(contentsOfFile: "\(output)/events/hostile--1.json", encoding: .utf8)
            #expect(!text.contains(#"\\"#) && text.contains(#"and \u005c""#))
        }
    }

    @Test("A scroll speed beyond every whole number is no crash")
    func extremeSpeed() throws {
        try withTemporaryFolder { folder in
            let trace = folder.appendingPathComponent("fast.jsonl")
            let lines = [
                #"{"cachereplay_trace":1}"#, #"{"e":"object","o":0,"key":"a","bytes":1000}"#,
                #"{"t":0,"e":"scroll","phase":"dragged","offset":0,"velocity":1e300}"#,
                #"{"t":1000,"e":"appear","o":0}"#,
            ]
            try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: trace)
            let output = folder.appendingPathComponent("out").path
            let run = try Command.run(
                "replay", trace.path, "--timing", "modelled", "--events", "--no-charts", "--cache", "small=lru(4MB)",
                "--output", output)
            #expect(run.status == 0, "\(run.status) \(run.errors)")
            let speeds = try Self.events("\(output)/events/fast--small--1.json").filter { $0.name == "scroll speed" }
            #expect(speeds.count == 1)
        }
    }
}
