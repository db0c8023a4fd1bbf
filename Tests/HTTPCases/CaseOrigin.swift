import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// What the origin saw of one request.
package struct SeenRequest: Sendable {
    /// The number of the request that the client made, or else that of the origin.
    var number: Int
    package var method: String
    package var fields: HeaderFields
    /// The fields of the response that the client compares.
    var compared: [(name: String, value: String)]
}

/// The origin of the cases: a server on the loopback interface. Each answer ends its connection.
package final class CaseOrigin: Sendable {
    let answers: CaseAnswers
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let channel: any Channel

    package init(_ cases: [CacheCase], clock: CaseClock) throws {
        let answers = CaseAnswers(cases, clock: clock)
        self.answers = answers
        channel = try ServerBootstrap(group: group).serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(HTTPRequestDecoder()))
                    try channel.pipeline.syncOperations.addHandler(CaseHandler(answers))
                }
            }
            .bind(host: "127.0.0.1", port: 0).wait()
    }

    /// The requests of a case so far.
    package func seenRequests(_ id: String) -> [SeenRequest] { answers.seen(id) }

    package func stop() throws { try group.syncShutdownGracefully() }

    /// The address of a request of a case.
    package func url(_ id: String, _ request: CaseRequest) -> String {
        "http://127.0.0.1:\(channel.localAddress?.port ?? 0)/test/\(id)"
            + (request.filename.map { "/" + $0 } ?? "") + (request.queryArg.map { "?" + $0 } ?? "")
    }
}

/// Answers each request as its case says, and remembers it.
final class CaseAnswers: Sendable {
    private struct State {
        var seen: [String: [SeenRequest]] = [:]
        /// The dates of `Last-Modified` that were sent, by case and number of request.
        var modified: [String: [Int: String]] = [:]
    }

    private let state = Mutex(State())
    private let cases: [String: CacheCase]
    private let clock: CaseClock

    init(_ cases: [CacheCase], clock: CaseClock) {
        self.cases = Dictionary(cases.map { ($0.id, $0) }) { first, _ in first }
        self.clock = clock
    }

    func seen(_ id: String) -> [SeenRequest] { state.withLock { $0.seen[id] ?? [] } }

    /// The bytes of the answer; nil if the connection ends without one.
    func answer(_ method: String, _ path: String, _ fields: HeaderFields) -> [UInt8]? {
        let id = String(path.split(separator: "?")[0].split(separator: "/").dropFirst().first ?? "")
        guard let test = cases[id] else { return bytes("HTTP/1.1 404 Unknown case\r\n\r\n") }
        let earlier = seen(id)
        let number = fields.first("Req-Num").flatMap { Int($0) } ?? earlier.count + 1
        guard test.requests.indices.contains(number - 1) else { return bytes("HTTP/1.1 409 Unknown request\r\n\r\n") }
        let request = test.requests[number - 1]
        if let pause = request.responsePause { clock.advance(by: pause) }
        let now = clock.now / 1_000
        var answer = CaseAnswer(status: status(test, number, fields))
        answer.add("Server-Base-Url", path)
        answer.add("Server-Request-Count", String(earlier.count + 1))
        answer.add("Client-Request-Count", String(number))
        answer.add("Server-Now", String(now))
        var compared: [(name: String, value: String)] = []
        for field in request.responseHeaders ?? [] {
            let value = CaseDates.text(field.name, field.value, request, now: now, base: path)
            answer.add(field.name, value)
            if field.name.lowercased() == "last-modified" {
                state.withLock { $0.modified[id, default: [:]][number] = value }
            }
            if field.isCompared {
                compared.removeAll { $0.name == field.name }
                compared.append((field.name, answer.fields.combined(field.name) ?? value))
            }
        }
        let seen = SeenRequest(number: number, method: method, fields: fields, compared: compared)
        answer.add("Request-Numbers", (earlier + [seen]).map { String($0.number) }.joined(separator: " "))
        if !answer.fields.contains("Content-Type") { answer.add("Content-Type", "text/plain") }
        if !answer.fields.contains("Date") { answer.add("Date", CaseDates.text(now * 1_000)) }
        state.withLock { $0.seen[id, default: []].append(seen) }
        guard request.disconnect != true else { return nil }
        return bytes(Self.interim(request)) + answer.bytes(method, body: request.responseBody ?? id)
    }

    /// A case that expects a validation gets 304 for the validator of its previous request, and 999 otherwise.
    private func status(_ test: CacheCase, _ number: Int, _ fields: HeaderFields) -> (Int, String) {
        let request = test.requests[number - 1]
        if request.expectedType?.hasSuffix("validated") == true, number >= 2 {
            let previous = test.requests[number - 2].responseHeaders ?? []
            let sent = state.withLock { $0.modified[test.id]?[number - 1] }
            let modified = sent ?? previous.first { $0.name.lowercased() == "last-modified" }?.value.text
            let tag = previous.first { $0.name.lowercased() == "etag" }?.value.text
            if let modified, fields.combined("If-Modified-Since") == modified { return (304, "Not Modified") }
            if let tag, fields.combined("If-None-Match") == tag { return (304, "Not Modified") }
            return (999, "304 Not Generated")
        }
        guard let status = request.responseStatus, status.count == 2 else { return (200, "OK") }
        return (status[0].number ?? 200, status[1].text ?? "")
    }

    private static func interim(_ request: CaseRequest) -> String {
        (request.interimResponses ?? []).map { response in
            let parts = response.list
            let fields = parts.count > 1 ? parts[1].list.map(\.list) : []
            let lines = fields.map { "\($0[0].text ?? ""): \($0[1].text ?? "")\r\n" }.joined()
            return "HTTP/1.1 \(parts[0].number ?? 102) Interim\r\n\(lines)\r\n"
        }.joined()
    }
}

/// A response that is written as the suite's own server writes it.
private struct CaseAnswer {
    var status: (Int, String)
    private(set) var fields = HeaderFields()

    init(status: (Int, String)) { self.status = status }

    mutating func add(_ name: String, _ value: String) { fields.append(name, value) }

    func bytes(_ method: String, body: String) -> [UInt8] {
        var head = "HTTP/1.1 \(status.0) \(status.1)\r\n"
        for field in fields { head += "\(field.name): \(field.value)\r\n" }
        let hasBody = status.0 != 204 && status.0 != 304 && method != "HEAD"
        if hasBody, !fields.contains("Content-Length"), !fields.contains("Transfer-Encoding") {
            head += "Content-Length: \(body.utf8.count)\r\n"
        }
        return HTTPCases.bytes(head + "Connection: close\r\n\r\n") + (hasBody ? Array(body.utf8) : [])
    }
}

/// ISO 8859-1, in which servers write fields.
private func bytes(_ text: String) -> [UInt8] { text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }

private final class CaseHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = ByteBuffer

    private let answers: CaseAnswers
    private var head: HTTPRequestHead?

    init(_ answers: CaseAnswers) { self.answers = answers }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): self.head = head
        case .body: break
        case .end:
            guard let head else { return context.close(promise: nil) }
            let fields = HeaderFields(head.headers.map { ($0.name, $0.value) })
            if let bytes = answers.answer(head.method.rawValue, head.uri, fields) {
                context.write(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
            }
            context.flush()
            context.close(promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
