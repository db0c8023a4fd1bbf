import CacheTraces
import Foundation
import NIOCore
import TestSupport
import Testing

@testable import TraceRecording

@Suite("Limits of the recording servers") struct ServerLimitsTests {
    private func served(_ change: (inout GalleryOptions) -> Void, _ body: (GalleryServer) throws -> Void) throws {
        let folder = try GalleryFolder()
        try folder.write("kite.png", testPNG(width: 1000, height: 1000, shade: 7))
        try withGallery(folder, change, body)
    }

    @Test(
        "A long URI gets 414, a large head 431, a large body 413, an invalid request 400, announced or not"
    )
    func sizes() throws {
        try served({ $0.limits.bodyBytes = 5_000 }) { server in
            #expect(server.ask("GET /" + String(repeating: "a", count: 9_000)).hasPrefix("HTTP/1.1 414 "))
            let large = "X-Large: " + String(repeating: "b", count: 33_000)
            #expect(server.ask("GET /", headers: [large]).hasPrefix("HTTP/1.1 431 "))
            #expect(
                server.ask("GET /", headers: (0..<2_000).map { "X-\($0): 0123456789012345" }).hasPrefix("HTTP/1.1 431 ")
            )
            #expect(server.ask("POST /events", body: String(repeating: "c", count: 5_001)).hasPrefix("HTTP/1.1 413 "))
            let chunks = String(repeating: "400\r\n\(String(repeating: "d", count: 1_024))\r\n", count: 6) + "0\r\n\r\n"
            let chunked = "POST /events HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)"
            #expect(rawRequest(chunked, port: server.port).hasPrefix("HTTP/1.1 413 "))
            #expect(rawRequest("nonsense\r\n\r\n", port: server.port).hasPrefix("HTTP/1.1 400 "))
            #expect(
                rawRequest("GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n", port: server.port)
                    .hasPrefix("HTTP/1.1 400 "))
            #expect(server.ask("GET /").hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test("A client that closes its side after the request receives the response")
    func halfClosed() throws {
        try served({ $0.network.latency = .milliseconds(30) }) { server in
            let client = RawConnection(port: server.port)
            client.send("GET /full/0 HTTP/1.1\r\nHost: localhost\r\n\r\n")
            client.closeSending()
            #expect(client.receiveBytes().count > 3_000_000)
        }
    }

    @Test("A client with a thousand requests that reads nothing gets one response, and is disconnected")
    func backpressure() throws {
        try served({ $0.limits.stallTimeout = .milliseconds(300) }) { server in
            _ = server.hello("browser01")
            let client = RawConnection(port: server.port)
            for _ in 0..<1_000 {
                client.sendWithoutWaiting("GET /full/0?c=browser01 HTTP/1.1\r\nHost: localhost\r\n\r\n")
            }
            // The connection's end is recorded as a fetch that failed; nothing else of the thousand was begun.
            #expect(eventually { (server.progress.first?.fetches ?? 0) >= 1 })
            #expect((server.progress.first?.fetches ?? 0) < 20)
            #expect(server.ask("GET /clock").hasPrefix("HTTP/1.1 200 "))
        }
    }
}
