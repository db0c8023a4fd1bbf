import NIOHTTP1
import SessionModel
import Synchronization

/// A request that can be recorded.
final class RecordedRequest: Sendable {
    /// The text that is written for the URL.
    let key: String
    let variant: Variant
    /// Microseconds since the start of the trace.
    let time: Int64
    let ticket: Int
    let isLikelyImage: Bool

    init(key: String, variant: Variant, time: Int64, ticket: Int, isLikelyImage: Bool) {
        self.key = key
        self.variant = variant
        self.time = time
        self.ticket = ticket
        self.isLikelyImage = isLikelyImage
    }
}

/// The counts of a ``RecordingProxy``.
public struct ProxyCounts: Sendable, Equatable {
    /// All requests.
    public var requests = 0
    /// The requests in the trace.
    public var recorded = 0
    /// The recorded requests without a response, with an incomplete one, or with an error.
    public var failed = 0
    /// The recorded requests that the client cancelled.
    public var cancelled = 0
    /// The bytes of the bodies of recorded requests.
    public var bytes = 0
    /// The number of stored bodies, and of those that existed already.
    public var keptBodies = 0
    public var knownBodies = 0
    /// The reason why bodies cannot be stored at present.
    public var bodyProblem: String?
}

/// Records the requests through a proxy: an `appear` event for the request, and a `fetch` event after its end.
///
/// - The time of both is when the proxy has read the head of the request.
/// - `bytes` is the length of the response's body as transferred: possibly compressed, without framing and headers.
/// - `connect_us` is libcurl's time for name lookup, TCP and TLS, if the proxy opened a connection to the server.
///   `ttfb_us` is from there to the first byte of the response, and `transfer_us` from there to the last byte, with
///   waits for a slow client. `protocol` is that of the connection to the server.
/// - A fetch that failed, or that the client cancelled, has status 0 and the bytes received.
/// - Only GET is recorded.
final class ProxyRecorder: Sendable {
    private struct State {
        var order = AppearanceOrder()
        var appearing: [Int: RecordedRequest] = [:]
        /// Keys whose responses were images.
        var images: Set<String> = []
        var counts = ProxyCounts()
    }

    private let journal: TraceJournal
    private let bodies: BodyStore?
    private let options: ProxyOptions
    private let state = Mutex(State())

    init(_ journal: TraceJournal, _ bodies: BodyStore?, _ options: ProxyOptions) {
        self.journal = journal
        self.bodies = bodies
        self.options = options
    }

    var counts: ProxyCounts {
        var counts = state.withLock { $0.counts }
        if let bodies {
            let stored = bodies.status
            counts.keptBodies = stored.written
            counts.knownBodies = stored.known
            counts.bodyProblem = stored.problem
        }
        return counts
    }

    /// Adds a request after its head has arrived. Returns nil if it is never recorded.
    func arrive(_ request: UpstreamRequest) -> RecordedRequest? {
        let isGet = request.method == .GET
        let key = isGet ? options.privacy.written(request.url) : ""
        let isThumbnail = options.thumbnails.map(request.url.contains) ?? false
        let isLikely = isGet && ImageGuess.isLikely(url: request.url, accept: request.headers.first(name: "accept"))
        return state.withLock { state in
            state.counts.requests += 1
            guard isGet else { return nil }
            // While the lock is held, so that tickets and times have the same order.
            let time = journal.now
            let isKnown = state.images.contains(key)
            let ticket = state.order.arrive(at: time, isDecided: options.recordsAll || isKnown)
            let request = RecordedRequest(
                key: key, variant: isThumbnail ? .thumbnail : .full, time: time, ticket: ticket,
                isLikelyImage: isLikely || isKnown)
            state.appearing[request.ticket] = request
            release(&state)
            return request
        }
    }

    /// Handles the head of the response. Returns a file for the body if it is to be stored.
    func begin(_ request: RecordedRequest, _ facts: ResponseFacts) -> KeptBody? {
        let isWanted = decide(request, facts)
        guard isWanted, facts.status == 200 else { return nil }
        return bodies?.begin()
    }

    func end(_ request: RecordedRequest, _ facts: ResponseFacts, _ end: UpstreamTransfer.End, _ body: KeptBody? = nil) {
        guard facts.status != 0 ? isWanted(request, facts) : decide(request, facts) else { return }
        var object = TraceObject(key: request.key, contentType: facts.contentType)
        var fetch = Fetch(
            status: 0, bytes: facts.bytes, connect: facts.timing?.connect, timeToFirstByte: facts.timing?.first,
            transferTime: facts.timing?.transfer)
        fetch.networkProtocol = facts.timing?.networkProtocol
        if case .complete = end {
            fetch.status = facts.status
            object.bytes = facts.status == 200 ? facts.bytes : facts.contentLength
            object.headers =
                (200..<300).contains(facts.status) || facts.status == 304 ? facts.headers.map(withPrivacy) : []
            object.pixelWidth = facts.image?.width
            object.pixelHeight = facts.image?.height
            body?.keep(key: request.key, facts)
        } else {
            body?.discard()
        }
        if fetch.status == 0 || fetch.status >= 400 { object.contentType = nil }
        let id = journal.object(object)
        state.withLock { state in
            if fetch.status == 200 { state.images.insert(request.key) }
            state.counts.recorded += 1
            state.counts.bytes += facts.bytes
            if case .cancelled = end {
                state.counts.cancelled += 1
            } else if !fetch.succeeded {
                state.counts.failed += 1
            }
            release(&state)
        }
        journal.append(TraceEvent(time: request.time, .fetch(id, fetch)))
    }

    /// Writes the events that have waited long enough for earlier ones. Called periodically.
    func releaseWaiting() {
        state.withLock { release(&$0) }
    }

    private func isWanted(_ request: RecordedRequest, _ facts: ResponseFacts) -> Bool {
        options.recordsAll
            || ImageGuess.isImage(status: facts.status, contentType: facts.contentType, isLikely: request.isLikelyImage)
    }

    private func decide(_ request: RecordedRequest, _ facts: ResponseFacts) -> Bool {
        let isWanted = isWanted(request, facts)
        state.withLock { state in
            let waited = state.order.decide(request.ticket, isWanted: isWanted)
            if !isWanted {
                state.appearing[request.ticket] = nil
            } else if !waited, state.appearing[request.ticket] != nil {
                write(&state, request.ticket)
            }
            release(&state)
        }
        return isWanted
    }

    private func release(_ state: inout State) {
        for appearance in state.order.release(at: journal.now) { write(&state, appearance.ticket) }
    }

    private func write(_ state: inout State, _ ticket: Int) {
        guard let request = state.appearing.removeValue(forKey: ticket) else { return }
        let id = journal.object(TraceObject(key: request.key))
        journal.append(TraceEvent(time: request.time, .appear(id, request.variant)))
    }

    /// Hashes an entity tag, which is often a digest of the content and can identify the image.
    private func withPrivacy(_ field: HTTPField) -> HTTPField {
        guard let hashing = options.privacy.hashing, field.name == "etag" else { return field }
        return HTTPField("etag", "\"\(hashing.hash(field.value))\"")
    }
}

/// Decides whether a request is for an image, by the same rules as ``HARFormat``: by the response, otherwise by the
/// URL.
enum ImageGuess {
    private static let endings: Set<String> = [
        "jpg", "jpeg", "png", "gif", "webp", "avif", "heic", "heif", "svg", "bmp", "ico", "jxl", "tif", "tiff", "apng",
    ]

    /// Decides by the response. `isLikely` is the decision by the URL, or by an earlier response.
    static func isImage(status: Int, contentType: String?, isLikely: Bool) -> Bool {
        // A redirect is not an image, whatever its URL is; the client requests its target next.
        if (300..<400).contains(status), status != 304 { return false }
        let type = contentType?.lowercased() ?? ""
        if type.hasPrefix("image/") { return true }
        let isUnspecific = type.isEmpty || type.hasPrefix("application/octet-stream")
        // An error page has its own type, so the URL decides.
        return (isUnspecific || !(200..<300).contains(status)) && isLikely
    }

    /// Decides by the extension of the path, or by `Accept`: browsers accept only images for `<img>`.
    static func isLikely(url: String, accept: String?) -> Bool {
        if let accept, accept.lowercased().hasPrefix("image/") { return true }
        let path = url.prefix { $0 != "?" }
        guard let dot = path.lastIndex(of: "."), dot > (path.lastIndex(of: "/") ?? path.startIndex) else {
            return false
        }
        return endings.contains(path[path.index(after: dot)...].lowercased())
    }
}
