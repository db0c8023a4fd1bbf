import HTTPCaching
import Testing

@Suite("A private HTTP cache")
struct HTTPCacheTests {
    private static let minute = ("Cache-Control", "max-age=60")
    private static let tagged = [("Cache-Control", "max-age=10"), ("ETag", "\"1\"")]

    @Test("A fresh response is used with its age; a stale one is validated and is fresh again after a 304")
    func validation() throws {
        var story = CacheStory()
        story.get(Self.tagged + [("Date", "Tue, 24 Nov 2026 00:00:00 GMT"), ("Content-Length", "3"), ("X", "1")])
        story.wait(9)
        let fresh = try #require(story.step().answer)
        #expect(fresh.source == .store && fresh.head.fields.first("Age") == "9")
        story.wait(1)
        let sent = try #require(story.sent())
        #expect(sent.head.fields.combined("If-None-Match") == "\"1\"")
        // The 304 has neither Date nor Age: those of the older response say nothing about it.
        let answer = story.receive(sent, 304, [("ETag", "\"1\""), ("X", "2"), ("Content-Length", "0")])
        #expect(answer.summary == "200 validated one")
        let fields = try #require(answer.answer).head.fields
        #expect(fields.first("X") == "2" && fields.first("Content-Length") == "3" && fields.first("Age") == "0")
        story.wait(9)
        #expect(story.step().summary == "200 store one")
        #expect(story.cache.oddities.total == 0)
    }

    @Test("A 304 that fits no stored body is counted, and the request is repeated without conditions, once")
    func unmatchedNotModified() throws {
        var story = CacheStory()
        story.get(Self.tagged)
        story.wait(10)
        let first = try #require(story.sent())
        let second = try #require(story.receive(first, 304, [("ETag", "\"2\"")]).sent)
        #expect(!second.head.fields.contains("If-None-Match"))
        #expect(story.receive(second, 200, [Self.minute], "two").summary == "200 network two")
        #expect(story.step().summary == "200 store two")
        #expect(story.cache.oddities[.unmatchedNotModified] == 1)

        var empty = CacheStory()
        let asked = try #require(empty.sent())
        let again = try #require(empty.receive(asked, 304, []).sent)
        #expect(empty.receive(again, 304, []).summary == "502 cache ")
        #expect(empty.cache.oddities[.unmatchedNotModified] == 2)
    }

    @Test("A 304 to the client's own condition is for the client")
    func clientsOwnCondition() throws {
        var story = CacheStory()
        let request = CacheStory.request([("If-None-Match", "\"1\"")])
        let sent = try #require(story.sent(request))
        #expect(sent.head == request)
        #expect(story.receive(sent, 304, [("ETag", "\"1\"")]).summary == "304 network ")
        #expect(story.cache.oddities.total == 0)
    }

    @Test("The conditions of the client are evaluated against what is stored")
    func conditions() throws {
        var story = CacheStory()
        let modified = ("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT")
        story.get([Self.minute, ("ETag", "W/\"1\""), modified, ("Content-Type", "image/png")])
        func status(_ name: String, _ value: String) -> Int? {
            story.step(CacheStory.request([(name, value)])).answer?.head.status
        }
        #expect(status("If-None-Match", "\"0\", \"1\"") == 304)
        #expect(status("If-None-Match", "*") == 304)
        #expect(status("If-None-Match", "\"2\"") == 200)
        #expect(status("If-Modified-Since", "Sunday, 06-Nov-94 08:49:37 GMT") == 304)
        #expect(status("If-Modified-Since", "Sun, 06 Nov 1994 08:49:36 GMT") == 200)
        #expect(status("If-Modified-Since", "yesterday") == 200)
        let both = CacheStory.request([("If-None-Match", "\"2\""), ("If-Modified-Since", modified.1)])
        #expect(story.step(both).answer?.head.status == 200)
        let short = try #require(story.step(CacheStory.request([("If-None-Match", "W/\"1\"")])).answer)
        #expect(short.head.fields.contains("ETag") && !short.head.fields.contains("Content-Type"))
        // A stale response is validated first, with its own validators.
        story.wait(60)
        let sent = try #require(story.sent(CacheStory.request([("If-None-Match", "\"2\", \"1\"")])))
        #expect(sent.head.fields.combined("If-None-Match") == "W/\"1\"")
        #expect(story.receive(sent, 304, []).summary == "304 validated ")
    }

    @Test("An entity tag without quotation marks goes back as it came, and is counted")
    func unquotedTag() throws {
        var story = CacheStory()
        story.get([("ETag", "abc"), ("Cache-Control", "no-cache")])
        let sent = try #require(story.sent())
        #expect(sent.head.fields.combined("If-None-Match") == "abc")
        #expect(story.receive(sent, 304, [("ETag", "abc")]).summary == "200 validated one")
        #expect(story.cache.oddities[.unquotedEntityTag] == 1)
    }

    @Test("Variants are kept side by side, and a 304 selects one of them for another request")
    func variants() throws {
        var story = CacheStory()
        func accepting(_ type: String) -> RequestHead { CacheStory.request([("Accept", type)]) }
        for type in ["webp", "png"] {
            story.get(accepting(type), 200, [Self.minute, ("Vary", "Accept"), ("ETag", "\"\(type)\"")], type)
        }
        #expect(story.step(accepting("webp")).summary == "200 store webp")
        #expect(story.step(accepting("png")).summary == "200 store png")
        let sent = try #require(story.sent(accepting("avif")))
        #expect(sent.head.fields.combined("If-None-Match") == "\"webp\", \"png\"")
        let selected = story.receive(sent, 304, [("ETag", "\"webp\""), ("Vary", "Accept")])
        #expect(selected.summary == "200 validated webp")
        #expect(story.step(accepting("avif")).summary == "200 store webp")
        #expect(story.cache.stored(CacheStory.url).count == 3)
        // Two variants have the body of this entity tag. A 304 to one of them is about both.
        story.wait(60)
        let validated = try #require(story.sent(accepting("webp")))
        #expect(validated.head.fields.combined("If-None-Match") == "\"webp\"")
        _ = story.receive(validated, 304, [("ETag", "\"webp\""), ("Vary", "Accept")])
        #expect(story.step(accepting("avif")).summary == "200 store webp")
        #expect(story.step(accepting("png")).summary == "sent")
    }

    @Test("A response with Vary: * is used only after the origin has selected it by its entity tag")
    func varyAny() throws {
        var story = CacheStory()
        let fields = [Self.minute, ("Vary", "*"), ("ETag", "\"1\"")]
        story.get(fields)
        for _ in 0..<2 {
            let sent = try #require(story.sent())
            #expect(sent.head.fields.combined("If-None-Match") == "\"1\"")
            #expect(story.receive(sent, 304, fields).summary == "200 validated one")
        }
        story.get([Self.minute, ("Vary", "*"), ("ETag", "\"2\"")], "two")
        #expect(story.cache.stored(CacheStory.url).count == 1)
    }

    @Test("Directives of requests")
    func requestDirectives() {
        var story = CacheStory()
        story.get([("Cache-Control", "max-age=60"), ("Age", "20")])
        func summary(_ directives: String) -> String {
            story.step(CacheStory.request([("Cache-Control", directives)])).summary
        }
        #expect(summary("max-age=20") == "200 store one" && summary("max-age=19") == "sent")
        #expect(summary("min-fresh=40") == "200 store one" && summary("min-fresh=41") == "sent")
        #expect(summary("no-cache") == "sent" && summary("no-store") == "sent")
        #expect(story.step(CacheStory.request([("Pragma", "no-cache")])).summary == "200 store one")
        story.wait(50)
        #expect(summary("max-stale=10") == "200 store stale one" && summary("max-stale=9") == "sent")
        #expect(summary("max-stale") == "200 store stale one")
        #expect(summary("only-if-cached") == "504 cache ")
        #expect(CacheStory().step(CacheStory.request([("Cache-Control", "only-if-cached")])).summary == "504 cache ")
    }

    @Test("A stale response is used while it is validated, within its window")
    func staleWhileRevalidate() throws {
        var story = CacheStory()
        let fields = [("Cache-Control", "max-age=10, stale-while-revalidate=5"), ("ETag", "\"1\"")]
        story.get(fields)
        story.wait(15)
        let step = story.step()
        #expect(step.summary == "200 store stale one")
        let background = try #require(step.answer?.background)
        #expect(background.head.fields.combined("If-None-Match") == "\"1\"")
        _ = story.receive(background, 304, fields)
        #expect(story.step().summary == "200 store one")
        story.wait(16)
        #expect(story.step().summary == "sent")
    }

    @Test("A reload validates what is fresh, except what is immutable")
    func reload() throws {
        var reload = CacheStory.request()
        reload.mode = .validate
        var story = CacheStory()
        story.get([Self.minute, ("ETag", "\"1\"")])
        let sent = try #require(story.sent(reload))
        #expect(sent.head.fields.combined("Cache-Control") == "max-age=0" && sent.head.fields.contains("If-None-Match"))
        var immutable = CacheStory()
        immutable.get([("Cache-Control", "max-age=60, immutable"), ("ETag", "\"1\"")])
        #expect(immutable.step(reload).summary == "200 store one")
        immutable.wait(60)
        #expect(immutable.step(reload).summary == "sent")
    }

    @Test("Without a connection, and after an error of the server, a stale response helps unless it must not")
    func failures() throws {
        func after(_ control: String, _ options: HTTPCache.Options = .init(), wait: Int64 = 20) throws -> [String] {
            var story = CacheStory(options)
            story.get([("Cache-Control", control)])
            story.wait(wait)
            let sent = try #require(story.sent())
            let broken = story.cache.fail(sent, at: story.time)
            return [broken.summary, story.receive(sent, 503, [], "down").summary]
        }
        let stale = "200 \(CacheAnswer.Source.storeAfterFailure.rawValue) stale one"
        #expect(try after("max-age=10") == [stale, stale])
        #expect(try after("max-age=10, must-revalidate") == ["504 cache ", "503 network down"])
        #expect(try after("no-cache") == ["504 cache ", "503 network down"])
        var strict = HTTPCache.Options()
        strict.usesStaleAfterFailure = false
        #expect(try after("max-age=10", strict) == ["504 cache ", "503 network down"])
        #expect(try after("max-age=10, stale-if-error=10", strict) == [stale, stale])
        #expect(try after("max-age=10, stale-if-error=10", strict, wait: 21) == ["504 cache ", "503 network down"])
    }

    @Test("A newer response that must not be stored removes the older one; an error does not")
    func replaced() {
        var story = CacheStory()
        story.get(Self.tagged)
        story.wait(10)
        story.get(CacheStory.request(), 404, [("Cache-Control", "no-store")])
        #expect(story.cache.stored(CacheStory.url).count == 1)
        story.get([("Cache-Control", "no-store")], "two")
        #expect(story.cache.stored(CacheStory.url).isEmpty)
    }

    @Test("An unsafe method that succeeds removes the responses of its URL and of its locations of one origin")
    func invalidation() throws {
        let urls = ["http://a.example/1", "http://a.example/2", "http://A.example:80/3", "http://b.example/4"]
        func left(_ status: Int, _ method: String) throws -> [Int] {
            var story = CacheStory()
            for url in urls { story.get(CacheStory.request(url: url), 200, [Self.minute]) }
            let sent = try #require(story.sent(CacheStory.request(method: method, url: urls[0])))
            let fields = [("Location", "/2"), ("Content-Location", urls[2]), ("Location", urls[3])]
            _ = story.receive(sent, status, fields)
            return urls.indices.filter { !story.cache.stored(urls[$0]).isEmpty }
        }
        #expect(try left(200, "POST") == [3])
        #expect(try left(303, "M-SEARCH") == [3])
        #expect(try left(500, "POST") == [0, 1, 2, 3])
        #expect(try left(404, "DELETE") == [0, 1, 2, 3])
        #expect(try left(200, "OPTIONS") == [0, 1, 2, 3])
    }

    @Test("A response to HEAD updates what is stored, or makes it stale if it is about another body")
    func head() throws {
        func afterHead(_ fields: [(String, String)]) throws -> String {
            var story = CacheStory()
            story.get(Self.tagged)
            story.wait(10)
            let sent = try #require(story.sent(CacheStory.request(method: "HEAD")))
            #expect(sent.head.method == "HEAD")
            _ = story.receive(sent, 200, fields)
            return story.step().summary
        }
        #expect(try afterHead([Self.minute]) == "200 store one")
        #expect(try afterHead([Self.minute, ("ETag", "\"1\""), ("Content-Length", "3")]) == "200 store one")
        #expect(try afterHead([Self.minute, ("ETag", "\"2\"")]) == "sent")
        #expect(try afterHead([Self.minute, ("Content-Length", "4")]) == "sent")
        var story = CacheStory()
        story.get([Self.minute])
        #expect(story.step(CacheStory.request(method: "HEAD")).summary == "200 store ")
    }

    @Test("Fields of one connection are not stored, and fields that no-cache names are not used again")
    func omittedFields() throws {
        var story = CacheStory()
        story.get([
            ("Cache-Control", "max-age=60, no-cache=\"Set-Cookie, X\""), ("Set-Cookie", "a"), ("X", "1"), ("Y", "2"),
            ("Connection", "close, Z"), ("Z", "3"), ("Keep-Alive", "timeout=5"),
        ])
        let fields = try #require(story.step().answer).head.fields
        #expect(fields.map(\.name) == ["Cache-Control", "Y", "Age"])
    }
}
