import Basics
import NIOPosix
import Synchronization

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
