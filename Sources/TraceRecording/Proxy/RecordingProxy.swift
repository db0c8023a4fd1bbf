import CacheTraces
import Foundation
import NIOCore
import NIOHTTP1

/// A reverse proxy that writes a trace of what flows through it. An app asks it instead of the upstream.
///
/// Requests go upstream as they came but for hop-by-hop fields and `Host`. Responses come back as they are, compressed
/// where they were, but for hop-by-hop fields and a `Location` that points at the upstream, which becomes one at the
/// proxy. Bodies are streamed both ways: the proxy holds no more than a window of each. ``ProxyRecorder`` tells what is
/// written down.
///
/// Not passed on: trailers, upgrades (WebSocket), informational responses, `Alt-Svc` (it would lead past the proxy),
/// `CONNECT`, and requests that name another server. A client that closes its side of the connection has left. Towards
/// the client it is HTTP/1.1 without encryption. Where the upstream speaks HTTP/2, a paused response may bring up to 32
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

    /// Listens when it returns, and records into `journal` until ``stopAndWait()``, which closes it.
    ///
    /// Throws ``ProxyError``, and ``TraceError`` for a folder of bodies whose index cannot be read.
    public init(_ options: ProxyOptions, recordingInto journal: TraceJournal) throws {
        if let file = options.certificates, access(file, R_OK) != 0 {
            throw ProxyError(
                kind: .noCertificates, description: "\(file): cannot be read: \(String(cString: strerror(errno)))")
        }
        let recorder = ProxyRecorder(journal, try options.bodies.map { try BodyStore(folder: $0) }, options)
        let client = try UpstreamClient(options, recorder)
        var encoder = HTTPResponseEncoder.Configuration()
        // A response to HEAD may announce a body that does not come: only we know.
        encoder.automaticallySetFramingHeaders = false
        do {
            server = try RecordingServer(
                host: options.host, port: options.port, limits: options.limits.client, encoder: encoder
            ) { channel in
                try channel.pipeline.syncOperations.addHandler(ProxyHandler(client, recorder, options))
            }
        } catch {
            client.stop()
            throw (error as? LoopbackOriginError).map(ProxyError.init) ?? error
        }
        port = server.port
        address = "http://\(options.host.contains(":") ? "[\(options.host)]" : options.host):\(server.port)"
        self.client = client
        self.recorder = recorder
        self.journal = journal
        releasing = server.eventLoop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { _ in
            recorder.releaseWaiting()
        }
    }

    /// What was recorded so far.
    public var counts: ProxyCounts { recorder.counts }

    /// Closes every connection, gives up what is under way, writes that down, and closes the trace.
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
