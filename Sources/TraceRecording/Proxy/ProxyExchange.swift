import NIOCore
import NIOHTTP1
import Synchronization

/// One request and its response on their way through the proxy: what the client's event loop and the upstream's thread
/// share.
///
/// It holds at most a window of bytes per direction: who is ahead waits. The upstream's thread owns the transfer, the
/// event loop owns the handler; between them go only values, and this lock.
final class ProxyExchange: Sendable {
    /// What comes from upstream, in this order: a head, bodies, an end; or an end alone.
    enum Delivery: Sendable {
        case head(Int, HTTPHeaders)
        case body(ByteBuffer)
        /// nil: the response is complete.
        case end(UpstreamFailure?)
    }

    private struct State {
        /// Bytes of the response that the client has not taken.
        var untaken = 0
        var downloadWaits = false
        /// Bytes of the request that the upstream has not taken.
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

    /// On the event loop.
    func deliver(_ delivery: Delivery) { handler.value.receive(delivery, of: self) }
    func flush() { handler.value.flush() }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }
    func cancel() { state.withLock { $0.isCancelled = true } }

    // Response: upstream's thread to event loop.

    /// Whether so many more bytes of the response fit; if not, the transfer waits until ``taken(_:)`` says otherwise.
    func mayTake(_ count: Int) -> Bool {
        state.withLock { state in
            // A piece that is larger than the window goes through alone.
            guard state.untaken == 0 || state.untaken + count <= window else {
                state.downloadWaits = true
                return false
            }
            state.untaken += count
            return true
        }
    }

    /// The client took so many bytes. Returns whether the transfer waits for that and is to go on.
    func taken(_ count: Int) -> Bool {
        state.withLock { state in
            state.untaken -= count
            guard state.downloadWaits, state.untaken <= window / 2 else { return false }
            state.downloadWaits = false
            return true
        }
    }

    // Request: event loop to upstream's thread.

    enum Piece {
        case bytes(Int)
        case nothingYet
        case end
    }

    /// More of the request's body; nil is its end. Returns whether the transfer waits for that and is to go on.
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

    /// Whether the client is to send no more for now.
    var isUploadFull: Bool { state.withLock { $0.unsent >= window } }

    /// Fills libcurl's buffer; also says whether the client, which was told to wait, may go on.
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

    /// The upstream took of the request, so that the client may send again.
    func letClientSend() {
        eventLoop.execute { [handler] in handler.value.readAgain() }
    }

    /// Whether libcurl waits for the client, and its silence is none of the upstream's.
    var waitsForClient: Bool { state.withLock { $0.downloadWaits || $0.uploadWaits } }
}
