import CacheTiers
import CacheTraces
import MeasuredTiers
import SessionModel
import Testing

@testable import TraceRecording

@Suite("Loopback origin")
struct LoopbackOriginTests {
    @Test("Every object has its recorded size, and the bytes of its key")
    func servesThePattern() throws {
        let trace = trace(sizes: [0, 1, 7, 64, 65, 4096, 65_536, 300_001, 3 << 20])
        try serving(trace) { origin in
            let responses = try makeClient().fetchAll(trace.objects.indices.map { origin.url(ObjectID($0)) })
            for (object, response) in zip(trace.objects, responses) {
                let payload = try #require(response.payload)
                #expect(payload.count == object.bytes)
                #expect(PayloadPattern(key: object.key).matches(payload.bytes))
                #expect(!PayloadPattern(key: "another").matches(payload.bytes) || payload.count == 0)
            }
        }
    }

    @Test(
        "An informational status resets the connection, because a client would wait for the final response",
        arguments: [0, 100, 101, 199])
    func noFinalAnswer(status: Int) {
        var object = OriginObject(TraceObject(key: "a"), size: 9, fetches: [], fault: nil)
        object.answer(with: status)
        #expect(object.fault == .reset)
    }

    @Test("The bytes that a run fetched are those that the origin counts, for each run")
    func countsByRun() throws {
        try serving(trace(sizes: [10, 200, 3000])) { origin in
            let client = try makeClient()
            let first = client.fetchAll([origin.url(0, run: "a"), origin.url(1, run: "a"), origin.url(1, run: "a")])
            let second = client.fetchAll([origin.url(2, run: "b")])
            #expect(origin.served("a") == OriginStatistics(requests: 3, bytes: first.map(\.receivedBytes).reduce(0, +)))
            #expect(origin.served("a").bytes == 410)
            #expect(origin.served("b") == OriginStatistics(requests: 1, bytes: second[0].receivedBytes))
            let stats = try #require(client.fetch("\(origin.address)/-/stats/a").payload)
            #expect(String(decoding: stats.bytes, as: UTF8.self) == #"{"requests":3,"bytes":410}"#)
        }
    }

    @Test("Type, caching headers and status are those of the recording, without invalid headers")
    func servesRecordedHeaders() throws {
        var trace = trace(sizes: [5], fetch: Fetch(status: 404))
        trace.objects[0].contentType = "image/webp"
        trace.objects[0].headers = [
            HTTPField("cache-control", "max-age=60"), HTTPField("etag", "\"1\"\r\nevil: yes"),
            HTTPField("content-length", "9"),
        ]
        try serving(trace) { origin in
            let answer = rawRequest(
                "GET /run/0 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", port: origin.port)
            #expect(answer.hasPrefix("HTTP/1.1 404 "))
            #expect(answer.contains("content-type: image/webp\r\n"))
            #expect(answer.contains("cache-control: max-age=60\r\n"))
            #expect(answer.contains("content-length: 5\r\n"))
            #expect(!answer.contains("evil"))
        }
    }

    @Test("HEAD has the length and no body; other methods get 405, unknown paths 404, invalid requests 400")
    func answersOtherRequests() throws {
        try serving(trace(sizes: [5000])) { origin in
            func ask(_ line: String) -> String {
                rawRequest("\(line) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", port: origin.port)
            }
            let head = ask("HEAD /run/0")
            #expect(
                head.hasPrefix("HTTP/1.1 200 OK\r\n") && head.contains("content-length: 5000\r\n")
                    && head.hasSuffix("\r\n\r\n"))
            #expect(ask("DELETE /run/0").hasPrefix("HTTP/1.1 405 "))
            for path in [
                "/", "/run", "/run/1", "/run/-1", "/run/x", "/run/0/0", "//0", "/-/stats", "/run/99999999999999999999",
            ] {
                #expect(ask("GET \(path)").hasPrefix("HTTP/1.1 404 "), "\(path)")
            }
            #expect(rawRequest("nonsense\r\n\r\n", port: origin.port).hasPrefix("HTTP/1.1 400 "))
            #expect(origin.served().bytes == 0)
        }
    }

    @Test("Recorded 304 is served as 200, and no recorded response as a closed connection")
    func servesOddStatuses() throws {
        try serving(trace(sizes: [5], fetch: Fetch(status: 304))) { origin in
            let response = try makeClient().fetch(origin.url(0))
            #expect(response.status == 200)
        }
        try serving(trace(sizes: [5], fetch: Fetch(status: 0))) { origin in
            let response = try makeClient().fetch(origin.url(0))
            #expect(response.failure?.kind == .reset)
        }
    }

    @Test("A query selects another status")
    func servesWantedStatuses() throws {
        try serving(trace(sizes: [5])) { origin in
            let client = try makeClient()
            #expect(client.fetch(origin.url(0) + "?status=503").status == 503)
            #expect(client.fetch(origin.url(0) + "?status=404").status == 404)
            #expect(client.fetch(origin.url(0) + "?status=0").failure?.kind == .reset)
            #expect(client.fetch(origin.url(0) + "?status=404&bytes=3").receivedBytes == 3)
            #expect(client.fetch(origin.url(0) + "?status=404&bytes=0").receivedBytes == 0)
            #expect(client.fetch(origin.url(0) + "?status=0&bytes=0").failure?.kind == .reset)
            let cutOff = client.fetch(origin.url(0) + "?status=0&bytes=3")
            #expect(cutOff.failure?.kind == .truncated)
            #expect(cutOff.receivedBytes == 3)
            // A body that is not the object.
            #expect(client.fetch(origin.url(0) + "?status=200&bytes=3").receivedBytes == 3)
            #expect(client.fetch(origin.url(0) + "?status=200").receivedBytes == 5)
            for nonsense in ["x", "100", "1", "-5", "99999"] {
                #expect(client.fetch(origin.url(0) + "?status=\(nonsense)").status == 200)
            }
        }
    }

    @Test("The n-th request of a run takes as long as the n-th recorded fetch; the last repeats")
    func injectsLatency() throws {
        var trace = trace(sizes: [100_000], fetch: Fetch(timeToFirstByte: 5_000, transferTime: 10_000))
        trace.events.append(TraceEvent(time: 1, .fetch(0, Fetch(timeToFirstByte: 30_000, transferTime: 0))))
        try serving(trace, { $0.injectsLatency = true }) { origin in
            let responses = try ["a", "a", "a", "b"].map { try makeClient().fetch(origin.url(0, run: $0)) }
            let expected: [(first: Int64, total: Int64)] = [(5, 15), (30, 30), (30, 30), (5, 15)]
            for (response, expected) in zip(responses, expected) {
                // A lower bound, which holds on any machine; the benchmark measures the difference.
                #expect(response.payload?.count == 100_000)
                #expect(response.timeToFirstByte >= expected.first * 1_000_000)
                #expect(response.totalTime >= expected.total * 1_000_000)
            }
        }
    }

    @Test("A port in use is an error with a remedy")
    func portInUse() throws {
        try serving(trace(sizes: [1])) { origin in
            let error = #expect(throws: LoopbackOriginError.self) {
                try serving(trace(sizes: [1]), { $0.port = origin.port }) { _ in }
            }
            #expect(error?.kind == .portInUse)
            #expect(error?.description.contains("\(origin.port) is in use") == true)
        }
    }
}

@Suite("Sizes that the origin and a replay share")
struct OriginSizeTests {
    @Test(
        "After a 204 or 304, an object has its own size, otherwise that of its first body, otherwise the median"
    )
    func sizes() throws {
        var builder = TraceBuilder()
        for (name, bytes, status, fetched) in [
            ("a", 100, 204, 0), ("b", nil, 304, 3_000), ("c", nil, 404, 9), ("d", 300, 200, 300), ("e", 500, 200, 500),
        ] as [(String, Int?, Int, Int)] {
            let id = builder.object(name)
            builder.update(id) { $0.bytes = bytes }
            builder.append(TraceEvent(time: 0, .fetch(id, Fetch(status: status, bytes: fetched))))
        }
        let trace = builder.finish()
        let expected = [100, 3_000, 500, 300, 500]
        #expect(trace.resolvedSizes().bytes == expected)
        try serving(trace) { origin in
            let client = try CurlOrigin()
            for (object, size) in expected.enumerated() {
                #expect(client.fetch(origin.url(ObjectID(object)) + "?status=200").payload?.count == size, "\(object)")
            }
            #expect(client.fetch(origin.url(0)).status == 204)
        }
    }
}
