import CacheTraces
import SessionModel
import Testing
import TraceAnalysis

@Suite("HAR entries that a cache answered")
struct HARCacheTests {
    func fetch(
        entry: String = "", response: String = "", content: String = #"{"size":100,"mimeType":"image/png"}"#,
        status: Int = 200, wait: Int = 10
    ) throws -> (Trace, Fetch?) {
        let text = """
            {"log":{"entries":[{"startedDateTime":"2026-03-01T09:30:00Z","request":{"url":"a.png"},\(entry)
            "response":{\(response)"status":\(status),"content":\(content)},"timings":{"wait":\(wait),"receive":2}}]}}
            """
        let trace = try Trace(TraceInput(bytes: Array(text.utf8), path: "a.har"), format: .har)
        return (
            trace, trace.events.compactMap { if case .fetch(_, let fetch) = $0.action { fetch } else { nil } }.first
        )
    }

    @Test(
        "The request counts, no byte came, and the time says nothing of the network",
        arguments: [
            (#""_fromCache":"memory","#, "", 10), (#""_fromCache":"disk","#, "", 10),
            (#""_servedFromCache":true,"#, "", 10), ("", #""_fromCache":true,"#, 10),
            (#""_fetchType":"Disk Cache","#, "", 10), (#""_fetchType":"Service Worker","#, "", 10),
            ("", #""_fetchedViaServiceWorker":true,"#, 10),
            ("", #""_transferSize":0,"bodySize":0,"#, 10), ("", #""_transferSize":0,"bodySize":-1,"#, 10),
            (#""cache":{"beforeRequest":{"lastAccess":"x","hitCount":3}},"#, "", 0),
            (#""cache":{"afterRequest":{"hitCount":3}},"#, "", 0),
        ])
    func fromCache(entry: String, response: String, wait: Int) throws {
        let (trace, fetch) = try fetch(entry: entry, response: response, wait: wait)
        #expect(fetch == Fetch(status: 200, bytes: 0))
        #expect(trace.events.first?.action == .appear(0, .full))
        #expect(trace.objects.map(\.bytes) == [100])
        #expect(TraceSummary(trace).images == 1)
    }

    @Test(
        "These came over the network",
        arguments: [
            (#""_fromCache":false,"#, "", 10), (#""_fromCache":"","#, "", 10), (#""_servedFromCache":false,"#, "", 10),
            (#""_fetchType":"Network Load","#, "", 10),
            ("", #""_transferSize":300,"#, 10), ("", #""_transferSize":0,"bodySize":100,"#, 10),
            ("", #""_fetchedViaServiceWorker":false,"#, 10),
            // A stored copy that its server was asked about, and no copy at all.
            (#""cache":{"beforeRequest":{"hitCount":3}},"#, "", 10),
            (#""cache":{"beforeRequest":null,"afterRequest":null},"#, "", 0),
        ])
    func fromNetwork(entry: String, response: String, wait: Int) throws {
        let fetch = try fetch(entry: entry, response: response, wait: wait).1
        #expect(
            fetch
                == Fetch(
                    status: 200, bytes: 100, queued: 0, timeToFirstByte: Int64(wait) * 1000, transferTime: 2000))
    }

    @Test("A 304 asked its server, a failure is a failure: no mark makes them hits", arguments: [304, 404, 0])
    func notHits(status: Int) throws {
        let fetch = try fetch(entry: #""_fromCache":"disk","#, status: status).1
        #expect(fetch?.status == status)
        #expect(fetch?.timeToFirstByte == 10_000)
    }
}
