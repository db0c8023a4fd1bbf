import CacheTraces
import SessionModel
import TestSupport
import Testing
import TraceAnalysis

@Suite("HAR")
struct HARFormatTests {
    func entry(
        url: String = "\"https://example.com/a.png\"", started: String = "\"2026-03-01T09:30:00.000Z\"",
        status: Int = 200,
        content: String = #"{"size":100,"mimeType":"image/png"}"#, response: String = "",
        timings: String = #"{"wait":10,"receive":2}"#,
        more: String = ""
    ) -> String {
        """
        {"startedDateTime":\(started),"request":{"url":\(url)},"response":{"status":\(status),\
        "content":\(content)\(response)},
        "timings":\(timings)\(more)}
        """
    }

    func read(_ entries: String...) throws -> TraceReading {
        let text =
            #"{"log":{"creator":{"name":"Tool","version":"2"},"pages":[{"title":"Page"}],"entries":["#
            + entries.joined(separator: ",") + "]}}"
        return try TraceReading(TraceInput(bytes: Array(text.utf8), path: "page.har"))
    }

    func fetches(_ trace: Trace) -> [Fetch] {
        trace.events.compactMap { if case .fetch(_, let fetch) = $0.action { fetch } else { nil } }
    }

    @Test("An image entry becomes an appear and a fetch")
    func image() throws {
        let headers =
            #","headers":[{"name":"ETag","value":"\"x\""},{"name":"Server","value":"s"},"#
            + #"{"name":"Cache-Control","value":"max-age=60"}]"#
        let trace = try read(
            entry(
                response: headers,
                timings: #"{"blocked":1,"dns":-1,"connect":20,"ssl":15,"send":0.5,"wait":10.25,"receive":2}"#)
        ).trace
        #expect(trace.header == TraceHeader(title: "Page", recorder: "Tool 2", started: "2026-03-01T09:30:00.000Z"))
        #expect(
            trace.objects == [
                TraceObject(
                    key: "https://example.com/a.png", bytes: 100, contentType: "image/png",
                    headers: [HTTPField("etag", "\"x\""), HTTPField("cache-control", "max-age=60")])
            ])
        // 1 ms in the queue, 20 ms to connect, 0.5 + 10.25 ms to the first byte: ssl is part of connect, and -1 does
        // not count.
        #expect(
            trace.events == [
                TraceEvent(time: 0, .appear(0, .full)),
                TraceEvent(
                    time: 0,
                    .fetch(
                        0,
                        Fetch(
                            status: 200, bytes: 100, queued: 1_000, connect: 20_000, timeToFirstByte: 10_750,
                            transferTime: 2000))),
            ])
    }

    @Test("Entries are put in order of time, across time zones")
    func order() throws {
        let trace = try read(
            entry(url: "\"late\"", started: "\"2026-03-01T09:30:01Z\""),
            entry(url: "\"early\"", started: "\"2026-03-01T10:30:00.5+01:00\"")
        ).trace
        #expect(trace.events.map(\.time) == [0, 0, 500_000, 500_000])
        #expect(
            trace.events.map { trace.objects[Int($0.action.object ?? 0)].key } == ["early", "early", "late", "late"])
        #expect(trace.header.started == "2026-03-01T10:30:00.5+01:00")
    }

    @Test(
        "The size comes from the first source that knows it",
        arguments: [
            (#"{"size":5,"mimeType":"image/png"}"#, #","bodySize":6"#, "", 5),
            (#"{"size":-1,"mimeType":"image/png"}"#, #","bodySize":6,"_transferSize":9"#, "", 6),
            (
                #"{"size":0,"mimeType":"image/png"}"#,
                #","bodySize":-1,"_transferSize":900,"headers":[{"name":"Content-Length","value":"7"}]"#, "", 7
            ),
            (#"{"mimeType":"image/png","text":"aGVsbG8=","encoding":"base64"}"#, "", "", 5),
            (#"{"mimeType":"image/svg+xml","text":"<svg\/>é"}"#, "", "", 8),
            (#"{"size":-1,"mimeType":"image/png"}"#, "", #","_bytesIn":"596""#, 596),
            (#"{"size":"12","mimeType":"image/png"}"#, "", "", 12),
        ])
    func size(content: String, response: String, more: String, bytes: Int) throws {
        let trace = try read(entry(content: content, response: response, more: more)).trace
        #expect(trace.objects[0].bytes == bytes)
        #expect(fetches(trace)[0].bytes == bytes)
    }

    @Test(
        "Another ETag of a URL is said: the trace has one version",
        arguments: [
            ("\\\"y\\\"", 200, true), ("W/\\\"x\\\"", 304, false), ("\\\"x\\\"", 200, false), ("\\\"y\\\"", 404, false),
        ])
    func otherTag(tag: String, status: Int, isSaid: Bool) throws {
        func headers(_ tag: String) -> String { #","headers":[{"name":"ETag","value":"\#(tag)"}]"# }
        let reading = try read(
            entry(response: headers("\\\"x\\\"")),
            entry(started: "\"2026-03-01T09:31:00.000Z\"", status: status, response: headers(tag)))
        #expect(reading.warnings.contains { $0.hasPrefix("1 URLs came with different ETags") } == isSaid)
        #expect(reading.trace.objects[0].headers == [HTTPField("etag", "\"x\"")])
    }

    @Test("An unknown size is unknown, and said")
    func unknownSize() throws {
        let reading = try read(entry(content: #"{"size":-1,"mimeType":"image/png"}"#))
        #expect(reading.trace.objects[0].bytes == nil)
        #expect(reading.warnings == ["1 of 1 objects have no known size"])
    }

    @Test(
        "Images are recognised by type, and by the URL's ending only without a type",
        arguments: [
            ("IMAGE/PNG; charset=binary", "\"https://a/b\"", 1), ("", "\"https://a/b.JPG?x=1#y\"", 1),
            ("application/octet-stream", "\"https://a/b.webp\"", 1),
            ("image", "\"https://a/b.gif\"", 1), ("text/html", "\"https://a/b.gif\"", 0),
            ("", "\"https://a/b?x=c.gif\"", 0), ("application/json", "\"https://a\"", 0),
        ])
    func images(type: String, url: String, count: Int) throws {
        let reading = try read(entry(url: "\"other\""), entry(url: url, content: #"{"size":1,"mimeType":"\#(type)"}"#))
        #expect(TraceSummary(reading.trace).requests == 1 + count)
    }

    @Test("A 304 has no body; its object's size is known from elsewhere")
    func notModified() throws {
        let trace = try read(
            entry(status: 304, content: #"{"size":0,"mimeType":"image/png"}"#), entry(),
            entry(url: "\"other\"", status: 304, content: #"{"size":70,"mimeType":"image/png"}"#)
        ).trace
        #expect(trace.objects.map(\.bytes) == [100, 70])
        #expect(fetches(trace).map(\.bytes) == [0, 100, 0])
    }

    @Test("Failures are kept as failures and tell nothing of the object")
    func failures() throws {
        let trace = try read(
            entry(status: 0, content: #"{"mimeType":""}"#), entry(url: "\"moved\"", status: 302),
            entry(url: "\"gone.png\"", status: 404)
        ).trace
        #expect(fetches(trace).map(\.succeeded) == [false, false, false])
        #expect(trace.objects.map(\.bytes) == [nil, nil, nil])
    }

    @Test("Entries that cannot be used are skipped, and each kind is counted")
    func skipped() throws {
        let reading = try read(
            entry(), entry(started: "\"NaN-NaN\""), entry(started: "null"),
            entry(url: "\"data:image/png;base64,AAAA\""), entry(url: "7"), "null", "[]"
        )
        #expect(reading.trace.events.count == 2)
        #expect(
            reading.warnings == [
                "1 image entries without a URL skipped (the first is entry 5)",
                "2 image entries without a valid startedDateTime skipped (the first is entry 2)",
                "1 image entries with a local URL (data:, blob:, file: and others) skipped, because no network brings them "
                    + "(the first is entry 4)",
            ])
    }

    @Test("Without parts of timing, the entry's time is what is known")
    func onlyTime() throws {
        let trace = try read(entry(timings: #"{"wait":-1}"#, more: #","time":42"#)).trace
        #expect(fetches(trace)[0].timeToFirstByte == 42_000)
    }

    @Test(
        "WebPagetest's _protocol precedes httpVersion, which some of its versions damage",
        arguments: [
            (#","httpVersion":"us:""#, #","_protocol":"HTTP/2""#, FetchProtocol.http2),
            (#","httpVersion":"1.1""#, #","_protocol":"HTTP/2""#, .http2),
            (#","httpVersion":"http/1.1""#, #","_protocol":"other""#, .http1),
            (#","httpVersion":"us:""#, "", nil),
        ])
    func protocols(version: String, more: String, expected: FetchProtocol?) throws {
        let trace = try read(entry(response: version, more: more)).trace
        #expect(fetches(trace)[0].networkProtocol == expected)
    }

    @Test("URLs with a mark are thumbnails")
    func thumbnails() throws {
        let text = #"{"log":{"entries":["# + entry(url: "\"/thumb/1\"") + "," + entry(url: "\"/full/1\"") + "]}}"
        let trace = try Trace(
            TraceInput(bytes: Array(text.utf8), path: "a"), format: .har(.init(thumbnails: "/thumb/")))
        let variants = TraceSummary(trace).variants
        #expect(variants.map(\.name) == ["thumbnail", "full"])
        #expect(variants.map(\.count) == [1, 1])
    }

    @Test("A file cut anywhere is refused")
    func cut() throws {
        let bytes = Array(
            (#"{"log":{"entries":["# + entry(content: #"{"size":1.5e2,"mimeType":"image/png","text":"é\n"}"#) + "]}}")
                .utf8)
        #expect(throws: Never.self) { try Trace(TraceInput(bytes: bytes, path: "a.har")) }
        for length in 0..<bytes.count {
            #expect(throws: TraceError.self, "cut at \(length)") {
                try Trace(TraceInput(bytes: bytes[..<length], path: "a.har"))
            }
        }
    }

    @Test("Nesting without end is an error, not a stack overflow")
    func nesting() {
        let text = #"{"log":{"entries":[],"x":"# + String(repeating: "[", count: 1_000_000)
        let error = #expect(throws: TraceError.self) { try Trace(TraceInput(bytes: Array(text.utf8), path: "a.har")) }
        #expect(error?.message.contains("nested deeper than 256 levels") == true)
    }

    @Test(
        "Image fetches of real recordings are counted as their entries are", .enabled(if: SharedData.isPresent),
        arguments: HARExpectation.all.filter { $0["image_entries"] > 0 && $0.file != "weird_invalid-date.har" })
    func summary(expected: HARExpectation) throws {
        let path = SharedData.path("har/" + expected.file)
        let recording = try HARRecording(TraceInput(path: path)).summary
        // Images that redirects lead to are counted once, under the URL that was asked for.
        let hasRedirects = recording.redirectsFollowed + recording.redirectsLost > 0
        let images = try TraceSummary(Trace(contentsOf: path)).images
        #expect(hasRedirects ? images <= expected["image_entries"] : images == expected["image_entries"])
    }
}
