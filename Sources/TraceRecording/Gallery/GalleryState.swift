import NIOPosix

/// What all connections of a gallery share.
final class GalleryState: Sendable {
    let options: GalleryOptions
    let content: GalleryContent
    let sessions: GallerySessions
    let hosts: HostCheck
    let secret: String?
    let threads: NIOThreadPool
    let started = ContinuousClock.now
    private let connections = ConnectionNumbers()

    init(_ images: [GalleryImage], _ options: GalleryOptions, secret: String?, run: String) {
        self.options = options
        self.secret = secret
        content = GalleryContent(images, options, run: run)
        sessions = GallerySessions(options, content, started: started)
        hosts = HostCheck(listeningAt: options.host)
        threads = NIOThreadPool(numberOfThreads: 2)
        threads.start()
    }

    /// What pages set their clocks by: microseconds since the server began.
    func clock(_ moment: ContinuousClock.Instant) -> Int64 {
        (moment - started).microseconds
    }

    func countConnection() -> UInt64 { connections.next() }
}
