import SessionRecorder

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
