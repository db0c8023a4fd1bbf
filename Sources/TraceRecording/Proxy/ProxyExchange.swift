import NIOCore
import NIOHTTP1
import Synchronization

/// One request and its response: the state that the client's event loop and the upstream's thread share.
///
/// An exchange holds at most a window of bytes per direction; then the faster side waits. The upstream's thread owns
/// the transfer, and the event loop owns the handler. They exchange only values, under a lock.
final class ProxyExchange: Sendable {
    /// The parts of a response, in this order: a head, bodies, an end; or only an end.
    enum Delivery: Sendable {
        case head(Int, HTTPHeaders)
        case body(ByteBuffer)
        /// nil if the response is complete.
        case end(UpstreamFailure?)
    }

    private struct State {
        /// Bytes of the response that the client has not accepted.
        var untaken = 0
        var downloadWaits = false
        /// Bytes of the request that the upstream has not accepted.
        var uploads = CircularBuffer<ByteBuffer>()
        var unsent = 0
        var uploadHasEnded = false
        var uploadWaits = false
        var isCancelled = false
    }

    let request: UpstreamRequest
    let recording: RecordedRequest?
    let eventLoop: any EventLoop
    private let handler: NIOLoopBound<ProxyHandler>
    private let window: Int
    private let state = Mutex(State())

    init(
        _ request: UpstreamRequest, _ recording: RecordedRequest?, _ handler: NIOLoopBound<ProxyHandler>,
        _ eventLoop: any EventLoop, window: Int
    ) {
        self.eventLoop = eventLoop
        self.request = request
        self.recording = recording
        self.handler = handler
        self.window = window
    }

    /// Delivers a part of the response. Call it on the event loop.
    func deliver(_ delivery: Delivery) { handler.value.receive(delivery, of: self) }
    func flush() { handler.value.flush() }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }
    func cancel() { state.withLock { $0.isCancelled = true } }

    // The response: from the upstream's thread to the event loop.

    /// Returns whether the window has room for more bytes of the response. Otherwise the transfer waits for
    /// ``taken(_:)``.
    func mayTake(_ count: Int) -> Bool {
        state.withLock { state in
            // A piece that is larger than the window passes alone.
            guard state.untaken == 0 || state.untaken + count <= window else {
                state.downloadWaits = true
                return false
            }
            state.untaken += count
            return true
        }
    }

    /// Counts bytes that the client has accepted. Returns whether a waiting transfer can continue.
    func taken(_ count: Int) -> Bool {
        state.withLock { state in
            state.untaken -= count
            guard state.downloadWaits, state.untaken <= window / 2 else { return false }
            state.downloadWaits = false
            return true
        }
    }

    // The request: from the event loop to the upstream's thread.

    enum Piece {
        case bytes(Int)
        case nothingYet
        case end
    }

    /// Adds a piece of the request's body; nil is its end. Returns whether a waiting transfer can continue.
    func upload(_ piece: ByteBuffer?) -> Bool {
        state.withLock { state in
            if let piece {
                state.unsent += piece.readableBytes
                state.uploads.append(piece)
            } else {
                state.uploadHasEnded = true
            }
            defer { state.uploadWaits = false }
            return state.uploadWaits
        }
    }

    /// Whether the window of the request is full.
    var isUploadFull: Bool { state.withLock { $0.unsent >= window } }

    /// Fills libcurl's buffer. `hasRoom` is true if a waiting client can continue.
    func takeUpload(into buffer: UnsafeMutableRawBufferPointer) -> (piece: Piece, hasRoom: Bool) {
        state.withLock { state in
            let wasFull = state.unsent >= window
            var filled = 0
            while filled < buffer.count, var first = state.uploads.popFirst() {
                let count = min(buffer.count - filled, first.readableBytes)
                first.readWithUnsafeReadableBytes { bytes in
                    UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]).copyMemory(
                        from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
                    return count
                }
                filled += count
                if first.readableBytes > 0 { state.uploads.prepend(first) }
            }
            state.unsent -= filled
            if filled > 0 { return (.bytes(filled), wasFull && state.unsent < window) }
            guard !state.uploadHasEnded else { return (.end, false) }
            state.uploadWaits = true
            return (.nothingYet, false)
        }
    }

    /// Lets a waiting client continue to send.
    func letClientSend() {
        eventLoop.execute { [handler] in handler.value.readAgain() }
    }

    /// Whether libcurl waits for the client, so that the upstream's timeout does not apply.
    var waitsForClient: Bool { state.withLock { $0.downloadWaits || $0.uploadWaits } }
}

/// The head of the response to one request: its framing, and whether the connection stays open.
struct ProxyReply {
    private(set) var hasBegun = false
    private(set) var keepsAlive = false
    private(set) var expectsContinue = false
    private var version = HTTPVersion.http1_1
    /// Whether the client supports HTTP/1.1: chunked bodies and persistent connections.
    private var isModern = true
    private var isHead = false

    init() {}

    init(to request: HTTPRequestHead) {
        version = request.version
        isModern = version.major > 1 || version.major == 1 && version.minor >= 1
        isHead = request.method == .HEAD
        keepsAlive = request.isKeepAlive
        expectsContinue =
            isModern && request.headers[canonicalForm: "expect"].contains { $0.lowercased() == "100-continue" }
    }

    /// The interim response to `Expect: 100-continue`. The body is always read.
    var continueHead: HTTPResponseHead { HTTPResponseHead(version: version, status: .continue) }

    /// Converts the upstream's head for the client.
    mutating func head(
        _ status: Int, _ fields: HTTPHeaders, _ upstream: UpstreamAddress, requestHasEnded: Bool
    ) -> HTTPResponseHead {
        hasBegun = true
        var headers = HopByHop.removed(from: fields, and: ["alt-svc", "location", "content-length"])
        for location in fields["location"] {
            headers.add(name: "Location", value: upstream.rewritten(location: location))
        }
        let hasBody = !isHead && status != 204 && status != 304
        if status != 204, let length = Self.length(fields) {
            headers.add(name: "Content-Length", value: String(length))
        } else if hasBody, isModern {
            headers.add(name: "Transfer-Encoding", value: "chunked")
        } else if hasBody {
            // In HTTP/1.0, the end of the connection is the end of the body.
            keepsAlive = false
        }
        return finish(
            HTTPResponseHead(version: version, status: HTTPResponseStatus(statusCode: status), headers: headers),
            requestHasEnded)
    }

    /// Returns the proxy's own response with an error.
    mutating func answer(_ status: HTTPResponseStatus, _ sentence: String, requestHasEnded: Bool) -> (
        HTTPResponseHead, String
    ) {
        hasBegun = true
        let text = sentence + "\n"
        let headers: HTTPHeaders = [
            "Content-Type": "text/plain; charset=utf-8", "Content-Length": String(text.utf8.count),
        ]
        return (
            finish(HTTPResponseHead(version: version, status: status, headers: headers), requestHasEnded),
            isHead ? "" : text
        )
    }

    /// Returns the length of the body if it is announced without contradiction. Otherwise the body is sent in chunks.
    private static func length(_ fields: HTTPHeaders) -> Int? {
        let lengths = fields["content-length"]
        guard lengths.count == 1, !fields.contains(name: "transfer-encoding"), let length = Int(lengths[0]), length >= 0
        else { return nil }
        return length
    }

    private mutating func finish(_ head: HTTPResponseHead, _ requestHasEnded: Bool) -> HTTPResponseHead {
        // The unread rest of the request would be parsed as the next request.
        if !requestHasEnded { keepsAlive = false }
        var head = head
        if !keepsAlive {
            head.headers.add(name: "Connection", value: "close")
        } else if !isModern {
            head.headers.add(name: "Connection", value: "keep-alive")
        }
        return head
    }
}
