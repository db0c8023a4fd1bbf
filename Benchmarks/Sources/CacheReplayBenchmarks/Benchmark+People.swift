import Basics
import Foundation
import ImageLibraries

/// Measures the sessions of 200 modelled people on 7 days: `cachereplay trace synthesize`, and `cachereplay replay` of
/// them through 10 presets. The bars are those of two cores. The sessions take up 0.4 GB.
func peopleBenchmarks() throws -> [BenchmarkRow] {
    let scratch = try ScratchFolder(prefix: "cachereplay-bench")
    let (sessions, results) = (scratch.path + "/sessions", scratch.path + "/results")
    let caches = CachePreset.all.prefix(10).flatMap { ["--cache", $0.name] }

    /// Returns the seconds of a command that writes a new folder.
    func time(_ arguments: [String], into folder: String) throws -> Double {
        try? FileManager.default.removeItem(atPath: folder)
        return try seconds { try runCommand(arguments + ["--output", folder]) }
    }
    let times = try alternating(
        rounds: 3,
        [
            { try time(["trace", "synthesize", "--people", "200", "--days", "7"], into: sessions) },
            {
                let options = ["--timing", "modelled", "--timeline", "none", "--no-charts", "--quiet"]
                return try time(["replay", sessions] + options + caches, into: results)
            },
        ])
    let name = "200 people on 7 days"
    return [
        BenchmarkRow(
            name, metric: "time to synthesize", unit: "s", .lowerIsBetter, ours: times[0],
            peerName: "the bar set for it", peer: 10),
        BenchmarkRow(
            name, metric: "time to replay through 10 presets", unit: "s", .lowerIsBetter, ours: times[1],
            peerName: "the bar set for it", peer: 60),
    ]
}
