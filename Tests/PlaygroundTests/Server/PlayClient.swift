import Foundation
import TestSupport

@testable import Playground

/// A request to the server of the playground, as the page sends it.
struct PlayAsk {
    var method = "POST"
    var path = "figures"
    var body = "{}"
    /// The first segment of the path; nil for that of the server.
    var secret: String?
    /// The fields besides those that every request has. An empty value leaves a field out.
    var fields: [String: String] = [:]

    init(_ path: String = "figures", window: String = "window-1", turn: Int = 1, body: String = "{}") {
        self.path = path
        self.body = body
        fields = ["X-Play-Window": window, "X-Play-Turn": "\(turn)"]
    }

    static func get(_ path: String) -> PlayAsk {
        var ask = PlayAsk(path, body: "")
        ask.method = "GET"
        ask.fields = ["Content-Type": "", "Origin": ""]
        return ask
    }

    /// Returns the request with another value of a field.
    func with(_ field: String, _ value: String) -> PlayAsk {
        var ask = self
        ask.fields[field] = value
        return ask
    }

    func text(_ server: PlayServer) -> String {
        let host = "127.0.0.1:\(server.port)"
        var all = ["Host": host, "Origin": "http://\(host)", "Content-Type": "application/json"]
        for (name, value) in fields { all[name] = value }
        if method == "POST" { all["Content-Length"] = "\(body.utf8.count)" }
        var lines = ["\(method) /\(secret ?? server.secret)/\(path) HTTP/1.1"]
        for (name, value) in all.sorted(by: { $0.key < $1.key }) where !value.isEmpty {
            lines.append("\(name): \(value)")
        }
        return lines.joined(separator: "\r\n") + "\r\n\r\n" + body
    }
}

/// A connection to the server, which stays open.
final class PlayClient {
    struct Response {
        var status: Int
        /// In lower case.
        var head: String
        var body: String

        /// The text of the member `error`.
        var error: String {
            let value = try? JSONSerialization.jsonObject(with: Data(body.utf8))
            return (value as? [String: Any])?["error"] as? String ?? ""
        }
    }

    private let server: PlayServer
    private var connection: RawConnection?
    private var bytes: [UInt8] = []

    init(_ server: PlayServer) throws {
        self.server = server
        let connection = RawConnection(port: server.port, timeout: nil)
        guard connection.isConnected else { throw POSIXError(.ECONNREFUSED) }
        self.connection = connection
    }

    func close() { connection = nil }

    func send(_ ask: PlayAsk) { send(ask.text(server)) }

    func send(_ text: String) { connection?.send(text) }

    /// Waits for a response. Status 0 if the connection ends before.
    func receive() -> Response {
        let gap: [UInt8] = Array("\r\n\r\n".utf8)
        while true {
            if let end = bytes.firstRange(of: gap) {
                let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).lowercased()
                let length = Self.field("content-length", in: head).flatMap { Int($0) } ?? 0
                if bytes.count >= end.upperBound + length {
                    let body = String(decoding: bytes[end.upperBound..<end.upperBound + length], as: UTF8.self)
                    bytes.removeFirst(end.upperBound + length)
                    let status = head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
                    return Response(status: status, head: head, body: body)
                }
            }
            guard let piece = connection?.receive(), !piece.isEmpty else {
                return Response(status: 0, head: "", body: "")
            }
            bytes += piece
        }
    }

    func ask(_ ask: PlayAsk) -> Response {
        send(ask)
        return receive()
    }

    static func field(_ name: String, in head: String) -> String? {
        for line in head.components(separatedBy: "\r\n") where line.hasPrefix("\(name): ") {
            return String(line.dropFirst(name.count + 2))
        }
        return nil
    }
}

extension PlayServer {
    /// Sends a request on a new connection.
    func ask(_ ask: PlayAsk) throws -> PlayClient.Response {
        let client = try PlayClient(self)
        defer { client.close() }
        return client.ask(ask)
    }
}

/// Answers each question by a closure.
struct AnsweringDouble: PlayAnswering {
    typealias Answer =
        @Sendable (
            _ request: PlayRequest, _ question: String, _ isOvertaken: @escaping @Sendable () -> Bool
        ) throws -> String

    var reply: Answer

    /// The answer to `start`.
    static let startText = #"{"version":"double"}"#

    /// Answers the question `"wait"` only when it is overtaken, and any other one at once, with itself.
    static let waiting: Answer = { _, question, isOvertaken in
        guard question == "\"wait\"" else { return question }
        while !isOvertaken() { usleep(1_000) }
        throw PlayFailure(.overtaken, "overtaken")
    }

    func start(isOvertaken: @escaping @Sendable () -> Bool) -> String { Self.startText }

    func allSessions(isOvertaken: @escaping @Sendable () -> Bool) -> String { #"{"sessions":[]}"# }

    func answer(
        _ request: PlayRequest, _ question: [UInt8], isOvertaken: @escaping @Sendable () -> Bool
    ) throws -> String {
        try reply(request, String(decoding: question, as: UTF8.self), isOvertaken)
    }

    func replayArguments(_ question: [UInt8]) throws -> [String] {
        ["replay", String(decoding: question, as: UTF8.self)]
    }
}

/// Runs a body with a server, and stops it.
func withPlay(
    answer: @escaping AnsweringDouble.Answer = AnsweringDouble.waiting,
    change: (inout PlayServer.Options) -> Void = { _ in }, report: @escaping PlayServer.Report = { _, _ in [] },
    _ body: (PlayServer) throws -> Void
) throws {
    var options = PlayServer.Options()
    change(&options)
    let server = try PlayServer(AnsweringDouble(reply: answer), options: options, report: report)
    defer { try? server.stopAndWait() }
    try body(server)
}

/// Waits until the condition holds; returns false after thirty seconds.
func playEventually(_ condition: () throws -> Bool) rethrows -> Bool {
    let end = ContinuousClock.now + .seconds(30)
    while try !condition() {
        if ContinuousClock.now > end { return false }
        usleep(5_000)
    }
    return true
}
