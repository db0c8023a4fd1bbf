import Foundation
import SessionModel
import TestSupport
import Testing

@testable import CacheTraces

/// A visit of the gallery that the gallery and recorders recorded at the same time; see the README of the data.
enum RecordedVisit {
    static let isPresent = FileManager.default.fileExists(atPath: path("feed.truth.jsonl"))
    /// The milliseconds since 1970 at which the gallery's trace begins.
    static let start = 1_795_524_852_603.6

    static func path(_ name: String) -> String { SharedData.path("session-replays/" + name) }

    /// Returns the times of appearances or disappearances, in milliseconds since 1970.
    static func moments(_ name: String, of trace: Trace, since start: Double) -> [Double] {
        trace.events.filter { $0.action.name == name }.map { start + Double($0.time) / 1000 }.sorted()
    }

    static func truth(_ name: String = "appear") throws -> [Double] {
        moments(name, of: try Trace(contentsOf: path("feed.truth.jsonl")), since: start)
    }

    /// Returns the milliseconds since 1970 at which a trace begins.
    static func start(of trace: Trace) throws -> Double {
        Double(try #require(trace.header.started.flatMap(Timestamp.microseconds))) / 1000
    }

    /// Returns the share of `times` with one of `others` within 100 ms, one to one.
    static func share(of times: [Double], near others: [Double]) -> Double {
        var next = 0
        var found = 0
        for time in times {
            while next < others.count, others[next] < time - 100 { next += 1 }
            if next < others.count, others[next] <= time + 100 {
                found += 1
                next += 1
            }
        }
        return Double(found) / Double(times.count)
    }
}

@Suite("A visit as session replays, compared with the gallery's own trace", .enabled(if: RecordedVisit.isPresent))
struct SessionReplaySharedDataTests {
    private typealias Visit = RecordedVisit

    @Test("a look each 100 ms finds 95% of the appearances within 100 ms", arguments: ["appear", "disappear"])
    func datadog(name: String) throws {
        let reading = try TraceReading(contentsOf: Visit.path("feed.datadog-mobile.json.gz"))
        #expect(reading.format.name == "session-replay")
        #expect(reading.trace.header.recorder == "session replay, by wireframes")
        #expect(reading.trace.objects.count == 120)
        #expect(ReplaySamples.fact("look_interval_ms", reading) == 100)
        let truth = try Visit.truth(name)
        let found = Visit.moments(name, of: reading.trace, since: try Visit.start(of: reading.trace))
        let (seen, isTrue) = (Visit.share(of: truth, near: found), Visit.share(of: found, near: truth))
        #expect(seen > 0.95 && seen < 0.99, "\(seen)")
        #expect(isTrue > 0.97, "\(isTrue)")
    }

    @Test("a look each second finds a fifth of them, and requests nearly all where nothing is cached")
    func posthog() throws {
        let path = Visit.path("feed.posthog-mobile.json.gz")
        var reader = try SessionReplayReader(ByteWindow(TraceStream(path: path)))
        try reader.read()
        let screen = SessionReplayTrace(reader.recording).screen
        let truth = try Visit.truth()
        let looked = screen.transitions.filter(\.appears).map { $0.moment(interval: screen.interval ?? 0) }.sorted()
        let seen = Visit.share(of: truth, near: looked)
        #expect(seen > 0.15 && seen < 0.25, "\(seen)")
        // Its images are masked, so that requests stand for them.
        let reading = try TraceReading(contentsOf: path)
        #expect(reading.trace.header.recorder == "session replay, by requests alone")
        #expect(ReplaySamples.fact("masked_images", reading) == 7)
        #expect(reading.trace.resolvedSizes().assumedCount == 0)
        let requested = Visit.moments("appear", of: reading.trace, since: try Visit.start(of: reading.trace))
        let share = Visit.share(of: truth, near: requested)
        #expect(share > 0.98, "\(share)")
    }

    @Test("recordings of pages are refused, with the remedy", arguments: ["feed", "search"])
    func pages(name: String) throws {
        let error = #expect(throws: TraceError.self) { try Trace(contentsOf: Visit.path("\(name).rrweb.json.gz")) }
        #expect(error?.message.contains("scripts/convert-replay") == true)
    }

    @Test("custom events have the appearances of the gallery to the microsecond")
    func customEvents() throws {
        let truth = try Trace(contentsOf: Visit.path("feed.truth.jsonl"))
        let trace = try ReplaySamples.trace(ReplaySamples.recording(of: truth, start: Visit.start))
        func cells(_ trace: Trace, _ prefix: String) -> [String] {
            trace.events.filter { ["appear", "disappear"].contains($0.action.name) }.map { event in
                let key = event.action.object.map { trace.objects[Int($0)].key } ?? ""
                return "\(event.action.name) \(prefix)\(key)"
            }
        }
        #expect(cells(trace, "") == cells(truth, "https://p/"))
        let times = Visit.moments("appear", of: trace, since: try Visit.start(of: trace))
        let expected = try Visit.truth()
        #expect(zip(times, expected).allSatisfy { abs($0 - $1) < 0.01 })
        #expect(trace.objects.map(\.bytes).contains(nil) == false)
    }
}

extension ReplaySamples {
    /// Returns a recording whose app wrote the appearances of a trace, with its requests.
    ///
    /// - Parameter start: The milliseconds since 1970 at which the trace begins.
    static func recording(of trace: Trace, start: Double) -> String {
        trace.events.compactMap { event -> String? in
            let time = start + Double(event.time) / 1000
            guard let number = event.action.object else { return nil }
            let object = trace.objects[Int(number)]
            let name = "https://p/\(object.key)"
            switch event.action {
            case .appear, .disappear:
                return custom(
                    Int(time),
                    #""v":1,"e":"\#(event.action.name)","key":"\#(name)","t":\#(time),"bytes":\#(object.bytes ?? 0),"#
                        + #""width":\#(object.pixelWidth ?? 0),"height":\#(object.pixelHeight ?? 0)"#)
            case .fetch(_, let fetch):
                let duration = Double(fetch.duration ?? 0) / 1000
                return
                    #"{"type":6,"timestamp":\#(Int(time)),"data":{"plugin":"rrweb/network@1","payload":{"requests":["#
                    + #"{"name":"\#(name)","initiatorType":"img","timestamp":\#(time),"duration":\#(duration),"#
                    + #""responseStatus":\#(fetch.status),"transferSize":\#(fetch.bytes ?? 0)}]}}}"#
            default: return nil
            }
        }.joined(separator: "\n")
    }
}
