import CacheTraces
import SessionModel
import TestSupport
import Testing
import TraceAnalysis

/// What people reported of HAR files, in public, and what is right.
@Suite("HAR: what browsers and proxies write against the specification")
struct HARReportTests {
    /// Reads a recording with an entry for each text: of a URL, the members of the request, of the response and of the
    /// entry.
    private func read(
        creator: String = "WebInspector",
        _ entries: (url: String, request: String, response: String, entry: String)...
    ) throws -> TraceReading {
        let texts = entries.enumerated().map { number, entry in
            """
            {"startedDateTime":"2026-01-05T10:00:0\(number).000Z","request":{"url":"\(entry.url)"\(entry.request)},\
            "response":{\(entry.response)}\(entry.entry)}
            """
        }
        let text = #"{"log":{"creator":{"name":"\#(creator)","version":"1"},"entries":["# + texts.joined(separator: ",")
        return try TraceReading(TraceInput(bytes: Array((text + "]}}").utf8), path: "page.har"))
    }

    private static let image = #""status":200,"content":{"size":900,"mimeType":"image/png"}"#
    private static let times = #","time":62,"timings":{"wait":50,"receive":12}"#

    /// A line for each fetch: the last part of its key, its status, its bytes, and whether it has times.
    private func fetches(_ trace: Trace) -> [String] {
        trace.events.compactMap { event in
            guard case .fetch(let object, let fetch) = event.action else { return nil }
            let name = trace.objects[Int(object)].key.split(separator: "/").last ?? ""
            let bytes = fetch.bytes.map { "\($0)" } ?? "?"
            return "\(name) \(fetch.status) \(bytes)\(fetch.duration == nil ? "" : " timed")"
        }
    }

    private func shared(_ name: String) throws -> TraceReading {
        try TraceReading(contentsOf: SharedData.path("public-reports/formats/\(name)/input.har"))
    }

    @Test("Only GET shows an image; the others are counted", arguments: ["OPTIONS", "HEAD", "POST", "PUT"])
    func methods(method: String) throws {
        let reading = try read(
            ("https://a/1.png", #","method":"\#(method)""#, Self.image, Self.times),
            ("https://a/1.png", #","method":"GET""#, Self.image, Self.times),
            ("https://a/2.png", "", Self.image, Self.times))
        #expect(fetches(reading.trace) == ["1.png 200 900 timed", "2.png 200 900 timed"])
        #expect(reading.warnings.contains { $0.hasPrefix("1 image entries with another method than GET skipped") })
        #expect(reading.warnings.contains { $0.hasSuffix("(the first is entry 1)") })
    }

    @Test(
        "What the device has is not fetched, and is counted",
        arguments: [
            "blob:https://app.test/6c1f", "file:///home/a.png", "about:blank", "data:image/png;base64,AAAA",
            "chrome-extension://abcdef/icon.png", "moz-extension://1/icon.png", "content://media/1.png",
        ])
    func local(url: String) throws {
        let reading = try read(
            (url, "", Self.image, Self.times), ("https://a/1.png", "", Self.image, Self.times),
            ("HTTP://a/2.png", "", Self.image, Self.times), ("a.test:8080/3.png", "", Self.image, Self.times))
        #expect(fetches(reading.trace).map { $0.prefix(5) } == ["1.png", "2.png", "3.png"])
        #expect(reading.warnings.contains { $0.hasPrefix("1 image entries with a local URL") })
    }

    @Test(
        "An image that took no time came from a cache",
        arguments: [
            #","time":0,"timings":{}"#, #","time":0,"timings":{"blocked":0,"dns":0,"send":0,"wait":0,"receive":0}"#,
            #","time":0,"timings":{"blocked":-1,"dns":-1,"wait":0}"#, #","time":0"#,
        ])
    func noTime(times: String) throws {
        let reading = try read(
            creator: "Firefox", ("https://a/1.png", "", Self.image, times),
            ("https://a/2.png", "", Self.image, Self.times))
        #expect(fetches(reading.trace) == ["1.png 200 0", "2.png 200 900 timed"])
    }

    @Test("If no entry has a time, 0 stands for an unknown one")
    func noTimes() throws {
        let reading = try read(("https://a/1.png", "", Self.image, #","time":0,"timings":{"wait":0,"receive":0}"#))
        #expect(fetches(reading.trace) == ["1.png 200 900 timed"])
    }

    /// TLS of 30 ms within or beside a connection of 40 ms; the other parts are 60 ms.
    @Test(
        "The whole time tells whether TLS stands beside the connection",
        arguments: [
            ("mitmproxy", #""time":130,"#, 70), ("Charles Proxy", #""time":129.6,"#, 70),
            ("WebInspector", #""time":100,"#, 40), ("WebInspector", #""time":101,"#, 40),
            ("Playwright", #""time":130,"#, 40), ("Firefox", "", 70), ("mitmproxy", "", 70), ("Proxyman", "", 40),
        ])
    func tls(creator: String, time: String, milliseconds: Int64) throws {
        let times = #","# + time + #""timings":{"connect":40,"ssl":30,"wait":50,"receive":10}"#
        let reading = try read(creator: creator, ("https://a/1.png", "", Self.image, times))
        guard case .fetch(_, let fetch) = reading.trace.events[1].action else { return #expect(Bool(false)) }
        #expect(fetch.connect == milliseconds * 1_000 && fetch.timeToFirstByte == 50_000)
    }

    /// The first response is of a part of an image of 900 bytes, and the second one of all of it.
    @Test(
        "The size of a part is not that of the object",
        arguments: [
            (206, #""headers":[{"name":"Content-Range","value":"bytes 0-99/900"}]"#, 100, 900),
            (206, #""headers":[{"name":"content-range","value":"bytes 0-99/*"}]"#, 100, nil),
            (206, #""bodySize":100"#, 100, nil),
            (200, #""_error":"net::ERR_ABORTED""#, 100, nil),
            (200, #""_failureText":"cancelled","headers":[{"name":"Content-Length","value":"900"}]"#, 100, 900),
            (200, #""_error":"","bodySize":100"#, 100, 100), (200, #""_error":null"#, 100, 100),
        ])
    func parts(status: Int, response: String, received: Int, whole: Int?) throws {
        let part = #""status":\#(status),"content":{"size":100,"mimeType":"image/png"},"# + response
        let alone = try read(("https://a/1.png", "", part, Self.times))
        #expect(fetches(alone.trace) == ["1.png \(status) \(received) timed"])
        #expect(alone.trace.objects[0].bytes == whole)
        let isUnknown = alone.warnings.contains("1 of 1 objects have no known size")
        #expect(isUnknown == (whole == nil))
        let both = try read(("https://a/1.png", "", part, Self.times), ("https://a/1.png", "", Self.image, Self.times))
        #expect(both.trace.objects[0].bytes == (whole ?? 900))
    }

    @Test("A body without bytes has no known size")
    func emptyBody() throws {
        let empty = #""status":200,"content":{"size":0,"mimeType":"image/png"}"#
        let reading = try read(("https://a/1.png", "", empty, Self.times))
        #expect(reading.trace.objects[0].bytes == nil)
    }

    @Test(
        "What the page asked for tells an image without a type, and a failure",
        arguments: [
            (
                "https://a/1", #""status":200,"content":{"size":900,"mimeType":"x-unknown"}"#,
                #","_resourceType":"image""#, 1
            ),
            (
                "https://a/1", #""status":0,"content":{"size":0,"mimeType":"x-unknown"}"#, #","_resourceType":"image""#,
                1
            ),
            (
                "https://a/1", #""status":404,"content":{"size":9,"mimeType":"text/html"}"#,
                #","_resourceType":"Image""#, 1
            ),
            ("https://a/1.png", #""status":0,"content":{"size":0,"mimeType":"x-unknown"}"#, "", 1),
            (
                "https://a/1", #""status":200,"content":{"size":9,"mimeType":"text/html"}"#,
                #","_resourceType":"image""#, 0
            ),
            (
                "https://a/1", #""status":200,"content":{"size":9,"mimeType":"x-unknown"}"#,
                #","_resourceType":"fetch""#, 0
            ),
            ("https://a/1", #""status":200,"content":{"size":9,"mimeType":"x-unknown"}"#, "", 0),
        ])
    func untyped(url: String, response: String, entry: String, count: Int) throws {
        let reading = try read((url, "", response, entry), ("https://a/2.png", "", Self.image, Self.times))
        #expect(fetches(reading.trace).count == 1 + count)
        guard entry.contains("_resourceType") else { return }
        let destination = entry.contains("fetch") ? "empty" : "image"
        let header = #","headers":[{"name":"Sec-Fetch-Dest","value":"\#(destination)"}]"#
        let other = try read((url, header, response, ""), ("https://a/2.png", "", Self.image, Self.times))
        #expect(fetches(other.trace).count == 1 + count)
    }

    @Test("The inputs of the reports are read right", .enabled(if: SharedData.isPresent))
    func reports() throws {
        #expect(
            fetches(try shared("31-har-firefox111-cached").trace) == [
                "logo.png 200 0", "favicon.ico 200 0", "old.png 200 0", "net.png 200 2000 timed",
            ])
        #expect(fetches(try shared("21-har-blob-and-local-addresses").trace) == ["a.png 200 1000 timed"])
        #expect(
            fetches(try shared("20-har-failed-x-unknown").trace) == [
                "ok.png 200 100 timed", "offline.png 0 ? timed", "notype.jpg 200 4321 timed", "77 200 999 timed",
            ])
        let ranges = try shared("06-har-206-partial-content").trace
        #expect(ranges.objects.map(\.bytes) == [500_000])
        #expect(fetches(ranges).map { $0.split(separator: " ")[2] } == ["65536", "434464", "500000"])
        let preflights = try shared("03-har-cors-preflight").trace
        #expect(preflights.objects.map(\.bytes) == [20_000, 30_000])
        #expect(preflights.events.filter { $0.action.name == "appear" }.map(\.time) == [0, 2_000_000])
        guard case .fetch(_, let fetch) = try shared("01-har-mitmproxy-tls-beside-connect").trace.events[1].action
        else { return #expect(Bool(false)) }
        #expect([fetch.connect, fetch.timeToFirstByte, fetch.transferTime] == [78_791, 35_207, 13_535])
    }

    /// The gallery's own trace of the visit has 453 fetches of 120 objects.
    @Test("Copies in the memory of a page are no requests of the visit", .enabled(if: SharedData.isPresent))
    func visit() throws {
        let reading = try TraceReading(contentsOf: SharedData.path("session-replays/feed.har.gz"))
        let summary = TraceSummary(reading.trace)
        #expect((summary.requests, summary.objects) == (453, 120))
    }
}
