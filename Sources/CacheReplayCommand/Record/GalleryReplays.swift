import Foundation
import Playground
import Synchronization
import TraceRecording

/// The pages on which browsers replay the sessions that a gallery has recorded of them.
///
/// Each page is a server of this process at the host of the gallery, with a secret of its own. It reads its trace once.
/// If the trace has grown since, a new page replaces the old one. At most ``most`` pages exist; the oldest one ends
/// first.
final class GalleryReplays: Sendable {
    private struct Page: Sendable {
        var path: String
        /// The size of the trace when it was read.
        var bytes: Int
        var server: PlayServer
    }

    static let most = 4

    private let options: PlayServer.Options
    private let seed: UInt64
    /// The oldest one first.
    private let pages = Mutex<[Page]>([])

    /// - Parameters:
    ///   - host: The host of the gallery, at which the pages listen too.
    ///   - seed: The seed of latencies that the recording does not have.
    init(host: String, allowedHosts: [HostName], seed: UInt64) {
        var options = PlayServer.Options()
        options.host = host
        options.allowedHosts = allowedHosts
        self.options = options
        self.seed = seed
    }

    /// Returns the address of the page of a trace. Starts the page if there is none. If that fails, prints the reason
    /// and returns nil.
    func address(_ path: String) -> String? {
        do { return try start(path) } catch {
            printToStandardError("No page for the replay of a session: \(error)")
            return nil
        }
    }

    @available(*, noasync)
    func stopAndWait() {
        let all: [Page] = pages.withLock { pages in
            let all: [Page] = pages
            pages = []
            return all
        }
        for page in all { try? page.server.stopAndWait() }
    }

    private func start(_ path: String) throws -> String {
        let bytes: Int = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        // One page starts at a time, so that a browser that asks twice gets the same one.
        return try pages.withLock { pages -> String in
            if let known = pages.first(where: { $0.path == path && $0.bytes == bytes }) { return known.server.address }
            // A new page replaces the page of the same recording, or the oldest page if there are too many.
            let old = pages.firstIndex { $0.path == path } ?? (pages.count >= Self.most ? 0 : nil)
            if let old { try? pages.remove(at: old).server.stopAndWait() }
            let server = try PlayServer(Playground(playOptions(path)), options: options, report: PlayReport.make)
            pages.append(Page(path: path, bytes: bytes, server: server))
            return server.address
        }
    }

    /// Returns the options of a page with one session. Caches that are programs are refused: who has the address could
    /// start them.
    private func playOptions(_ path: String) throws -> PlayOptions {
        let traces = try PlayedTraces(TraceSources(named: [path]), isStrict: true)
        var options = PlayOptions(version: CacheReplay.version, sessions: traces.sessions)
        options.registry = CacheReplay.policies
        options.seed = seed
        return options
    }
}
