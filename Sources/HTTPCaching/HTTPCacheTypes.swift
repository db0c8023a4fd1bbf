/// What a cache asks of its caller: to give an answer to the client, or to send a request to the origin.
public enum HTTPCacheStep: Sendable {
    case answer(CacheAnswer)
    case send(SentRequest)
}

/// A response for the client.
public struct CacheAnswer: Sendable {
    public enum Source: String, Sendable, CaseIterable {
        /// The response of the origin.
        case network
        /// A stored response, without a request to the origin.
        case store
        /// A stored response, which the origin has confirmed by a 304.
        case validated
        /// A stored response, because the origin did not answer, or answered with an error.
        case storeAfterFailure
        /// The cache itself: 504 or 502.
        case cache
    }

    public var head: ResponseHead
    public var body: [UInt8]
    public var source: Source
    /// The response is past its lifetime.
    public var isStale = false
    /// The request that validates the response in the background (`stale-while-revalidate`). The caller sends it, and
    /// hands its response to the cache.
    public var background: SentRequest?
}

/// A request that a cache sends to the origin.
public struct SentRequest: Sendable {
    /// What to send.
    public var head: RequestHead
    /// What the client asked for.
    public var client: RequestHead
    /// The stored response that the request is about.
    var stored: Int?
    /// The cache has added conditions, so a 304 concerns its own stored responses.
    var isConditional = false
    /// The stored part whose missing end the request asks for.
    var completes: Int?
    /// The request follows an answer that could not be used.
    var isRepeat = false

    init(_ client: RequestHead) {
        head = client
        self.client = client
    }
}
