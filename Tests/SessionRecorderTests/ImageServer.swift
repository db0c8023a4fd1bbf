import Foundation

/// A minimal HTTP server on loopback, with one thread and one response per connection.
///
/// `/N` is a body of N bytes; all other paths are not found.
final class ImageServer: Sendable {
    let port: UInt16
    private let listener: Int32

    init() throws {
        #if canImport(Darwin)
        listener = socket(AF_INET, SOCK_STREAM, 0)
        #else
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening else { throw CocoaError(.fileReadUnknown) }
        port = UInt16(bigEndian: address.sin_port)
        Thread { Self.acceptAll(listener) }.start()
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    func url(_ path: String) -> String { "http://127.0.0.1:\(port)/\(path)" }

    private static func acceptAll(_ listener: Int32) {
        while true {
            let client = accept(listener, nil, nil)
            guard client >= 0 else { break }
            Thread { answer(client) }.start()
        }
        close(listener)
    }

    private static func answer(_ client: Int32) {
        defer { close(client) }
        var request = Data()
        var buffer = [UInt8](repeating: 0, count: 4096)
        while request.range(of: Data("\r\n\r\n".utf8)) == nil {
            let count = recv(client, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            request += buffer.prefix(count)
        }
        let path = String(decoding: request, as: UTF8.self).split(separator: " ").dropFirst().first?.dropFirst() ?? ""
        let size = Int(path.prefix { $0 != "?" })
        let head = [
            "HTTP/1.1 \(size == nil ? "404 Not Found" : "200 OK")", "Content-Type: image/jpeg",
            "Content-Length: \(size ?? 0)", "ETag: \"e\(size ?? 0)\"", "Connection: close", "", "",
        ]
        var response = Array(head.joined(separator: "\r\n").utf8) + [UInt8](repeating: 0x5A, count: size ?? 0)
        while !response.isEmpty {
            // A client that is killed must not end the tests.
            #if canImport(Darwin)
            let count = send(client, response, response.count, 0)
            #else
            let count = send(client, response, response.count, Int32(MSG_NOSIGNAL))
            #endif
            guard count > 0 else { return }
            response.removeFirst(count)
        }
    }
}
