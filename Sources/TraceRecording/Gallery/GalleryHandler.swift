import Basics
import CacheTraces
import NIOCore
import NIOHTTP1

/// Answers the requests of one connection, one after the other. A ``RequestGuard`` precedes it.
final class GalleryHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let gallery: GalleryState
    private var link: ShapedLink
    private var request: HTTPRequestHead?
    private var body: [UInt8] = []

    init(_ gallery: GalleryState) {
        self.gallery = gallery
        link = ShapedLink(gallery.options.network, connection: gallery.countConnection(), link: gallery.link)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            request = head
            body.removeAll(keepingCapacity: true)
        case .body(let part):
            body.append(contentsOf: part.readableBytesView)
        case .end:
            guard let request else { return }
            self.request = nil
            answer(request, context)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is RequestRefused {
            request = nil
            body = []
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func answer(_ request: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let moment = ContinuousClock.now
        let reply = Reply(context.channel, request)
        guard let path = GalleryPath(request.uri, secret: gallery.secret) else { return reply.send(.notFound) }
        switch (path, request.method) {
        case (.image(let number, let isFull, let client), .GET), (.image(let number, let isFull, let client), .HEAD):
            guard number < gallery.content.images.count else { return reply.send(.notFound) }
            let session = client.flatMap(gallery.sessions.known)
            let file = gallery.content.number(image: number, isFull: isFull)
            let schedule = ImageAnswer.Schedule(
                asked: moment, due: link.begin(at: context.eventLoop.now), waitsForHead: link.isShared,
                next: { self.link.next(left: $0) })
            ImageAnswer(reply, gallery, file, session, schedule).send()
        case (.page(let name), .GET), (.page(let name), .HEAD):
            guard let page = gallery.content.page[name] else { return reply.send(.notFound) }
            reply.send(.ok, page.bytes, type: page.contentType, ["content-security-policy": Self.policy])
        case (.images, .GET): reply.send(.ok, gallery.content.catalogue, type: "application/json")
        case (.clock, .GET): reply.send(.ok, Array(String(gallery.clock(moment)).utf8), type: "application/json")
        case (.hello, .POST): hello(reply)
        case (.events, .POST): events(reply)
        case (.played, .POST): play(reply)
        case (.hello, _), (.events, _), (.played, _): reply.send(.methodNotAllowed, ["allow": "POST"])
        default: reply.send(.methodNotAllowed, ["allow": "GET, HEAD"])
        }
    }

    /// The page loads nothing from other servers, and no file in the folder can make it do so.
    private static let policy =
        "default-src 'self'; img-src 'self' blob: data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'"

    /// Starts a visit. The body is a report with one batch without events.
    private func hello(_ reply: Reply) {
        guard let report = report(), report.batches.count == 1 else { return reply.send(.badRequest) }
        guard let session = gallery.sessions.session(report.client, clockError: report.batches[0].clockError) else {
            return reply.send(.serviceUnavailable)
        }
        reply.send(.ok, JSONWriter.object { $0.member("session", session.number) }.bytes, type: "application/json")
    }

    private func events(_ reply: Reply) {
        guard let report = report() else { return reply.send(.badRequest) }
        guard let session = gallery.sessions.known(report.client) else { return reply.send(.conflict) }
        // The page keeps what the trace does not have, and sends it again.
        reply.send(session.append(report.batches) ? .noContent : .insufficientStorage)
    }

    /// Writes what is known of a browser's session, and answers with the address at which it can be replayed. The body
    /// is a report without batches: the browser has sent its events before.
    private func play(_ reply: Reply) {
        guard let played = gallery.options.played else { return reply.send(.notFound) }
        guard let report = report() else { return reply.send(.badRequest) }
        guard let session = gallery.sessions.known(report.client), session.counts.appearances > 0 else {
            return reply.send(.conflict)
        }
        session.flush()
        let path = session.journal.path
        // A thread of its own: the threads of the gallery read images, whose times are recorded.
        let address = reply.channel.eventLoop.makePromise(of: String?.self)
        do { try DetachedThread.start { address.succeed(played(path)) } } catch { address.succeed(nil) }
        address.futureResult.assumeIsolated().whenComplete { result in
            guard case .success(let address?) = result else { return reply.send(.serviceUnavailable) }
            let body = JSONWriter.object { $0.member("address", address) }.bytes
            reply.send(.ok, body, type: "application/json")
        }
    }

    private func report() -> EventReport? {
        defer { body.removeAll() }
        // The page's clock can be ahead by its error.
        let latest = gallery.clock(.now) + 2_000_000
        return try? EventReport(body, images: gallery.content.images.count, latest: latest)
    }
}
