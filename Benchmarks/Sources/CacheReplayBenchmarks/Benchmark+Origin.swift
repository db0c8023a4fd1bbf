import CacheTiers
import CacheTraces
import Foundation
import FoundationNetworking
import MeasuredTiers
import SessionModel

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Compares the origin client with URLSession: objects of 64 KB over loopback, six connections, the same server.
func originBenchmarks() async throws -> [BenchmarkRow] {
    let bench = try OriginBench()
    try await bench.check()
    let rates = try await alternatingAsync([{ try bench.fetchOurs() }, { try await bench.fetchByURLSession() }])
    return [
        BenchmarkRow(
            "origin 64 KB, 6 connections", metric: "throughput", unit: "MB/s", .higherIsBetter, ours: rates[0],
            peerName: "URLSession", peer: rates[1]),
        try latencyBenchmark(),
    ]
}

private struct OriginBench {
    static let size = 64 << 10
    static let objects = 32
    static let requests = 2000
    static let connections = 6
    let trace = Trace(
        objects: (0..<Self.objects).map { TraceObject(key: "https://photos.example/\($0).jpg", bytes: Self.size) })
    let server: ServerProcess
    let curl: CurlOrigin
    let session: URLSession

    init() throws {
        server = try ServerProcess.origin(trace)
        var options = OriginOptions()
        options.connections = Self.connections
        curl = try CurlOrigin(options)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpMaximumConnectionsPerHost = Self.connections
        session = URLSession(configuration: configuration)
    }

    /// Checks every byte on both sides.
    func check() async throws {
        for (number, object) in trace.objects.enumerated() {
            let pattern = PayloadPattern(key: object.key)
            let payload = curl.fetch(address(number)).payload
            let data = try await data(number)
            guard let payload, payload.count == Self.size, data.count == Self.size, pattern.matches(payload.bytes),
                data.withUnsafeBytes(pattern.matches)
            else { throw BenchmarkError(description: "Object \(number) is not what the origin was to send.") }
        }
    }

    func fetchOurs() throws -> Double {
        var bytes = 0
        let time = seconds {
            for number in 0..<Self.requests { curl.start(address(number)) }
            while curl.pending > 0 {
                for response in curl.wait(for: .seconds(10)) { bytes += response.payload?.count ?? 0 }
            }
        }
        return try rate(bytes, time)
    }

    func fetchByURLSession() async throws -> Double {
        let begin = ContinuousClock.now
        let bytes = try await withThrowingTaskGroup(of: Int.self) { group in
            for worker in 0..<Self.connections {
                group.addTask { [session, server = server.address] in
                    var bytes = 0
                    for number in stride(from: worker, to: Self.requests, by: Self.connections) {
                        bytes += try await Self.data(session, server, number).count
                    }
                    return bytes
                }
            }
            return try await group.reduce(0, +)
        }
        return try rate(bytes, (ContinuousClock.now - begin) / .seconds(1))
    }

    private func rate(_ bytes: Int, _ time: Double) throws -> Double {
        guard bytes == Self.requests * Self.size else { throw BenchmarkError(description: "Only \(bytes) bytes came.") }
        return Double(bytes) / time / 1e6
    }

    private func address(_ number: Int) -> String { "\(server.address)/bench/\(number % Self.objects)" }

    private func data(_ number: Int) async throws -> Data { try await Self.data(session, server.address, number) }

    private static func data(_ session: URLSession, _ server: String, _ number: Int) async throws -> Data {
        guard let url = URL(string: "\(server)/bench/\(number % objects)") else { return Data() }
        return try await session.data(from: url).0
    }
}

/// Measures the difference between the latency that the loopback origin injects and the one that the client measures.
/// The peer is the allowed difference.
private func latencyBenchmark() throws -> BenchmarkRow {
    var trace = Trace()
    for number in 0..<60 {
        trace.objects.append(TraceObject(key: "https://photos.example/slow/\(number).jpg", bytes: 20_000))
        let fetch = Fetch(timeToFirstByte: Int64(2000 + 500 * number), transferTime: Int64(300 * number))
        trace.events.append(TraceEvent(time: 0, .fetch(ObjectID(number), fetch)))
    }
    let server = try ServerProcess.origin(trace, ["--latency"])
    let origin = try CurlOrigin()
    _ = origin.fetch("\(server.address)/-/stats/bench")  // Connects.
    let errors = trace.objects.indices.map { number in
        let response = origin.fetch("\(server.address)/bench/\(number)")
        let first = Double(response.timeToFirstByte) / 1000 - Double(2000 + 500 * number)
        let total = Double(response.totalTime) / 1000 - Double(2000 + 800 * number)
        return max(abs(first), abs(total))
    }
    return BenchmarkRow(
        "origin latency, injected against measured", metric: "median error", unit: "us", .lowerIsBetter,
        ours: median(errors),
        peerName: "allowed", peer: 1000)
}
