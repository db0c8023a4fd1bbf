import CacheTiers
import CacheTraces
import Foundation
import MeasuredTiers
import SessionModel

/// Measures the time that the recording proxy adds to a fetch of 50 KB on a persistent connection: the same client
/// requests from the origin and from the proxy alternately, one request at a time. The peer is the allowed time.
func proxyBenchmarks() async throws -> [BenchmarkRow] {
    let bench = try ProxyBench()
    try bench.check()
    let (direct, through) = try bench.medians()
    return [
        BenchmarkRow(
            "proxy, 50 KB over loopback", metric: "added at the median", unit: "us", .lowerIsBetter,
            ours: through - direct,
            peerName: "allowed", peer: 1000),
        BenchmarkRow(
            "proxy, 50 KB over loopback", metric: "median of a fetch", unit: "us", .lowerIsBetter, ours: through,
            peerName: "direct", peer: direct),
        BenchmarkRow(
            "proxy, 50 KB, 16 connections", metric: "rate", unit: "requests/s", .higherIsBetter,
            ours: try bench.rate(bench.proxy.address),
            peerName: "direct", peer: try bench.rate(bench.origin.address)),
    ]
}

private struct ProxyBench {
    static let size = 50_000
    static let objects = 64
    let trace = Trace(
        objects: (0..<Self.objects).map {
            TraceObject(key: "https://photos.example/\($0).jpg", bytes: Self.size, contentType: "image/jpeg")
        })
    let origin: ServerProcess
    let proxy: ServerProcess
    let client: CurlOrigin

    init() throws {
        origin = try ServerProcess.origin(trace)
        proxy = try ServerProcess.proxy(before: origin.address)
        client = try CurlOrigin()
    }

    /// Checks every byte.
    func check() throws {
        for (number, object) in trace.objects.enumerated() {
            let payload = client.fetch("\(proxy.address)/bench/\(number)").payload
            guard let payload, payload.count == Self.size, PayloadPattern(key: object.key).matches(payload.bytes) else {
                throw BenchmarkError(description: "Object \(number) was changed by the proxy.")
            }
        }
    }

    /// Returns the microseconds per fetch, direct and through the proxy.
    func medians(rounds: Int = 2000) throws -> (direct: Double, through: Double) {
        var times: [[Double]] = [[], []]
        for round in 0..<rounds {
            for (side, address) in [origin.address, proxy.address].enumerated() {
                var response: OriginResponse?
                let time = seconds { response = client.fetch("\(address)/bench/\(round % Self.objects)") }
                guard response?.payload?.count == Self.size else {
                    throw BenchmarkError(description: "A fetch failed: \(response?.failure?.description ?? "")")
                }
                times[side].append(time * 1e6)
            }
        }
        return (median(times[0]), median(times[1]))
    }

    func rate(_ address: String, requests: Int = 5000) throws -> Double {
        var options = OriginOptions()
        options.connections = 16
        let client = try CurlOrigin(options)
        var count = 0
        let time = seconds {
            for number in 0..<requests { client.start("\(address)/bench/\(number % Self.objects)") }
            while client.pending > 0 {
                for response in client.wait(for: .seconds(10)) where response.payload?.count == Self.size { count += 1 }
            }
        }
        guard count == requests else {
            throw BenchmarkError(description: "Only \(count) of \(requests) fetches succeeded.")
        }
        return Double(requests) / time
    }
}
