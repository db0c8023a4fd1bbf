import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension TraceRecorder {
    /// A `URLSession` task ended: call it in the delegate's `urlSession(_:task:didFinishCollecting:)`.
    ///
    ///     func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics:
    ///     URLSessionTaskMetrics) {
    ///         recorder.fetched(metrics: metrics, error: task.error)
    ///     }
    ///
    /// The request's time is that at which the task began to fetch, so that looking up the host, connecting and TLS are
    /// part of the time to the first byte, as they are for the person who waits. After redirects the last response
    /// counts. What `URLCache` answered without the network is no fetch, and not written. Foundation on Linux never
    /// calls the delegate method; see ``fetchStarted(_:)``.
    ///
    /// - Parameters:
    ///   - key: The URL of the first request where nil.
    ///   - error: The task's; with one, the fetch is written with status 0, as no whole image came.
    public func fetched(metrics: URLSessionTaskMetrics, key: String? = nil, error: (any Error)? = nil) {
        let transactions = metrics.transactionMetrics.map(FetchTransaction.init)
        guard let key = key ?? metrics.transactionMetrics.first?.request.url?.absoluteString,
            let summary = FetchSummary(transactions, failed: error != nil)
        else { return }
        let age = summary.started.flatMap { Int64(microsecondsIn: Date().timeIntervalSince($0)) }
        record(.fetch(key: key, summary.fetch, summary.object), .ago(age ?? summary.fetch.duration))
    }
}

/// One request and response of a task, as its metrics have it.
struct FetchTransaction {
    var isFromCache = false
    var fetchStart: Date?
    var responseStart: Date?
    var responseEnd: Date?
    var bodyBytes: Int?
    var head: FetchHead?
}

extension FetchTransaction {
    init(_ metrics: URLSessionTaskTransactionMetrics) {
        isFromCache = metrics.resourceFetchType == .localCache
        fetchStart = metrics.fetchStartDate
        responseStart = metrics.responseStartDate
        responseEnd = metrics.responseEndDate
        bodyBytes = Int(exactly: metrics.countOfResponseBodyBytesReceived)
        head = metrics.response.map(FetchHead.init)
    }
}

/// A whole task as one fetch.
struct FetchSummary {
    var started: Date?
    var fetch: FetchFacts
    var object: ObjectFacts

    /// Nil where nothing went over the network.
    init?(_ transactions: [FetchTransaction], failed: Bool) {
        let network = transactions.filter { !$0.isFromCache }
        guard let first = network.first, let last = network.last else { return nil }
        started = first.fetchStart
        fetch = FetchFacts(
            status: failed ? 0 : Optional(last.head?.status ?? 0).within(TraceBounds.status) ?? 0,
            timeToFirstByte: Self.microseconds(first.fetchStart, last.responseStart),
            transferTime: Self.microseconds(last.responseStart, last.responseEnd))
        object = ObjectFacts(bytes: last.bodyBytes.within(TraceBounds.bytes), contentType: last.head?.contentType)
        object.take(last.head?.headers ?? [:])
    }

    private static func microseconds(_ from: Date?, _ to: Date?) -> Int64? {
        guard let from, let to else { return nil }
        return Int64(microsecondsIn: to.timeIntervalSince(from))
    }
}
