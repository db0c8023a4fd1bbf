import Foundation

/// Measures how many real gates raise alarms: of equal caches, of a limit that is 10 % lower, and of two connections to
/// a host instead of six, which delay fetches. Each gate replays a bundled session with measured timing.
func realGateBenchmarks() throws -> [BenchmarkRow] {
    let gates = ProcessInfo.processInfo.environment["CACHEREPLAY_BENCH_GATES"].flatMap { Int($0) } ?? 10
    let trace = Repository.trace("stress-feed.jsonl")
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cachereplay-gates-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let base = "lru(20MB); disk: lru(40MB)"
    let sides = [
        ("equal caches", base), ("a limit of memory and disk that is 10 % lower", "lru(18MB); disk: lru(36MB)"),
        ("two connections to a host instead of six", base + "; connectionsPerHost: 2"),
    ]
    func file(_ name: String, _ cache: String) throws -> String {
        let path = folder.appendingPathComponent(name).path
        try Data("caches:\n  app: \"\(cache)\"\n".utf8).write(to: URL(fileURLWithPath: path))
        return path
    }
    let baseline = try file("baseline.yaml", base)
    return try sides.enumerated().map { index, side in
        let candidate = try file("candidate-\(index).yaml", side.1)
        var alarms = 0
        for seed in 1...gates {
            let status = try run([
                "gate", baseline, candidate, trace, "--max-repeats", "12", "--seed", "\(seed)", "--quiet", "--force",
                "--output", folder.appendingPathComponent("results").path,
            ])
            guard status == 0 || status == 1 else {
                throw BenchmarkError(description: "cachereplay gate ended with \(status)")
            }
            alarms += Int(status)
        }
        let isEqual = index == 0
        return BenchmarkRow(
            "\(gates) gates with measured timing, stress-feed, \(side.0)",
            metric: isEqual ? "false alarms" : "found", unit: "ratio", isEqual ? .lowerIsBetter : .higherIsBetter,
            ours: Double(alarms) / Double(gates), peerName: isEqual ? "1 gate in 100" : "19 gates in 20",
            peer: isEqual ? 0.01 : 0.95)
    }
}

/// Runs the command that is beside this program, and returns its exit code.
private func run(_ arguments: [String]) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("cachereplay")
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
}
