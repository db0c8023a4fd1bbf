import CachePolicies
import CacheSimulation
import CacheTraces
import Foundation
import ImageLibraries
import MeasuredTiers
import ReplayEngine
import SessionModel
import TraceRecording

/// Measures complete replays in which every request except the first of each object is a memory hit, and the kernel
/// alone.
func replayBenchmarks() throws -> [BenchmarkRow] {
    let trace = hitTrace(requests: 500_000, objects: 500)
    var modelled = ReplayJob(trace: "hits", cache: try CacheConfiguration("lru(1000 objects); holds: encoded"))
    modelled.timing = .modelled(.standard)
    let origin = try ServerProcess.origin(trace)
    var measured = ReplayJob(trace: "hits", cache: try CacheConfiguration("lru(1000 objects); holds: encoded"))
    measured.origin = "\(origin.address)/run"

    func rate(_ job: ReplayJob) throws -> Double {
        var result: RunResult?
        let time = try seconds { result = try job.run(trace, measured: .real) }
        guard let result, result.counts.memoryHits == 500_000 - 500 else {
            throw BenchmarkError(description: "not every request was a hit: \(String(describing: result?.counts))")
        }
        return Double(result.counts.requests) / time
    }
    let rates = try withExtendedLifetime(origin) {
        try alternating(rounds: 5, [{ try rate(modelled) }, { try rate(measured) }])
    }

    func bar(_ benchmark: String, _ rate: Double, _ bar: Double) -> BenchmarkRow {
        BenchmarkRow(
            benchmark, metric: "requests", unit: "1/s", .higherIsBetter, ours: rate, peerName: "the bar set for it",
            peer: bar)
    }
    return [
        bar("whole replay, every request a memory hit, modelled timing", rates[0], 500_000),
        bar("whole replay, every request a memory hit, measured timing", rates[1], 500_000),
        bar("kernel, lru(10%), Zipf(1) over 100,000 objects", try kernelRate(objects: 100_000), 80e6),
        bar("kernel, lru(10%), Zipf(1) over 1,000,000 objects", try kernelRate(objects: 1_000_000), 80e6),
    ]
}

/// Measures the pipeline: complete replays of a bundled trace with every kind of event, for each preset, with modelled
/// timing.
func presetBenchmarks() throws -> [BenchmarkRow] {
    let trace = try TraceReading(contentsOf: Repository.trace("synthetic-gallery.jsonl")).trace
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

/// Cells that appear a millisecond apart, each object of 10 kB fetched first.
private func hitTrace(requests: Int, objects: Int) -> Trace {
    var builder = TraceBuilder()
    for object in 0..<objects {
        let id = builder.object("https://images.example.com/\(object).jpg")
        builder.update(id) { $0.bytes = 10_000 }
        builder.append(
            TraceEvent(
                time: Int64(object) * 1_000, .fetch(id, Fetch(bytes: 10_000, timeToFirstByte: 100, transferTime: 100))))
    }
    for request in 0..<requests {
        builder.append(TraceEvent(time: Int64(request) * 1_000, .appear(ObjectID(request % objects), .full)))
    }
    return builder.finish()
}

/// Returns the requests per second of LRU with room for a tenth of the objects.
private func kernelRate(objects: Int) throws -> Double {
    let trace = zipf(requests: 5_000_000, objects: objects)
    let rates = try alternating(
        rounds: 5,
        [
            {
                var policy = try PolicyContext().policy("lru(\(objects / 10) objects)")
                policy.reserve(objects)
                var counts = SimulationCounts()
                let time = trace.withUnsafeBufferPointer { trace in
                    seconds {
                        if let base = trace.baseAddress {
                            policy.run(RequestColumns(objects: base), 0..<trace.count, into: &counts)
                        }
                    }
                }
                guard counts.requests == trace.count, counts.misses > 0, counts.misses < trace.count else {
                    throw BenchmarkError(description: "\(counts)")
                }
                return Double(trace.count) / time
            }
        ])
    return rates[0]
}

/// Returns object numbers with probability 1/rank (by the inverse of the cumulative sum), numbered by first appearance.
private func zipf(requests: Int, objects: Int) -> [UInt32] {
    var cumulative = [Double](repeating: 0, count: objects)
    var sum = 0.0
    for rank in 0..<objects {
        sum += 1 / Double(rank + 1)
        cumulative[rank] = sum
    }
    var state: UInt64 = 42
    var numbers = [UInt32](repeating: .max, count: objects)
    var next: UInt32 = 0
    return (0..<requests).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let target = Double(state >> 11) / 0x1p53 * sum
        var low = 0
        var high = objects - 1
        while low < high {
            let middle = (low + high) / 2
            if cumulative[middle] < target { low = middle + 1 } else { high = middle }
        }
        if numbers[low] == .max {
            numbers[low] = next
            next += 1
        }
        return numbers[low]
    }
}

/// Measures what explanations cost: replays of a bundled trace through all presets, with and without.
func explanationBenchmarks() throws -> [BenchmarkRow] {
    let trace = try PreparedTrace(TraceReading(contentsOf: Repository.trace("synthetic-gallery.jsonl")).trace)
    let jobs = try CachePreset.all.map { preset in
        var job = ReplayJob(trace: "synthetic-gallery", cache: try CacheConfiguration(preset))
        job.timing = .modelled(.standard)
        job.decode = true
        return job
    }
    let times = try alternating(
        rounds: 5,
        [
            { try seconds { for _ in 0..<3 { for job in jobs { _ = try job.explain(trace) } } } },
            { try seconds { for _ in 0..<3 { for job in jobs { _ = try job.run(trace) } } } },
        ])
    return [
        BenchmarkRow(
            "synthetic-gallery through \(jobs.count) presets, modelled timing, every request explained", metric: "time",
            unit: "s", .lowerIsBetter, ours: times[0], peerName: "1.3 times the same without explanations",
            peer: times[1] * 1.3)
    ]
}
