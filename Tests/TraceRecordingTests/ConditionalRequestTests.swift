import CacheTiers
import SessionModel
import Testing

@testable import TraceRecording

@Suite("Conditional requests to the loopback origin")
struct ConditionalRequestTests {
    private static let modified = "Sun, 15 Nov 2026 00:00:00 GMT"

    private static func traceWithValidators() -> Trace {
        var trace = trace(sizes: [5_000, 5_000])
        trace.objects[0].headers = [
            HTTPField("etag", "\"5f\""), HTTPField("last-modified", modified), HTTPField("cache-control", "max-age=9"),
        ]
        return trace
    }

    @Test(
        "By RFC 9110: tags are compared weakly and precede dates, and a date that is none has no effect",
        arguments: [
            ("If-None-Match: \"5f\"", 304), ("If-None-Match: W/\"5f\"", 304), ("If-None-Match: \"a, b\", \"5f\"", 304),
            ("If-None-Match: *", 304), ("If-None-Match: \"5f", 200), ("If-None-Match: 5f", 200),
            ("If-None-Match: \"6f\"", 200), ("If-Modified-Since: \(modified)", 304),
            ("If-Modified-Since: Sun, 15 Nov 2026 00:00:01 GMT", 304),
            ("If-Modified-Since: Sat, 14 Nov 2026 23:59:59 GMT", 200), ("If-Modified-Since: yesterday", 200),
            ("If-None-Match: \"6f\"\r\nIf-Modified-Since: \(modified)", 200), ("Accept: */*", 200),
        ])
    func answers(line: String, status: Int) throws {
        try serving(Self.traceWithValidators()) { origin in
            let answer = rawRequest(
                "GET /run/0 HTTP/1.1\r\nHost: localhost\r\n\(line)\r\nConnection: close\r\n\r\n", port: origin.port)
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
            #expect(answer.contains("etag: \"5f\"\r\n") && answer.contains("cache-control: max-age=9\r\n"))
            #expect(origin.served() == OriginStatistics(requests: 1, bytes: status == 304 ? 0 : 5_000))
            if status == 304 { #expect(answer.hasSuffix("\r\n\r\n")) }
        }
    }

    @Test("An error stays an error, and an object without validators is sent")
    func otherResponses() throws {
        try serving(Self.traceWithValidators()) { origin in
            let client = try makeClient()
            let tag = [(name: "if-none-match", value: "\"5f\"")]
            #expect(client.fetch("\(origin.url(0))?status=503&bytes=7", fields: tag).status == 503)
            #expect(client.fetch(origin.url(1), fields: tag).payload?.count == 5_000)
        }
    }

    @Test("libcurl sends the fields of one request only, and the connection stays open after a 304")
    func client() throws {
        try serving(Self.traceWithValidators()) { origin in
            let client = try makeClient { $0.connections = 1 }
            for _ in 0..<3 {
                let known = client.fetch(origin.url(0), fields: [("if-none-match", "\"5f\"")])
                #expect(known.status == 304 && known.payload?.count == 0 && known.receivedBytes == 0)
                #expect(client.fetch(origin.url(0)).payload?.count == 5_000)
            }
            #expect(origin.connections == 1)
            #expect(client.fetch(origin.url(0), fields: [("a", "b\r\nc: d")]).failure?.kind == .badRequest)
        }
    }
}
