import CacheTiers
import CacheTraces
import Foundation
import Testing

@testable import TraceRecording

@Suite("Proxy: forwarding")
struct ProxyPassingTests {
    @Test("Bodies of all sizes pass unchanged, over reused connections on both sides")
    func passesBodies() throws {
        let source = trace(sizes: [0, 1, 65_535, 65_536, 65_537, 1_000_000, 5 << 20])
        try serving(source) { origin in
            let recorded = try proxying(origin.address) { proxy in
                let client = try makeClient { $0.connections = 1 }
                for round in 0..<2 {
                    for (number, object) in source.objects.enumerated() {
                        let response = client.fetch("\(proxy.address)/run/\(number)")
                        #expect(response.payload?.count == object.bytes, "\(response)")
                        #expect(response.payload.map { PayloadPattern(key: object.key).matches($0.bytes) } == true)
                        #expect(response.newConnections == (round == 0 && number == 0 ? 1 : 0))
                    }
                }
            }
            #expect(origin.connections == 1)
            #expect(recorded.fetches.isEmpty, "the origin names no type, and the addresses do not end like images'")
        }
    }

    @Test("Path and query are forwarded unchanged, with the upstream's Host; hop-by-hop fields are removed")
    func passesRequests() throws {
        let seen = Seen("")
        let upstream = RawUpstream { connection, head in
            seen.value = head
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            return true
        }
        try proxying(upstream.address) { proxy in
            _ = proxy.ask(
                "GET /a/../b%2F?x=%20&y=%C3%BC", "Accept-Encoding: gzip, br", "X-Secret: 1", "Connection: x-secret",
                "Keep-Alive: 5", "TE: trailers",
                "Upgrade: websocket", "Cookie: a=b", "X-Empty:", "Range: bytes=0-9")
        }
        let lines = seen.value.split(separator: "\r\n")
        #expect(lines.first == "GET /a/../b%2F?x=%20&y=%C3%BC HTTP/1.1")
        #expect(lines.contains("Host: 127.0.0.1:\(upstream.port)"))
        for field in ["Accept-Encoding: gzip, br", "Cookie: a=b", "X-Empty:", "Range: bytes=0-9"] {
            #expect(lines.contains { $0 == field }, "\(field)")
        }
        for name in [
            "x-secret", "keep-alive", "te:", "upgrade", "connection", "user-agent", "accept:", "x-forwarded", "expect",
        ] {
            #expect(!lines.dropFirst().contains { $0.lowercased().hasPrefix(name) }, "\(name)")
        }
    }

    @Test("X-Forwarded fields name the client, by option")
    func forwarded() throws {
        let seen = Seen("")
        let upstream = RawUpstream { connection, head in
            seen.value = head
            return connection.send("HTTP/1.1 204 No Content\r\n\r\n")
        }
        try proxying(upstream.address, { $0.addsForwardedFields = true }) { proxy in
            _ = proxy.ask("GET /", "X-Forwarded-For: 10.0.0.7")
        }
        #expect(seen.value.contains("X-Forwarded-For: 10.0.0.7, 127.0.0.1\r\n"))
        #expect(seen.value.contains("X-Forwarded-Host: proxy.test\r\n"))
        #expect(seen.value.contains("X-Forwarded-Proto: http\r\n"))
    }

    @Test("The client follows redirects: those to the upstream become paths, others do not change")
    func passesRedirects() throws {
        let location = Seen("")
        let upstream = RawUpstream { connection, _ in
            connection.send("HTTP/1.1 302 Found\r\nLocation: \(location.value)\r\nContent-Length: 0\r\n\r\n")
        }
        let trace = try proxying(upstream.address) { proxy in
            for (from, to) in [
                ("\(upstream.address)/new?a=1#b", "/new?a=1#b"), ("//127.0.0.1:\(upstream.port)/x", "/x"),
                (upstream.address, "/"),
                ("/relative", "/relative"), ("next.jpg", "next.jpg"),
                ("https://elsewhere.test/a", "https://elsewhere.test/a"),
                ("https://127.0.0.1:\(upstream.port)/", "https://127.0.0.1:\(upstream.port)/"),
            ] {
                location.value = from
                let answer = proxy.ask("GET /old.jpg")
                #expect(answer.hasPrefix("HTTP/1.1 302 "))
                #expect(answer.contains("Location: \(to)\r\n"), "\(from): \(answer)")
            }
        }
        #expect(trace.events.isEmpty, "a redirect is no image")
    }

    @Test("HEAD, 204 and 304 have no body, whatever they announce; the connection stays open")
    func passesBodilessResponses() throws {
        let upstream = RawUpstream { connection, head in
            switch head.split(separator: " ").prefix(2).joined(separator: " ") {
            case "HEAD /announced":
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 12345\r\nContent-Type: image/png\r\n\r\n")
            case "HEAD /chunked": connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            case "GET /204": connection.send("HTTP/1.1 204 No Content\r\nX-A: b\r\n\r\n")
            case "GET /304": connection.send("HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\nContent-Length: 77\r\n\r\n")
            default: connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            }
        }
        try proxying(upstream.address) { proxy in
            let connection = RawConnection(port: proxy.port)
            func ask(_ line: String) -> String {
                connection.send("\(line) HTTP/1.1\r\nHost: localhost\r\n\r\n")
                return connection.receiveHead()
            }
            #expect(ask("HEAD /announced").contains("Content-Length: 12345\r\n"))
            let chunked = ask("HEAD /chunked")
            #expect(chunked.hasPrefix("HTTP/1.1 200 ") && !chunked.lowercased().contains("content-length"))
            let empty = ask("GET /204")
            #expect(
                empty.hasPrefix("HTTP/1.1 204 ") && empty.contains("X-A: b")
                    && !empty.lowercased().contains("transfer-encoding"))
            #expect(ask("GET /304").contains("ETag: \"1\"\r\n"))
            #expect(ask("GET /last").contains("Content-Length: 2\r\n"))
            #expect(connection.receive(exactly: 2) == Array("ok".utf8))
        }
    }

    @Test("A range is unchanged; a response without length is chunked, or ends the connection in HTTP/1.0")
    func passesRangesAndChunks() throws {
        let upstream = RawUpstream { connection, head in
            if head.hasPrefix("GET /range") {
                connection.send(
                    """
                    HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 5-9/900\r\nContent-Length: 5\r\nContent-Type: \
                    image/png\r\n\r\n56789
                    """
                )
            } else if head.hasPrefix("GET /chunks") {
                connection.send(
                    """
                    HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: \
                    X-T\r\n\r\n3\r\nabc\r\n4\r\ndefg\r\n0\r\nX-T: late\r\n\r\n
                    """
                )
            } else {
                connection.send("HTTP/1.0 200 OK\r\n\r\nuntil the end")
                return false
            }
            return true
        }
        let trace = try proxying(upstream.address) { proxy in
            let range = proxy.ask("GET /range", "Range: bytes=5-9")
            #expect(
                range.hasPrefix("HTTP/1.1 206 ") && range.contains("Content-Range: bytes 5-9/900\r\n")
                    && range.hasSuffix("\r\n\r\n56789"))
            let chunks = proxy.ask("GET /chunks")
            #expect(chunks.contains("Transfer-Encoding: chunked\r\n") && !chunks.contains("X-T"))
            #expect(chunks.hasSuffix("0\r\n\r\n") && chunks.contains("abc"))
            let old = proxy.ask(raw: "GET /chunks HTTP/1.0\r\n\r\n")
            #expect(old.isWhole && old.text.hasSuffix("\r\n\r\nabcdefg"), "\(old)")
            #expect(proxy.ask("GET /end").contains("until the end"))
        }
        #expect(trace.fetches.map(\.status) == [206] && trace.fetches.map(\.bytes) == [5])
        #expect(trace.objects.map(\.bytes) == [900], "the object is what the range is one of")
    }

    @Test(
        "Contradictory framing of the upstream is replaced, so that no response leaks into the next",
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 99\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
        ])
    func contradictions(response: String) throws {
        let upstream = RawUpstream.saying(response)
        try proxying(upstream.address) { proxy in
            let answer = proxy.ask("GET /")
            #expect(!answer.lowercased().contains("content-length"))
            #expect(answer.hasSuffix("5\r\nhello\r\n0\r\n\r\n"), "\(answer)")
        }
    }

    @Test("Compressed bodies are never decoded, and informational responses are not forwarded")
    func passesCompressed() throws {
        let upstream = RawUpstream.saying(
            """
            HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Type: \
            image/svg+xml\r\nContent-Length: 9\r\n\r\nnot zlib!
            """
        )
        let trace = try proxying(upstream.address) { proxy in
            let answer = proxy.ask("GET /a", "Accept-Encoding: gzip")
            #expect(
                answer.hasPrefix("HTTP/1.1 200 ") && answer.contains("Content-Encoding: gzip\r\n")
                    && answer.hasSuffix("\r\n\r\nnot zlib!"))
        }
        #expect(trace.fetches.map(\.bytes) == [9])
    }

    @Test(
        "Request bodies are forwarded, announced and chunked, for any method, and 100-continue is answered",
        arguments: ["POST", "PUT", "PATCH", "DELETE"])
    func passesUploads(method: String) throws {
        let seen = Seen([String]())
        let upstream = RawUpstream { connection, head in
            let length = head.lowercased().firstRange(of: "content-length: ").flatMap {
                Int(head.lowercased()[$0.upperBound...].prefix { $0.isNumber })
            }
            var body = ""
            if let length {
                body = String(decoding: connection.receive(exactly: length), as: UTF8.self)
            } else if head.lowercased().contains("chunked") {
                while !body.hasSuffix("0\r\n\r\n"), let piece = connection.receive(), !piece.isEmpty {
                    body += String(decoding: piece, as: UTF8.self)
                }
            }
            seen.value = seen.value + ["\(head.prefix { $0 != " " }) \(body.count)"]
            return connection.send("HTTP/1.1 201 Created\r\nContent-Length: 4\r\n\r\ndone")
        }
        let body = String(repeating: "x", count: 700_000)
        try proxying(upstream.address) { proxy in
            let connection = RawConnection(port: proxy.port)
            connection.send(
                "\(method) /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.count)\r\n"
                    + "Expect: 100-continue\r\n\r\n"
            )
            #expect(connection.receiveHead().hasPrefix("HTTP/1.1 100 "))
            connection.send(body)
            #expect(connection.receiveHead().hasPrefix("HTTP/1.1 201 "))
            #expect(connection.receive(exactly: 4) == Array("done".utf8))
            connection.send("\(method) /b HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
            #expect(connection.receiveHead().hasPrefix("HTTP/1.1 201 "))
            _ = connection.receive(exactly: 4)
            connection.send(
                "\(method) /c HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
            #expect(connection.receiveHead().hasPrefix("HTTP/1.1 201 "))
        }
        #expect(seen.value.prefix(2) == ["\(method) 700000", "\(method) 0"])
        #expect(seen.value.count == 3 && seen.value[2].hasPrefix("\(method) "))
    }
}
