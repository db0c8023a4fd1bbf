import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// The HTTP/1.1 server of the gallery and of the proxy, with limits, on its own threads.
final class RecordingServer: Sendable {
    let port: Int
    private let group: MultiThreadedEventLoopGroup
    private let channel: any Channel

    /// Starts the server, which listens when the initializer returns. `addHandler` adds the handler that answers
    /// requests to each connection.
    ///
    /// - Throws: ``LoopbackOriginError`` if it cannot listen.
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

    /// An event loop for timers.
    var eventLoop: any EventLoop { channel.eventLoop }

    /// Closes every connection and ends the threads.
    func stop() async throws {
        try await channel.close()
        try await group.shutdownGracefully()
    }

    /// ``stop()`` for callers that are not asynchronous.
    @available(*, noasync)
    func stopAndWait() throws {
        try channel.close().wait()
        try group.syncShutdownGracefully()
    }
}

/// The number of open connections.
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
