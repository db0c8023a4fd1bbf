import CacheTraces
import NIOCore
import NIOPosix

/// Shows a folder's images to browsers as apps show theirs, and records what each of them does as a trace.
///
/// The page tells what only it knows: cells that appear and vanish, how the list scrolls, when it is hidden. The server
/// adds what it alone knows: each fetch's bytes and times, from the end of the request's head to the first and to the
/// last byte that the kernel took.
public final class GalleryServer: Sendable {
    /// Where a browser finds the page, with a slash at the end. With a host such as 0.0.0.0 this is the way from this
    /// machine.
    public let address: String
    public let port: Int
    /// The first segment of every path where the gallery is open to a network; nil on loopback.
    public let secret: String?
    let state: GalleryState
    private let server: RecordingServer
    private let flushing: RepeatedTask

    /// The longest that a fetch waits to be written, and so the most that a kill loses.
    public static let flushInterval = TimeAmount.milliseconds(100)

    /// Listens when it returns. Throws ``LoopbackOriginError`` where it cannot.
    public init(images: [GalleryImage], options: GalleryOptions) throws {
        secret = HostCheck(listeningAt: options.host).names == nil ? Self.randomName(16) : nil
        let state = GalleryState(images, options, secret: secret, run: Self.randomName(16))
        server = try RecordingServer(host: options.host, port: options.port, limits: options.limits) { channel in
            channel.limitUnsentBytes(to: 64 << 10)
            try channel.pipeline.syncOperations.addHandler(GalleryHandler(state))
        }
        port = server.port
        let anyHost: [String: String] = ["0.0.0.0": "127.0.0.1", "::": "[::1]"]
        let host = anyHost[options.host] ?? (options.host.contains(":") ? "[\(options.host)]" : options.host)
        address = "http://\(host):\(port)/" + (secret.map { $0 + "/" } ?? "")
        self.state = state
        flushing = server.eventLoop.scheduleRepeatedTask(initialDelay: Self.flushInterval, delay: Self.flushInterval) {
            _ in
            for session in state.sessions.all { session.flush() }
        }
    }

    /// What a browser's session has come to.
    public struct Progress: Sendable, Equatable {
        public var path: String
        public var fetches: Int
        public var appearances: Int
        /// Microseconds by which the page's times may be off: half the round trip by which its clock was set.
        public var clockError: Int64
        public var journal: TraceJournal.Status
    }

    /// One for each browser, in the order of their beginning.
    public var progress: [Progress] {
        state.sessions.all.map { session in
            let counts = session.counts
            return Progress(
                path: session.journal.path, fetches: counts.fetches, appearances: counts.appearances,
                clockError: counts.clockError,
                journal: session.journal.status)
        }
    }

    /// Closes every connection, and the traces.
    public func stop() async throws {
        flushing.cancel()
        try await server.stop()
        try await state.threads.shutdownGracefully()
        for session in state.sessions.all { session.finish() }
    }

    /// ``stop()`` for those who cannot await.
    @available(*, noasync)
    public func stopAndWait() throws {
        flushing.cancel()
        try server.stopAndWait()
        try state.threads.syncShutdownGracefully()
        for session in state.sessions.all { session.finish() }
    }

    /// Letters that are told apart when read from a screen.
    private static func randomName(_ count: Int) -> String {
        String((0..<count).compactMap { _ in "abcdefghjkmnpqrstuvwxyz23456789".randomElement() })
    }
}
