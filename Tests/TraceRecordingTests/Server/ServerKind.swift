import Foundation
import Testing

@testable import TraceRecording

/// A server of this module, for tests of what all of them have in common.
enum ServerKind: CaseIterable, Sendable {
    case gallery, origin

    struct Options {
        var host = "127.0.0.1"
        var allowedHosts: [String] = []
        /// The number of connections; nil for the standard.
        var connections: Int?

        var names: [HostName] { allowedHosts.compactMap { HostName($0) } }
    }

    struct Server {
        var port: Int
        /// The path of a small response.
        var small: String
        /// The path of a response that is larger than the buffers of sockets.
        var large: String
        /// The number of requests for objects and events so far.
        var requests: () -> Int

        /// Returns the status of a request on a new connection, and the response.
        func ask(_ line: String, _ fields: [String], body: String = "") -> (status: Int, text: String) {
            let length = body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"]
            let lines = [line] + fields + ["Connection: close"] + length
            let text = rawRequest(lines.joined(separator: "\r\n") + "\r\n\r\n" + body, port: port)
            return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0, text)
        }

        func get(_ fields: String...) -> (status: Int, text: String) { ask("GET \(small) HTTP/1.1", fields) }

        /// The text of a request that keeps its connection open.
        func request(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n" }
    }

    private static let largeSize = 16 << 20

    /// Runs a body with this server, and stops it.
    func serving(_ options: Options = Options(), _ body: (Server) throws -> Void) throws {
        switch self {
        case .gallery: try Self.servingGallery(options, body)
        case .origin: try Self.servingOrigin(options, body)
        }
    }

    private static func servingGallery(_ options: Options, _ body: (Server) throws -> Void) throws {
        let folder = try GalleryFolder()
        try folder.write("kite.png", testPNG(width: 8, height: 8, shade: 7) + [UInt8](repeating: 0, count: largeSize))
        try withGallery(folder) {
            $0.host = options.host
            $0.allowedHosts = options.names
            if let connections = options.connections { $0.limits.connections = connections }
        } _: { server in
            let start = server.secret.map { "/\($0)" } ?? ""
            try body(
                Server(port: server.port, small: "\(start)/clock", large: "\(start)/full/0") {
                    server.progress.reduce(0) { $0 + $1.fetches + $1.appearances }
                })
        }
    }

    private static func servingOrigin(_ options: Options, _ body: (Server) throws -> Void) throws {
        try TraceRecordingTests.serving(trace(sizes: [5, largeSize])) {
            $0.host = options.host
            $0.allowedHosts = options.names
            if let connections = options.connections { $0.limits.connections = connections }
        } _: { origin in
            try body(Server(port: origin.port, small: "/run/0", large: "/run/1") { origin.served().requests })
        }
    }
}
