import CacheTraces
import Foundation
import SessionModel
import TestSupport
import Testing

@testable import ReplayEngine

/// The recording of fetches, each of another image of one host.
private func recordedTrace(_ fetches: [(time: Int64, fetch: Fetch)]) -> Trace {
    var builder = TraceBuilder()
    for (number, recorded) in fetches.enumerated() {
        let object = builder.object("https://images.example/\(number)")
        builder.update(object) { $0.bytes = recorded.fetch.bytes }
        builder.append(TraceEvent(time: recorded.time, .fetch(object, recorded.fetch)))
    }
    return builder.finish()
}

@Suite("The network of a replay")
struct NetworkTests {
    /// Two images of one host. The recording opens a connection for A in 30 ms, and uses it again for B; each response
    /// takes 20 ms to the first byte and 10 ms to transfer. The replay has other events.
    private func latencies(
        _ networkProtocol: FetchProtocol, _ cache: String, _ events: [(time: Int64, action: TraceEvent.Action)]
    ) throws -> [Int64] {
        func fetch(connect: Int64?) -> Fetch {
            Fetch(
                bytes: 1_000, queued: 0, connect: connect, timeToFirstByte: 20_000, transferTime: 10_000
            ).over(networkProtocol)
        }
        var trace = recordedTrace([(0, fetch(connect: 30_000)), (100_000, fetch(connect: nil))])
        trace.events += events.map { TraceEvent(time: $0.time * 1_000, $0.action) }
        trace.events.sort { $0.time < $1.time }
        var costs = CostModel.standard
        (costs.memoryLookup, costs.memoryStore) = (0, 0)
        var job = ReplayJob(trace: "story", cache: try CacheConfiguration(cache))
        job.timing = .modelled(costs)
        return try job.runRecordingRequests(trace).requests.map { ($0.delivered - $0.appeared) / 1_000_000 }
    }

    @Test(
        "A fetch pays for a connection that it opens, and not for one that is idle or shared",
        arguments: [
            // B uses the idle connection.
            (FetchProtocol.http1, 100, "", [60, 30]),
            // B opens a second connection while the first is in use.
            (.http1, 10, "", [60, 60]),
            // A host has one connection: B waits from 10 to 60 ms, and then uses it.
            (.http1, 10, "; connectionsPerHost: 1", [60, 80]),
            // B waits for the handshake of the shared connection, and then shares it.
            (.http2, 10, "; connectionsPerHost: 1", [60, 50]),
        ] as [(FetchProtocol, Int64, String, [Int64])])
    func connections(networkProtocol: FetchProtocol, second: Int64, rule: String, expected: [Int64]) throws {
        let events: [(Int64, TraceEvent.Action)] = [(0, .appear(0, .full)), (second, .appear(1, .full))]
        #expect(try latencies(networkProtocol, "memory: lru(1MB); coalesce: true\(rule)", events) == expected)
    }

    @Test("A relaunch closes all connections")
    func relaunch() throws {
        let events: [(Int64, TraceEvent.Action)] = [
            (0, .appear(0, .full)), (100, .appear(1, .full)), (200, .terminate), (300, .appear(0, .full)),
        ]
        #expect(try latencies(.http1, "memory: lru(1MB); store: none", events) == [60, 30, 60])
    }

    @Test("A 304 does not stand for a full fetch: its transfer takes the usual rate")
    func notModified() throws {
        // 10,000 bytes in 50 ms, and a 304 that took 1 ms.
        let full = Fetch(bytes: 10_000, timeToFirstByte: 20_000, transferTime: 50_000)
        let trace = recordedTrace([
            (0, full), (0, Fetch(status: 304, bytes: 0, timeToFirstByte: 20_000, transferTime: 1_000)),
        ])
        var network = NetworkModel(trace, sizes: [10_000, 10_000], seed: 1)
        let sample = network.sample(1, nth: 0)
        #expect(sample.transferTime == 50_000_000)
        var literal = NetworkModel(trace, sizes: [10_000, 10_000], seed: 1, isLiteral: true)
        let literalSample = literal.sample(1, nth: 0)
        #expect(literalSample.transferTime == 1_000_000)
    }

    @Test(
        "The protocol of most fetches is that of a host",
        arguments: [
            ([FetchProtocol.http1, .http2, .http2], true), ([.http1, .http1, .http2], false), ([.http2, .http1], true),
            ([.http1, .http2], false),
        ])
    func mixedProtocols(protocols: [FetchProtocol], isMultiplexed: Bool) {
        let trace = recordedTrace(
            protocols.enumerated().map { number, name in
                (Int64(number), Fetch(bytes: 1, queued: 0, timeToFirstByte: 1, transferTime: 1).over(name))
            })
        #expect(RecordedHosts(trace, trace.fetches()).hosts.map(\.isMultiplexed) == [isMultiplexed])
    }

    @Test("A shared connection was open at the start if a fetch without a handshake is sent before the first one ends")
    func openAtStart() {
        // Begin and handshake of each fetch, in microseconds.
        func hosts(_ fetches: [(begin: Int64, connect: Int64?)]) -> RecordedHosts {
            let trace = recordedTrace(
                fetches.map { begin, connect in
                    let fetch = Fetch(bytes: 1, queued: 0, connect: connect, timeToFirstByte: 10, transferTime: 1)
                    return (begin, fetch.over(.http2))
                })
            return RecordedHosts(trace, trace.fetches())
        }
        let opened = hosts([(0, 100), (100, nil), (150, 100)])
        #expect(opened.hosts[0].openAtStart == 0 && opened.opensOwn == [false, false, true])
        let wasOpen = hosts([(0, 100), (50, nil), (150, 100)])
        #expect(wasOpen.hosts[0].openAtStart == 1 && wasOpen.opensOwn == [true, false, true])
        #expect(hosts([(0, nil)]).hosts[0].openAtStart == 1)
    }

    @Test("Protocols are known by the names that recorders use")
    func protocolNames() {
        let names = ["HTTP/1.1", "1.1", "h2", "HTTP/2.0", "spdy/3.1", "h3-29", "HTTP/3", "us:", ""]
        #expect(
            names.map(FetchProtocol.init(recorded:))
                == [.http1, .http1, .http2, .http2, .http2, .http3, .http3, nil, nil])
    }
}

@Suite("A link that transfers share")
struct SharedLinkTests {
    /// Begins transfers, and returns the times at which they end, in order of their ends. Rates are bytes per
    /// nanosecond.
    private func ends(
        _ transfers: [(start: Int64, bytes: Int, limit: Double)], _ segments: [(start: Int64, rate: Double)] = [(0, 1)]
    ) -> [String] {
        var link = SharedLink<Int>(
            LinkRate(segments: segments.map { LinkRate.Segment(start: $0.start, rate: $0.rate) }))
        var ends: [String] = []
        var waiting = transfers[...]
        var names = 0
        while let change = [link.nextChange, waiting.first?.start].compactMap(\.self).min() {
            if let next = waiting.first, next.start <= change, next.start <= link.nextChange ?? .max {
                link.begin(names, bytes: next.bytes, limit: next.limit, names, at: next.start)
                names += 1
                waiting.removeFirst()
            } else if let (fetch, _) = link.change() {
                ends.append("\(fetch) at \(change)")
            }
        }
        return ends
    }

    @Test("Two transfers get half of the link each")
    func halves() {
        // The first is alone for 500 ns, and has 500 bytes left, which take 1,000 ns. Then the second has 500 bytes
        // left.
        #expect(ends([(0, 1_000, .infinity), (500, 1_000, .infinity)]) == ["0 at 1500", "1 at 2000"])
    }

    @Test("What a slow server leaves goes to the other transfer")
    func slowServer() {
        #expect(ends([(0, 1_000, 0.25), (0, 1_500, .infinity)]) == ["1 at 2000", "0 at 4000"])
    }

    @Test("A transfer continues at the new rate when the rate of the link changes")
    func rateChange() {
        #expect(ends([(0, 1_500, .infinity)], [(0, 1), (1_000, 0.5)]) == ["0 at 2000"])
    }

    @Test("A cancelled transfer leaves its share to the others")
    func cancellation() {
        var link = SharedLink<Int>(LinkRate(segments: [LinkRate.Segment(start: 0, rate: 1)]))
        link.begin(0, bytes: 1_000, limit: .infinity, 0, at: 0)
        link.begin(1, bytes: 1_000, limit: .infinity, 1, at: 0)
        #expect(link.nextChange == 2_000)
        let (first, second) = (link.cancel(0, at: 1_000), link.cancel(0, at: 1_000))
        #expect(first?.crossed == 500 && first?.bytes == 1_000 && second == nil)
        // 500 bytes are left, and the link is its own.
        #expect(link.nextChange == 1_500)
    }
}

@Suite("A replay reproduces its recording")
struct ConsistencyTests {
    private static let bundled = [
        "stress-feed", "stress-flicks", "stress-grid", "stress-return", "stress-search", "photo-feed",
        "synthetic-gallery",
    ]

    @Test("Without a cache, the fetches of a bundled trace take as long as recorded", arguments: bundled)
    func bundledTrace(_ name: String) throws {
        let traces = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../Traces")
        let trace = try Trace(contentsOf: traces.appending(path: "\(name).jsonl").path)
        #expect(try ConsistencyCheck(trace, network: .recorded)?.passes == true)
        let shared = try #require(try ReplayJob.Network.sharedLink(of: trace))
        #expect(try ConsistencyCheck(trace, network: shared)?.passes == true)
    }

    /// Recordings of browsers. In the first four, images wait in the browser's queue behind resources that a trace of
    /// images does not contain.
    private static let recordings = [
        "firebug_cnn.har", "firebug_sstoehr.har", "weird_invalid-date.har", "webinspector_mitmtest_chrome.har",
        "browsertime1.0_sitespeed.io_3runs.har", "chromehar0.2.3_case-sensitive-protocol.har",
        "chromehar0.5_wikipedia_5runs.har.gz", "fiddler2.3_nopages.har", "firebug_softwareishard_304s.har",
        "firefox43_http1.1_content-minus1.har", "firefox54_missing-headersSize.har", "webinspector_bbc.com.har",
        "webinspector_http2.github.io.har", "webpagetest17_expressen_2views.har",
        "webpagetest18_wikipedia_chrome70.har", "webpagetest2.17_nytimes.har",
    ]

    @Test(
        "The same holds for recordings of browsers, without the browser's queue", .enabled(if: SharedData.isPresent),
        arguments: recordings)
    func recording(_ name: String) throws {
        let trace = try Trace(contentsOf: SharedData.path("har/" + name))
        let check = try #require(try ConsistencyCheck(trace, network: .recorded))
        #expect(check.passes, "\(check)")
        #expect((check.queuedShare > 0.1) == Self.recordings.prefix(4).contains(name), "\(check.queuedShare)")
    }

    @Test(
        "With queue: recorded, the fetches of a browser take as long as they did with its queue",
        .enabled(if: SharedData.isPresent), arguments: recordings)
    func queueOfRecording(_ name: String) throws {
        let fetches = try Trace(contentsOf: SharedData.path("har/" + name))
        var events: [TraceEvent] = []
        var recorded: [Int64] = []
        for event in fetches.events {
            guard case .fetch(let object, let fetch) = event.action, let duration = fetch.duration else { continue }
            events += [TraceEvent(time: event.time, .appear(object, .full)), event]
            recorded.append(fetch.succeeded ? duration * 1_000 : -1)
        }
        let cache = "memory: fifo(1B); store: none; coalesce: false; connectionsPerHost: none; queue: recorded"
        var job = ReplayJob(trace: name, cache: try CacheConfiguration(cache))
        job.timing = .modelled(.standard)
        let trace = Trace(header: fetches.header, objects: fetches.objects, events: events)
        let requests = try job.runRecordingRequests(trace, isLiteral: true).requests
        let pairs = zip(recorded, requests).filter { $0 >= 0 && $1.delivered >= 0 }
        func median(_ values: [Int64]) -> Int64 { values.sorted()[(values.count - 1) / 2] }
        let (was, isNow) = (median(pairs.map(\.0)), median(pairs.map { $1.delivered - $1.appeared }))
        #expect(abs(Double(isNow - was)) <= 0.01 * Double(was), "\(was) \(isNow)")
    }

    @Test("A fetch that opened a connection opens one again, although another was open at the start and unused")
    func connectionBesideIdleOne() throws {
        // A opened a connection in 50 ms. B used one at 20 ms that no fetch of the recording had opened.
        let fetches = [(Int64(0), Int64?(50_000)), (20_000, nil)].map { time, connect in
            let fetch = Fetch(
                status: 200, bytes: 1_000, queued: 0, connect: connect, timeToFirstByte: 100_000, transferTime: 0)
            return (time, fetch.over(.http1))
        }
        let check = try #require(try ConsistencyCheck(recordedTrace(fetches), network: .recorded))
        #expect(check.replayed.median / 1_000_000 == 100 && check.replayed.p90 / 1_000_000 == 150)
    }

    @Test("The comparison leaves the client's queue out, and states its share")
    func queueLeftOut() throws {
        // Ten fetches of 100 ms each that waited for 300 ms before, behind something that is no image.
        let fetch = Fetch(status: 200, bytes: 1_000, queued: 300_000, timeToFirstByte: 60_000, transferTime: 40_000)
        let report = try ConsistencyReport(recordedTrace((0..<10).map { ($0 * 1_000, fetch) }))
        let check = try #require(report.checks.first)
        #expect(check.recorded.median == 100_000_000 && check.passes && check.queuedShare == 0.75)
        #expect(report.reasons.contains(.queued(share: 0.75)))
    }
}

extension Fetch {
    fileprivate func over(_ networkProtocol: FetchProtocol?) -> Fetch {
        var fetch = self
        fetch.networkProtocol = networkProtocol
        return fetch
    }
}
