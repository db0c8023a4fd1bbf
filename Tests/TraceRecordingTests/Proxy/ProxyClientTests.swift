import CacheTiers
import CacheTraces
import Foundation
import Testing

@testable import TraceRecording

@Suite("Proxy: clients")
struct ProxyClientTests {
    @Test("64 concurrent clients receive their own bytes, and every request is in the trace once")
    func manyClients() throws {
        let source = trace(sizes: (0..<40).map { 1000 + 7919 * $0 })
        let trace = try serving(source) { origin in
            try proxying(origin.address, { $0.recordsAll = true }) { proxy in
                let group = DispatchGroup()
                let wrong = Seen(0)
                for worker in 0..<64 {
                    group.enter()
                    Thread.detachNewThread {
                        defer { group.leave() }
                        let connection = RawConnection(port: proxy.port)
                        for round in 0..<5 {
                            let object = (worker * 3 + round * 11) % 40
                            connection.send("GET /run/\(object) HTTP/1.1\r\nHost: localhost\r\n\r\n")
                            let head = connection.receiveHead()
                            let body = connection.receive(exactly: 1000 + 7919 * object)
                            let isRight =
                                head.hasPrefix("HTTP/1.1 200 ") && body.count == 1000 + 7919 * object
                                && body.withUnsafeBytes(PayloadPattern(key: source.objects[object].key).matches)
                            if !isRight { wrong.value += 1 }
                        }
                    }
                }
                group.wait()
                #expect(wrong.value == 0)
                #expect(proxy.counts.requests == 320)
            }
        }
        #expect(trace.appearances.count == 320 && trace.fetches.count == 320)
        #expect(
            trace.fetches.allSatisfy {
                $0.status == 200 && ($0.timeToFirstByte ?? -1) >= 0 && ($0.transferTime ?? -1) >= 0
            })
        #expect(trace.objects.allSatisfy { $0.bytes != nil } && trace.objects.count == 40)
    }

    @Test("A slow client slows the upstream down, which is never far ahead")
    func slowReader() throws {
        let size = 160 << 20
        try serving(trace(sizes: [size])) { origin in
            _ = try proxying(origin.address) { proxy in
                let connection = RawConnection(port: proxy.port, receiveBuffer: 64 << 10)
                connection.send("GET /run/0 HTTP/1.1\r\nHost: localhost\r\n\r\n")
                _ = connection.receiveHead()
                var read = 0
                var furthest = 0
                while read < size, let piece = connection.receive(1 << 20), !piece.isEmpty {
                    read += piece.count
                    furthest = max(furthest, origin.served().bytes - read)
                }
                #expect(read == size)
                // The proxy's window and piece, and four buffers of the kernel, of at most 6 MB each here.
                #expect(furthest < 26 << 20, "\(furthest)")
            }
        }
    }

    @Test("A slow upstream slows the client down; the body is complete")
    func slowUpload() throws {
        let size = 64 << 20
        let ahead = Seen(0)
        let sent = Seen(0)
        let upstream = RawUpstream { connection, head in
            var read = 0
            while read < size, let piece = connection.receive(1 << 18), !piece.isEmpty {
                read += piece.count
                ahead.value = max(ahead.value, sent.value - read)
            }
            return connection.send("HTTP/1.1 200 OK\r\nX-Read: \(read)\r\nContent-Length: 0\r\n\r\n")
        }
        try proxying(upstream.address) { proxy in
            let connection = RawConnection(port: proxy.port)
            connection.send("PUT /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(size)\r\n\r\n")
            let piece = [UInt8](repeating: 7, count: 1 << 18)
            for _ in 0..<size / piece.count {
                #expect(connection.send(piece))
                sent.value += piece.count
            }
            #expect(connection.receiveHead().contains("X-Read: \(size)\r\n"))
        }
        #expect(ahead.value < 26 << 20, "\(ahead.value)")
    }

    @Test(
        "Requests to other servers, CONNECT and invalid requests are refused with a sentence, and not recorded",
        arguments: [
            ("GET http://example.com/a.jpg HTTP/1.1\r\nHost: example.com\r\n\r\n", "400"),
            ("CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n", "400"),
            ("GET a.jpg HTTP/1.1\r\nHost: localhost\r\n\r\n", "400"),
            ("OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", "400"),
            ("GET /a#b HTTP/1.1\r\nHost: localhost\r\n\r\n", "400"), ("nonsense\r\n\r\n", "400"),
            ("GET /\u{1} HTTP/1.1\r\n\r\n", "400"),
            ("GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n", "400"),
            (
                "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "400"
            ),
            ("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello", "400"),
            ("GET /" + String(repeating: "a", count: 9_000) + " HTTP/1.1\r\nHost: localhost\r\n\r\n", "414"),
            ("GET / HTTP/1.1\r\nHost: localhost\r\nX: " + String(repeating: "a", count: 70_000) + "\r\n\r\n", "431"),
            ("GET / HTTP/1.1\r\nHost: localhost\r\n" + String(repeating: "X: a\r\n", count: 300) + "\r\n", "431"),
            ("PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n", "413"),
            ("PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999999\r\n\r\n", "400"),
        ])
    func hostile(request: String, status: String) throws {
        let asked = Seen(false)
        let upstream = RawUpstream { connection, _ in
            asked.value = true
            return connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        }
        let trace = try proxying(upstream.address, { $0.recordsAll = true }) { proxy in
            let connection = RawConnection(port: proxy.port)
            connection.send(request)
            let head = connection.receiveHead()
            #expect(head.hasPrefix("HTTP/1.1 \(status) "), "\(request.prefix(60)): \(head)")
            #expect(!asked.value)
            #expect(proxy.ask("GET /").hasPrefix("HTTP/1.1 200 "), "the proxy goes on")
        }
        #expect(trace.fetches.count == 1)
    }

    @Test("Pipelined requests are answered in order")
    func pipelining() throws {
        let upstream = RawUpstream { connection, head in
            let path = head.split(separator: " ")[1]
            return connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(path.utf8.count)\r\n\r\n\(path)")
        }
        try proxying(upstream.address) { proxy in
            let requests = (0..<20).map {
                "GET /\($0) HTTP/1.1\r\nHost: localhost\r\n\($0 == 19 ? "Connection: close\r\n" : "")\r\n"
            }
            let answer = proxy.ask(raw: requests.joined())
            let bodies = answer.text.split(separator: "\r\n").filter { $0.hasPrefix("/") }.map {
                $0.prefix { $0 != "H" }
            }
            #expect(bodies.map(String.init) == (0..<20).map { "/\($0)" })
        }
    }

    @Test("Connections with slow heads or bodies are closed")
    func limits() throws {
        let upstream = RawUpstream { connection, head in
            if head.hasPrefix("PUT"), connection.receive(exactly: 10).count < 10 { return false }
            return connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        }
        try proxying(
            upstream.address,
            { options in
                options.limits.client.headTimeout = .milliseconds(50)
                options.limits.client.bodyTimeout = .milliseconds(50)
            }
        ) { proxy in
            // Each waits for the server to close it.
            let slow = RawConnection(port: proxy.port)
            slow.send("GET / HT")
            #expect(slow.receiveAll().text.isEmpty)
            let half = RawConnection(port: proxy.port)
            half.send("PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc")
            #expect(half.receiveHead().hasPrefix("HTTP/1.1 408 "))
        }
    }
}
