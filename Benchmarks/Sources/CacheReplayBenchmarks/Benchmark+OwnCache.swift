import CacheReplayTesting
import Foundation

/// What a replay adds to a call of an app's own cache: the mean of the timed calls of a cache that does nothing. It
/// contains two readings of the clock, the watch for calls that never return, and the check of the answer. The peer is
/// the limit that the project has set itself.
func ownCacheBenchmarks() async throws -> [BenchmarkRow] {
    var rows: [BenchmarkRow] = []
    for name in ["stress-flicks", "synthetic-gallery"] {
        let session = try Session("Traces/\(name).jsonl")
        var means: [Double] = []
        for round in 0...30 {
            let result = try await session.replay(through: NothingCache())
            guard result.calls > session.requests, result.faults.isEmpty else {
                throw BenchmarkError(description: "\(result.calls) calls for \(session.requests) requests")
            }
            if round > 0 { means.append(result.meanCall) }
        }
        rows.append(
            BenchmarkRow(
                "own cache", metric: "mean timed call of a cache that does nothing, \(name)", unit: "ns",
                .lowerIsBetter, ours: median(means), peerName: "limit", peer: 200))
    }
    return rows
}

/// A cache that holds nothing.
private struct NothingCache: ImageCaching {
    func image(forKey key: String) -> SessionImage? { nil }
    func store(_ image: SessionImage, forKey key: String, cost: Int) {}
    func removeImage(forKey key: String) {}
    func removeAllImages() {}
}
