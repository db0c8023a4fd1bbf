import Foundation

/// Runs a benchmark, and prints the CSV that `scripts/bench NAME` stores.
let benchmarks: [(name: String, run: () async throws -> [BenchmarkRow])] = [
    (
        "tiers",
        {
            try memoryTierBenchmarks() + diskTierBenchmarks() + (try await originBenchmarks())
                + (try replayBenchmarks())
        }
    ),
    ("traces", { try traceBenchmarks() + galleryBenchmarks() }),
    ("simulate", { try simulationBenchmarks() }),
    ("fleet-statistics", { fleetStatisticsBenchmarks() }),
    ("fleet", { try fleetBenchmarks() }),
    ("people", { try peopleBenchmarks() }),
    ("verdict", { try verdictBenchmarks() + realGateBenchmarks() }),
    ("own", { try await ownCacheBenchmarks() }),
    ("advise", { try adviceBenchmarks() + adviceHalvesBenchmarks() }),
    ("replay", { try presetBenchmarks() + explanationBenchmarks() + sqliteBenchmarks() + engineShareBenchmarks() }),
]

// A child process that measures its own memory.
if CommandLine.arguments.count == 3, CommandLine.arguments[1] == MemoryProbe.argument {
    do {
        try MemoryProbe.runChild(CommandLine.arguments[2])
        exit(0)
    } catch {
        FileHandle.standardError.write(Data("\(error)\n".utf8))
        exit(74)
    }
}

if CommandLine.arguments.dropFirst().first == IntervalCoverage.argument {
    exit(IntervalCoverage.run(Array(CommandLine.arguments.dropFirst(2))) ? 0 : 1)
}

let wanted = CommandLine.arguments.dropFirst().first ?? ""
guard let benchmark = benchmarks.first(where: { $0.name == wanted }) else {
    let names = benchmarks.map(\.name).joined(separator: ", ")
    FileHandle.standardError.write(Data("There is no benchmark '\(wanted)'; choose one of: \(names).\n".utf8))
    exit(64)
}
do {
    let rows = try await benchmark.run()
    print("benchmark,metric,unit,ours,peer_name,peer,ratio")
    for row in rows { print(row.csv) }
} catch {
    FileHandle.standardError.write(Data("\(wanted): \(error)\n".utf8))
    exit(74)
}
