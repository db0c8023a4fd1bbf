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
