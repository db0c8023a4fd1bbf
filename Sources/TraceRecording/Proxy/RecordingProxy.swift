import CacheTraces
import Foundation
import NIOCore
import NIOHTTP1
import SessionRecorder

/// A reverse proxy that records a trace of its requests. An app sends its requests to the proxy instead of the
/// upstream.
///
/// Requests are forwarded unchanged, except hop-by-hop fields and `Host`. Responses are returned unchanged, also
/// compressed ones, except hop-by-hop fields and a `Location` at the upstream, which becomes one at the proxy. Bodies
/// are streamed in both directions: the proxy holds at most a window of each. ``ProxyRecorder`` describes what is
/// recorded.
///
/// Not forwarded: trailers, upgrades (WebSocket), informational responses, `Alt-Svc` (clients would bypass the proxy),
/// `CONNECT`, and requests to other servers. A client that closes its side of the connection cancels its request.
/// Clients connect with HTTP/1.1 without encryption. If the upstream uses HTTP/2, a paused response can hold up to 32
/// MiB more, which is libcurl's window for a stream.
public final class RecordingProxy: Sendable {
    /// For example `http://127.0.0.1:40123`, without a slash at the end.
    public let address: String
    public let port: Int
    private let server: RecordingServer
    private let client: UpstreamClient
    private let recorder: ProxyRecorder
    private let journal: TraceJournal
    private let releasing: RepeatedTask

    /// Starts the proxy, which listens when the initializer returns. It records into `journal` until ``stopAndWait()``.
    ///
    /// - Throws: ``ProxyError``, and ``TraceError`` for a folder of bodies whose index cannot be read.
    public init(_ options: ProxyOptions, recordingInto journal: TraceJournal) throws {
        if let file = options.certificates, access(file, R_OK) != 0 {
            throw ProxyError(
                kind: .noCertificates, description: "\(file): cannot be read: \(String(cString: strerror(errno)))")
        }
        let recorder = ProxyRecorder(journal, try options.bodies.map { try BodyStore(folder: $0) }, options)
        let client = try UpstreamClient(options, recorder)
        var limits = options.limits.client
        // A connection to the upstream, and a body that is kept.
        limits.otherFiles += 2 * options.limits.upstreamConnections
        var manners = RecordingServer.Manners()
        // A response to HEAD can announce a body that does not follow.
        manners.encoder.automaticallySetFramingHeaders = false
        do {
            server = try RecordingServer(
                host: options.host, port: options.port, limits: limits,
                hosts: HostCheck(listeningAt: options.host, allowed: options.allowedHosts, pages: .local),
                manners: manners
            ) { channel in
                try channel.pipeline.syncOperations.addHandler(ProxyHandler(client, recorder, options))
            }
        } catch {
            client.stop()
            throw (error as? LoopbackOriginError).map(ProxyError.init) ?? error
        }
        port = server.port
        address = server.address
        self.client = client
        self.recorder = recorder
        self.journal = journal
        releasing = server.eventLoop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { _ in
            recorder.releaseWaiting()
        }
    }

    /// The counts so far.
    public var counts: ProxyCounts { recorder.counts }

    /// Closes all connections, cancels and records the current requests, and closes the trace.
    @available(*, noasync)
    public func stopAndWait() throws {
        releasing.cancel()
        client.stop()
        recorder.releaseWaiting()
        journal.finish()
        try server.stopAndWait()
    }
}

extension ProxyError {
    init(_ error: LoopbackOriginError) {
        self.init(kind: error.kind == .portInUse ? .portInUse : .cannotListen, description: error.description)
    }
}

/// The options of a ``RecordingProxy``.
public struct ProxyOptions: Sendable {
    public var upstream: UpstreamAddress
    public var host = "127.0.0.1"
    /// The port; 0 for a free one.
    public var port = 0
    /// The names that requests can have in `Host` and `Origin` beside `localhost` and IP addresses.
    public var allowedHosts: [HostName] = []

    /// Whether the upstream's certificate is accepted without verification, for test servers.
    public var isInsecure = false
    /// A file of certificates that replaces the system's.
    public var certificates: String?
    /// Whether the proxy adds the client to requests, as `X-Forwarded-For`, `-Host` and `-Proto`. Otherwise requests do
    /// not show the proxy.
    public var addsForwardedFields = false

    /// Whether every GET is recorded; otherwise only those of images.
    public var recordsAll = false
    /// A text in the URLs of thumbnails.
    public var thumbnails: String?
    public var privacy = KeyPrivacy()
    /// The folder for bodies; nil if they are not stored.
    public var bodies: String?

    public var limits = ProxyLimits()

    public init(upstream: UpstreamAddress) {
        self.upstream = upstream
    }
}

/// The limits for clients and for the upstream.
public struct ProxyLimits: Sendable {
    /// The limits for clients. Bodies can be large, because they are forwarded while they arrive.
    public var client = {
        var limits = ServerLimits()
        limits.headerBytes = 64 << 10
        limits.bodyBytes = 1 << 30
        limits.bodyTimeout = .minutes(10)
        return limits
    }()
    /// The number of connections to the upstream at once; further transfers wait.
    public var upstreamConnections = 256
    /// The bytes of one transfer that the proxy holds in each direction, which the faster side can be ahead.
    public var window = 256 << 10
    /// The time limit for connecting to the upstream.
    public var connectTimeout: Duration = .seconds(10)
    /// The longest time without progress of the upstream, while it does not wait for the client.
    public var upstreamTimeout: Duration = .seconds(30)

    public init() {}
}

/// The reason why a ``RecordingProxy`` could not start.
public struct ProxyError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Kind: Sendable {
        case badUpstream, portInUse, cannotListen
        /// libcurl could not be initialized.
        case noClient
        /// The file of certificates cannot be read.
        case noCertificates
        /// Another recording uses the folder for bodies, or it cannot be written.
        case bodies
    }

    public var kind: Kind
    public var description: String

    public init(kind: Kind, description: String) {
        self.kind = kind
        self.description = description
    }
}
