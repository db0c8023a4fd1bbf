import NIOCore
import NIOHTTP1
import NIOPosix
import SessionModel

/// An HTTP/1.1 server that serves the objects of a trace as they were recorded: size, type, status, cache headers, and
/// on request the time that each fetch took. The bytes are a function of the key (``PayloadPattern``).
///
/// - `/<run>/<object number>` is an object; `?status=503&ttfb_us=40000&transfer_us=900` asks for another answer than
///   the recorded one. `<run>` is any path segment: what a run fetches is counted apart.
/// - `/-/stats/<run>` says how many requests of that run were answered, and with how many bytes of body:
///   `{"requests":3,"bytes":196608}`.
///
/// The n-th request for an object within a run takes as long as its n-th recorded fetch; the last one repeats.
public final class LoopbackOrigin: Sendable {
    /// For example `http://127.0.0.1:40123`, without a slash at the end.
    public let address: String
    public let port: Int
    private let content: OriginContent
    private let group: MultiThreadedEventLoopGroup
    private let channel: any Channel

    /// Listens when it returns.
    public init(trace: Trace, options: LoopbackOriginOptions = LoopbackOriginOptions()) throws {
        let content = OriginContent(trace, options)
        // One thread: it outruns any client on the same machine, and leaves the other processors to that client.
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    content.countConnection()
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(OriginHandler(content))
                }
            }
        do {
            channel = try bootstrap.bind(host: options.host, port: options.port).wait()
        } catch {
            group.shutdownGracefully { _ in }
            throw LoopbackOriginError(error, host: options.host, port: options.port)
        }
        port = channel.localAddress?.port ?? options.port
        address = "http://\(options.host.contains(":") ? "[\(options.host)]" : options.host):\(port)"
        self.content = content
        self.group = group
    }

    /// The URL of an object, as fetched by a run.
    public func url(_ object: ObjectID, run: String = "run") -> String { "\(address)/\(run)/\(object)" }

    /// Connections accepted so far.
    public var connections: Int { content.connections }

    /// What a run was served, as `/-/stats/<run>` tells it.
    public func served(_ run: String = "run") -> OriginStatistics { content.statistics(run) }

    /// Closes every connection and ends the thread.
    public func stop() async throws {
        try await channel.close()
        try await group.shutdownGracefully()
    }

    /// ``stop()`` for those who cannot await.
    @available(*, noasync)
    public func stopAndWait() throws {
        try channel.close().wait()
        try group.syncShutdownGracefully()
    }
}

extension LoopbackOriginError {
    init(_ error: any Error, host: String, port: Int) {
        let place = "\(host) port \(port)"
        if let error = error as? IOError, error.errnoCode == EADDRINUSE {
            self.init(
                kind: .portInUse,
                description: "\(place) is in use by another program. Choose another port, or 0 for a free one.")
        } else {
            self.init(
                kind: .cannotListen,
                description:
                    """
                    Cannot listen at \(place): \(error). Choose a host of this machine and a port above 1023, or 0 for \
                    a free one.
                    """
            )
        }
    }
}
