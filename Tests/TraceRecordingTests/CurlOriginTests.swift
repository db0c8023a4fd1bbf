import CacheTiers
import CacheTraces
import Foundation
import MeasuredTiers
import SessionModel
import Testing
import TraceRecording

@Suite("Origin over libcurl")
struct CurlOriginTests {
    @Test("200 fetches over at most four connections open four, and each response is correct")
    func usesConnectionsAgain() throws {
        let trace = trace(sizes: (0..<50).map { 1000 + $0 })
        try serving(trace) { origin in
            let client = try makeClient { $0.connections = 4 }
            let responses = client.fetchAll((0..<200).map { origin.url(ObjectID($0 % 50)) })
            #expect(responses.map { $0.payload?.count ?? -1 } == (0..<200).map { 1000 + $0 % 50 })
            #expect(origin.connections == 4)
            #expect(responses.map(\.newConnections).reduce(0, +) == 4)
        }
    }

    @Test(
        "Each error of the origin has its kind",
        arguments: [
            (OriginFault.status(500), OriginFailure.Kind.status), (.status(404), .status), (.reset, .reset),
            (.resetHalfway, .reset),
            (.truncate, .truncated), (.redirect("/run/0"), .tooManyRedirects), (.redirect("ftp://127.0.0.1/"), .badURL),
        ])
    func tellsFailuresApart(fault: OriginFault, kind: OriginFailure.Kind) throws {
        try serving(trace(sizes: [200_000, 10]), { $0.faults = [0: fault] }) { origin in
            let client = try makeClient()
            let response = client.fetch(origin.url(0))
            #expect(response.failure?.kind == kind, "\(response)")
            #expect(response.failure?.message.isEmpty == false)
            #expect(response.payload == nil)
            #expect(client.fetch(origin.url(1)).payload?.count == 10, "the client goes on")
            if case .status(let status) = fault { #expect(response.status == status) }
            if fault == .truncate { #expect(response.receivedBytes == 100_000) }
        }
    }

    @Test("A redirect is followed")
    func followsRedirects() throws {
        try serving(trace(sizes: [1, 77]), { $0.faults = [0: .redirect("/run/1")] }) { origin in
            let followed = try makeClient().fetch(origin.url(0))
            #expect(followed.payload?.count == 77)
            let refused = try makeClient { $0.redirects = 0 }.fetch(origin.url(0))
            #expect(refused.failure?.kind == .tooManyRedirects)
        }
    }

    @Test("The body of an error is read to its end, so that its connection is reused")
    func keepsConnectionAfterStatus() throws {
        try serving(trace(sizes: [10, 10]), { $0.faults = [0: .status(503)] }) { origin in
            let client = try makeClient()
            let responses = [client.fetch(origin.url(0)), client.fetch(origin.url(1))]
            #expect(origin.connections == 1)
            #expect(responses.map(\.receivedBytes).reduce(0, +) == origin.served().bytes)
        }
    }

    @Test("A silent origin ends the transfer after the shorter of the timeout and the stall timeout")
    func timesOut() throws {
        try serving(trace(sizes: [1000]), { $0.fault = .stall }) { origin in
            let late = try makeClient { $0.timeout = .milliseconds(50) }.fetch(origin.url(0))
            #expect(late.failure?.kind == .timeout && late.receivedBytes == 500)
            let stalled = try makeClient { $0.stallTimeout = .milliseconds(50) }.fetch(origin.url(0))
            #expect(stalled.failure?.kind == .timeout)
            #expect(stalled.failure?.message.contains("Nothing came") == true && stalled.receivedBytes == 500)
        }
    }

    @Test("A body over the limit ends its transfer, whether or not its length was announced")
    func limitsTheBody() throws {
        try serving(trace(sizes: [100_000, 100_000]), { $0.faults = [1: .unannounced] }) { origin in
            let client = try makeClient { $0.responseLimit = 99_999 }
            #expect(client.fetch(origin.url(0)).failure?.kind == .tooLarge)
            #expect(client.fetch(origin.url(1)).failure?.kind == .tooLarge)
            let exact = try makeClient { $0.responseLimit = 100_000 }
            #expect(exact.fetch(origin.url(0)).payload?.count == 100_000)
            #expect(exact.fetch(origin.url(1)).payload?.count == 100_000)
        }
    }

    @Test("A body without announced length is complete")
    func growsTheBody() throws {
        let trace = trace(sizes: [1_234_567])
        try serving(trace, { $0.fault = .unannounced }) { origin in
            let payload = try #require(try makeClient().fetch(origin.url(0)).payload)
            #expect(payload.count == 1_234_567 && PayloadPattern(key: trace.objects[0].key).matches(payload.bytes))
        }
    }

    @Test("No server, unknown host, invalid URL, other protocol")
    func refusesAddresses() throws {
        let gone = try serving(trace(sizes: [1])) { $0.url(0) }
        let client = try makeClient()
        #expect(client.fetch(gone).failure?.kind == .refused)
        #expect(client.fetch("http://nowhere.invalid/").failure?.kind == .unknownHost)
        for url in ["", "http://", "file:///etc/hostname", "http://a\u{0}b/"] {
            #expect(client.fetch(url).failure?.kind == .badURL, "\(url)")
        }
    }

    @Test("A cancelled transfer has no response, and the next one starts; a cancelled waiting transfer never starts")
    func cancels() throws {
        try serving(trace(sizes: [1000, 10, 20]), { $0.faults = [0: .stall] }) { origin in
            let client = try makeClient { $0.connections = 1 }
            let stalled = client.start(origin.url(0))
            let dropped = client.start(origin.url(1))
            client.start(origin.url(2))
            client.cancel(dropped)
            client.cancel(stalled)
            let responses = client.wait(for: .seconds(10))
            #expect(responses.map { $0.payload?.count } == [20])
            #expect(client.pending == 0)
            client.cancel(12345)
        }
    }

    @Test("Another thread ends a wait, also before it begins, and after the origin is deallocated")
    func wakes() throws {
        let waker = try serving(trace(sizes: [1000]), { $0.fault = .stall }) { origin in
            let client = try makeClient()
            client.start(origin.url(0))
            client.waker.wake()
            #expect(client.wait(for: .seconds(60)).isEmpty)
            let waker = client.waker
            // A thread, because tasks share few threads with all tests, some of which block.
            Thread.detachNewThread { waker.wake() }
            #expect(client.wait(for: .seconds(60)).isEmpty)
            #expect(client.pending == 1)
            return waker
        }
        waker.wake()
    }

    @Test("A wait without transfers ends after its timeout; a fetch keeps other transfers running")
    func fetchesBesideOthers() throws {
        try serving(trace(sizes: [5, 6])) { origin in
            let client = try makeClient()
            #expect(client.wait(for: .milliseconds(1)).isEmpty)
            let other = client.start(origin.url(0))
            #expect(client.fetch(origin.url(1)).payload?.count == 6)
            var responses: [OriginResponse] = []
            while client.pending > 0 { responses += client.wait(for: .seconds(10)) }
            #expect(responses.map(\.id) == [other])
        }
    }
}
