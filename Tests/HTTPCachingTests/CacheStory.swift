import HTTPCaching

/// A cache with a clock, whose origin is the test.
struct CacheStory {
    var cache: HTTPCache
    private(set) var time = start
    static let url = "http://a.example/image"

    init(_ options: HTTPCache.Options = HTTPCache.Options()) { cache = HTTPCache(options) }

    mutating func wait(_ seconds: Int64) { time += seconds * second }

    static func request(_ fields: [(String, String)] = [], method: String = "GET", url: String = url) -> RequestHead {
        RequestHead(url, method: method, fields: HeaderFields(fields))
    }

    func step(_ request: RequestHead = request()) -> HTTPCacheStep { cache.step(for: request, at: time) }

    /// The request that the cache sends, or nil if it answers.
    func sent(_ request: RequestHead = request()) -> SentRequest? { step(request).sent }

    mutating func receive(
        _ sent: SentRequest, _ status: Int, _ fields: [(String, String)], _ body: String = "", isComplete: Bool = true
    ) -> HTTPCacheStep {
        cache.receive(
            ResponseHead(status, HeaderFields(fields)), body: Array(body.utf8), isComplete: isComplete, for: sent,
            requested: time, received: time)
    }

    /// Asks, and lets the origin answer with 200 if it is asked.
    @discardableResult
    mutating func get(_ fields: [(String, String)], _ body: String = "one") -> HTTPCacheStep {
        get(Self.request(), 200, fields, body)
    }

    @discardableResult
    mutating func get(
        _ request: RequestHead, _ status: Int, _ fields: [(String, String)], _ body: String = "one"
    ) -> HTTPCacheStep {
        let step = step(request)
        guard let sent = step.sent else { return step }
        return receive(sent, status, fields, body)
    }
}

extension HTTPCacheStep {
    var answer: CacheAnswer? { if case .answer(let answer) = self { answer } else { nil } }
    var sent: SentRequest? { if case .send(let sent) = self { sent } else { nil } }
    /// `200 store one`: the status, the source and the body of an answer.
    var summary: String {
        guard let answer else { return "sent" }
        let stale = answer.isStale ? " stale" : ""
        return "\(answer.head.status) \(answer.source.rawValue)\(stale) \(String(decoding: answer.body, as: UTF8.self))"
    }
}
