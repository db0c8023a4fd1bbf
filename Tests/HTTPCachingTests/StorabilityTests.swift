import HTTPCaching
import Testing

@Suite("What a private cache stores")
struct StorabilityTests {
    private static func storability(
        _ status: Int, _ fields: [(String, String)], _ request: RequestHead = RequestHead("http://a.example/1")
    ) -> Storability {
        var oddities = HTTPOddities()
        let response = ResponseHead(status, HeaderFields(fields))
        let freshness = ResponseFreshness(response, requested: start, received: start, oddities: &oddities)
        return Storability(request, response, freshness)
    }

    private static let fresh = ("Cache-Control", "max-age=60")

    @Test(
        "By status and fields",
        arguments: [
            (200, [], .storable), (404, [], .storable), (501, [], .storable), (206, [], .storable),
            (201, [], .refused(.unstated)), (302, [], .refused(.unstated)), (503, [], .refused(.unstated)),
            (201, [fresh], .storable), (599, [fresh], .storable), (503, [("Cache-Control", "public")], .storable),
            (302, [("Expires", "Tue, 24 Nov 2026 01:00:00 GMT")], .storable),
            (200, [("Cache-Control", "private, max-age=60")], .storable),
            (200, [("Cache-Control", "no-store, max-age=60")], .refused(.noStore)),
            (200, [("Cache-Control", "no-cache")], .storable),
            (200, [("Cache-Control", "no-store, must-understand")], .storable),
            (599, [("Cache-Control", "no-store, must-understand")], .refused(.notUnderstood)),
            (200, [fresh, ("Vary", "Accept")], .storable),
            (200, [fresh, ("Vary", "Accept, *")], .refused(.varyAny)),
            (200, [fresh, ("Vary", "*"), ("ETag", "\"1\"")], .storable),
            (103, [fresh], .refused(.interim)), (304, [fresh], .refused(.notModified)),
            (416, [fresh], .refused(.requestOnly)), (412, [fresh], .refused(.requestOnly)),
        ] as [(Int, [(String, String)], Storability)])
    func responses(status: Int, fields: [(String, String)], expected: Storability) {
        #expect(Self.storability(status, fields) == expected)
    }

    @Test("By request: no-store forbids, Authorization does not, and POST needs a response that is that of its URL")
    func requests() {
        var request = RequestHead("http://a.example/1", fields: [HeaderField("Authorization", "x")])
        #expect(Self.storability(200, [Self.fresh], request) == .storable)
        request.fields = [HeaderField("Cache-Control", "no-store")]
        #expect(Self.storability(200, [Self.fresh], request) == .refused(.noStoreRequest))
        let post = RequestHead("http://a.example/1", method: "POST")
        #expect(Self.storability(200, [Self.fresh], post) == .refused(.method))
        #expect(Self.storability(200, [Self.fresh, ("Content-Location", "/1")], post) == .storable)
        #expect(Self.storability(200, [Self.fresh, ("Content-Location", "/2")], post) == .refused(.method))
        #expect(Self.storability(200, [("Content-Location", "/1")], post) == .refused(.method))
        #expect(
            Self.storability(200, [Self.fresh], RequestHead("http://a.example/1", method: "PUT")) == .refused(.method))
    }

    @Test("Vary compares lists, and languages without order and case")
    func vary() {
        func matches(_ vary: String, _ stored: [(String, String)], _ request: [(String, String)]) -> Bool {
            VaryKey(HeaderFields([("Vary", vary)]), request: HeaderFields(stored)).matches(HeaderFields(request))
        }
        #expect(matches("Foo", [("foo", "1")], [("FOO", "1")]))
        #expect(matches("Foo", [("Foo", "1, 2")], [("Foo", "1"), ("Foo", "2")]))
        #expect(!matches("Foo", [("Foo", "1, 2")], [("Foo", "2, 1")]))
        #expect(!matches("Foo", [], [("Foo", "1")]) && !matches("Foo", [("Foo", "1")], []))
        #expect(!matches("Foo", [], [("Foo", "")]))
        #expect(matches("Foo, Bar", [("Foo", "1")], [("Foo", "1"), ("Baz", "3")]))
        #expect(matches("Accept-Language", [("Accept-Language", "en, de")], [("Accept-Language", "DE,en")]))
        #expect(!matches("Accept-Language", [("Accept-Language", "en")], [("Accept-Language", "en;q=0.5")]))
    }
}
