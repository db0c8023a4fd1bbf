import CacheTiers
import Foundation
import HTTPCases
import MeasuredTiers
import Testing

/// Requests with heads by libcurl, over sockets.
@Suite("Requests with a head of their own")
struct OriginRequestTests {
    private static func serving<Result>(_ requests: String, _ body: (CaseOrigin, [CaseRequest]) throws -> Result) throws
        -> Result
    {
        let text = #"{"suite": "own", "id": "case", "requests": \#(requests)}"#
        let test = try CacheCase.decoder.decode(CacheCase.self, from: Data(text.utf8))
        let origin = try CaseOrigin([test], clock: .virtual())
        defer { try? origin.stop() }
        return try body(origin, test.requests)
    }

    @Test("Method, fields and body go to the origin; all heads come back in order, with repeated fields")
    func exchange() throws {
        let requests = """
            [{"interim_responses": [[103, [["link", "</a>"]]]], "response_status": [404, "Gone"],
              "response_headers": [["X", "1"], ["X", "\u{FC}"]], "response_body": "none"}]
            """
        try Self.serving(requests) { origin, cases in
            let client = try CurlOrigin()
            var request = OriginRequest(origin.url("case", cases[0]))
            request.method = "REPORT"
            request.fields = [("A", "1"), ("A", "2"), ("B", "")]
            request.body = Array("abc".utf8)
            let response = client.fetch(request)
            #expect(response.status == 404 && response.failure == nil)
            #expect(response.heads.map(\.status) == [103, 404])
            #expect(response.heads[0].fields.map(\.value) == ["</a>"])
            #expect(response.heads[1].fields.filter { $0.name == "X" }.map(\.value) == ["1", "\u{FC}"])
            #expect(response.payload.map { String(decoding: Array($0.bytes), as: UTF8.self) } == "none")
            let seen = try #require(origin.seenRequests("case").first)
            #expect(seen.method == "REPORT" && seen.fields.values("A") == ["1", "2"])
            #expect(seen.fields.first("B") == "" && seen.fields.first("Content-Length") == "3")
            #expect(!seen.fields.contains("Content-Type") && !seen.fields.contains("Expect"))
        }
    }

    @Test("A fetch after a request with a head of its own is an ordinary one again")
    func reuse() throws {
        try Self.serving("[{}, {}, {}]") { origin, cases in
            let client = try CurlOrigin()
            let url = origin.url("case", cases[0])
            var head = OriginRequest(url)
            head.method = "HEAD"
            head.fields = [("X", "1")]
            #expect(client.fetch(head).payload?.count == 0)
            var post = head
            post.method = "POST"
            post.body = []
            #expect(client.fetch(post).heads.count == 1)
            let plain = client.fetch(url)
            #expect(plain.payload?.count == 4 && plain.heads.isEmpty)
            let seen = origin.seenRequests("case")
            #expect(seen.map(\.method) == ["HEAD", "POST", "GET"])
            #expect(seen[1].fields.first("Content-Length") == "0" && !seen[2].fields.contains("X"))
        }
    }

    @Test("A head that would break the request is refused", arguments: ["a\r\nX: 1", "a\n", "\u{0}", "日"])
    func flaws(value: String) throws {
        let client = try CurlOrigin()
        var request = OriginRequest("http://127.0.0.1:9/")
        request.fields = [("A", value)]
        #expect(client.fetch(request).failure?.message.contains("cannot contain U+") == true)
        request.fields = [("A:", "1")]
        #expect(client.fetch(request).failure?.message.contains("name of a field") == true)
        request.fields = []
        request.method = "GET /"
        #expect(client.fetch(request).failure?.message.contains("one word") == true)
    }

    @Test("A connection that breaks before or within a body is a failure without a body")
    func brokenConnection() throws {
        let requests = """
            [{"disconnect": true},
             {"response_headers": [["ETag", "\\"1\\""], ["Content-Length", "8"]], "response_body": "abcd"}]
            """
        try Self.serving(requests) { origin, cases in
            let client = try CurlOrigin()
            let request = OriginRequest(origin.url("case", cases[0]))
            #expect(client.fetch(request).failure?.kind == .reset)
            let broken = client.fetch(request)
            #expect(broken.failure?.kind == .truncated && broken.payload == nil && broken.receivedBytes == 4)
        }
    }
}
