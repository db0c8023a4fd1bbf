import Basics
import Foundation
import ReplayEngine
import ResultColumns
import SessionModel
import Testing

@testable import CacheReports

/// The words of values of the engine.
@Suite("Words of notes, causes and rules")
struct WordsTests {
    /// Returns the reasons of the disagreements of a session: images of 1,000 bytes, fetched in 10 ms, that appear each
    /// second for 200 ms, and that the app had from a source.
    private func reasons(_ requests: [(key: String, served: ServedSource?)], _ cache: String, status: Int = 200) throws
        -> [String]
    {
        var builder = TraceBuilder()
        for key in Set(requests.map(\.key)).sorted() {
            let object = builder.object(key)
            builder.update(object) { $0.bytes = 1_000 }
            let fetch = Fetch(status: status, bytes: 1_000, timeToFirstByte: 10_000, transferTime: 0)
            builder.append(TraceEvent(time: 0, .fetch(object, fetch)))
        }
        for (number, request) in requests.enumerated() {
            let time = Int64(number + 1) * 1_000_000
            let object = builder.object(request.key)
            builder.append(TraceEvent(time: time, .appear(object, .full)))
            if let served = request.served {
                builder.append(TraceEvent(time: time + 100_000, .served(object, .full, served)))
            }
            builder.append(TraceEvent(time: time + 200_000, .disappear(object, .full)))
        }
        var job = ReplayJob(trace: "session", cache: try CacheConfiguration(cache))
        job.timing = .modelled(.standard)
        return try job.compareServed(try PreparedTrace(builder.finish())).disagreements.map(\.reason)
    }

    @Test("A disagreement has the reason of the prediction")
    func reasons() throws {
        // Of three images in a memory for two, A hits, and C takes the room of B. The app kept B and forgot A.
        #expect(
            try reasons(
                [("a", .network), ("b", .network), ("a", .disk), ("c", .network), ("b", .memory), ("a", nil)],
                "memory: lru(2kB); disk: lru(9kB)") == [
                    "still in memory, last wanted by request 0, 2.0 s before",
                    "not in memory: evicted by a poor choice, left 1.0 s before, for request 3",
                ])
        #expect(
            try reasons([("a", .network)], "memory: lru(2kB); retries: 0", status: 404) == ["the request was failed"])
    }

    @Test("The documentation has the page of all rules")
    func rules() throws {
        let path = "\(#filePath)/../../../Sources/ReplayEngine/ReplayEngine.docc/Rules.md"
        let page = try String(contentsOf: URL(fileURLWithPath: path).standardized, encoding: .utf8)
        #expect(
            page == Rule.page,
            "Write it anew: cachereplay list rules --markdown > Sources/ReplayEngine/ReplayEngine.docc/Rules.md")
    }

    @Test("In a Chrome trace, spans take the lowest free places", arguments: 0..<20 as Range<UInt64>)
    func places(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var start: Int64 = 0
        let spans = (0..<200).map { _ -> (start: Int64, end: Int64) in
            start += Int64(random.next(below: 5))
            return (start, start + Int64(random.next(below: 40)))
        }
        var ends: [Int64] = []
        let slow = spans.map { span in
            if let free = ends.firstIndex(where: { $0 <= span.start }) {
                ends[free] = span.end
                return free
            }
            ends.append(span.end)
            return ends.count - 1
        }
        let fast = ChromeTrace.places(spans)
        #expect(fast.places == slow && fast.count == ends.count)
    }

    @Test("In a Chrome trace, times are exact for readers that cut off what is less than a nanosecond")
    func microseconds() {
        var random = SplitMix64(seed: 1)
        let day: UInt64 = 86_400_000_000_000
        let times = [0, 1, 999, 1_000, 1_001, 2_025] + (0..<10_000).map { _ in Int64(random.next() % day) }
        for time in times {
            let text = ChromeTraceFile.microseconds(time)
            let parts = text.split(separator: ".")
            let fraction = parts.count > 1 ? parts[1] : ""
            // Perfetto's reader adds the whole part and the fraction.
            let sum = Double(parts[0])! + (Double(fraction) ?? 0) / [1, 10, 100, 1_000, 10_000][fraction.count]
            #expect(Int64(sum * 1_000) == time && Int64(Double(text)! * 1_000) == time, "\(text)")
        }
        #expect(ChromeTraceFile.microseconds(5_000) == "5" && ChromeTraceFile.microseconds(5_250) == "5.250")
        // 1.001 is read as 1,000.9999999999999 nanoseconds.
        #expect(ChromeTraceFile.microseconds(1_001) == "1.0011")
    }

    @Test("In a Chrome trace, backslashes are numbers, and other escapes stay")
    func backslashes() {
        func numbered(_ json: String) -> String {
            String(decoding: ChromeTraceFile.withNumberedBackslashes(Array(json.utf8)), as: UTF8.self)
        }
        #expect(numbered(#"{"a":"b"}"#) == #"{"a":"b"}"#)
        #expect(numbered(#"{"a":"\\"}"#) == #"{"a":"\u005c"}"#)
        #expect(numbered(#"{"\"\\\n\\\\":"\u001b"}"#) == #"{"\"\u005c\n\u005c\u005c":"\u001b"}"#)
    }
}
