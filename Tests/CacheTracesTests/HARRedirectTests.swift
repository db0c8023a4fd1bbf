import CacheTraces
import SessionModel
import TestSupport
import Testing

@Suite("Redirects in a HAR")
struct HARRedirectTests {
    /// An entry at a time in milliseconds.
    struct Entry {
        var url: String
        var at: Int
        var status = 200
        var to: String?
        var header: String?
        var type = "image/png"
        var size = 100
        var page = "p"
        var timings = #"{"blocked":1,"connect":10,"send":0,"wait":20,"receive":5}"#

        var json: String {
            let target = to.map { #","redirectURL":"\#($0)""# } ?? ""
            let headers = header.map { #","headers":[{"name":"Location","value":"\#($0)"}]"# } ?? ""
            let milliseconds = String(at + 10_000).suffix(3)
            let seconds = String(at / 1_000 + 100).suffix(2)
            return
                #"{"pageref":"\#(page)","startedDateTime":"2026-03-01T10:00:\#(seconds).\#(milliseconds)Z","#
                + #""request":{"url":"\#(url)"},"response":{"status":\#(status),"content":{"size":\#(size),"#
                + #""mimeType":"\#(type)"}\#(target)\#(headers)},"timings":\#(timings)}"#
        }
    }

    static func redirect(_ url: String, to target: String?, at time: Int, status: Int = 302) -> Entry {
        Entry(url: url, at: time, status: status, to: target, type: "text/html", size: 0)
    }

    func read(_ entries: Entry...) throws -> TraceReading {
        let text = #"{"log":{"entries":["# + entries.map(\.json).joined(separator: ",") + "]}}"
        return try TraceReading(TraceInput(bytes: Array(text.utf8), path: "page.har"))
    }

    /// `key status bytes` of each fetch, in order of time.
    func story(_ reading: TraceReading) -> [String] {
        let trace = reading.trace
        return trace.events.compactMap { event in
            guard case .fetch(let object, let fetch) = event.action else { return nil }
            return "\(trace.objects[Int(object)].key) \(fetch.status) \(fetch.bytes.map(String.init) ?? "?")"
        }
    }

    func fact(_ name: String, _ reading: TraceReading) -> Int? { reading.facts.first { $0.name == name }?.value }

    @Test("An image behind a redirect is one request of the first URL, with the image of the last")
    func followed() throws {
        let reading = try read(
            Self.redirect("https://a/image", to: "https://b/1.png", at: 0), Entry(url: "https://b/1.png", at: 40))
        #expect(reading.trace.objects == [TraceObject(key: "https://a/image", bytes: 100, contentType: "image/png")])
        // The redirect takes 36 ms, of which 1 ms is the queue and 10 ms the connection. 4 ms later the image is
        // requested, whose first byte arrives after 31 ms. Up to then the first byte has taken 25 + 4 + 31 ms.
        #expect(
            reading.trace.events == [
                TraceEvent(time: 0, .appear(0, .full)),
                TraceEvent(
                    time: 0,
                    .fetch(
                        0,
                        Fetch(
                            status: 200, bytes: 100, queued: 1_000, connect: 10_000, timeToFirstByte: 60_000,
                            transferTime: 5_000))),
            ])
        #expect(fact("redirects_followed", reading) == 1)
        #expect(fact("redirects_lost", reading) == 0)
        #expect(fact("image_entries", reading) == 1)
        #expect(reading.pages.map(\.images) == [1])
    }

    @Test("A chain of several hops is one request, whatever the order of the entries in the file")
    func chain() throws {
        let reading = try read(
            Entry(url: "https://c/3.png", at: 80), Self.redirect("https://b/2", to: "//c/3.png", at: 40, status: 307),
            Self.redirect("https://a/1", to: "https://b/2", at: 0, status: 301))
        #expect(story(reading) == ["https://a/1 200 100"])
        #expect(reading.trace.events.allSatisfy { $0.time == 0 })
        guard case .fetch(_, let fetch) = reading.trace.events[1].action else { return #expect(Bool(false)) }
        #expect(fetch.duration == 116_000)
    }

    @Test("Hops that overlap, as WebPageTest writes them, last until the end of the last one")
    func overlap() throws {
        // The redirect lasts from 0 to 36 ms, and the image from 10 to 46 ms. Its first byte is there after 41 ms, 11
        // ms of which are the queue and the connection of the redirect.
        let reading = try read(
            Self.redirect("https://a/1", to: "https://b/2", at: 0), Entry(url: "https://b/2", at: 10))
        guard case .fetch(_, let fetch) = reading.trace.events[1].action else { return #expect(Bool(false)) }
        #expect(fetch.duration == 46_000 && fetch.timeToFirstByte == 30_000)
    }

    @Test("A redirect whose connection lasts until after the image keeps the length of the chain")
    func overlongConnection() throws {
        var redirect = Self.redirect("https://a/1", to: "https://b/2", at: 0)
        redirect.timings = #"{"blocked":1,"connect":362,"send":0,"wait":122,"receive":0}"#
        var image = Entry(url: "https://b/2", at: 30)
        image.timings = #"{"blocked":-1,"connect":-1,"send":0,"wait":69,"receive":1}"#
        // The chain ends at 100 ms: 1 ms of queue, 1 ms of transfer, and 98 ms at most of connection.
        let reading = try read(redirect, image)
        guard case .fetch(_, let fetch) = reading.trace.events[1].action else { return #expect(Bool(false)) }
        #expect(
            fetch
                == Fetch(
                    status: 200, bytes: 100, queued: 1_000, connect: 98_000, timeToFirstByte: 0, transferTime: 1_000))
    }

    @Test(
        "The target is resolved against the URL, and compared as browsers write it",
        arguments: [
            ("https://a/x/1", "2.png", "https://a/x/2.png"), ("https://a/x/1", "/2.png?q=1#top", "https://a/2.png?q=1"),
            ("https://a/x/y/1", "../2.png", "https://a/x/2.png"), ("https://a/x/1", "?q=2", "https://a/x/1?q=2"),
            ("https://a/x/1", "./../../2.png", "https://a/2.png"), ("http://a/1", "HTTPS://A/2", "https://a/2"),
            ("https://a/1", "//B/2", "https://b/2"), ("https://a/1", "https://b", "https://b/"),
            ("https://a", "2.png", "https://a/2.png"), ("https://a/1", "/b c\u{e9}", "https://a/b%20c%C3%A9"),
            ("https://a/x/..", "..", "https://a/"),
        ])
    func relative(url: String, to target: String, expected: String) throws {
        let reading = try read(Self.redirect(url, to: target, at: 0), Entry(url: expected, at: 40))
        #expect(story(reading) == ["\(url) 200 100"])
    }

    @Test("Without redirectURL, the location header names the target")
    func header() throws {
        for empty in [nil, ""] {
            var first = Self.redirect("https://a/1", to: empty, at: 0)
            first.header = "/2"
            #expect(try story(read(first, Entry(url: "https://a/2", at: 40))) == ["https://a/1 200 100"])
        }
    }

    @Test("Only redirects are followed", arguments: [200, 204, 300, 304, 404, 0])
    func otherStatus(status: Int) throws {
        let first = Entry(url: "https://a/1", at: 0, status: status, to: "https://b/2")
        let reading = try read(first, Entry(url: "https://b/2", at: 40))
        #expect(story(reading).map { $0.prefix { $0 != " " } } == ["https://a/1", "https://b/2"])
        #expect(fact("redirects_followed", reading) == 0)
        #expect(fact("redirects_lost", reading) == 0)
    }

    @Test("An empty redirectURL is none")
    func empty() throws {
        let reading = try read(
            Entry(url: "https://a/1", at: 0, to: ""), Entry(url: "https://a/2", at: 1, status: 302, to: ""))
        #expect(story(reading) == ["https://a/1 200 100", "https://a/2 302 0"])
        #expect(reading.warnings == ["1 of 2 objects have no known size"])
    }

    @Test("A redirected image that is not recorded, or is none, fails and is counted")
    func lost() throws {
        var image = Self.redirect("https://a/1", to: "https://b/2", at: 0)
        image.type = "image/gif"
        for target in [Entry(url: "https://b/2", at: 40, type: "text/html"), Entry(url: "https://b/3", at: 40)] {
            let reading = try read(image, target, Entry(url: "https://c/4", at: 50))
            #expect(story(reading).first == "https://a/1 302 0")
            #expect(story(reading).last == "https://c/4 200 100")
            #expect(fact("redirects_lost", reading) == 1)
            #expect(
                reading.warnings.contains(
                    """
                    1 requests were redirected to a URL of which no image is recorded; they fail (the first is entry 1)
                    """))
        }
        // A redirect of a page or a script is not a request for an image.
        let other = try read(Self.redirect("https://a/1", to: "https://b/2", at: 0), Entry(url: "https://c/4", at: 50))
        #expect(story(other) == ["https://c/4 200 100"])
        #expect(fact("redirects_lost", other) == 0)
    }

    @Test("An image behind a redirect may fail, or not have changed")
    func statusOfImage() throws {
        let missing = try read(
            Self.redirect("https://a/1", to: "https://b/2", at: 0), Entry(url: "https://b/2", at: 40, status: 404))
        #expect(story(missing) == ["https://a/1 404 100"])
        let unchanged = try read(
            Self.redirect("https://a/1", to: "https://b/2", at: 0), Entry(url: "https://b/2", at: 40, status: 304))
        #expect(story(unchanged) == ["https://a/1 304 0"])
        #expect(unchanged.trace.objects[0].bytes == 100)
    }

    @Test("Loops end")
    func loops() throws {
        var own = Self.redirect("https://a/1", to: "https://a/1", at: 0)
        own.type = "image/png"
        // A server that sets a cookie redirects a URL to itself, once.
        #expect(try story(read(own, Entry(url: "https://a/1", at: 40))) == ["https://a/1 200 100"])
        var again = own
        again.at = 40
        #expect(try story(read(own, again)) == ["https://a/1 302 0"])
        // Entries of one time cannot lead back.
        var one = own
        one.to = "https://b/2"
        var other = Self.redirect("https://b/2", to: "https://a/1", at: 0)
        other.type = "image/png"
        #expect(try story(read(one, other)) == ["https://a/1 302 0"])
    }

    @Test("Each redirect leads to an entry of its own, on its page; direct requests stay requests")
    func several() throws {
        var elsewhere = Entry(url: "https://b/2", at: 55)
        elsewhere.page = "q"
        let reading = try read(
            Entry(url: "https://b/2", at: 0), Self.redirect("https://a/1", to: "https://b/2", at: 10),
            Self.redirect("https://a/3", to: "https://b/2", at: 20), Entry(url: "https://b/2", at: 50), elsewhere,
            Entry(url: "https://b/2", at: 60), Entry(url: "https://b/2", at: 70))
        #expect(
            story(reading) == [
                "https://b/2 200 100", "https://a/1 200 100", "https://a/3 200 100", "https://b/2 200 100",
                "https://b/2 200 100",
            ])
        #expect(reading.pages.map(\.images) == [4, 1])
    }

    @Test("Redirects without a URL or a date are not followed")
    func unusable() throws {
        let text =
            #"{"log":{"entries":[{"startedDateTime":"2026-03-01T10:00:00Z","response":{"status":302,"redirectURL":"#
            + #""https://b/2"}},{"request":{"url":"https://a/1"},"response":{"status":302,"redirectURL":"#
            + #""https://b/2"}},"# + Entry(url: "https://b/2", at: 40).json + "]}}"
        let reading = try TraceReading(TraceInput(bytes: Array(text.utf8), path: "page.har"))
        #expect(story(reading) == ["https://b/2 200 100"])
    }

    /// The counts are those of a second reader of the same files, written in Python with urllib.
    @Test(
        "Redirects of real recordings are followed", .enabled(if: SharedData.isPresent),
        arguments: [
            ("chromehar0.2.3_case-sensitive-protocol.har", 43, 4, 0), ("fiddler2.3_nopages.har", 62, 1, 0),
            ("firebug_cnn.har", 57, 2, 1), ("webinspector_bbc.com.har", 50, 3, 0),
            ("webpagetest17_expressen_2views.har", 328, 15, 0), ("webpagetest2.17_nytimes.har", 149, 33, 0),
            ("chromehar0.5_wikipedia_5runs.har.gz", 480, 0, 0),
        ])
    func real(file: String, requests: Int, followed: Int, lost: Int) throws {
        let reading = try TraceReading(contentsOf: SharedData.path("har/" + file))
        #expect(story(reading).count == requests)
        #expect(fact("redirects_followed", reading) == followed)
        #expect(fact("redirects_lost", reading) == lost)
        #expect(reading.pages.map(\.images).reduce(0, +) == requests)
    }
}
