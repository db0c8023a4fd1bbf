import Foundation

/// The simplest client there is: one GET, the connection's end is the body's.
enum PlainHTTP {
    struct Unreachable: Error {}

    /// Hands over the response, head included, in pieces of at most 64 KiB.
    static func get(_ address: String, host: String = "127.0.0.1", _ take: (ArraySlice<UInt8>) -> Void) throws {
        let descriptor = try connect(address)
        defer { close(descriptor) }
        let path = address.split(separator: "/", maxSplits: 2).dropFirst(2).first ?? ""
        let request = Array("GET /\(path) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n".utf8)
        guard send(descriptor, request, request.count, 0) == request.count else { throw Unreachable() }
        var piece = [UInt8](repeating: 0, count: 65_536)
        while case let count = recv(descriptor, &piece, piece.count, 0), count > 0 { take(piece[..<count]) }
    }

    /// Returns the response as text, head included.
    static func text(_ address: String, host: String = "127.0.0.1") throws -> String {
        var bytes: [UInt8] = []
        try get(address, host: host) { bytes += $0 }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// How long the body is.
    static func bodyLength(_ address: String) throws -> Int {
        var head: [UInt8] = []
        var count = 0
        try get(address) { piece in
            count += piece.count
            if head.count < 4096 { head += piece.prefix(4096) }
        }
        guard let end = head.firstRange(of: Array("\r\n\r\n".utf8)) else { throw Unreachable() }
        return count - end.upperBound
    }

    /// Returns the descriptor of a new connection to `http://127.0.0.1:PORT` with any path.
    static func connect(_ address: String) throws -> Int32 {
        let port = address.dropFirst("http://127.0.0.1:".count).prefix { $0 != "/" }
        guard let port = UInt16(port) else { throw Unreachable() }
        #if os(Linux)
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var peer = sockaddr_in()
        peer.sin_family = sa_family_t(AF_INET)
        peer.sin_port = port.bigEndian
        peer.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &peer) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else {
            close(descriptor)
            throw Unreachable()
        }
        return descriptor
    }
}
