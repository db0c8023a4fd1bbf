import Dispatch
import Foundation
import TestSupport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The simplest client there is: one GET, the connection's end is the body's.
enum PlainHTTP {
    struct Unreachable: Error {}

    /// Hands over the response, head included, in pieces of at most 64 KiB.
    static func get(_ address: String, host: String = "127.0.0.1", _ take: (ArraySlice<UInt8>) -> Void) throws {
        let connection = try connect(address)
        let path = address.split(separator: "/", maxSplits: 2).dropFirst(2).first ?? ""
        let request = "GET /\(path) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n"
        guard connection.send(request) else { throw Unreachable() }
        while let piece = connection.receive(), !piece.isEmpty { take(piece[...]) }
    }

    /// Returns the response as text, head included.
    static func text(_ address: String, host: String = "127.0.0.1") throws -> String {
        var bytes: [UInt8] = []
        try get(address, host: host) { bytes += $0 }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Sends a GET, or a POST of JSON, as a page does.
    static func ask(
        _ address: String, body: Data?, headers: [String: String] = [:]
    ) throws -> (status: Int, body: Data) {
        guard let url = URL(string: address) else { throw Unreachable() }
        var request = URLRequest(url: url)
        request.timeoutInterval = 300
        if let body {
            request.httpMethod = "POST"
            request.httpBody = body
            for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        }
        let done = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var result = (status: 0, body: Data())  // Written before the signal, read after it.
        URLSession.shared.dataTask(with: request) { data, response, _ in
            result = ((response as? HTTPURLResponse)?.statusCode ?? 0, data ?? Data())
            done.signal()
        }.resume()
        done.wait()
        return result
    }

    /// Returns a new connection to `http://127.0.0.1:PORT` with any path.
    static func connect(_ address: String) throws -> RawConnection {
        guard let port = Int(address.dropFirst("http://127.0.0.1:".count).prefix { $0 != "/" }) else {
            throw Unreachable()
        }
        let connection = RawConnection(port: port, timeout: nil)
        guard connection.isConnected else { throw Unreachable() }
        return connection
    }
}
