import NIOCore
import NIOHTTP1

/// A channel handler between the HTTP decoder and the handler that answers requests. It refuses requests that exceed
/// the limits or are not meant for this server, closes the connections of clients that are too slow, and counts the
/// progress of its connection.
///
/// The next handler receives well-formed requests of limited size, one at a time, and needs no timeouts.
final class RequestGuard: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private enum Phase {
        case awaitingHead
        case readingBody
        /// The request is complete, its response is not.
        case answering
        /// An error was sent, or the connection is being closed; the rest of the request is dropped.
        case refusing
    }

    let limits: ServerLimits
    private let hosts: HostCheck
    private let connections: ConnectionTable
    private var phase = Phase.awaitingHead
    private var bodyBytes = 0
    private var version = HTTPVersion.http1_1
    private var isHead = false
    /// The last `Host` field that was accepted.
    private var host: String?
    private var deadline: NIODeadline?
    private var timer: Scheduled<Void>?
    /// The time at which the timer fires.
    private var due = NIODeadline.distantFuture
    private var pendingWrites = 0
    private var isInputClosed = false
    /// Whether the response was complete before the request.
    private var hasAnswered = false
    /// Whether the response has begun, possibly before the request was complete.
    private var isAnswering = false

    init(_ limits: ServerLimits, _ hosts: HostCheck, _ connections: ConnectionTable) {
        self.limits = limits
        self.hosts = hosts
        self.connections = connections
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
            isHead = head.method == .HEAD
            if let refusal = limits.refusal(of: head).map(RequestRefusal.init)
                ?? hosts.refusal(of: head, accepted: &host)
            {
                return refuse(refusal, context)
            }
            guard connections.progress(context.channel, .readingRequest) else {
                phase = .refusing
                return
            }
            phase = .readingBody
            bodyBytes = 0
            hasAnswered = false
            isAnswering = false
            expect(limits.bodyTimeout, context)
        case .body(let part):
            bodyBytes += part.readableBytes
            if bodyBytes > limits.bodyBytes { return refuse(RequestRefusal(.payloadTooLarge), context) }
            connections.progress(context.channel, .readingRequest)
        case .end:
            phase = .answering
            deadline = nil
            connections.progress(context.channel, .answering)
            if hasAnswered { finishedAnswer(context) }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let part = unwrapOutboundIn(data)
        let isEnd = if case .end = part { true } else { false }
        if case .head = part { isAnswering = true }
        // Without a limit for stalled clients, only the end of a response matters.
        if phase != .refusing, isEnd || limits.stallTimeout != nil {
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
            // A client that closes its side after the request still receives the response.
            isInputClosed = true
            if phase != .answering { context.close(promise: nil) }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? HTTPParserError else { return context.close(promise: nil) }
        refuse(RequestRefusal(error == .headerOverflow ? .requestHeaderFieldsTooLarge : .badRequest), context)
    }

    private func finishedAnswer(_ context: ChannelHandlerContext) {
        guard phase == .answering else {
            hasAnswered = true
            return
        }
        phase = .awaitingHead
        guard !isInputClosed else { return context.close(promise: nil) }
        expect(limits.headTimeout, context)
        settle(context)
    }

    private func wrote(_ context: ChannelHandlerContext) {
        pendingWrites -= 1
        settle(context)
        guard phase == .answering else { return }
        if pendingWrites == 0 { deadline = nil } else { expect(limits.stallTimeout, context) }
    }

    /// Counts the end of a response when the kernel has accepted its last byte.
    private func settle(_ context: ChannelHandlerContext) {
        if phase == .awaitingHead, pendingWrites == 0 { connections.progress(context.channel, .awaitingRequest) }
    }

    /// Responds with an error and closes the connection. If another response has begun, only closes it.
    private func refuse(_ refusal: RequestRefusal, _ context: ChannelHandlerContext) {
        guard phase == .awaitingHead || phase == .readingBody && !isAnswering else {
            return context.close(promise: nil)
        }
        phase = .refusing
        deadline = nil
        // The next handler can have received the beginning of the request.
        context.fireUserInboundEventTriggered(RequestRefused())
        let text = refusal.sentence + "\n"
        let headers: HTTPHeaders = [
            "content-type": "text/plain; charset=utf-8", "content-length": String(text.utf8.count),
            "connection": "close",
        ]
        context.write(
            wrapOutboundOut(.head(HTTPResponseHead(version: version, status: refusal.status, headers: headers))),
            promise: nil)
        if !isHead {
            context.write(
                wrapOutboundOut(.body(.byteBuffer(context.channel.allocator.buffer(string: text)))), promise: nil)
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil))).assumeIsolated().whenComplete { _ in
            // Reads and drops the rest of the request for a second: closing at once would reset the connection, and the
            // client would lose the response.
            context.close(mode: .output, promise: nil)
            context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(1)) { context.close(promise: nil) }
        }
    }

    /// Sets the deadline; none without a time. There is one timer per connection, which checks the deadline when it
    /// fires, so that moving the deadline is cheap.
    private func expect(_ time: TimeAmount?, _ context: ChannelHandlerContext) {
        guard let time else { return self.deadline = nil }
        let deadline = context.eventLoop.now + time
        self.deadline = deadline
        if timer != nil, deadline >= due { return }
        timer?.cancel()
        schedule(context, in: time)
    }

    private func schedule(_ context: ChannelHandlerContext, in time: TimeAmount) {
        due = context.eventLoop.now + time
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: time) { self.fired(context) }
    }

    private func fired(_ context: ChannelHandlerContext) {
        timer = nil
        guard let deadline else { return }
        let left = deadline - context.eventLoop.now
        if left > .zero { return schedule(context, in: left) }
        if phase == .readingBody {
            refuse(RequestRefusal(.requestTimeout), context)
        } else {
            context.close(promise: nil)
        }
    }
}

/// The event that a ``RequestGuard`` sends to the next handler if it refuses a request that has begun.
package struct RequestRefused: Sendable {}

/// The error response to a request that a server itself refuses.
struct RequestRefusal: Error {
    var status: HTTPResponseStatus
    /// The body: what is wrong, and the remedy.
    var sentence: String

    init(_ status: HTTPResponseStatus, _ sentence: String) {
        self.status = status
        self.sentence = sentence
    }

    /// A refusal that the name of the status explains.
    init(_ status: HTTPResponseStatus) { self.init(status, "\(status.code) \(status.reasonPhrase)") }
}
