import HTTPCaching
import Testing

@Suite("Parts of responses")
struct PartialContentTests {
    private static let tag = ("ETag", "\"1\"")
    private static let minute = ("Cache-Control", "max-age=60")

    private static func range(_ text: String, _ others: [(String, String)] = []) -> RequestHead {
        CacheStory.request([("Range", text)] + others)
    }

    @Test("A complete response serves ranges of bytes")
    func rangesOfWhole() throws {
        var story = CacheStory()
        story.get([Self.minute, Self.tag], "0123456789")
        #expect(story.step(Self.range("bytes=0-1")).summary == "206 store 01")
        #expect(story.step(Self.range("bytes=8-")).summary == "206 store 89")
        #expect(story.step(Self.range("bytes=-3")).summary == "206 store 789")
        #expect(story.step(Self.range("Bytes=5-99")).summary == "206 store 56789")
        #expect(story.step(Self.range("bytes=10-")).summary == "416 store ")
        let head = try #require(story.step(Self.range("bytes=2-3")).answer).head
        #expect(head.fields.first("Content-Range") == "bytes 2-3/10" && head.fields.first("Content-Length") == "2")
        // Only an origin answers several ranges, and other units.
        #expect(story.sent(Self.range("bytes=0-1,4-5"))?.head.fields.contains("If-None-Match") == false)
        #expect(story.step(Self.range("pages=1-2")).summary == "sent")
        #expect(story.step(Self.range("bytes=0-1", [("If-Range", "\"1\"")])).summary == "206 store 01")
        #expect(story.step(Self.range("bytes=0-1", [("If-Range", "\"2\"")])).summary == "200 store 0123456789")
    }

    @Test("Parts with one strong validator are combined; others replace each other")
    func combining() throws {
        var story = CacheStory()
        func part(_ fields: [(String, String)], _ range: String, _ body: String) {
            story.get(Self.range("bytes=\(range)"), 206, fields + [("Content-Range", "bytes \(range)/10")], body)
        }
        part([Self.minute, Self.tag], "0-4", "01234")
        #expect(story.step(Self.range("bytes=1-2")).summary == "206 store 12")
        #expect(story.step(Self.range("bytes=4-5")).summary == "sent")
        part([Self.minute, Self.tag], "3-9", "3456789")
        #expect(story.step(Self.range("bytes=4-5")).summary == "206 store 45")
        #expect(story.step().summary == "200 store 0123456789")
        #expect(story.step().answer?.head.fields.contains("Content-Range") == false)

        story = CacheStory()
        for tag in ["W/\"1\"", "W/\"1\""] {
            part([Self.minute, ("ETag", tag)], "0-4", "01234")
            part([Self.minute, ("ETag", tag)], "5-9", "56789")
        }
        #expect(story.step().summary == "sent" && story.cache.stored(CacheStory.url).count == 1)
    }

    @Test("The rest of a part is asked for, and completes it; another validator means the whole again")
    func completing() throws {
        var story = CacheStory()
        let fields = [Self.minute, Self.tag]
        story.get(Self.range("bytes=0-4"), 206, fields + [("Content-Range", "bytes 0-4/10")], "01234")
        let rest = try #require(story.sent())
        #expect(rest.head.fields.combined("Range") == "bytes=5-" && rest.head.fields.combined("If-Range") == "\"1\"")
        var changed = story
        let end = [("Content-Range", "bytes 5-9/10")]
        #expect(story.receive(rest, 206, fields + end, "56789").summary == "200 network 0123456789")
        #expect(story.step().summary == "200 store 0123456789")

        let again = try #require(changed.receive(rest, 206, [Self.minute, ("ETag", "\"2\"")] + end, "vwxyz").sent)
        #expect(!again.head.fields.contains("Range"))
        #expect(changed.receive(again, 200, [Self.minute], "abcdevwxyz").summary == "200 network abcdevwxyz")
        #expect(changed.receive(rest, 416, []).sent?.head.fields.contains("Range") == false)
    }

    @Test("The beginning of a broken response is kept if a strong validator can identify its end")
    func brokenResponse() throws {
        var story = CacheStory()
        let asked = try #require(story.sent())
        let fields = [Self.minute, Self.tag, ("Content-Length", "10")]
        #expect(story.receive(asked, 200, fields, "0123", isComplete: false).summary == "504 cache ")
        let rest = try #require(story.sent())
        #expect(rest.head.fields.combined("Range") == "bytes=4-")
        let end = [("Content-Range", "bytes 4-9/10"), ("Content-Length", "6")]
        #expect(story.receive(rest, 206, [Self.minute, Self.tag] + end, "456789").summary == "200 network 0123456789")
        #expect(story.step().answer?.head.fields.first("Content-Length") == "10")
        #expect(story.cache.oddities[.incompleteBody] == 1)

        var weak = CacheStory()
        let first = try #require(weak.sent())
        _ = weak.receive(first, 200, [Self.minute, ("ETag", "W/\"1\"")], "0123", isComplete: false)
        #expect(weak.cache.stored(CacheStory.url).isEmpty)
    }

    @Test(
        "A 206 whose Content-Range is missing, or not one of its body, is passed on, counted and not stored",
        arguments: ["", "bytes 4-2/10", "bytes 0-4/3", "bytes */10", "pages 0-4/10", "bytes 0-1/10"])
    func invalidContentRange(text: String) {
        var story = CacheStory()
        let step = story.get(Self.range("bytes=0-4"), 206, [Self.minute, ("Content-Range", text)], "01234")
        #expect(step.summary == "206 network 01234")
        #expect(story.cache.oddities[.invalidContentRange] == 1 && story.cache.stored(CacheStory.url).isEmpty)
    }
}
