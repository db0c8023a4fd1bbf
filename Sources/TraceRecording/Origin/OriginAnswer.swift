import Basics
import NIOCore
import NIOHTTP1

/// The response to one request. Belongs to the event loop of its channel.
struct OriginAnswer {
    private let content: OriginContent
    private let channel: any Channel
    private let version: HTTPVersion
    private let isHead: Bool
    private let keepsAlive: Bool
    private let requestHeaders: HTTPHeaders

    init(_ content: OriginContent, _ channel: any Channel, _ request: HTTPRequestHead) {
        self.content = content
        self.channel = channel
        version = request.version
        isHead = request.method == .HEAD
        keepsAlive = request.isKeepAlive
        requestHeaders = request.headers
    }

    func sendText(
        _ status: HTTPResponseStatus, _ text: String, _ headers: HTTPHeaders = [:], countedFor run: String? = nil
    ) {
        var headers = headers
        headers.replaceOrAdd(name: "content-length", value: String(text.utf8.count))
        write(head(status, headers))
        if !isHead {
            write(.body(.byteBuffer(channel.allocator.buffer(string: text))))
            if let run { content.countBytes(run, text.utf8.count) }
        }
        end()
    }

    func sendObject(_ number: Int, run: String, _ query: OriginQuery) {
        var object = content.objects[number]
        if let status = query.status { object.answer(with: status, failedBytes: query.bytes) }
        let latency = content.countRequest(run, number)
        guard latency.timeToFirstByte > .zero else { return begin(number, object, run, latency) }
        channel.eventLoop.assumeIsolated().scheduleTask(in: latency.timeToFirstByte) {
            begin(number, object, run, latency)
        }
    }

    private func begin(_ number: Int, _ object: OriginObject, _ run: String, _ latency: OriginLatency) {
        guard object.status != 0 || object.fault != nil else { return close() }
        if object.isUnmodified(for: requestHeaders) {
            // It has no body, and the headers that a 200 would have (RFC 9110, section 15.4.5).
            write(head(.notModified, object.headers))
            return end()
        }
        if object.fault != .reset, let bytes = object.failedBytes {
            return sendFailure(object, bytes: bytes, run, latency)
        }
        var headers = object.headers
        var count = object.size
        switch object.fault {
        case .reset: return channel.reset()
        case .status(let status):
            return sendText(
                HTTPResponseStatus(statusCode: status), "Status \(status), as requested.\n", countedFor: run)
        case .redirect(let location):
            return sendText(.found, "See the location.\n", ["location": location])
        case .truncate, .resetHalfway, .stall: count /= 2
        case .unannounced, nil: break
        }
        if object.status == 204 {
            count = 0
        } else if object.fault != .unannounced {
            headers.replaceOrAdd(name: "content-length", value: String(object.size))
        }
        write(head(HTTPResponseStatus(statusCode: object.status), headers))
        guard !isHead, count > 0 else { return finish(object.fault) }
        let pieces = OriginPieces(
            number: number, count: count, run: run, transfer: latency.transfer, start: channel.eventLoop.now)
        if pieces.transfer > .zero { channel.flush() }
        send(pieces, from: 0, then: object.fault)
    }

    /// Sends a response with a body of zeros in place of the object, or a response that is cut off after `bytes`.
    private func sendFailure(_ object: OriginObject, bytes: Int, _ run: String, _ latency: OriginLatency) {
        let isCutOff = object.status < 200
        // A 304 has no body (RFC 9110, section 15.4.5).
        let count = object.status == 304 ? 0 : bytes
        let headers: HTTPHeaders = ["content-length": String(isCutOff ? bytes + 1 : count)]
        write(head(isCutOff ? .ok : HTTPResponseStatus(statusCode: object.status), headers))
        let fault = isCutOff ? OriginFault.truncate : nil
        guard !isHead, count > 0 else { return finish(fault) }
        let pieces = OriginPieces(
            number: nil, count: count, run: run, transfer: latency.transfer, start: channel.eventLoop.now)
        if pieces.transfer > .zero { channel.flush() }
        send(pieces, from: 0, then: fault)
    }

    /// Sends a piece at its time, and the next piece after the connection has accepted it.
    private func send(_ pieces: OriginPieces, from offset: Int, then fault: OriginFault?) {
        let end = min(pieces.count, offset + pieces.length)
        let isLast = end == pieces.count
        let send = {
            // The length is announced already: a reset shows that the body is incomplete.
            guard let buffer = body(pieces, offset..<end) else { return channel.reset() }
            content.countBytes(pieces.run, end - offset)
            guard !isLast else {
                write(.body(.byteBuffer(buffer)))
                return finish(fault)
            }
            let written = channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(buffer)))
            written.assumeIsolated().whenSuccess { self.send(pieces, from: end, then: fault) }
        }
        let due = pieces.due(end)
        guard due > channel.eventLoop.now else { return send() }
        channel.eventLoop.assumeIsolated().scheduleTask(deadline: due, send)
    }

    private func body(_ pieces: OriginPieces, _ range: Range<Int>) -> ByteBuffer? {
        guard let number = pieces.number else { return ByteBuffer(repeating: 0, count: range.count) }
        return content.body(number, range, channel.allocator)
    }

    private func finish(_ fault: OriginFault?) {
        switch fault {
        case .stall:
            channel.flush()
        case .resetHalfway:
            channel.flush()
            channel.reset()
        case .truncate:
            channel.flush()
            close()
        default:
            end()
        }
    }

    private func head(_ status: HTTPResponseStatus, _ headers: HTTPHeaders) -> HTTPServerResponsePart {
        var head = HTTPResponseHead(version: version, status: status, headers: headers)
        if !keepsAlive { head.headers.replaceOrAdd(name: "connection", value: "close") }
        return .head(head)
    }

    private func write(_ part: HTTPServerResponsePart) { channel.write(part, promise: nil) }

    private func end() {
        let written = channel.writeAndFlush(HTTPServerResponsePart.end(nil))
        if !keepsAlive { written.assumeIsolated().whenComplete { _ in close() } }
    }

    private func close() { channel.close(promise: nil) }
}

/// The pieces of a body. They limit the memory of a large body, and spread it over its transfer time.
struct OriginPieces {
    /// The object; nil for a body of zeros.
    var number: Int?
    var count: Int
    var run: String
    var transfer: TimeAmount
    var start: NIODeadline

    /// The length of a piece: short enough for a transfer that progresses evenly, long enough for a system call.
    var length: Int { transfer > .zero ? min(256 << 10, max(4096, count / 32)) : 256 << 10 }

    /// Returns the time to send the byte before `offset`. The last byte is sent at the end of the transfer time.
    func due(_ offset: Int) -> NIODeadline {
        guard transfer > .zero else { return start }
        return start + .nanoseconds(Int64(Double(transfer.nanoseconds) * Double(offset) / Double(count)))
    }
}

/// Answers the requests of one connection, one after the other.
final class OriginHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let content: OriginContent
    private var request: HTTPRequestHead?

    init(_ content: OriginContent) {
        self.content = content
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): request = head
        case .body: break
        case .end:
            guard let request else { return }
            self.request = nil
            answer(request, context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func answer(_ request: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let answer = OriginAnswer(content, context.channel, request)
        guard request.method == .GET || request.method == .HEAD else {
            return answer.sendText(.methodNotAllowed, "Only GET and HEAD are supported.\n", ["allow": "GET, HEAD"])
        }
        switch OriginPath(request.uri) {
        case .object(let number, let run, let query) where number < content.objects.count:
            answer.sendObject(number, run: run, query)
        case .statistics(let run):
            let served = content.statistics(run)
            let json = JSONWriter.object {
                $0.member("requests", served.requests)
                $0.member("bytes", served.bytes)
            }
            answer.sendText(.ok, json.text, ["content-type": "application/json"])
        default:
            answer.sendText(.notFound, "There is no such object. Request /<run>/<0 to \(content.objects.count - 1)>.\n")
        }
    }
}
