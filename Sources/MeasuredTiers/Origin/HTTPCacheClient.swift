import CacheTiers
import HTTPCaching

/// A client with a private HTTP cache: `HTTPCache` of `HTTPCaching`, with requests by libcurl.
///
/// An instance belongs to one thread.
public final class HTTPCacheClient {
    /// What a client gets.
    public struct Response: Sendable {
        public var head: ResponseHead
        public var body: [UInt8]
        public var source: CacheAnswer.Source
        public var isStale: Bool
        /// The interim responses that came before the response of the origin.
        public var interim: [ResponseHead]
        /// Why the last request to the origin failed.
        public var failure: OriginFailure?
    }

    public private(set) var cache: HTTPCache
    private let origin: CurlOrigin
    /// Microseconds since 1970.
    private let now: () -> Int64
    private var background: [SentRequest] = []

    /// - Parameters:
    ///   - cache: The cache to begin with.
    ///   - options: The limits of requests to the origin.
    ///   - now: Returns microseconds since 1970. The cache knows no other clock.
    public init(
        _ cache: HTTPCache = HTTPCache(), options: OriginOptions = OriginOptions(), now: @escaping () -> Int64
    ) throws {
        self.cache = cache
        origin = try CurlOrigin(options)
        self.now = now
    }

    /// Answers a request from the cache or the origin. Validations in the background wait for ``validate()``.
    public func response(to request: RequestHead, body: [UInt8]? = nil) -> Response {
        run(cache.step(for: request, at: now()), body)
    }

    /// Sends the validations of stale responses that were used meanwhile (`stale-while-revalidate`).
    public func validate() {
        let waiting = background
        background = []
        for sent in waiting { _ = run(.send(sent), nil) }
    }

    private func run(_ first: HTTPCacheStep, _ body: [UInt8]?) -> Response {
        var (step, interim, failure) = (first, [ResponseHead](), OriginFailure?.none)
        while true {
            switch step {
            case .answer(let answer):
                if let sent = answer.background { background.append(sent) }
                return Response(
                    head: answer.head, body: answer.body, source: answer.source, isStale: answer.isStale,
                    interim: interim, failure: failure)
            case .send(let sent):
                let requested = now()
                let response = origin.fetch(OriginRequest(sent.head, body: body))
                var heads = response.heads.map(ResponseHead.init)
                failure = response.failure
                // The final head is missing if the connection broke before or between heads.
                guard let head = heads.popLast(), head.status >= 200,
                    failure == nil || failure?.kind == .truncated || failure?.kind == .reset
                else {
                    step = cache.fail(sent, at: now())
                    continue
                }
                interim += heads
                step = cache.receive(
                    head, body: response.bodyBytes,
                    isComplete: failure == nil, for: sent, requested: requested, received: now())
            }
        }
    }
}

extension ResponseHead {
    init(_ head: OriginHead) {
        self.init(head.status, HeaderFields(head.fields.map { ($0.name, $0.value) }))
    }
}

extension OriginResponse {
    fileprivate var bodyBytes: [UInt8] {
        payload.map { payload in withExtendedLifetime(payload) { Array(payload.bytes) } } ?? []
    }
}

extension OriginRequest {
    init(_ head: RequestHead, body: [UInt8]?) {
        self.init(head.url)
        method = head.method
        fields = head.fields.map { ($0.name, $0.value) }
        self.body = body
    }
}
