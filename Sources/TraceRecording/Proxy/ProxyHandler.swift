import NIOCore
import NIOHTTP1

/// Forwards the requests of one client's connection to the upstream, one after the other, and returns the responses.
final class ProxyHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let client: UpstreamClient
    private let recorder: ProxyRecorder
    private let options: ProxyOptions
    private var context: ChannelHandlerContext?
    /// The current request.
    private var exchange: ProxyExchange?
    private var reply = ProxyReply()
    private var requestHasEnded = true
    private var holdsRead = false

    init(_ client: UpstreamClient, _ recorder: ProxyRecorder, _ options: ProxyOptions) {
        self.client = client
        self.recorder = recorder
        self.options = options
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) {
        leave()
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): begin(head, context)
        case .body(let piece): upload(piece)
        case .end:
            requestHasEnded = true
            upload(nil)
        }
    }

    /// Reads more of a request only if the upstream has accepted enough of it.
    func read(context: ChannelHandlerContext) {
        holdsRead = exchange?.isUploadFull ?? false
        if !holdsRead { context.read() }
    }

    func readAgain() {
        guard holdsRead, let context else { return }
        read(context: context)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is RequestRefused {
            leave()
        } else if case ChannelEvent.inputClosed = event {
            // An app that cancels a request closes its connection. This cannot be distinguished from a client that
            // closes only its side and waits for the response (RFC 9112, 9.6).
            context.close(promise: nil)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        leave()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        leave()
        context.close(promise: nil)
    }

    private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        requestHasEnded = false
        reply = ProxyReply(to: head)
        do {
            let request = try UpstreamRequest(head, options, client: context.remoteAddress)
            let exchange = ProxyExchange(
                request, recorder.arrive(request), NIOLoopBound(self, eventLoop: context.eventLoop), context.eventLoop,
                window: options.limits.window)
            self.exchange = exchange
            if reply.expectsContinue { context.writeAndFlush(wrapOutboundOut(.head(reply.continueHead)), promise: nil) }
            client.start(exchange)
        } catch let refusal as RequestRefusal {
            answer(refusal.status, refusal.sentence)
        } catch {
            answer(.badRequest, "\(error)")
        }
    }

    private func upload(_ piece: ByteBuffer?) {
        guard let exchange, exchange.request.body != .none else { return }
        if exchange.upload(piece) { client.resume(exchange) }
    }

    /// Handles a part of the response.
    func receive(_ delivery: ProxyExchange.Delivery, of exchange: ProxyExchange) {
        guard exchange === self.exchange, let context else { return }
        switch delivery {
        case .head(let status, let headers):
            let head = reply.head(status, headers, options.upstream, requestHasEnded: requestHasEnded)
            context.write(wrapOutboundOut(.head(head)), promise: nil)
        case .body(let piece):
            let count = piece.readableBytes
            let written = context.eventLoop.makePromise(of: Void.self)
            written.futureResult.whenSuccess { [client] in
                if exchange.taken(count) { client.resume(exchange) }
            }
            context.write(wrapOutboundOut(.body(.byteBuffer(piece))), promise: written)
        case .end(nil):
            self.exchange = nil
            end(context)
        case .end(let failure?):
            self.exchange = nil
            // An incomplete response must not look complete.
            if reply.hasBegun { context.channel.reset() } else { answer(failure.status, failure.sentence) }
        }
    }

    func flush() { context?.flush() }

    private func answer(_ status: HTTPResponseStatus, _ sentence: String) {
        guard let context else { return }
        let (head, text) = reply.answer(status, sentence, requestHasEnded: requestHasEnded)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if !text.isEmpty { context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil) }
        end(context)
    }

    private func end(_ context: ChannelHandlerContext) {
        let isLast = !reply.keepsAlive
        let written = context.writeAndFlush(wrapOutboundOut(.end(nil)))
        guard isLast else { return }
        let isWhole = requestHasEnded
        written.assumeIsolated().whenComplete { _ in
            guard !isWhole else { return context.close(promise: nil) }
            // Drops the rest of the request for a second: closing at once would reset the connection, and the client
            // would lose the response.
            context.close(mode: .output, promise: nil)
            context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(1)) { context.close(promise: nil) }
        }
    }

    /// Cancels the current request after the client has disconnected.
    private func leave() {
        guard let exchange else { return }
        self.exchange = nil
        client.cancel(exchange)
    }
}
