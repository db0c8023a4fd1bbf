import Foundation
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@testable import SessionRecorder

/// `URLSessionTaskMetrics` cannot be created, and Foundation on Linux delivers none: the tests cover everything after
/// they are read.
@Suite("From a task's metrics to a fetch")
struct MetricsTests {
    private func transaction(_ start: Double, _ first: Double?, _ last: Double?, status: Int?, bytes: Int = 0)
        -> FetchTransaction
    {
        var transaction = FetchTransaction()
        transaction.fetchStart = Date(timeIntervalSinceReferenceDate: start)
        transaction.responseStart = first.map { Date(timeIntervalSinceReferenceDate: $0) }
        transaction.responseEnd = last.map { Date(timeIntervalSinceReferenceDate: $0) }
        transaction.bodyBytes = bytes
        transaction.head = status.flatMap {
            HTTPURLResponse(
                url: URL(fileURLWithPath: "/"), statusCode: $0, httpVersion: nil,
                headerFields: ["Content-Type": "image/png", "ETag": "\"1\"", "Server": "x"]
            ).map(FetchHead.init)
        }
        return transaction
    }

    @Test("One request: times from its start, status, bytes, type and the headers for caching")
    func single() throws {
        let summary = try #require(FetchSummary([transaction(10, 10.25, 10.5, status: 200, bytes: 900)], failed: false))
        #expect(summary.started == Date(timeIntervalSinceReferenceDate: 10))
        #expect(summary.fetch == FetchFacts(status: 200, timeToFirstByte: 250_000, transferTime: 250_000))
        #expect(
            summary.object
                == RecordedObject(bytes: 900, contentType: "image/png", headers: [.init(name: "etag", value: "\"1\"")]))
    }

    @Test("A redirect: the time to the first byte is from the first request to the last response")
    func redirect() throws {
        let tasks = [transaction(1, 1.5, 1.5, status: 302, bytes: 40), transaction(2, 3, 5, status: 200, bytes: 900)]
        let summary = try #require(FetchSummary(tasks, failed: false))
        #expect(summary.fetch == FetchFacts(status: 200, timeToFirstByte: 2_000_000, transferTime: 2_000_000))
        #expect(summary.object.bytes == 900)
    }

    @Test("A response from URLCache is not a fetch; a revalidation is the 304 that came")
    func cached() throws {
        var fromCache = transaction(1, nil, nil, status: 200)
        fromCache.isFromCache = true
        #expect(FetchSummary([fromCache], failed: false) == nil)
        let summary = try #require(FetchSummary([transaction(1, 2, 2, status: 304), fromCache], failed: false))
        #expect(summary.fetch.status == 304)
        #expect(summary.object.bytes == 0)
        #expect(FetchSummary([], failed: false) == nil)
    }

    @Test("The body's source is that of the last transaction: the cache, the network, or unknown")
    func sources() {
        var network = transaction(1, 2, 3, status: 200)
        network.isFromNetwork = true
        var cache = transaction(1, nil, nil, status: 200)
        cache.isFromCache = true
        var confirmed = network
        confirmed.head = transaction(1, 2, 2, status: 304).head
        var missing = network
        missing.head = transaction(1, 2, 2, status: 404).head
        #expect(FetchTransaction.source(of: [network], failed: false) == .network)
        #expect(FetchTransaction.source(of: [cache], failed: false) == .disk)
        #expect(FetchTransaction.source(of: [confirmed, cache], failed: false) == .disk)
        #expect(FetchTransaction.source(of: [confirmed], failed: false) == .disk)
        #expect(FetchTransaction.source(of: [missing], failed: false) == nil)
        #expect(FetchTransaction.source(of: [network], failed: true) == nil)
        #expect(FetchTransaction.source(of: [transaction(1, 2, 3, status: 200)], failed: false) == nil)
        #expect(FetchTransaction.source(of: [], failed: false) == nil)
    }

    @Test("A task that failed has status 0, with or without a response")
    func failed() throws {
        let broken = try #require(FetchSummary([transaction(1, 2, nil, status: 200, bytes: 5)], failed: true))
        #expect(broken.fetch == FetchFacts(status: 0, timeToFirstByte: 1_000_000, transferTime: nil))
        let refused = try #require(FetchSummary([transaction(1, nil, nil, status: nil)], failed: true))
        #expect(refused.fetch == FetchFacts(status: 0, timeToFirstByte: nil, transferTime: nil))
    }
}
