import NIOCore
import NIOHTTP1
import TraceRecording

/// Answers the requests of one connection, one after the other. A `RequestGuard` precedes it.
final class PlayHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let play: PlayState
    private var request: HTTPRequestHead?
    private var body: [UInt8] = []
    /// The last question, which ends with the connection.
    private var question: PlayTask?

    init(_ play: PlayState) { self.play = play }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            request = head
            body.removeAll()
        case .body(let part):
            body.append(contentsOf: part.readableBytesView)
        case .end:
            guard let request else { return }
            self.request = nil
            answer(request, Reply(context.channel, request))
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is RequestRefused {
            request = nil
            body = []
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        endQuestion()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { endQuestion() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func endQuestion() {
        if let question { play.work.cancel(question) }
        question = nil
    }

    private func answer(_ request: HTTPRequestHead, _ reply: Reply) {
        guard let path = PlayPath(request.uri, secret: play.secret) else {
            return Self.send(.error(.notFound, Self.noPage), reply)
        }
        let isRead = request.method == .GET || request.method == .HEAD
        switch path {
        case .file(let page):
            guard isRead else { return Self.refuse(method: "GET, HEAD", reply) }
            Self.send(PlayResponse(status: .ok, contentType: page.contentType, body: page.bytes), reply)
        case .start, .sessions:
            guard request.method == .GET else { return Self.refuse(method: "GET", reply) }
            guard Self.isNoOtherSite(request.headers) else {
                return Self.send(.error(.forbidden, Self.otherPage), reply)
            }
            let answering = play.answering
            let isStart = if case .start = path { true } else { false }
            ask(nil, turn: 0, limit: play.options.questionLimit, reply) { isOvertaken in
                let answer = isStart ? answering.start : answering.allSessions
                return .json(answer(isOvertaken))
            }
        case .ask(let request): ask(request, reply)
        case .report: askForReport(reply)
        }
    }

    private func ask(_ asked: PlayRequest, _ reply: Reply) {
        guard let (place, turn) = place(asked.rawValue, reply) else { return }
        let (answering, body) = (play.answering, takeBody())
        ask(place, turn: turn, limit: play.options.questionLimit, reply) { isOvertaken in
            do { return .json(try answering.answer(asked, body, isOvertaken: isOvertaken)) } catch {
                return PlayResponse(failure: error)
            }
        }
    }

    private func askForReport(_ reply: Reply) {
        guard let (place, turn) = place("report", reply) else { return }
        let (answering, report, body) = (play.answering, play.report, takeBody())
        ask(place, turn: turn, limit: play.options.reportLimit, reply) { isOvertaken in
            do { return .report(try report(try answering.replayArguments(body), isOvertaken)) } catch {
                return PlayResponse(failure: error)
            }
        }
    }

    /// Hands a question to the threads. Its answer is sent by the event loop of the connection.
    private func ask(
        _ place: PlayTask.Place?, turn: Int64, limit: Duration, _ reply: Reply,
        _ work: @escaping @Sendable (_ isOvertaken: @escaping @Sendable () -> Bool) -> PlayResponse
    ) {
        let question = PlayTask(place, turn: turn, limit: limit, work: work) { response in
            reply.channel.eventLoop.execute { PlayHandler.send(response, reply) }
        }
        self.question = question
        play.work.ask(question)
    }

    private func takeBody() -> [UInt8] {
        defer { body = [] }
        return body
    }

    /// Returns the window that asks, and the number of its question. If the request is not one of the page, sends the
    /// reason and returns nil.
    private func place(_ path: String, _ reply: Reply) -> (PlayTask.Place, Int64)? {
        let headers = reply.request.headers
        func refuse(_ status: HTTPResponseStatus, _ sentence: String) -> (PlayTask.Place, Int64)? {
            Self.send(.error(status, sentence), reply)
            return nil
        }
        guard reply.request.method == .POST else {
            Self.refuse(method: "POST", reply)
            return nil
        }
        guard Self.comesFromPage(headers) else { return refuse(.forbidden, Self.otherPage) }
        guard Self.isJSON(headers) else {
            return refuse(.unsupportedMediaType, "A question is JSON: send it with Content-Type: application/json.")
        }
        guard let window = headers.first(name: "x-play-window"), Self.isWindow(window),
            let turn = headers.first(name: "x-play-turn").flatMap({ Int64($0) }), turn >= 0
        else {
            return refuse(
                .badRequest,
                """
                A question needs the fields X-Play-Window, 1 to 64 letters, digits and hyphens, and X-Play-Turn, a \
                whole number from 0 on. Reload the page.
                """)
        }
        return (PlayTask.Place(window: window, path: path), turn)
    }

    /// Whether a POST comes from the page of this server. Browsers add `Origin` to each POST, and recent ones
    /// `Sec-Fetch-Site`. `HostCheck` has accepted the host and the origin.
    private static func comesFromPage(_ headers: HTTPHeaders) -> Bool {
        guard isNoOtherSite(headers) else { return false }
        guard let origin = headers.first(name: "origin") else { return !headers["sec-fetch-site"].isEmpty }
        guard let host = headers.first(name: "host"), let scheme = origin.firstRange(of: "://") else { return false }
        return origin[scheme.upperBound...].lowercased() == host.lowercased()
    }

    /// Whether no field says that the request comes from another site.
    private static func isNoOtherSite(_ headers: HTTPHeaders) -> Bool {
        headers["sec-fetch-site"].allSatisfy { $0 == "same-origin" }
    }

    private static func isJSON(_ headers: HTTPHeaders) -> Bool {
        let type = headers.first(name: "content-type") ?? ""
        let name = type.prefix { $0 != ";" && $0 != " " }
        return name.lowercased() == "application/json"
    }

    private static func isWindow(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    private static func refuse(method allowed: String, _ reply: Reply) {
        let response = PlayResponse.error(.methodNotAllowed, "This path accepts only: \(allowed).")
        send(response, reply, ["allow": allowed])
    }

    private static func send(_ response: PlayResponse, _ reply: Reply, _ others: HTTPHeaders = [:]) {
        var headers = others
        for (name, value) in protection { headers.replaceOrAdd(name: name, value: value) }
        if let name = response.fileName {
            headers.replaceOrAdd(name: "content-disposition", value: "attachment; filename=\"\(name)\"")
        }
        reply.send(response.status, response.body, type: response.contentType, headers)
    }

    private static let noPage =
        """
        There is no such page. The address of cachereplay play has a secret, which is new after each start: open the \
        address that the command prints.
        """

    private static let otherPage =
        "Only the page of this server can ask. Open the address that cachereplay play prints, and reload the page."

    /// The fields of every response. The page loads from this server alone, and sends requests to it alone. No page can
    /// frame it. Links to other sites do not contain its address.
    private static let protection: [(String, String)] = [
        (
            "content-security-policy",
            """
            default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; \
            base-uri 'none'; form-action 'none'; frame-ancestors 'none'
            """
        ),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("referrer-policy", "same-origin"),
        ("x-frame-options", "DENY"),
    ]
}
