import CacheTraces
import Foundation
import ReplayEngine

/// Whole replays of a bundled trace with every kind of event through each preset, in modelled timing: what the pipeline
/// itself costs.
func presetBenchmarks() throws -> [BenchmarkRow] {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .appendingPathComponent("Traces/synthetic-gallery.jsonl").path
    let trace = try TraceReading(contentsOf: path).trace
    let replays = 20
    return try CachePreset.all.map { preset in
        var job = ReplayJob(trace: "synthetic-gallery", cache: try CacheConfiguration(preset))
        job.timing = .modelled(.standard)
        let rates = try alternating(
            rounds: 5,
            [
                {
                    var requests = 0
                    let time = try seconds { for _ in 0..<replays { requests += try job.run(trace).counts.requests } }
                    return Double(requests) / time
                }
            ])
        return BenchmarkRow(
            "\(preset.name), synthetic-gallery, modelled timing", metric: "requests", unit: "1/s", .higherIsBetter,
            ours: rates[0],
            peerName: "the bar set for it", peer: 200_000)
    }
}
