import NIOCore
import NIOHTTP1
import NIOPosix
import SessionModel

/// An HTTP/1.1 server for the objects of a trace, with their recorded size, type, status and cache headers, and
/// optionally the recorded duration of each fetch. The bytes are computed from the key (``PayloadPattern``).
///
/// - `/<run>/<object number>` is an object; `?status=503&bytes=26` replaces the recorded response.
///   `<run>` is any path segment; the requests of each run are counted separately.
/// - `/-/stats/<run>` is the number of requests of that run and of bytes of body sent: `{"requests":3,"bytes":196608}`.
///
/// A conditional request (`If-None-Match`, `If-Modified-Since`) for an object that has the validators which it names is
/// answered with 304, without a body.
///
/// The n-th request for an object within a run takes as long as its n-th recorded fetch; the last fetch repeats.
public final class LoopbackOrigin: Sendable {
    /// For example `http://127.0.0.1:40123`, without a slash at the end.
    public let address: String
    public let port: Int
    private let content: OriginContent
    private let server: RecordingServer

    /// Starts the server, which listens when the initializer returns.
    ///
    /// - Throws: ``LoopbackOriginError`` if it cannot listen.
    public init(trace: Trace, options: LoopbackOriginOptions = LoopbackOriginOptions()) throws {
        let content = OriginContent(trace, options)
        // A client that leaves cancels its response, so that no bytes are counted for it.
        server = try RecordingServer(
            host: options.host, port: options.port, limits: options.limits,
            hosts: HostCheck(listeningAt: options.host, allowed: options.allowedHosts, pages: .local),
            allowsHalfClosure: false
        ) { channel in
            content.countConnection()
            try channel.pipeline.syncOperations.addHandler(OriginHandler(content))
        }
        port = server.port
        address = server.address
        self.content = content
    }

    public func url(_ object: ObjectID, run: String = "run") -> String { "\(address)/\(run)/\(object)" }

    /// The number of connections accepted so far.
    public var connections: Int { content.connections }

    /// The counts of a run, as at `/-/stats/<run>`.
    public func served(_ run: String = "run") -> OriginStatistics { content.statistics(run) }

    /// Closes every connection and ends the thread.
    public func stop() async throws { try await server.stop() }

    /// ``stop()`` for callers that are not asynchronous.
    @available(*, noasync)
    public func stopAndWait() throws { try server.stopAndWait() }
}

extension ServerLimits {
    /// The limits of a ``LoopbackOrigin``. It has no time limits: a replay keeps connections open while its user
    /// pauses, and reads slowly where a recording was slow.
    static var origin: ServerLimits {
        var limits = ServerLimits()
        limits.connections = 4096
        limits.headTimeout = nil
        limits.bodyTimeout = nil
        limits.stallTimeout = nil
        return limits
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

public struct LoopbackOriginOptions: Sendable {
    public var host = "127.0.0.1"
    /// The port; 0 for a free one.
    public var port = 0
    /// The names that requests can have in `Host` and `Origin` beside `localhost` and IP addresses.
    public var allowedHosts: [HostName] = []
    /// Whether responses take as long as in the recording; otherwise they are immediate.
    public var injectsLatency = false
    public var faults: [ObjectID: OriginFault] = [:]
    /// The fault of all objects without a fault of their own.
    public var fault: OriginFault?

    /// Files with the bodies of objects. The bodies of other objects are computed (``PayloadPattern``).
    public var bodies: [ObjectID: String] = [:]

    var limits = ServerLimits.origin

    public init() {}
}

/// The reason why a server could not start.
public struct LoopbackOriginError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Kind: Sendable { case portInUse, cannotListen }

    public var kind: Kind
    public var description: String
}

/// A fault of a ``LoopbackOrigin``, to test clients.
public enum OriginFault: Sendable, Equatable {
    /// Responds with this status and a short text.
    case status(Int)
    /// Resets the connection (TCP reset) instead of responding.
    case reset
    /// Announces the whole body, sends half of it, and resets the connection.
    case resetHalfway
    /// Announces the whole body, sends half of it, and closes the connection.
    case truncate
    /// Announces the whole body, sends half of it, and then stalls.
    case stall
    /// Sends the body without announcing its length (chunked).
    case unannounced
    /// Responds with a redirect to this location.
    case redirect(String)
}
