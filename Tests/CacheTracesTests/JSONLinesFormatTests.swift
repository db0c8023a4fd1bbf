import CacheTraces
import Foundation
import SessionModel
import TestSupport
import Testing

@Suite("Native JSON Lines")
struct JSONLinesFormatTests {
    let header = #"{"cachereplay_trace":1,"title":"Feed","recorder":"gallery 1.0","started":"2026-03-01T09:30:00Z"}"#

    func read(_ lines: String...) throws -> TraceReading {
        try TraceReading(TraceInput(bytes: Array((lines.joined(separator: "\n") + "\n").utf8), path: "feed.jsonl"))
    }

    func message(_ lines: String...) -> String {
        let text = lines.joined(separator: "\n") + "\n"
        do {
            _ = try TraceReading(TraceInput(bytes: Array(text.utf8), path: "feed.jsonl"))
            return "no error"
        } catch { return "\(error)" }
    }

    /// Lines of the form that recorders write are read in another way than lines with white space.
    @Test(
        "A line means the same with and without white space",
        arguments: [
            #"{"t":7,"e":"scroll","phase":"dragged","offset":120.5,"velocity":-900}"#,
            #"{"t":7,"e":"scroll","phase":"decelerating","offset":-0,"velocity":1e3}"#,
            #"{"t":7,"e":"scroll","phase":"at_rest","offset":0,"velocity":0}"#,
            #"{"t":7,"e":"scroll","phase":"at_rest","offset":null,"velocity":0}"#,
            #"{"t":7,"e":"scroll","phase":"at_rest","offset":0,"velocity":1e400}"#,
            #"{"t":7,"e":"scroll","phase":"at_rest","offset":0}"#,
            #"{"t":7,"e":"scroll","phase":"at rest","offset":0,"velocity":0}"#,
            #"{"t":7,"e":"scroll","phase":"at_rest","offset":01,"velocity":0}"#,
            #"{"t":7,"e":"scroll","phase":"at_rest","offset":0,"velocity":0,"phase":"dragged"}"#,
            #"{"t":7,"e":"appear","o":0}"#, #"{"t":7,"e":"appear","o":0,"variant":"thumbnail"}"#,
            #"{"t":7,"e":"disappear","o":0,"variant":"full"}"#, #"{"t":7,"e":"prefetch","o":0,"variant":"x"}"#,
            #"{"t":7,"e":"prefetch","o":0}"#, #"{"t":7,"e":"prefetch","o":1}"#, #"{"t":7,"e":"appear","o":-0}"#,
            #"{"t":7,"e":"appear","o":0.5}"#, #"{"t":7,"e":"appear","o":00}"#, #"{"t":7,"e":"appear","o":}"#,
            #"{"t":7,"e":"appear","o":0}}"#, #"{"t":7,"e":"appear","o":0,"t":9}"#,
            #"{"t":7,"e":"appears","o":0}"#, #"{"t":7,"e":"remove","o":0}"#, #"{"t":4,"e":"appear","o":0}"#,
            #"{"t":1.5e1,"e":"appear","o":0}"#, #"{"t":007,"e":"appear","o":0}"#, #"{"t":-7,"e":"appear","o":0}"#,
            #"{"t":999999999999999,"e":"appear","o":0}"#, #"{"t":1000000000000000,"e":"appear","o":0}"#,
            #"{"t":7,"e":"appear","o":0,"width":640,"height":480}"#,
            #"{"t":7,"e":"prefetch","o":0,"variant":"thumbnail","width":1,"height":65535}"#,
            #"{"t":7,"e":"appear","o":0,"height":480,"width":640}"#, #"{"t":7,"e":"appear","o":0,"width":640}"#,
            #"{"t":7,"e":"appear","o":0,"width":640,"height":65536}"#,
            #"{"t":7,"e":"appear","o":0,"width":0,"height":480}"#,
            #"{"t":7,"e":"appear","o":0,"width":6.5,"height":480}"#,
            #"{"t":7,"e":"disappear","o":0,"width":640,"height":480}"#,
            #"{"t":3,"e":"fetch","o":0}"#, #"{"t":3,"e":"fetch","o":1,"status":200}"#, #"{"t":3,"e":"fetch"}"#,
            #"{"t":3,"e":"fetch","o":0,"bytes":0,"queued_us":1,"connect_us":2,"ttfb_us":3,"transfer_us":4}"#,
            #"{"t":3,"e":"fetch","o":0,"status":200,"bytes":9,"protocol":"http/1.1","undecodable":true}"#,
            #"{"t":3,"e":"fetch","o":0,"status":200,"bytes":9,"ttfb_us":3,"protocol":"h2"}"#,
            #"{"t":3,"e":"fetch","o":0,"bytes":9,"protocol":"h3"}"#, #"{"t":3,"e":"fetch","o":0,"protocol":"quic/43"}"#,
            #"{"t":3,"e":"fetch","o":0,"status":1000}"#, #"{"t":3,"e":"fetch","o":0,"status":-1}"#,
            #"{"t":3,"e":"fetch","o":0,"status":404,"status":200}"#, #"{"t":3,"e":"fetch","o":0,"bytes":null}"#,
            #"{"t":3,"e":"fetch","o":0,"bytes":1099511627776}"#, #"{"t":3,"e":"fetch","o":0,"bytes":1099511627777}"#,
            #"{"t":3,"e":"fetch","o":0,"ttfb_us":1.5}"#, #"{"t":3,"e":"fetch","o":0,"transfer_us":9007199254740993}"#,
            #"{"t":3,"e":"fetch","o":0,"transfer_us":999999999999999}"#,
            #"{"t":3,"e":"fetch","o":0,"bytes":9,"status":206}"#,
            #"{"t":3,"e":"fetch","o":0,"status":200,"type":"image/png"}"#, #"{"t":3,"e":"fetch","o":0,"ttfb_us":}"#,
            #"{"t":9007199254740993,"e":"appear","o":0}"#, #"{"t":99999999999999999999,"e":"appear","o":0}"#,
        ])
    func whiteSpace(line: String) {
        let lines = [header, #"{"e":"object","o":0,"key":"k"}"#, #"{"t":5,"e":"appear","o":0}"#]
        func outcome(_ line: String) -> String {
            let text = (lines + [line, #"{"t":"#]).joined(separator: "\n")
            do {
                return "\(try TraceReading(TraceInput(bytes: Array(text.utf8), path: "feed.jsonl")).trace.events)"
            } catch { return "\(error)" }
        }
        #expect(outcome(line) == outcome(line + " "))
    }

    @Test("A session reads as it was recorded")
    func session() throws {
        let trace = try read(
            header,
            #"{"e":"object","o":0,"key":"https://example.com/1.jpg","bytes":48213,"type":"image/jpeg","#
                + #""width":640,"height":480,"headers":{"ETag":"\"5f\""}}"#,
            #"{"t":5,"e":"appear","o":0,"variant":"thumbnail"}"#,
            #"{"t":6,"e":"scroll","phase":"dragged","offset":120.5,"velocity":-900}"#,
            #"{"t":5,"e":"fetch","o":0,"status":200,"bytes":48213,"ttfb_us":31000,"transfer_us":4000,"#
                + #""mine":[1,{"a":null}]}"#,
            #"{"t":7,"e":"prefetch","key":"https://example.com/2.jpg"}"#,
            #"{"t":8,"e":"disappear","o":0,"variant":"thumbnail"}"#,
            #"{"t":9,"e":"memory_warning"}"#, #"{"t":9,"e":"background"}"#, #"{"t":9,"e":"foreground"}"#,
            #"{"t":10,"e":"terminate"}"#, #"{"t":11,"e":"remove","o":0}"#
        ).trace
        #expect(trace.header == TraceHeader(title: "Feed", recorder: "gallery 1.0", started: "2026-03-01T09:30:00Z"))
        #expect(
            trace.objects == [
                TraceObject(
                    key: "https://example.com/1.jpg", bytes: 48213, contentType: "image/jpeg", pixelWidth: 640,
                    pixelHeight: 480,
                    headers: [HTTPField("etag", "\"5f\"")]),
                TraceObject(key: "https://example.com/2.jpg"),
            ])
        #expect(
            trace.events == [
                TraceEvent(time: 5, .appear(0, .thumbnail)),
                TraceEvent(
                    time: 5, .fetch(0, Fetch(status: 200, bytes: 48213, timeToFirstByte: 31000, transferTime: 4000))),
                TraceEvent(time: 6, .scroll(.dragged, offset: 120.5, velocity: -900)),
                TraceEvent(time: 7, .prefetch(1, .full)),
                TraceEvent(time: 8, .disappear(0, .thumbnail)),
                TraceEvent(time: 9, .memoryWarning), TraceEvent(time: 9, .background), TraceEvent(time: 9, .foreground),
                TraceEvent(time: 10, .terminate), TraceEvent(time: 11, .remove(0)),
            ])
        var encoder = JSONLinesEncoder()
        encoder.append(trace)
        #expect(try Trace(jsonLines: encoder.bytes).events == trace.events)
    }

    @Test("A successful fetch tells of its object what no line has said before; a failed one tells nothing")
    func learning() throws {
        let objects = try read(
            header,
            #"{"e":"object","o":0,"key":"a"}"#, #"{"e":"object","o":1,"key":"b","bytes":null}"#,
            #"{"t":1,"e":"fetch","key":"c","status":500,"bytes":9,"type":"text/html"}"#,
            #"{"t":1,"e":"fetch","o":0,"status":200,"bytes":10,"type":"image/png","width":4,"height":3}"#,
            #"{"t":2,"e":"fetch","o":0,"status":200,"bytes":11,"type":"image/webp"}"#,
            #"{"t":3,"e":"fetch","o":1,"status":200,"bytes":12}"#
        ).trace.objects
        #expect(
            objects == [
                TraceObject(key: "a", bytes: 10, contentType: "image/png", pixelWidth: 4, pixelHeight: 3),
                TraceObject(key: "b"), TraceObject(key: "c"),
            ])
    }

    @Test("Objects and fetches can say how many frames an image has; other events may have the field")
    func frames() throws {
        let objects = try read(
            header, #"{"e":"object","o":0,"key":"a","frames":65535}"#, #"{"e":"object","o":1,"key":"b","frames":null}"#,
            #"{"t":1,"e":"fetch","o":0,"status":200,"frames":7}"#, #"{"t":1,"e":"fetch","key":"c","frames":7}"#,
            #"{"t":2,"e":"appear","o":0,"frames":"of a film"}"#
        ).trace.objects
        #expect(objects.map(\.frames) == [65_535, nil, 7])
        for (value, error) in [("0", "from 1 to 65535"), ("65536", "from 0 to 65535"), ("1.5", "a whole number")] {
            #expect(message(header, #"{"e":"object","key":"a","frames":\#(value)}"#).contains(error))
        }
    }

    @Test("Windows line ends, blank lines, a byte order mark and a missing last line end do no harm")
    func lineEnds() throws {
        let text =
            "\u{FEFF}" + header + "\r\n\r\n  \r\n" + #"{"t":1,"e":"appear","key":"a"}"# + "\r\n"
            + #"{"t":2,"e":"appear","key":"b"}"#
        let reading = try TraceReading(TraceInput(bytes: Array(text.utf8), path: "feed"))
        #expect(reading.trace.events.count == 2)
        #expect(reading.warnings.isEmpty)
    }

    @Test("A recording cut at any byte behind its header reads as the whole lines before the cut")
    func killedRecorder() throws {
        let lines = [
            #"{"t":1,"e":"appear","key":"é"}"#, #"{"t":2,"e":"fetch","key":"é","bytes":12.0,"x":[true,"\n"]}"#,
            #"{"t":3,"e":"terminate"}"#,
        ]
        let start = header.utf8.count + 1
        let bytes = Array((header + "\n" + lines.joined(separator: "\n") + "\n").utf8)
        for cut in start...bytes.count {
            let reading = try TraceReading(TraceInput(bytes: bytes[..<cut], path: "feed.jsonl"))
            let body = bytes[start..<cut]
            let whole = body.count { $0 == 0x0A }
            let rest = body.split(separator: 0x0A, omittingEmptySubsequences: false).last ?? []
            let restIsWhole = rest.last == UInt8(ascii: "}") && lines.contains(String(decoding: rest, as: UTF8.self))
            #expect(reading.trace.events.count == whole + (restIsWhole ? 1 : 0), "cut at \(cut)")
            #expect(reading.warnings.count == (rest.isEmpty || restIsWhole ? 0 : 1), "cut at \(cut)")
        }
    }

    @Test("Writing and reading again gives the same trace, whatever the keys hold")
    func roundTrip() throws {
        let folder = try TemporaryFolder()
        let keys = [
            "https://example.com/1.jpg", "", "\n\r\t\u{0}\u{1}\u{1F}\u{7F}", "👩‍👩‍👧‍👦 \u{10FFFF}",
            "\"\\/",
            "e\u{301} is not \u{E9}",
            String(repeating: "k", count: 8192), "\u{2028}\u{FEFF}",
        ]
        var trace = Trace(header: TraceHeader(title: "a \"title\"", synthetic: true))
        for (index, key) in keys.enumerated() {
            trace.objects.append(
                TraceObject(
                    key: key, bytes: index.isMultiple(of: 2) ? index : nil,
                    headers: [HTTPField("vary", "a"), HTTPField("vary", "b")]))
            let object = ObjectID(index)
            var fetch = Fetch(status: 200, bytes: 77, timeToFirstByte: nil, transferTime: 0)
            fetch.isUndecodable = index % 3 == 0
            trace.events += [
                TraceEvent(time: Int64(index) * 10 + 3, .appear(object, .full)),
                TraceEvent(time: Int64(index) * 10 + 3, .fetch(object, fetch)),
                TraceEvent(time: Int64(index) * 10 + 4, .scroll(.atRest, offset: 0.1 + 0.2, velocity: -1e-300)),
            ]
        }
        trace.objects.append(
            TraceObject(key: "named by no event", contentType: "image/png", pixelWidth: 1, pixelHeight: 2))
        trace.objects[0].frames = 24
        let path = folder.path + "/trace.jsonl"
        try trace.write(to: path)
        #expect(try Trace(contentsOf: path) == trace)
    }

    @Test("Errors name the line, what is wrong and what would be right")
    func errors() {
        #expect(
            message(header, #"{"t":9,"e":"appear","key":"a"}"#, #"{"t":8,"e":"appear","key":"a"}"#).contains(
                "feed.jsonl:3: time runs backwards: 8 µs after 9 µs. Only fetch lines may be late"))
        #expect(
            message(header, #"{"t":9,"e":"apear","key":"a"}"#).contains(
                ":2: 'apear' is not an event. Did you mean 'appear'? Events: appear, disappear"))
        #expect(message(header, #"{"t":9,"e":"appear","o":4}"#).contains(":2: \"o\":4 is unknown"))
        #expect(message(header, #"{"t":9,"e":"appear"}"#).contains("expected \"o\" or \"key\""))
        #expect(message(header, #"{"e":"appear","key":"a"}"#).contains("\"t\", the time in microseconds, is missing"))
        #expect(message(header, #"{"t":1}"#).contains("\"e\", the kind of event, is missing"))
        #expect(
            message(header, #"{"t":1,"e":"appear","key":"a","variant":"big"}"#).contains("expected thumbnail or full"))
        #expect(
            message(header, #"{"t":1,"e":"scroll","phase":"up"}"#).contains("expected dragged, decelerating or at_rest")
        )
        #expect(message(header, #"{"t":1,"e":"scroll"}"#).contains("\"phase\" is missing"))
        #expect(
            message(header, #"{"e":"object","o":0,"key":"a"}"#, #"{"e":"object","o":0,"key":"b"}"#).contains(
                ":3: \"o\":0 already names another key"))
        #expect(message(header, #"{"t":-5,"e":"terminate"}"#).contains(":2: column 6: expected a number from 0"))
        #expect(message(header, #"{"t":1.5,"e":"terminate"}"#).contains("expected a whole number"))
        #expect(message(header, #"{"t":1,"e":"terminate"} x"#).contains("column 25: expected the end, found 'x'"))
        #expect(
            message(header, #"{"t":1,"e":"terminate""#, header).contains(
                ":2: column 23: expected ',' or '}', found the end"))
        #expect(message(#"{"t":1,"e":"terminate"}"#).contains("feed.jsonl:1: expected the header"))
        #expect(message(#"{"cachereplay_trace":2}"#).contains("Use a newer cachereplay"))
        #expect(message("").contains("expected the header"))
    }

    @Test("Validation goes on behind an error")
    func validation() throws {
        let folder = try TemporaryFolder()
        let path = try folder.file(
            "bad.jsonl",
            [header, #"{"t":1}"#, "x", #"{"t":2,"e":"terminate"}"#, #"{"t":1,"e":"terminate"}"#].joined(separator: "\n")
                + "\n")
        #expect(TraceReading.validate(contentsOf: path, limit: 10).errors.count == 3)
        #expect(TraceReading.validate(contentsOf: path, limit: 2).errors.count == 2)
        #expect(TraceReading.validate(contentsOf: path, limit: 2).reading == nil)
    }
}

@Suite("The documentation of the native format")
struct NativeFormatDocumentationTests {
    @Test("The example session can be read")
    func example() throws {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Sources/SessionModel/SessionModel.docc/NativeFormat.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let parts = text.components(separatedBy: "```")
        let example = try #require(parts.first { $0.hasPrefix("json\n") }).dropFirst("json\n".count)
        let trace = try Trace(jsonLines: Array(example.utf8))
        #expect(trace.header.title == "Photo feed")
        #expect(trace.objects.map(\.bytes) == [48_213, nil])
        #expect(trace.events.count == 11)
    }

    @Test("Objects that change during a session are counted in a warning, and keep one version")
    func versions() throws {
        func read(_ lines: String...) throws -> (trace: Trace, warnings: [String]) {
            let text = ([#"{"cachereplay_trace":1}"#] + lines).joined(separator: "\n") + "\n"
            return try Array(text.utf8).withUnsafeBytes { try JSONLinesReader.read($0, file: "t") }
        }
        let first = #"{"e":"object","o":0,"key":"a","bytes":10,"headers":{"etag":"\"1\""}}"#
        let fetch = #"{"t":1,"e":"fetch","o":0,"bytes":10,"headers":{"etag":"\"1\""}}"#
        // The same version, a 304, and a part of the body.
        let same = try read(
            first, fetch, #"{"t":2,"e":"fetch","o":0,"status":304,"bytes":0}"#,
            #"{"t":3,"e":"fetch","o":0,"status":206,"bytes":4}"#, first)
        #expect(same.warnings.isEmpty)
        // Another tag and size in an object line: the later ones count.
        let lines = try read(first, fetch, #"{"e":"object","o":0,"key":"a","bytes":12,"headers":{"etag":"\"2\""}}"#)
        #expect(lines.trace.objects[0].bytes == 12 && lines.trace.objects[0].headers[0].value == "\"2\"")
        #expect(lines.warnings.count == 1 && lines.warnings[0].hasPrefix("1 object changes during the session:"))
        // Another tag, or another size, in fetches: those of the object lines stay.
        let other = #"{"e":"object","o":1,"key":"b","bytes":10}"#
        let fetches = try read(
            first, other, #"{"t":1,"e":"fetch","o":0,"bytes":10,"headers":{"etag":"\"2\""}}"#,
            #"{"t":2,"e":"fetch","o":1,"bytes":11}"#)
        #expect(fetches.trace.objects.map(\.bytes) == [10, 10])
        #expect(fetches.trace.objects[0].headers[0].value == "\"1\"")
        #expect(fetches.warnings.count == 1 && fetches.warnings[0].hasPrefix("2 objects change during the session:"))
    }

    @Test("An incomplete last line is dropped from bytes in memory; other errors name the session")
    func bytes() throws {
        let header = #"{"cachereplay_trace":1}"# + "\n"
        let trace = try Trace(jsonLines: Array((header + #"{"t":1,"e":"terminate"}"# + "\n{\"t\":").utf8))
        #expect(trace.events == [TraceEvent(time: 1, .terminate)])
        let error = #expect(throws: TraceError.self) {
            try Trace(jsonLines: Array((header + "{}").utf8), named: "feed")
        }
        #expect(error?.description.hasPrefix("feed:2: ") == true)
    }
}
