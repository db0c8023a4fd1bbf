import Basics
import Dispatch
import NIOCore
import NIOHTTP1
import NIOPosix

/// The HTTP/1.1 server of the gallery, the loopback origin and the playground, with limits, on its own thread.
package final class RecordingServer: Sendable {
    /// For example `http://127.0.0.1:40123`, without a slash at the end.
    let address: String
    /// The address on this machine: the loopback address, if the server listens at all networks.
    package let localAddress: String
    package let port: Int
    private let group: MultiThreadedEventLoopGroup
    /// The files that a server needs without connections, and some to spare.
    private static let ownFiles = 12
    private let channel: any Channel

    /// Starts the server, which listens when the initializer returns.
    ///
    /// - Parameters:
    ///   - allowsHalfClosure: Whether a client that closes its side of the connection still receives its response.
    ///     Otherwise this closes the connection.
    ///   - addHandler: Adds the handler that answers requests to a new connection.
    /// - Throws: ``LoopbackOriginError`` if it cannot listen.
    package init(
        host: String, port: Int, limits: ServerLimits, hosts: HostCheck, allowsHalfClosure: Bool = true,
        addHandler: @escaping @Sendable (any Channel) throws -> Void
    ) throws {
        let connections = ConnectionTable(limit: limits.connectionLimit(openFiles: OpenFileLimit.raise(to:)))
        guard OpenFileLimit.allows(Self.ownFiles) else {
            throw LoopbackOriginError(
                kind: .cannotListen,
                description: "A server cannot start: too many open files. Raise the limit with `ulimit -n`.")
        }
        try Self.requireThreads()
        // One thread is faster than any client on the same machine, and leaves the other processors to the client.
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: allowsHalfClosure)
            .childChannelInitializer { channel in
                guard connections.add(channel) else { return channel.close() }
                channel.closeFuture.whenComplete { _ in connections.remove(channel) }
                return channel.eventLoop.makeCompletedFuture {
                    try Self.prepare(channel, RequestGuard(limits, hosts, connections))
                    try addHandler(channel)
                }
            }
        do {
            channel = try bootstrap.bind(host: host, port: port).wait()
        } catch {
            group.shutdownGracefully { _ in }
            throw LoopbackOriginError(error, host: host, port: port)
        }
        let listening = channel.localAddress?.port ?? port
        self.port = listening
        let address = "http://\(host.contains(":") ? "[\(host)]" : host):\(listening)"
        self.address = address
        let loopback = ["0.0.0.0": "http://127.0.0.1:\(listening)", "::": "http://[::1]:\(listening)"]
        localAddress = loopback[host] ?? address
        self.group = group
    }

    /// Makes sure that a server can start its threads. Without memory for them, NIO ends the process.
    ///
    /// - Throws: ``LoopbackOriginError`` if the system refuses threads.
    package static func requireThreads() throws {
        do {
            // The event loop, two threads for files, and the threads of the command and of the system's libraries.
            try DetachedThread.require(8)
        } catch {
            throw LoopbackOriginError(
                kind: .cannotListen, description: "A server cannot start its threads: \(error).")
        }
    }

    /// Adds the handlers that precede the one that answers requests: HTTP, and the limits.
    static func prepare(_ channel: any Channel, _ requests: RequestGuard) throws {
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(
            withErrorHandling: false, withEncoderConfiguration: .init(),
            withDecoderLimitConfiguration: requests.limits.decoder)
        try channel.pipeline.syncOperations.addHandler(requests)
    }

    package var eventLoop: any EventLoop { channel.eventLoop }

    /// Closes every connection and ends the threads.
    package func stop() async throws {
        try await channel.close()
        try await group.shutdownGracefully()
    }

    /// ``stop()`` for callers that are not asynchronous.
    @available(*, noasync)
    package func stopAndWait() throws {
        try channel.close().wait()
        group.shutDownSoon()
    }
}

extension EventLoopGroup {
    /// Ends the threads, and waits for their end for at most three seconds.
    ///
    /// Where memory or the number of threads is limited, Dispatch waits without an end for a thread that could say that
    /// the others have ended.
    @available(*, noasync)
    func shutDownSoon() {
        let ended = DispatchSemaphore(value: 0)
        shutdownGracefully { _ in ended.signal() }
        _ = ended.wait(timeout: .now() + 3)
    }
}
