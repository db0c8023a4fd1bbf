import CacheTraces
import Foundation

/// Measures reading: large files of requests into columns, sessions and HARs into events, and compiled traces, on one
/// thread.
func traceBenchmarks() throws -> [BenchmarkRow] {
    func progress(_ text: String) { FileHandle.standardError.write(Data("traces: \(text)\n".utf8)) }
    let files = try TraceFiles(progress)
    return try withExtendedLifetime(files) {
        progress("reading oracleGeneral")
        var rows = try oracleGeneralBenchmarks(files, progress)
        progress("reading CSV, JSON Lines, HAR and compiled traces")
        rows += try readingBenchmarks(files)
        progress("measuring memory")
        return try rows + memoryBenchmarks(files)
    }
}

private func bar(
    _ benchmark: String, _ metric: String, _ unit: String, _ ours: Double, _ bar: Double,
    _ polarity: BenchmarkRow.Polarity = .higherIsBetter
) -> BenchmarkRow {
    BenchmarkRow(benchmark, metric: metric, unit: unit, polarity, ours: ours, peerName: "the bar set for it", peer: bar)
}

/// Returns the requests per second into columns.
private func denseRate(_ path: String, requests: Int) throws -> Double {
    var trace: DenseTrace?
    let time = try seconds { trace = try DenseTrace(contentsOf: path) }
    guard let trace, trace.objects.count == requests, trace.objectCount > 1_000 else {
        throw BenchmarkError(description: "\(path): \(trace?.objects.count ?? 0) requests")
    }
    return Double(requests) / time
}

private func oracleGeneralBenchmarks(_ files: TraceFiles, _ progress: (String) -> Void) throws -> [BenchmarkRow] {
    let path = files.oracleGeneral
    let name = "oracleGeneral, 20 million requests, to dense ids, one thread"
    var sides: [() throws -> Double] = [{ try denseRate(path, requests: TraceFiles.requests) }]
    let peers: [(LibCacheSim.Pass, String)] = [
        (.workingSet, "reader and hash of each id, in C: get_working_set_size"),
        (.fifo, "reader and unbounded FIFO, in C: process_trace"),
        (.python, "stepping in Python with a dict, 2 million requests"),
    ]
    let peer = LibCacheSim()
    if let peer {
        for (pass, _) in peers { sides.append { try peer.rate(pass, path, requests: TraceFiles.requests) } }
    } else {
        progress("libcachesim is not installed; its rows are omitted (see the output of scripts/bench)")
    }
    let rates = try alternating(rounds: 5, warmUps: 1, sides)
    let beside = zip(peers, rates.dropFirst()).map { peer, rate in
        BenchmarkRow(
            name, metric: "records", unit: "1/s", .higherIsBetter, ours: rates[0],
            peerName: "\(LibCacheSim.name): \(peer.1)", peer: rate)
    }
    return [bar(name, "records", "1/s", rates[0], 40e6)] + beside
}

private func readingBenchmarks(_ files: TraceFiles) throws -> [BenchmarkRow] {
    let rates = try alternating(
        rounds: 5, warmUps: 1,
        [
            { try denseRate(files.csv, requests: TraceFiles.requests) },
            { try denseRate(files.textCSV, requests: TraceFiles.requests / 10) },
            {
                var events = 0
                let time = try seconds { events = try TraceReading(contentsOf: files.jsonLines).trace.events.count }
                guard events == 2_000_000 else { throw BenchmarkError(description: "\(events) events") }
                return Double(events) / time
            },
            {
                var requests = 0
                let time = try seconds {
                    requests = try TraceReading(contentsOf: files.har).trace.events.count {
                        if case .appear = $0.action { true } else { false }
                    }
                }
                guard requests == 5_000 else { throw BenchmarkError(description: "\(requests) requests") }
                return Double(TraceFiles.length(files.har)) / time / 1e6
            },
            {
                try denseRate(files.compiled, requests: TraceFiles.requests) / Double(TraceFiles.requests)
                    * Double(TraceFiles.length(files.compiled)) / 1e9
            },
        ])
    return [
        bar("CSV of the same requests, to dense ids, one thread", "rows", "1/s", rates[0], 15e6),
        bar("CSV of 2 million requests with URLs for keys, to dense ids", "rows", "1/s", rates[1], 20e6),
        bar("JSON Lines, 2 million events of a session", "events", "1/s", rates[2], 1e6),
        bar("HAR of 100 MB with bodies", "throughput", "MB/s", rates[3], 100),
        bar(
            "compiled trace of the same requests, open to columns, checked, from page cache", "throughput", "GB/s",
            rates[4], 1),
    ]
}

private func memoryBenchmarks(_ files: TraceFiles) throws -> [BenchmarkRow] {
    // A compiled trace needs only the map of its file.
    try [("oracleGeneral", files.oracleGeneral), ("CSV", files.csv)].compactMap { kind, path in
        try MemoryProbe.bytesPerRequest(path).map {
            bar(
                "memory of 20 million requests from \(kind), beyond 64 bytes per object and the file's map", "peak",
                "B/request", $0, 8, .lowerIsBetter)
        }
    }
}
