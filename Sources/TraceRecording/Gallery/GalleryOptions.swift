import Basics
import CacheTraces
import NIOPosix
import Synchronization

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
    /// Makes a page on which the session of a trace can be replayed, and returns its address; nil if that fails.
    ///
    /// The recorder's page asks for it when a person ends a recording, and offers nothing if this is nil. The trace is
    /// complete up to that moment. Threads of the gallery call it, several at once.
    public var played: (@Sendable (_ tracePath: String) -> String?)?

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

/// The resource of a gallery that a path names. Images have numbers: no part of a URL is ever a path of the file
/// system.
enum GalleryPath: Equatable {
    case page(String)
    case images
    case clock
    case hello
    case events
    /// The address at which the session of a browser can be replayed.
    case played
    /// An image by number, and the browser if the query names it: `/thumb/12?c=k3…`.
    case image(Int, isFull: Bool, client: String?)

    /// Returns nil if the path names no resource. `secret` is the first segment of every path; nil for none.
    init?(_ uri: String, secret: String?) {
        var path = uri.prefix { $0 != "?" }
        let query = uri.dropFirst(path.count + 1)
        guard path.first == "/" else { return nil }
        path = path.dropFirst()
        if let secret {
            guard path.hasPrefix(secret + "/") else { return nil }
            path = path.dropFirst(secret.count + 1)
        }
        switch path {
        case "images": self = .images
        case "clock": self = .clock
        case "hello": self = .hello
        case "events": self = .events
        case "played": self = .played
        default:
            let segments = path.split(separator: "/", omittingEmptySubsequences: false)
            guard segments.count == 2, segments[0] == "full" || segments[0] == "thumb" else {
                self = .page(String(path))
                return
            }
            guard let number = Int(segments[1]), number >= 0 else { return nil }
            let client = query.split(separator: "&").first { $0.hasPrefix("c=") }?.dropFirst(2)
            self = .image(number, isFull: segments[0] == "full", client: client.map(String.init))
        }
    }
}

/// The state that all connections of a gallery share.
final class GalleryState: Sendable {
    let options: GalleryOptions
    let content: GalleryContent
    let sessions: GallerySessions
    let secret: String?
    let threads: NIOThreadPool
    let started = ContinuousClock.now
    /// The link that all connections share; nil without a limit.
    let link: LinkQueue?
    private let connections = Atomic<UInt64>(0)

    init(_ images: [GalleryImage], _ options: GalleryOptions, secret: String?, run: String) {
        self.options = options
        self.secret = secret
        link = options.network.linkBytesPerSecond.map(LinkQueue.init)
        content = GalleryContent(images, options, run: run)
        sessions = GallerySessions(options, content, started: started)
        threads = NIOThreadPool(numberOfThreads: 2)
        threads.start()
    }

    /// The clock of pages: microseconds since the server started.
    func clock(_ moment: ContinuousClock.Instant) -> Int64 {
        (moment - started).microseconds
    }

    /// Returns the number of a new connection, from 1.
    func countConnection() -> UInt64 { connections.wrappingAdd(1, ordering: .relaxed).newValue }
}
