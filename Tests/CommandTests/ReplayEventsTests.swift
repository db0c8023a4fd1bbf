import Foundation
import TestSupport
import Testing

@Suite("replay --events", .namesCommands)
struct ReplayEventsTests {
    private struct Event {
        var phase: String
        var name: String
        var process: Int
        var thread: Int
        /// Nanoseconds.
        var time: Int64
        var duration: Int64
        var arguments: [String: Any]
        var id: Int?
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
                process: try #require(event["pid"] as? Int), thread: try #require(event["tid"] as? Int),
                time: nanoseconds(event["ts"]), duration: nanoseconds(event["dur"]),
                arguments: event["args"] as? [String: Any] ?? [:], id: event["id"] as? Int)
        }
    }

    @Test("Slices sum to the figures of summary.csv, and threads, flows and counters are well formed")
    func sums() throws {
        try withTemporaryFolder { folder in
            let output = folder.appendingPathComponent("out").path
            let trace = Binary.root.appendingPathComponent("Traces/stress-return.jsonl").path
            let run = try Binary.run(
                "replay", trace, "--timing", "modelled", "--events", "--no-charts", "--cache",
                "small=memory: lru(4MB); disk: lru(9MB)", "--output", output)
            #expect(run.status == 0, "\(run.errors)")
            let events = try Self.events("\(output)/events/stress-return--small--1.json")
            let lines = try String(contentsOfFile: "\(output)/summary.csv", encoding: .utf8).split(separator: "\n")
            let summary = Dictionary(
                uniqueKeysWithValues: zip(
                    lines[0].split(separator: ",", omittingEmptySubsequences: false).map(String.init),
                    lines[1].split(separator: ",", omittingEmptySubsequences: false).map(String.init)))
            func slices(_ name: String) -> [Event] { events.filter { $0.phase == "X" && $0.name == name } }
            let blank = slices("blank")
            #expect("\(blank.count)" == summary["requests"])
            let blankTime = Double(blank.reduce(0) { $0 + $1.duration })
            let seconds = try #require(Double(summary["blank_s"] ?? ""))
            #expect(abs(blankTime / 1e9 - seconds) <= 1e-6 * Double(blank.count), "\(blankTime) \(seconds)")
            let fetches = slices("fetch")
            let origin = try #require(Int(summary["origin_fetches"] ?? ""))
            let delivered = Set(blank.filter { $0.arguments["source"] as? String == "origin" }.map(\.time)).count
            #expect(fetches.count >= origin && delivered > 0)
            // A fetch consists of its phases.
            let phases = ["connect", "first byte", "transfer"].flatMap(slices).reduce(0) { $0 + $1.duration }
            #expect(phases == fetches.reduce(0) { $0 + $1.duration })
            // On a thread, a slice ends before the next begins, except that phases lie within fetches.
            let threads = Dictionary(grouping: events.filter { $0.phase == "X" }) { $0.process * 100_000 + $0.thread }
            for (_, own) in threads {
                let outer = own.filter { !["connect", "first byte", "transfer"].contains($0.name) }
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
            let run = try Binary.run(
                "replay", trace.path, "--timing", "modelled", "--events", "--no-charts", "--cache", "small=lru(4MB)",
                "--output", output)
            #expect(run.status == 0, "\(run.status) \(run.errors)")
            let speeds = try Self.events("\(output)/events/fast--small--1.json").filter { $0.name == "scroll speed" }
            #expect(speeds.count == 1)
        }
    }

    @Test("Measured runs and runs in processes of their own have no events: errors that say so")
    func refusals() throws {
        let trace = Binary.root.appendingPathComponent("Traces/stress-grid.jsonl").path
        let measured = try Binary.run("replay", trace, "--cache", "lru(4MB)", "--events")
        #expect(measured.status == 64 && measured.errors.contains("--timing modelled"))
        let isolated = try Binary.run(
            "replay", trace, "--cache", "lru(4MB)", "--events", "--timing", "modelled", "--isolate", "always")
        #expect(isolated.status == 64 && isolated.errors.contains("--isolate"))
    }
}
