import CacheTraces

/// How a ``GalleryServer`` serves and records.
public struct GalleryOptions: Sendable {
    /// The address to listen at. Loopback needs no secret in the URL; anywhere else the path begins with one.
    public var host = "127.0.0.1"
    /// 0: a free one.
    public var port = 0
    /// The trace of the first browser; those of others get `-2`, `-3` … behind the name.
    public var output: String
    public var title: String?
    /// Goes into the traces' headers.
    public var recorder = "cachereplay gallery"
    /// Of the order of the feed.
    public var seed: UInt64 = 1
    public var network = NetworkShape()
    /// Whether browsers may keep images, so that only what their caches lack is fetched.
    public var browserCache = false
    public var limits = ServerLimits()
    /// Browsers that get a trace of their own; more are refused.
    public var browsers = 32

    public init(output: String) {
        self.output = output
    }
}

/// Why a gallery cannot be shown.
public struct GalleryError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Kind: Sendable { case noFolder, noImages, missingTool, cannotWrite }

    public var kind: Kind
    public var description: String

    public init(kind: Kind, description: String) {
        self.kind = kind
        self.description = description
    }
}
