import NIOHTTP1
import SessionModel
import Synchronization

/// A request that may be written down, as it came.
final class RecordedRequest: Sendable {
    /// What is written for the URL.
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

/// What a ``RecordingProxy`` has recorded so far.
public struct ProxyCounts: Sendable, Equatable {
    /// All that went upstream.
    public var requests = 0
    /// Those in the trace.
    public var recorded = 0
    /// Of those recorded: no response, not all of it, or one that tells of an error.
    public var failed = 0
    /// Of those recorded: the client left before the end.
    public var cancelled = 0
    /// Of body that came from upstream for those recorded.
    public var bytes = 0
    /// Bodies that were written, and those that were there already.
    public var keptBodies = 0
    public var knownBodies = 0
    /// Why bodies cannot be kept at present.
    public var bodyProblem: String?
}

/// Writes down what flows through a proxy: an `appear` at the time of the request, and a `fetch` when it has ended.
///
/// - The time of both is when the proxy had read the head of the request.
/// - `bytes` are those of the response's body as they came: compressed where they were, without chunks' framing and
///   headers.
/// - `ttfb_us` is libcurl's time from being given the request to the first byte of the response: looking up the name,
///   connecting and encryption are within it where they were needed. `transfer_us` is from there to the last byte,
///   waits for a slow client included.
/// - A fetch that broke, or that the client left, has status 0, and the bytes that came.
/// - Only GET is written down.
final class ProxyRecorder: Sendable {
    private struct State {
        var order = AppearanceOrder()
        var appearing: [Int: RecordedRequest] = [:]
        /// Keys that an image came from.
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

    /// Notes a request when its head has come; nil where it is none that is ever written down.
    func arrive(_ request: UpstreamRequest) -> RecordedRequest? {
        let isGet = request.method == .GET
        let key = isGet ? options.privacy.written(request.url) : ""
        let isThumbnail = options.thumbnails.map(request.url.contains) ?? false
        let isLikely = isGet && ImageGuess.isLikely(url: request.url, accept: request.headers.first(name: "accept"))
        return state.withLock { state in
            state.counts.requests += 1
            guard isGet else { return nil }
            // Within the lock, so that tickets and times have one order.
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

    /// The head of the response has come. Returns the body's place where it is to be kept.
    func begin(_ request: RecordedRequest, _ facts: ResponseFacts) -> KeptBody? {
        let isWanted = decide(request, facts)
        guard isWanted, facts.status == 200 else { return nil }
        return bodies?.begin()
    }

    func end(_ request: RecordedRequest, _ facts: ResponseFacts, _ end: UpstreamTransfer.End, _ body: KeptBody? = nil) {
        guard facts.status != 0 ? isWanted(request, facts) : decide(request, facts) else { return }
        var object = TraceObject(key: request.key, contentType: facts.contentType)
        var fetch = Fetch(
            status: 0, bytes: facts.bytes, timeToFirstByte: facts.timing?.first, transferTime: facts.timing?.transfer)
        if case .complete = end {
            fetch.status = facts.status
            object.bytes = facts.status == 200 ? facts.bytes : facts.contentLength
            object.headers =
                (200..<300).contains(facts.status) || facts.status == 304 ? facts.headers.map(privately) : []
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

    /// Writes appearances that have waited long enough for those before them. To be called now and then.
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

    /// An entity tag is often a digest of the content, by which the image can be known.
    private func privately(_ field: HTTPField) -> HTTPField {
        guard let hashing = options.privacy.hashing, field.name == "etag" else { return field }
        return HTTPField("etag", "\"\(hashing.hash(field.value))\"")
    }
}
