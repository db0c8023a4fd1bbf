import CacheTraces
import NIOCore
import NIOPosix

/// Shows the images of a folder in browsers like an app, and records the session of each browser as a trace.
///
/// The page reports cells that appear and disappear, scrolling, and when it is hidden. The server adds the bytes and
/// times of each fetch: from the end of the request's head to the first and to the last byte that the kernel has
/// accepted.
public final class GalleryServer: Sendable {
    /// The page's URL, with a slash at the end. For a host such as 0.0.0.0, it is the URL on this machine.
    public let address: String
    public let port: Int
    /// The first segment of every path if the gallery is reachable from a network; nil on loopback.
    public let secret: String?
    let state: GalleryState
    private let server: RecordingServer
    private let flushing: RepeatedTask

    /// The longest time before a fetch is written. If the process is killed, at most these fetches are lost.
    public static let flushInterval = TimeAmount.milliseconds(100)

    /// Starts the server, which listens when the initializer returns.
    ///
    /// - Throws: ``LoopbackOriginError`` if it cannot listen.
    public init(images: [GalleryImage], options: GalleryOptions) throws {
        secret = HostCheck.isLoopback(options.host) ? nil : RandomName.make(16)
        try RecordingServer.requireThreads()
        let state = GalleryState(images, options, secret: secret, run: RandomName.make(16))
        let hosts = HostCheck(
            listeningAt: options.host, allowed: options.allowedHosts, acceptsAnyHost: secret != nil, pages: .own)
        server = try RecordingServer(
            host: options.host, port: options.port, limits: options.limits, hosts: hosts
        ) { channel in
            channel.limitUnsentBytes(to: 64 << 10)
            try channel.pipeline.syncOperations.addHandler(GalleryHandler(state))
        }
        port = server.port
        address = server.localAddress + "/" + (secret.map { $0 + "/" } ?? "")
        self.state = state
        flushing = server.eventLoop.scheduleRepeatedTask(initialDelay: Self.flushInterval, delay: Self.flushInterval) {
            _ in
            for session in state.sessions.all { session.flush() }
        }
    }

    /// The progress of a browser's session.
    public struct Progress: Sendable, Equatable {
        public var path: String
        public var fetches: Int
        public var appearances: Int
        /// The largest error of the page's times, in microseconds: half the round trip of setting its clock.
        public var clockError: Int64
        public var journal: TraceJournal.Status
    }

    /// The progress of each browser, in the order of their first visits.
    public var progress: [Progress] {
        state.sessions.all.map { session in
            let counts = session.counts
            return Progress(
                path: session.journal.path, fetches: counts.fetches, appearances: counts.appearances,
                clockError: counts.clockError,
                journal: session.journal.status)
        }
    }

    /// Closes all connections and traces.
    public func stop() async throws {
        flushing.cancel()
        try await server.stop()
        try await state.threads.shutdownGracefully()
        for session in state.sessions.all { session.finish() }
    }

    /// ``stop()`` for callers that are not asynchronous.
    @available(*, noasync)
    public func stopAndWait() throws {
        flushing.cancel()
        try server.stopAndWait()
        try state.threads.syncShutdownGracefully()
        for session in state.sessions.all { session.finish() }
    }
}

/// Random names that cannot be guessed, such as the secret in the address of a server.
package enum RandomName {
    /// Returns a random name of letters and digits that are easy to distinguish. 16 characters have 79 bits.
    package static func make(_ count: Int) -> String {
        String((0..<count).compactMap { _ in "abcdefghjkmnpqrstuvwxyz23456789".randomElement() })
    }
}
