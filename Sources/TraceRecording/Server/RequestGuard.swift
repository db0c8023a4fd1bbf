import NIOCore
import NIOHTTP1

/// Stands between a connection's HTTP decoder and the handler that answers: requests that break the limits are answered
/// here, and a client that lets time pass is hung up on.
///
/// The handler behind it sees well-formed requests of bounded size, one at a time, and need not watch the clock.
final class RequestGuard: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private enum Phase {
        /// For a request, or for the rest of one that was refused.
        case awaitingHead
        case readingBody
        /// The response is awaited or under way.
        case answering
        /// An error was sent, what else comes is dropped.
        case refusing
    }

    private let limits: ServerLimits
    private var phase = Phase.awaitingHead
    private var bodyBytes = 0
    private var version = HTTPVersion.http1_1
    private var deadline: NIODeadline?
    private var timer: Scheduled<Void>?
    /// When the timer fires.
    private var due = NIODeadline.distantFuture
    private var pendingWrites = 0
    private var isInputClosed = false
    /// The answer was complete before the request was.
    private var hasAnswered = false
    /// The answer has begun, perhaps before the request was complete.
    private var isAnswering = false

    init(_ limits: ServerLimits) {
        self.limits = limits
    }

    func channelActive(context: ChannelHandlerContext) {
        expect(limits.headTimeout, context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline = nil
        timer?.cancel()
        timer = nil
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard phase != .refusing else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            version = head.version
            if let status = limits.refusal(of: head) { return refuse(status, context) }
            phase = .readingBody
            bodyBytes = 0
            hasAnswered = false
            isAnswering = false
            expect(limits.bodyTimeout, context)
        case .body(let part):
            bodyBytes += part.readableBytes
            if bodyBytes > limits.bodyBytes { return refuse(.payloadTooLarge, context) }
        case .end:
            phase = .answering
            deadline = nil
            if hasAnswered { finishedAnswer(context) }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let part = unwrapOutboundIn(data)
        let isEnd = if case .end = part { true } else { false }
        if case .head(let head) = part, !(100..<200).contains(head.status.code) { isAnswering = true }
        if phase != .refusing {
            pendingWrites += 1
            let promise = promise ?? context.eventLoop.makePromise()
            if deadline == nil { expect(limits.stallTimeout, context) }
            promise.futureResult.assumeIsolated().whenComplete { _ in self.wrote(context) }
            context.write(data, promise: promise)
            if isEnd { finishedAnswer(context) }
        } else {
            context.write(data, promise: promise)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event {
            // A client that has asked and closes its half still gets its answer.
            isInputClosed = true
            if phase != .answering { context.close(promise: nil) }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? HTTPParserError else { return context.close(promise: nil) }
        refuse(error == .headerOverflow ? .requestHeaderFieldsTooLarge : .badRequest, context)
    }

    private func finishedAnswer(_ context: ChannelHandlerContext) {
        guard phase == .answering else {
            hasAnswered = true
            return
        }
        phase = .awaitingHead
        guard !isInputClosed else { return context.close(promise: nil) }
        expect(limits.headTimeout, context)
    }

    private func wrote(_ context: ChannelHandlerContext) {
        pendingWrites -= 1
        guard phase == .answering else { return }
        if pendingWrites == 0 { deadline = nil } else { expect(limits.stallTimeout, context) }
    }

    /// Answers with an error and closes. Where a response is under way already nothing sensible can be said any more.
    private func refuse(_ status: HTTPResponseStatus, _ context: ChannelHandlerContext) {
        guard phase == .awaitingHead || phase == .readingBody && !isAnswering else {
            return context.close(promise: nil)
        }
        phase = .refusing
        deadline = nil
        // The handler may hold the beginning of the request.
        context.fireUserInboundEventTriggered(RequestRefused())
        let text = "\(status.code) \(status.reasonPhrase)\n"
        let headers: HTTPHeaders = [
            "content-type": "text/plain; charset=utf-8", "content-length": String(text.utf8.count),
            "connection": "close",
        ]
        context.write(
            wrapOutboundOut(.head(HTTPResponseHead(version: version, status: status, headers: headers))), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(context.channel.allocator.buffer(string: text)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).assumeIsolated().whenComplete { _ in
            // What the client still sends is read and dropped for a moment: closing at once would reset the connection,
            // and the client would lose the answer.
            context.close(mode: .output, promise: nil)
            context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(1)) { context.close(promise: nil) }
        }
    }

    /// One timer per connection, which looks at the deadline when it fires: putting a deadline off costs nothing.
    private func expect(_ time: TimeAmount, _ context: ChannelHandlerContext) {
        let deadline = NIODeadline.now() + time
        self.deadline = deadline
        if timer != nil, deadline >= due { return }
        timer?.cancel()
        schedule(context, in: time)
    }

    private func schedule(_ context: ChannelHandlerContext, in time: TimeAmount) {
        due = .now() + time
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: time) { self.fired(context) }
    }

    private func fired(_ context: ChannelHandlerContext) {
        timer = nil
        guard let deadline else { return }
        let left = deadline - .now()
        if left > .zero { return schedule(context, in: left) }
        if phase == .readingBody { refuse(.requestTimeout, context) } else { context.close(promise: nil) }
    }
}

/// Tells the handler behind a ``RequestGuard`` that the request it has the beginning of will not end.
struct RequestRefused: Sendable {}
