import Basics
import CacheTraces
import NIOCore
import NIOHTTP1
import NIOPosix
import SessionModel

/// The response with an image. Sends the pieces at the times of the simulated network, and records the fetch at its
/// end.
///
/// Belongs to the event loop of its channel.
final class ImageAnswer {
    private enum Source {
        case memory(ByteBuffer)
        case file(OpenFile)

        var size: Int {
            switch self {
            case .memory(let buffer): buffer.readableBytes
            case .file(let file): file.size
            }
        }
    }

    private let reply: Reply
    private let gallery: GalleryState
    private let number: Int
    private let session: GallerySession?
    private let schedule: Schedule
    private var firstByte: ContinuousClock.Instant?
    private var sent = 0

    /// The times of the simulated network.
    struct Schedule {
        /// When the recorded fetch begins.
        let asked: ContinuousClock.Instant
        /// The head is not sent before.
        let due: NIODeadline
        /// Whether ``next`` is not called before ``due``.
        let waitsForHead: Bool
        /// Returns the next piece of the body, and when it is sent.
        let next: (_ left: Int) -> (bytes: Int, due: NIODeadline)
    }

    init(
        _ reply: Reply, _ gallery: GalleryState, _ number: Int, _ session: GallerySession?, _ schedule: Schedule
    ) {
        self.reply = reply
        self.gallery = gallery
        self.number = number
        self.session = session
        self.schedule = schedule
    }

    private var file: GalleryFile { gallery.content.files[number] }
    private var loop: NIOIsolatedEventLoop { reply.channel.eventLoop.assumeIsolated() }

    func send() {
        let known = reply.request.headers.first(name: "if-none-match")
        if gallery.options.browserCache, known == file.entityTag { return at(schedule.due, sendNotModified) }
        if let body = gallery.content.keptBody(number) { return begin(.memory(body)) }
        let path = file.path
        let keeps = gallery.content.hasRoom(file.bytes)
        let opened = gallery.threads.runIfActive(eventLoop: reply.channel.eventLoop) { () -> (OpenFile, ByteBuffer?)? in
            guard let file = OpenFile(path) else { return nil }
            return (file, keeps && file.size <= GalleryContent.keptFileLimit ? file.read(0..<file.size) : nil)
        }
        opened.assumeIsolated().whenComplete { result in
            guard case .success((let file, let body)?) = result else { return self.sendMissing() }
            guard let body else { return self.begin(.file(file)) }
            self.gallery.content.keep(body, as: self.number)
            self.begin(.memory(body))
        }
    }

    private func begin(_ source: Source) {
        guard source.size > 0, !reply.isHead else {
            return at(schedule.due) {
                self.sendHead(.ok, length: source.size)
                self.finish(.ok)
            }
        }
        if schedule.waitsForHead { at(schedule.due) { self.sendPiece(of: source) } } else { sendPiece(of: source) }
    }

    /// Sends a piece at its time, and the next piece after the connection has accepted it.
    private func sendPiece(of source: Source) {
        let (count, due) = schedule.next(source.size - sent)
        let range = sent..<sent + count
        switch source {
        case .memory(let body):
            guard let piece = body.getSlice(at: body.readerIndex + range.lowerBound, length: count) else {
                return abort()
            }
            at(due) { self.write(piece, of: source) }
        case .file(let file):
            let read = gallery.threads.runIfActive(eventLoop: reply.channel.eventLoop) { file.read(range) }
            read.assumeIsolated().whenComplete { result in
                guard case .success(let piece?) = result else { return self.abort() }
                self.at(due) { self.write(piece, of: source) }
            }
        }
    }

    private func write(_ piece: ByteBuffer, of source: Source) {
        if sent == 0 { sendHead(.ok, length: source.size) }
        let count = piece.readableBytes
        let written = reply.channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(piece)))
        if firstByte == nil { firstByte = .now }
        written.assumeIsolated().whenComplete { result in
            guard case .success = result else { return self.record(status: 0) }
            self.sent += count
            if self.sent < source.size { self.sendPiece(of: source) } else { self.finish(.ok) }
        }
    }

    private func sendHead(_ status: HTTPResponseStatus, length: Int?) {
        var headers: HTTPHeaders = [
            "content-type": file.object.contentType ?? "application/octet-stream",
            "cache-control": gallery.content.cacheControl,
            "x-content-type-options": "nosniff",
        ]
        if let length { headers.add(name: "content-length", value: String(length)) }
        if gallery.options.browserCache { headers.add(name: "etag", value: file.entityTag) }
        reply.writeHead(status, headers)
    }

    private func sendNotModified() {
        sendHead(.notModified, length: nil)
        finish(.notModified)
    }

    /// Responds for a file that was deleted after the folder was read.
    private func sendMissing() {
        reply.send(.notFound)
        record(status: 404)
    }

    private func finish(_ status: HTTPResponseStatus) {
        reply.end()
        if !reply.isHead { record(status: Int(status.code)) }
    }

    /// Closes the connection, because the file became shorter than the announced length.
    private func abort() {
        reply.channel.close(promise: nil)
        record(status: 0)
    }

    private func record(status: Int) {
        guard let session else { return }
        let now = ContinuousClock.now
        let first = firstByte ?? now
        var fetch = Fetch(
            status: status, bytes: status == 404 ? nil : sent,
            timeToFirstByte: (first - schedule.asked).microseconds, transferTime: (now - first).microseconds)
        fetch.networkProtocol = .http1
        session.fetched(number, at: schedule.asked, fetch)
    }

    private func at(_ time: NIODeadline, _ body: @escaping () -> Void) {
        guard time > reply.channel.eventLoop.now else { return body() }
        loop.scheduleTask(deadline: time, body)
    }
}
