import Basics
import CacheTraces
import Foundation
import ImageLibraries
import ReplayEngine
import Synchronization
import TraceSynthesis

/// Measures a fleet: `cachereplay replay` over a folder of sessions, beside the replays alone on as many threads, and
/// beside a process for each run.
///
/// The environment variable `CACHEREPLAY_FLEET_SESSIONS` is the number of sessions, 200 by default.
func fleetBenchmarks() throws -> [BenchmarkRow] {
    let wanted = ProcessInfo.processInfo.environment["CACHEREPLAY_FLEET_SESSIONS"].flatMap(Int.init) ?? 200
    let scratch = try ScratchFolder(prefix: "cachereplay-bench")
    let sessions = scratch.path + "/sessions"
    try FileManager.default.createDirectory(atPath: sessions, withIntermediateDirectories: false)
    var model = PeopleModel()
    (model.requests, model.days) = (800, 60)
    for person in 1...wanted {
        let file = try AtomicFile("\(sessions)/session-\(person).jsonl")
        try TraceSynthesis.Population.writeJSONLines(model, person: person) { try $0.withUnsafeBytes(file.write) }
        try file.commit()
    }
    let presets = Array(CachePreset.all.prefix(10))
    let threads = ProcessInfo.processInfo.activeProcessorCount
    let few = min(10, wanted)
    let fewFolder = scratch.path + "/few"
    try FileManager.default.createDirectory(atPath: fewFolder, withIntermediateDirectories: false)
    for seed in 1...few {
        try FileManager.default.copyItem(
            atPath: "\(sessions)/session-\(seed).jsonl", toPath: "\(fewFolder)/session-\(seed).jsonl")
    }

    func command(_ folder: String, _ isolate: String, sessions: Int) throws -> (rate: Double, bytes: Double) {
        let output = scratch.path + "/results"
        try? FileManager.default.removeItem(atPath: output)
        let arguments =
            ["replay", folder, "--timing", "modelled", "--isolate", isolate, "--timeline", "none", "--no-charts"]
            + ["--quiet", "--network", "recorded", "--jobs", "\(threads)", "--output", output]
            + presets.flatMap { ["--cache", $0.name] }
        let time = try seconds { try runCommand(arguments) }
        let results = try FileManager.default.attributesOfItem(atPath: output + "/runs.jsonl")[.size] as? Int
        return (Double(sessions * 800 * presets.count) / time, Double(results ?? 0))
    }
    var bytes = 0.0
    let prepared = try (1...min(wanted, 40)).map { seed in
        try PreparedTrace(TraceReading(contentsOf: "\(sessions)/session-\(seed).jsonl").trace)
    }
    let rates = try alternating(
        rounds: 5,
        [
            {
                let (rate, size) = try command(sessions, "never", sessions: wanted)
                bytes = size
                return rate
            },
            { try replayRate(prepared, presets, threads: threads) },
            { try command(fewFolder, "always", sessions: few).rate },
        ])
    let memory = try peakMemory {
        _ = try command(sessions, "never", sessions: wanted)
    }
    let name = "fleet of \(wanted) sessions of 800 requests, 10 presets"
    return [
        BenchmarkRow(
            name, metric: "requests", unit: "1/s", .higherIsBetter, ours: rates[0],
            peerName: "80 % of the replays alone, \(threads) threads", peer: rates[1] * 0.8),
        BenchmarkRow(
            name, metric: "requests", unit: "1/s", .higherIsBetter, ours: rates[0],
            peerName: "a process for each run, \(few) sessions", peer: rates[2]),
        BenchmarkRow(
            name, metric: "resident memory", unit: "bytes", .lowerIsBetter, ours: memory,
            peerName: "the bar set for it",
            peer: 300e6),
        BenchmarkRow(
            name, metric: "results for each run", unit: "bytes", .lowerIsBetter,
            ours: bytes / Double(wanted * presets.count), peerName: "a whole result as JSON", peer: 95_000),
    ]
}

/// Returns the requests per second of replays in memory, without any results.
///
/// The replays are those that the command counts: with the rules of the app that it holds equal, over the recorded
/// network, with decoding and without timelines. Threads take sessions from a common supply, as those of the command
/// do. What a session's replays share is made in the first round, which does not count, so these replays are a little
/// cheaper than those of the command.
private func replayRate(_ traces: [PreparedTrace], _ presets: [CachePreset], threads: Int) throws -> Double {
    let caches = AppRules(equalIn: try presets.map { try CacheConfiguration($0) }).caches
    let failures = Mutex<[any Error]>([])
    let next = Atomic(0)
    let requests = Atomic(0)
    let time = seconds {
        DispatchQueue.concurrentPerform(iterations: threads) { _ in
            do {
                while true {
                    let index = next.add(1, ordering: .relaxed).oldValue
                    guard index < traces.count else { return }
                    for cache in caches {
                        var job = ReplayJob(trace: "session", cache: cache)
                        job.timing = .modelled(.standard)
                        job.decode = true
                        job.timeline = .none
                        let count = try job.run(traces[index]).counts.requests
                        requests.add(count, ordering: .relaxed)
                    }
                }
            } catch {
                failures.withLock { $0.append(error) }
            }
        }
    }
    if let failure = failures.withLock({ $0.first }) { throw failure }
    return Double(requests.load(ordering: .relaxed)) / time
}

/// Runs `cachereplay`, which is beside the benchmarks.
///
/// - Throws: ``BenchmarkError`` if it ends with another code than 0.
func runCommand(_ arguments: [String]) throws {
    let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appendingPathComponent("cachereplay")
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
        throw BenchmarkError(description: "cachereplay \(arguments[0]) ended with \(process.terminationStatus)")
    }
}

/// Returns the largest resident memory of the processes that `body` starts, if it is above that of all earlier ones.
private func peakMemory(_ body: () throws -> Void) throws -> Double {
    try body()
    var usage = rusage()
    #if canImport(Darwin)
    getrusage(RUSAGE_CHILDREN, &usage)
    return Double(usage.ru_maxrss)
    #else
    getrusage(RUSAGE_CHILDREN.rawValue, &usage)
    return Double(usage.ru_maxrss) * 1_024
    #endif
}
