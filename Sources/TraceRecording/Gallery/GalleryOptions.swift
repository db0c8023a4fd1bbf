import CacheTraces

/// The options of a ``GalleryServer``.
public struct GalleryOptions: Sendable {
    /// The address to listen at. On addresses other than loopback, every path begins with a secret.
    public var host = "127.0.0.1"
    /// The port; 0 for a free one.
    public var port = 0
    /// The names that requests on loopback can have in `Host` and `Origin` beside `localhost` and IP addresses.
    public var allowedHosts: [HostName] = []
    /// The trace of the first browser. The traces of others have `-2`, `-3` … after the name.
    public var output: String
    public var title: String?
    /// Whether a program operates the page, not a person.
    public var isScripted = false
    /// The recorder's name in the headers of traces.
    public var recorder = "cachereplay gallery"
    /// The seed of the order of the feed.
    public var seed: UInt64 = 1
    public var network = NetworkShape()
    /// Whether browsers can cache images, so that they fetch only what their caches do not hold.
    public var browserCache = false
    /// The number of images that the page loads at a time, from 1 to ``mostConnections``.
    public var connections = mostConnections
    public var limits = {
        var limits = ServerLimits()
        // An image is open while it is sent.
        limits.filesPerConnection = 2
        return limits
    }()
    /// The number of browsers that are recorded; further ones are refused.
    public var browsers = 32

    /// Browsers open no more connections to a host over HTTP/1.1.
    public static let mostConnections = 6

    public init(output: String) {
        self.output = output
    }
}

/// The reason why a gallery cannot be shown.
public struct GalleryError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Kind: Sendable { case noFolder, noImages, missingTool, cannotWrite }

    public var kind: Kind
    public var description: String

    public init(kind: Kind, description: String) {
        self.kind = kind
        self.description = description
    }
}
