import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension TraceRecorder {
    /// Records the end of a `URLSession` task. Call it in the delegate's `urlSession(_:task:didFinishCollecting:)`:
    ///
    /// ```swift
    /// func urlSession(
    ///     _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    /// ) {
    ///     recorder.fetched(metrics: metrics, error: task.error)
    /// }
    /// ```
    ///
    /// The time of the request is the start of the task's first fetch, so that name lookup, connecting and TLS are part
    /// of the time to the first byte. After redirects, the last response counts. Responses from `URLCache` without
    /// network are not fetches and are not recorded. Foundation on Linux never calls the delegate method; see
    /// ``fetchStarted(_:)``.
    ///
    /// - Parameters:
    ///   - metrics: The metrics of the task.
    ///   - key: The key of the image; nil for the URL of the first request.
    ///   - error: The task's error. A fetch with an error is recorded with status 0.
    ///   - variant: What the cell shows that waits for the image, to record ``served(_:variant:from:)`` too; nil if no
    ///     cell waits, or if the app records it itself. The source is the disk for a response from `URLCache`, also
    ///     for one that the server has confirmed, and the network for any other success. `URLCache` does not tell its
    ///     memory from its disk.
    public func fetched(
        metrics: URLSessionTaskMetrics, key: String? = nil, error: (any Error)? = nil, servedAs variant: Variant? = nil
    ) {
        guard let key = key ?? metrics.transactionMetrics.first?.request.url?.absoluteString else { return }
        fetched(
            metrics.transactionMetrics.map(FetchTransaction.init), key: key, failed: error != nil, servedAs: variant)
    }

    /// Records the end of a task with these transactions.
    func fetched(_ transactions: [FetchTransaction], key: String, failed: Bool, servedAs variant: Variant?) {
        if let summary = FetchSummary(transactions, failed: failed) {
            let age = summary.started.flatMap { Int64(microsecondsIn: Date().timeIntervalSince($0)) }
            record(.fetch(key: key, summary.fetch, summary.object), .ago(age ?? summary.fetch.duration))
        }
        if let variant, let source = FetchTransaction.source(of: transactions, failed: failed) {
            served(key, variant: variant, from: source)
        }
    }
}

/// One request and response of a task, from its metrics.
struct FetchTransaction {
    var isFromCache = false
    var isFromNetwork = false
    var fetchStart: Date?
    /// Name lookup or the connection, whichever is first; nil if the request used an open connection.
    var connectStart: Date?
    var requestStart: Date?
    var networkProtocol: String?
    var responseStart: Date?
    var responseEnd: Date?
    var bodyBytes: Int?
    var head: FetchHead?
}

extension FetchTransaction {
    init(_ metrics: URLSessionTaskTransactionMetrics) {
        isFromCache = metrics.resourceFetchType == .localCache
        isFromNetwork = metrics.resourceFetchType == .networkLoad || metrics.resourceFetchType == .serverPush
        fetchStart = metrics.fetchStartDate
        if !metrics.isReusedConnection { connectStart = metrics.domainLookupStartDate ?? metrics.connectStartDate }
        requestStart = metrics.requestStartDate
        networkProtocol = metrics.networkProtocolName
        responseStart = metrics.responseStartDate
        responseEnd = metrics.responseEndDate
        bodyBytes = Int(exactly: metrics.countOfResponseBodyBytesReceived)
        head = metrics.response.map(FetchHead.init)
    }
}

extension FetchTransaction {
    /// Returns where a task had its body from: the source of its last transaction. Returns nil for a task that failed,
    /// or whose source Foundation does not know.
    static func source(of transactions: [FetchTransaction], failed: Bool) -> TraceRecorder.Source? {
        guard !failed, let last = transactions.last, let status = last.head?.status else { return nil }
        guard (200..<300).contains(status) || status == 304 else { return nil }
        // A 304 without the transaction that reads the cache: the body was not transferred.
        if last.isFromCache || status == 304 { return .disk }
        return last.isFromNetwork ? .network : nil
    }
}

/// All requests of a task as one fetch.
struct FetchSummary {
    var started: Date?
    var fetch: FetchFacts
    var object: RecordedObject

    /// Returns nil if there was no network transfer.
    init?(_ transactions: [FetchTransaction], failed: Bool) {
        let network = transactions.filter { !$0.isFromCache }
        guard let first = network.first, let last = network.last else { return nil }
        started = first.fetchStart
        fetch = FetchFacts(
            status: failed ? 0 : Optional(last.head?.status ?? 0).within(TraceBounds.status) ?? 0,
            transferTime: Self.microseconds(last.responseStart, last.responseEnd),
            networkProtocol: last.networkProtocol)
        if let sent = first.requestStart {
            // The phases of the first request. Redirects that follow belong to the time to the first byte.
            fetch.queued = Self.microseconds(first.fetchStart, first.connectStart ?? sent)
            fetch.connect = Self.microseconds(first.connectStart, sent)
            fetch.timeToFirstByte = Self.microseconds(sent, last.responseStart)
        } else {
            fetch.timeToFirstByte = Self.microseconds(first.fetchStart, last.responseStart)
        }
        object = RecordedObject(bytes: last.bodyBytes.within(TraceBounds.bytes), contentType: last.head?.contentType)
        object.take(last.head?.headers ?? [:])
    }

    private static func microseconds(_ from: Date?, _ to: Date?) -> Int64? {
        guard let from, let to else { return nil }
        return Int64(microsecondsIn: to.timeIntervalSince(from))
    }
}
