import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// What the gallery's and the proxy's servers have in common: an HTTP/1.1 server with limits, on threads of its own.
final class RecordingServer: Sendable {
    let port: Int
    private let group: MultiThreadedEventLoopGroup
    private let channel: any Channel

    /// Listens when it returns. `addHandler` is called for each connection, and adds what answers requests.
    ///
    /// Throws ``LoopbackOriginError`` where it cannot listen.
    init(
        host: String, port: Int, limits: ServerLimits = ServerLimits(), threads: Int = 1,
        encoder: HTTPResponseEncoder.Configuration = HTTPResponseEncoder.Configuration(),
        addHandler: @escaping @Sendable (any Channel) throws -> Void
    ) throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: threads)
        let counter = ConnectionCounter()
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                guard counter.add(limit: limits.connections) else { return channel.close() }
                channel.closeFuture.whenComplete { _ in counter.remove() }
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(
                        withErrorHandling: false, withEncoderConfiguration: encoder,
                        withDecoderLimitConfiguration: limits.decoder)
                    try channel.pipeline.syncOperations.addHandler(RequestGuard(limits))
                    try addHandler(channel)
                }
            }
        do {
            channel = try bootstrap.bind(host: host, port: port).wait()
        } catch {
            group.shutdownGracefully { _ in }
            throw LoopbackOriginError(error, host: host, port: port)
        }
        self.port = channel.localAddress?.port ?? port
        self.group = group
    }

    /// A loop for timers.
    var eventLoop: any EventLoop { channel.eventLoop }

    /// Closes every connection and ends the threads.
    func stop() async throws {
        try await channel.close()
        try await group.shutdownGracefully()
    }

    /// ``stop()`` for those who cannot await.
    @available(*, noasync)
    func stopAndWait() throws {
        try channel.close().wait()
        try group.syncShutdownGracefully()
    }
}

/// Connections that are open now.
private final class ConnectionCounter: Sendable {
    private let count = Mutex(0)

    func add(limit: Int) -> Bool {
        count.withLock { count in
            guard count < limit else { return false }
            count += 1
            return true
        }
    }

    func remove() { count.withLock { $0 -= 1 } }
}
