/// A private cache of HTTP responses: that of one client (RFC 9111, RFC 5861, RFC 8246).
///
/// The cache performs no I/O and reads no clock. A caller asks for a step, sends what the cache wants to send, and
/// hands over what came:
/// ```swift
/// var step = cache.step(for: request, at: now)
/// while case .send(let sent) = step {
///     step = cache.receive(response, body: body, for: sent, requested: before, received: after)
/// }
/// ```
/// Times are microseconds since 1970. The number of stored responses has no limit: limits are a matter of tiers. A
/// step looks at each variant of the URL.
public struct HTTPCache: Sendable {
    public struct Options: Sendable {
        /// Without a connection, and after a response of 500, 502, 503 or 504, a stale response is used unless a field
        /// forbids it (RFC 9111, sections 4.2.4 and 4.3.3). If false, only within `stale-if-error`.
        public var usesStaleAfterFailure = true
        /// Fields of targeted caching that concern this cache (RFC 9213).
        public var targets: [String] = []

        public init() {}
    }

    public let options: Options
    /// What was wrong with responses so far.
    public internal(set) var oddities = HTTPOddities()
    /// By URL. Responses of one URL are variants or parts; the newest is last.
    var entries: [String: [StoredResponse]] = [:]
    private var nextID = 0

    public init(_ options: Options = Options()) { self.options = options }

    /// The stored responses of a URL, the newest last.
    public func stored(_ url: String) -> [StoredResponse] { entries[ResourceKey.key(url)] ?? [] }

    public mutating func removeAll() { entries = [:] }

    mutating func newID() -> Int {
        defer { nextID += 1 }
        return nextID
    }

    // MARK: Requests

    /// Begins a request of a client.
    public func step(for request: RequestHead, at time: Int64) -> HTTPCacheStep {
        let directives = RequestDirectives(request.fields)
        guard request.method == "GET" || request.method == "HEAD", !directives.noStore,
            !request.fields.contains("If-Match"), !request.fields.contains("If-Unmodified-Since")
        else { return .send(SentRequest(request)) }
        if let stored = selected(for: request) {
            let use = use(of: stored, for: request, directives, at: time)
            if use != .none, var answer = answer(from: stored, to: request, at: time, source: .store) {
                answer.isStale = use != .fresh
                if use == .whileRevalidating { answer.background = validation(of: stored, for: request) }
                return .answer(answer)
            }
            return directives.onlyIfCached ? .answer(.gatewayTimeout) : .send(validation(of: stored, for: request))
        }
        return directives.onlyIfCached ? .answer(.gatewayTimeout) : .send(negotiation(for: request))
    }

    /// The newest stored response that the fields of `Vary` allow (RFC 9111, section 4.1). A complete one precedes
    /// parts.
    func selected(for request: RequestHead) -> StoredResponse? {
        let matching = stored(request.url).filter { $0.vary.matches(request.fields) }
        return matching.last { $0.isComplete } ?? matching.last
    }

    private enum Use { case none, fresh, stale, whileRevalidating }

    /// RFC 9111, sections 4.2 and 5.2.1.
    private func use(
        of stored: StoredResponse, for request: RequestHead, _ directives: RequestDirectives, at time: Int64
    ) -> Use {
        let freshness = stored.freshness
        guard !directives.noCache, !freshness.directives.noCache else { return .none }
        let age = freshness.age(at: time)
        if let limit = directives.maxAge, age > limit * 1_000_000 { return .none }
        if freshness.isFresh(at: time) {
            if request.mode == .validate, !freshness.directives.immutable { return .none }
            let left = freshness.lifetime.duration - age
            return left < (directives.minFresh ?? 0) * 1_000_000 ? .none : .fresh
        }
        guard !freshness.mustRevalidate, request.mode == .standard, directives.minFresh == nil else { return .none }
        if let limit = directives.maxStale, freshness.staleness(at: time) <= limit * 1_000_000 { return .stale }
        return directives.maxAge == nil && freshness.allowsStaleWhileRevalidate(at: time) ? .whileRevalidating : .none
    }

    /// The request that validates a stored response, or gets the rest of a part, or gets the whole.
    func validation(of stored: StoredResponse, for request: RequestHead) -> SentRequest {
        var sent = SentRequest(request)
        sent.stored = stored.id
        addMode(&sent)
        let validators = stored.validators
        // Only the origin answers several ranges.
        let isAnswerable = request.fields.first("Range").map { ByteRanges.request($0) != nil } ?? true
        if stored.isComplete, !validators.isEmpty, isAnswerable {
            for name in Preconditions.names { sent.head.fields.remove(name) }
            for field in validators.conditions { sent.head.fields.append(field.name, field.value) }
            sent.isConditional = true
        } else if !stored.isComplete, stored.offset == 0, !request.fields.contains("Range"), request.method == "GET",
            let tag = validators.tag, tag.isStrong, !stored.body.isEmpty
        {
            sent.head.fields.append("Range", "bytes=\(stored.body.count)-")
            sent.head.fields.append("If-Range", tag.text)
            sent.completes = stored.id
        }
        return sent
    }

    /// The request for a variant that is not stored. It offers the entity tags of the stored variants: the origin can
    /// select one of them by a 304 (RFC 9111, section 4.1).
    private func negotiation(for request: RequestHead) -> SentRequest {
        var sent = SentRequest(request)
        addMode(&sent)
        let tags = stored(request.url).filter(\.isComplete).compactMap(\.validators.tag).filter(\.isValid)
        if !tags.isEmpty, !Preconditions.isConditional(request.fields), !request.fields.contains("Range") {
            sent.head.fields.append("If-None-Match", tags.map(\.text).joined(separator: ", "))
            sent.isConditional = true
        }
        return sent
    }

    private func addMode(_ sent: inout SentRequest) {
        if sent.client.mode == .validate, !sent.head.fields.contains("Cache-Control") {
            sent.head.fields.append("Cache-Control", "max-age=0")
        }
    }

    // MARK: Answers from the store

    /// The answer of a stored response; nil if the client asks for bytes that are not stored.
    func answer(from stored: StoredResponse, to request: RequestHead, at time: Int64, source: CacheAnswer.Source)
        -> CacheAnswer?
    {
        var head = stored.head(at: time)
        if Preconditions.clientHas(stored.head, request.fields, received: stored.freshness.received) {
            return CacheAnswer(head: Preconditions.notModified(head), body: [], source: source)
        }
        if request.method == "GET", let text = request.fields.first("Range"), isRangeValid(stored, request),
            stored.head.status == 200 || stored.head.status == 206
        {
            guard let range = ByteRanges.request(text) else { return nil }
            return partialAnswer(stored, head, range, source)
        }
        guard stored.isComplete else { return nil }
        if stored.head.status == 206 {
            // All parts are there.
            head.status = 200
            head.fields.remove("Content-Range")
            head.fields.set("Content-Length", String(stored.body.count))
        }
        return CacheAnswer(head: head, body: request.method == "HEAD" ? [] : stored.body, source: source)
    }

    /// `If-Range` compares strongly, or exactly as a date (RFC 9110, section 13.1.5).
    private func isRangeValid(_ stored: StoredResponse, _ request: RequestHead) -> Bool {
        guard let condition = request.fields.first("If-Range") else { return true }
        let validators = stored.validators
        let tag = EntityTag(condition)
        return tag.isValid
            ? validators.tag?.equalsStrongly(tag) == true : validators.lastModified == condition
    }

    private func partialAnswer(
        _ stored: StoredResponse, _ head: ResponseHead, _ request: ByteRanges.Request, _ source: CacheAnswer.Source
    ) -> CacheAnswer? {
        var head = head
        if let length = stored.wholeLength, ByteRanges.resolved(request, length: length) == nil {
            head = ResponseHead(416, [HeaderField("Content-Range", "bytes */\(length)")])
            return CacheAnswer(head: head, body: [], source: source)
        }
        guard let (range, length) = stored.part(request) else { return nil }
        head.status = 206
        head.fields.set(
            "Content-Range",
            "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length.map(String.init) ?? "*")")
        head.fields.set("Content-Length", String(range.count))
        return CacheAnswer(head: head, body: stored.bytes(range), source: source)
    }
}

extension CacheAnswer {
    /// The answer if there is no connection, or the client wants only what is stored (RFC 9111, section 5.2.1.7).
    static let gatewayTimeout = CacheAnswer(head: ResponseHead(504), body: [], source: .cache)
    /// The answer if the origin sends what no cache can use.
    static let badGateway = CacheAnswer(head: ResponseHead(502), body: [], source: .cache)
}
