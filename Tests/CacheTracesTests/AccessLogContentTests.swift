import CacheTraces
import SessionModel
import Testing
import TraceAnalysis

@Suite("Which requests of a log are images, and their order")
struct AccessLogContentTests {
    func read(_ text: String, _ format: TraceFormat? = nil) throws -> TraceReading {
        try TraceReading(TraceInput(bytes: Array(text.utf8), path: "access.log"), format: format)
    }

    @Test("Requests that a server logged in another order are counted, and put in order of their start")
    func reordered() throws {
        // The ends are in order, the starts are 0, 3, 1, 2 and 4 s.
        let text = [(0.0, 0), (3.5, 500), (4.0, 3000), (5.0, 3000), (5.0, 1000)].map { end, elapsed in
            "\(1_286_536_300 + end) \(elapsed) 1.1.1.1 TCP_MISS/200 5 GET http://e.x/\(end)-\(elapsed).png - - -\n"
        }.joined()
        let reading = try read(text)
        #expect(reading.trace.events.map(\.time) == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4].map { $0 * 1_000_000 })
        #expect(reading.facts.first { $0.name == "reordered_lines" }?.value == 2)
        #expect(
            reading.warnings.contains(
                "2 of 5 lines stand behind a line whose request began later; requests are put in order of their start"))
        let ordered = try read(AccessLogTests.line + AccessLogTests.line)
        #expect(ordered.warnings.isEmpty && ordered.facts.first { $0.name == "reordered_lines" }?.value == 0)
    }

    /// Recorded types: an image, a page, and three times none.
    private static let types = """
        1286536300.0 1 1.1.1.1 TCP_MISS/200 5 GET http://e.x/photo - - image/png
        1286536301.0 1 1.1.1.1 TCP_MISS/200 5 GET http://e.x/photos.png - - text/html
        1286536302.0 1 1.1.1.1 TCP_MISS/200 5 GET http://e.x/a.png?w=1 - - -
        1286536303.0 1 1.1.1.1 TCP_MISS/200 5 GET http://e.x/api - - -
        1286536304.0 1 1.1.1.1 TCP_MISS/200 5 GET http://e.x/photo/7 - - -
        """

    private func facts(_ reading: TraceReading, _ names: String...) -> [Int?] {
        names.map { name in reading.facts.first { $0.name == name }?.value }
    }

    @Test("Requests without a recorded type are counted apart from images")
    func unknownTypes() throws {
        let all = try read(Self.types)
        #expect(facts(all, "image_records", "images_by_url_ending", "unknown_type_records") == [2, 1, 2])
        let summary = TraceSummary(all.trace)
        #expect(summary.images == 1 && summary.fetchesOfUnknownType == 3 && summary.fetches == 5)
        #expect(summary.text(all).contains("1 of images, 3 of unknown type\n"))
        let images = try read(Self.types, .accessLog(.squid, .init(content: .images)))
        #expect(images.trace.objects.map(\.key) == ["http://e.x/photo", "http://e.x/a.png?w=1"])
        #expect(
            images.warnings == [
                "3 requests that are not of images are left out",
                "1 of 2 images have no recorded type; they are assumed by the endings of their URLs",
            ])
    }

    @Test("Patterns select the requests of images, whatever their types")
    func patterns() throws {
        let input = TraceInput(bytes: Array(Self.types.utf8), path: "a.log")
        let photos = try TraceReading(input, options: ReadingOptions(match: [PathPattern("/photo*")]))
        #expect(
            photos.trace.objects.map(\.key) == ["http://e.x/photo", "http://e.x/photos.png", "http://e.x/photo/7"])
        #expect(photos.warnings == ["2 requests that are not of images are left out"])
        let all = try TraceReading(input, options: ReadingOptions(content: .all, match: [PathPattern("/api")]))
        #expect(all.trace.objects.count == 5)
        #expect(facts(all, "image_records", "images_by_url_ending") == [1, 0])
        let error = #expect(throws: TraceError.self) {
            try TraceReading(input, options: ReadingOptions(match: [PathPattern("/none/*")]))
        }
        #expect(
            error?.message
                == "none of the 5 requests matches /none/*; a pattern is compared with the whole path")
    }

    @Test(
        "A pattern is compared with the path, with and without the query",
        arguments: [
            ("*", "/", true), ("/a.png", "/a.png", true), ("/a.png", "/A.PNG", true), ("/a.png", "/a.png2", false),
            ("/a.png", "/b/a.png", false), ("*.png", "cdn.example:443/b/a.png?w=1", true),
            ("*.png", "https://e.x/b.jpg?f=a.png", true), ("*.png", "https://e.x/b.jpg", false),
            ("/img?id=*", "https://e.x:80/img?id=7", true), ("/img/*/full", "/img/a/b/full", true),
            ("/img/*/full", "/img/full", false), ("*.{jpg,png}", "/a.jpg", true), ("*.{jpg,png}", "/a.gif", false),
            ("/{a,b}/?.png", "/b/c.png", true), ("*a*a*a*b", "/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac", false),
            ("/e.x", "e.x", false), ("*e.x", "http://e.x", true),
        ])
    func pattern(text: String, url: String, isMatch: Bool) throws {
        // One request of an image, which keeps the log from being empty.
        let log = ["/zz/kept.png", url].map {
            "1286536300.0 1 1.1.1.1 TCP_MISS/200 5 GET \($0) - - -\n"
        }.joined()
        let reading = try TraceReading(
            TraceInput(bytes: Array(log.utf8), path: "a.log"),
            options: ReadingOptions(match: [PathPattern("/zz/kept.png"), PathPattern(text)]))
        #expect(reading.trace.objects.map(\.key).contains(url) == isMatch)
    }

    @Test(
        "What is no pattern is refused with advice",
        arguments: [
            ("a.png", "write '*a.png'"), ("", "begins with /"), ("/{a", "braces have the form {a,b}"),
            ("/a}", "braces"), ("/{a,{b,c}}", "not nested"), ("{/a,b}", "begins with /"),
            ("/" + String(repeating: "{a,b}", count: 9), "up to 256"),
        ])
    func noPattern(text: String, expected: String) {
        let error = #expect(throws: PathPattern.Malformed.self) { try PathPattern(text) }
        #expect(error?.description.contains(expected) == true, "\(error?.description ?? "")")
    }

    @Test("To read all requests is no option of logs alone")
    func allContent() throws {
        let input = TraceInput(bytes: Array("1\n2\n".utf8), path: "a.txt")
        #expect(try TraceReading(input, options: ReadingOptions(content: .all)).trace.events.count == 2)
        for line in [AccessLogTests.line, "1286536308.779 180 1.1.1.1 TCP_MISS/200 411 GET http://e.x/a.png - - -\n"] {
            let plain = try read(line)
            let all = try TraceReading(
                TraceInput(bytes: Array(line.utf8), path: "access.log"), options: ReadingOptions(content: .all))
            #expect(all.format.name == plain.format.name && all.trace == plain.trace)
        }
    }
}
