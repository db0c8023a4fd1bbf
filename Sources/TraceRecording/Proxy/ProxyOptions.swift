import SessionRecorder

/// How a ``RecordingProxy`` listens, what it lets through, and what it writes down.
public struct ProxyOptions: Sendable {
    public var upstream: UpstreamAddress
    public var host = "127.0.0.1"
    /// 0: a free one.
    public var port = 0

    /// Takes the upstream's certificate as it is. For test servers.
    public var isInsecure = false
    /// A file of certificates to trust instead of the system's.
    public var certificates: String?
    /// Tells the upstream who asked, by `X-Forwarded-For`, `-Host` and `-Proto`. Otherwise nothing betrays the proxy.
    public var tellsForwarded = false

    /// What is written down: every GET, or that of images alone.
    public var recordsAll = false
    /// Requests whose URL contains this text are for thumbnails.
    public var thumbnails: String?
    public var privacy = KeyPrivacy()
    /// The folder for bodies; nil: they are not kept.
    public var bodies: String?

    public var limits = ProxyLimits()

    public init(upstream: UpstreamAddress) {
        self.upstream = upstream
    }
}

/// What neither a client nor the upstream may exceed.
public struct ProxyLimits: Sendable {
    /// What a client may ask and how slowly. A body may be large, as it is passed on while it comes.
    public var client = {
        var limits = ServerLimits()
        limits.connections = 1024
        limits.headerBytes = 64 << 10
        limits.bodyBytes = 1 << 30
        limits.bodyTimeout = .minutes(10)
        return limits
    }()
    /// Connections to the upstream at once; further transfers wait for one.
    public var upstreamConnections = 256
    /// Bytes of one transfer that the proxy holds, in each direction: what the faster side is ahead of the slower one.
    public var window = 256 << 10
    /// For a connection to the upstream.
    public var connectTimeout: Duration = .seconds(10)
    /// How long the upstream may neither send nor take anything while the client does not keep it waiting.
    public var upstreamTimeout: Duration = .seconds(30)

    public init() {}
}

/// Why a ``RecordingProxy`` could not start.
public struct ProxyError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Kind: Sendable {
        case badUpstream, portInUse, cannotListen
        /// libcurl could not be set up.
        case noClient
        /// The file of certificates is not there.
        case noCertificates
        /// The folder for bodies is in use by another recording, or cannot be written.
        case bodies
    }

    public var kind: Kind
    public var description: String

    public init(kind: Kind, description: String) {
        self.kind = kind
        self.description = description
    }
}
