import CacheTraces
import Foundation
import NIOCore
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
            let client = try RawClient(port: server.port)
            client.send("GET /full/0 HTTP/1.1\r\nHost: localhost\r\n\r\n")
            client.closeSending()
            #expect(client.readAll().count > 3_000_000)
        }
    }

    @Test("A client with a thousand requests that reads nothing gets one response, and is disconnected")
    func backpressure() throws {
        try served({ $0.limits.stallTimeout = .milliseconds(300) }) { server in
            _ = server.hello("browser01")
            let client = try RawClient(port: server.port)
            for _ in 0..<1_000 { client.send("GET /full/0?c=browser01 HTTP/1.1\r\nHost: localhost\r\n\r\n") }
            // The connection's end is recorded as a fetch that failed; nothing else of the thousand was begun.
            #expect(eventually { (server.progress.first?.fetches ?? 0) >= 1 })
            #expect((server.progress.first?.fetches ?? 0) < 20)
            #expect(server.ask("GET /clock").hasPrefix("HTTP/1.1 200 "))
        }
    }
}

/// A connection that a test controls byte by byte.
final class RawClient {
    private let descriptor: Int32

    init(port: Int) throws {
        #if os(Linux)
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw POSIXError(.ECONNREFUSED) }
    }

    deinit { close(descriptor) }

    func send(_ text: String) {
        #if os(Linux)
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        #else
        let flags = MSG_DONTWAIT
        #endif
        _ = Array(text.utf8).withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, flags) }
    }

    #if os(Linux)
    func closeSending() { shutdown(descriptor, Int32(SHUT_WR)) }
    #else
    func closeSending() { shutdown(descriptor, SHUT_WR) }
    #endif

    func readSome() -> [UInt8] {
        var piece = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &piece, piece.count, 0)
        return Array(piece[..<max(0, count)])
    }

    func readAll() -> [UInt8] {
        var all: [UInt8] = []
        while case let piece = readSome(), !piece.isEmpty { all += piece }
        return all
    }
}
