import CacheTraces
import Foundation
import SessionModel
import TestSupport
import Testing
import TraceAnalysis

@Suite("Lists and served requests")
struct ListAndServedTests {
    private static let header = #"{"cachereplay_trace":1}"#

    private static func read(_ lines: [String]) throws -> Trace {
        try Trace(jsonLines: Array(([header] + lines).joined(separator: "\n").utf8), named: "feed.jsonl")
    }

    private static func message(_ line: String) -> String {
        do {
            _ = try read([#"{"e":"object","o":0,"key":"k"}"#, line])
            return "no error"
        } catch { return "\(error)" }
    }

    @Test("Lists and sources read as they were written; a row is the position if it is left out")
    func reading() throws {
        let trace = try Self.read([
            #"{"e":"object","o":5,"key":"a"}"#,
            #"{"t":0,"e":"list","o":5,"variant":"thumbnail","position":12,"row":4}"#,
            #"{"t":0,"e":"list","key":"never","position":3}"#,
            #"{"t":1,"e":"list","key":"never","position":2147483646,"row":null}"#,
            #"{"from":"memory","t":2,"e":"served","o":5,"variant":"thumbnail"}"#,
            #"{"t":2,"e":"served","o":5,"from":"disk"}"#, #"{"t":2,"e":"served","o":5,"from":"network"}"#,
            #"{"t":2,"e":"cost","o":5,"variant":"thumbnail","bytes":921600}"#, #"{"t":2,"e":"cost","o":5,"bytes":0}"#,
        ])
        #expect(
            trace.events == [
                TraceEvent(time: 0, .list(0, .thumbnail, position: 12, row: 4)),
                TraceEvent(time: 0, .list(1, .full, position: 3, row: 3)),
                TraceEvent(time: 1, .list(1, .full, position: 2_147_483_646, row: 2_147_483_646)),
                TraceEvent(time: 2, .served(0, .thumbnail, .memory)), TraceEvent(time: 2, .served(0, .full, .disk)),
                TraceEvent(time: 2, .served(0, .full, .network)),
                TraceEvent(time: 2, .cost(0, .thumbnail, bytes: 921_600)),
                TraceEvent(time: 2, .cost(0, .full, bytes: 0)),
            ])
        #expect(trace.objects[0].bytes == nil, "a cost is not the size of the object")
        var encoder = JSONLinesEncoder()
        encoder.append(trace)
        let lines = String(decoding: encoder.bytes, as: UTF8.self).split(separator: "\n")
        #expect(lines[2] == #"{"t":0,"e":"list","o":0,"variant":"thumbnail","position":12,"row":4}"#)
        #expect(lines[4] == #"{"t":0,"e":"list","o":1,"position":3}"#)
        #expect(lines[6] == #"{"t":2,"e":"served","o":0,"variant":"thumbnail","from":"memory"}"#)
        #expect(lines[9] == #"{"t":2,"e":"cost","o":0,"variant":"thumbnail","bytes":921600}"#)
        #expect(try Trace(jsonLines: encoder.bytes) == trace)
    }

    @Test(
        "A value that no list and no source has is an error that names the line",
        arguments: [
            (#"{"t":1,"e":"list","o":0}"#, #""position" is missing"#),
            (#"{"t":1,"e":"list","o":0,"position":null}"#, #""position" is missing"#),
            (#"{"t":1,"e":"list","o":0,"position":-1}"#, "expected a number from 0 to 2147483646, found -1"),
            (#"{"t":1,"e":"list","o":0,"position":2147483647}"#, "from 0 to 2147483646, found 2147483647"),
            (#"{"t":1,"e":"list","o":0,"position":1,"row":-3}"#, "from 0 to 2147483646, found -3"),
            (#"{"t":1,"e":"list","o":0,"position":"top"}"#, "expected a digit"),
            (#"{"t":1,"e":"list","o":7,"position":1}"#, #""o":7 is unknown"#),
            (#"{"t":1,"e":"list","position":1}"#, "the object is missing"),
            (#"{"t":1,"e":"served","o":0}"#, #""from" is missing; expected memory, disk or network"#),
            (#"{"t":1,"e":"served","o":0,"from":"cloud"}"#, "'cloud' is not a source; expected memory, disk or net"),
            (#"{"t":1,"e":"served","o":0,"from":3}"#, "string"),
            (#"{"t":1,"e":"cost","o":0}"#, #""bytes" is missing; expected the cost of the image in memory"#),
            (#"{"t":1,"e":"cost","o":0,"bytes":null}"#, #""bytes" is missing"#),
            (#"{"t":1,"e":"cost","o":0,"bytes":-1}"#, "expected a number from 0 to 1099511627776, found -1"),
            (#"{"t":1,"e":"cost","bytes":1}"#, "the object is missing"),
        ])
    func mistakes(line: String, expected: String) {
        let message = Self.message(line)
        #expect(message.contains("feed.jsonl:3"), "\(message)")
        #expect(message.contains(expected), "\(message)")
    }

    @Test("Other events may have fields of their own by these names")
    func foreignFields() {
        #expect(Self.message(#"{"t":1,"e":"appear","o":0,"position":"top","row":[1],"from":{"a":2}}"#) == "no error")
    }

    @Test("A list shows the last change of each position")
    func order() {
        let trace = Trace(
            objects: ["a", "b", "c"].map { TraceObject(key: $0) },
            events: [
                TraceEvent(time: 10, .list(0, .thumbnail, position: 0, row: 0)),
                TraceEvent(time: 10, .list(1, .thumbnail, position: 1, row: 0)),
                TraceEvent(time: 10, .list(2, .full, position: 9, row: 9)),
                TraceEvent(time: 20, .list(2, .thumbnail, position: 0, row: 0)),
                TraceEvent(time: 30, .list(0, .thumbnail, position: 4, row: 2)),
            ])
        #expect(trace.recordsLists)
        var list = ListOrder(trace).cursor(.thumbnail)
        #expect(list.count == 0)
        #expect(list.lastPosition == -1)
        #expect(list.advance(to: 9).isEmpty)
        #expect(list.advance(to: 10).map(\.item.object) == [0, 1])
        #expect(list[1] == ListOrder.Item(position: 1, row: 0, object: 1))
        #expect(list.position(of: 0) == 0)
        list.advance(to: 29)
        #expect(list[0]?.object == 2)
        #expect(list.position(of: 0) == nil)
        #expect(list.position(of: 2) == 0)
        list.advance(to: 30)
        #expect(list.position(of: 0) == 4)
        #expect(list[3] == nil)
        #expect((list.count, list.lastPosition) == (3, 4))
        #expect(ListOrder(trace).changes(.full).map(\.item.position) == [9])
    }

    @Test("Requests that the list lacks and rows out of order are counted, and nothing else")
    func contradictions() {
        // Two columns become one at 20. The order within a change does not matter.
        var events = [(0, 0), (1, 0), (2, 1), (3, 1)].map { position, row in
            TraceEvent(time: 10, .list(ObjectID(position), .thumbnail, position: Int32(position), row: Int32(row)))
        }
        events.append(TraceEvent(time: 11, .appear(3, .thumbnail)))
        events += (0..<4).map { TraceEvent(time: 20, .list($0, .thumbnail, position: $0, row: $0)) }
        events.append(TraceEvent(time: 21, .appear(4, .full)))
        var trace = Trace(objects: (0..<6).map { TraceObject(key: "\($0)") }, events: events)
        #expect(ListOrder(trace).contradictions(in: trace) == ListOrder.Contradictions())
        // Object 4 is in no list, and the row of position 1 is less than that of position 0.
        trace.events += [
            TraceEvent(time: 30, .appear(4, .thumbnail)),
            TraceEvent(time: 40, .list(5, .thumbnail, position: 0, row: 2)),
            TraceEvent(time: 41, .appear(0, .thumbnail)),
        ]
        #expect(
            ListOrder(trace).contradictions(in: trace) == ListOrder.Contradictions(unlisted: 2, unorderedRows: 1))
    }

    @Test("A source belongs to the oldest visible request that has none, then to one that left")
    func matching() {
        let actions: [TraceEvent.Action] = [
            .served(0, .full, .disk),  // No request yet.
            .appear(0, .full),  // Request 0 leaves without its image.
            .disappear(0, .full),
            .appear(0, .full), .appear(0, .full),  // Requests 1 and 2.
            .appear(0, .thumbnail),  // Request 3 is one of another variant.
            .served(0, .full, .network), .served(0, .full, .memory),
            .disappear(0, .full),
            .served(0, .full, .disk),  // Late, for request 0.
            .served(0, .full, .disk), .disappear(0, .full), .disappear(0, .full), .served(0, .full, .memory),
        ]
        let trace = Trace(
            objects: [TraceObject(key: "a")],
            events: actions.enumerated().map { TraceEvent(time: Int64($0), $1) })
        let served = ServedRequests(trace)
        #expect(served.sources == [.disk, .network, .memory, nil])
        #expect(served.unmatched == 3)
        #expect(served.count == 3)
    }

    @Test("The counts of a trace show its lists and sources, and objects that only a list names are not counted")
    func summary() throws {
        var trace = TraceSummaryTests.trace
        let before = TraceSummary(trace)
        #expect(before.listed == 0)
        trace.events.insert(TraceEvent(time: 1_000_000, .list(3, .full, position: 0, row: 0)), at: 0)
        trace.events.append(TraceEvent(time: 4_250_000, .served(2, .full, .disk)))
        trace.events.append(TraceEvent(time: 4_250_000, .served(2, .full, .disk)))
        let summary = TraceSummary(trace)
        #expect(
            (summary.objects, summary.uniqueBytes, summary.requests)
                == (before.objects, before.uniqueBytes, before.requests))
        #expect((summary.listed, summary.contradictions.unlisted, summary.unmatchedSources) == (1, 2, 1))
        var encoder = JSONLinesEncoder()
        encoder.append(trace)
        let reading = try TraceReading(TraceInput(bytes: encoder.bytes, path: "feed.jsonl"))
        let text = summary.text(reading)
        #expect(text.contains("lists        1 positions, contradicted by 2 requests of objects that they lack\n"))
        #expect(text.contains("served from  1 disk, 1 without a request\n"))
        let json = try #require(
            JSONSerialization.jsonObject(with: Data(summary.json(reading).utf8)) as? [String: Any])
        #expect(
            json["lists"] as? [String: Int] == ["positions": 1, "unlisted_requests": 2, "unordered_rows": 0])
        #expect(json["served"] as? [String: Int] == ["disk": 1, "unmatched": 1])
    }

    @Test("The table of a trace's head names positions and sources; thumbnails stay thumbnails in both events")
    func tableAndThumbnails() {
        var trace = Trace(
            objects: [TraceObject(key: "a", bytes: 5)],
            events: [
                TraceEvent(time: 0, .list(0, .full, position: 3, row: 1)),
                TraceEvent(time: 0, .served(0, .full, .disk)),
            ])
        trace.markThumbnails { _ in true }
        #expect(
            trace.table() == """
                seconds   event   variant    bytes  key
                0.000000  list    thumbnail  5      a  (position 3, row 1)
                0.000000  served  thumbnail  5      a  (from disk)
                """)
    }
}
