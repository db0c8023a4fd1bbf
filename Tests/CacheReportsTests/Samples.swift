import CacheReports
import Foundation
import ReplayEngine
import Runs

/// Invented results with the form of real ones.
enum Samples {
    static func identity(
        trace: String = "feed", cache: String = "lru", repetition: Int = 1, seed: UInt64 = 1,
        timing: String = "modelled"
    ) -> RunIdentity {
        RunIdentity(
            trace: trace, cache: cache, specification: "memory: lru(100000000 bytes)", repetition: repetition,
            seed: seed, timing: timing)
    }

    /// Ten requests, few enough to compute every figure by hand.
    static func ten(_ identity: RunIdentity = identity()) -> RunResult {
        var result = RunResult(identity: identity)
        result.counts.memoryHits = 5
        result.counts.diskHits = 2
        result.counts.originFetches = 2
        result.counts.failed = 1
        result.counts.prefetches = 3
        result.counts.shown = 8
        (result.counts.shownWithin16ms, result.counts.shownWithin100ms, result.counts.shownWithin1s) = (7, 8, 8)
        result.counts.late = 1
        result.tiers.requestBytes = 3_000
        result.tiers.hitBytes = 1_000
        result.tiers.originBytes = 2_000
        result.tiers.memoryPeakBytes = 1_500
        result.blank.blankTime = 250_000_000
        result.blank.visibleTime = 1_000_000_000
        result.traceDuration = 2_000_000_000
        var all = LatencySummary(group: .all)
        all.count = 8
        all.mean = 1_234.5
        all.p50 = 1_000
        all.p90 = 2_500
        all.p99 = 1_000_000
        all.p999 = 1_000_001
        all.max = 12_345_678
        all.distribution = [.init(latency: 1_000, fraction: 0.5), .init(latency: 12_345_678, fraction: 1)]
        result.latencies = [all, group(.memoryHit, 5), group(.diskHit, 2), group(.origin, 1)]
        var second = TimelineSecond(second: 0)
        second.requests = 10
        second.memoryHits = 5
        second.diskHits = 2
        second.memoryBytes = 1_500
        second.diskBytes = 900
        second.fetchesInFlight = 1
        second.blankCells = 3
        result.timeline = [second, TimelineSecond(second: 1)]
        return result
    }

    /// A session of `seconds` through a cache that keeps `quality` (0 to 1) of what it should in `memory` bytes.
    static func session(_ identity: RunIdentity, quality: Double, memory: Double, seconds: Int = 240) -> RunResult {
        var result = RunResult(identity: identity)
        let requests = 4_000.0
        result.counts.memoryHits = Int(requests * quality * 0.7)
        result.counts.diskHits = Int(requests * quality * 0.25)
        result.counts.coalesced = Int(requests * 0.04)
        result.counts.failed = 12
        result.counts.cancelled = 60
        result.counts.originFetches =
            Int(requests) - result.counts.memoryHits - result.counts.diskHits - result.counts.coalesced - 72
        result.counts.shown = 3_928
        result.counts.shownWithin16ms = result.counts.memoryHits + result.counts.diskHits
        result.counts.shownWithin100ms = result.counts.shownWithin16ms
        result.counts.shownWithin1s = 3_900
        result.tiers.requestBytes = 400_000_000
        result.tiers.hitBytes = Int64(380_000_000 * quality)
        result.tiers.originBytes = Int64(410_000_000 * (1 - quality))
        result.tiers.memoryPeakBytes = Int64(memory)
        result.tiers.memoryEvictions = Int(3_000 * (1 - quality))
        result.blank.blankTime = (3e11 * (1 - quality)).rounded(.towardZero)
        result.blank.visibleTime = 4_000_000_000_000
        result.traceDuration = Int64(seconds) * 1_000_000_000
        result.latencies = [
            distribution(quality), group(.memoryHit, result.counts.memoryHits), group(.diskHit, result.counts.diskHits),
            group(.origin, result.counts.originFetches), group(.coalesced, result.counts.coalesced),
        ]
        result.timeline = (0..<seconds).map { second in
            var row = TimelineSecond(second: second)
            let filled = min(1, Double(second) / (40 + 80 * quality))
            let warned = second % 150 > 140 ? 0.1 : 1
            row.memoryBytes = Int64(memory * filled * warned * (0.94 + 0.06 * sin(Double(second) / 7)))
            row.requests = 16
            return row
        }
        return result
    }

    private static func group(_ group: LatencyGroup, _ count: Int) -> LatencySummary {
        var summary = LatencySummary(group: group)
        summary.count = count
        return summary
    }

    /// Memory hits at microseconds, disk hits around a millisecond, the origin at hundreds of them.
    private static func distribution(_ quality: Double) -> LatencySummary {
        var all = LatencySummary(group: .all)
        let memory = quality * 0.7
        let disk = memory + quality * 0.25
        all.count = 3_928
        all.distribution =
            (0..<12).map { .init(latency: 2_000 + Int64($0) * 400, fraction: memory * Double($0 + 1) / 12) }
            + (0..<20).map {
                .init(latency: 600_000 + Int64($0) * 90_000, fraction: memory + (disk - memory) * Double($0 + 1) / 20)
            }
            + (0..<60).map { step in
                let share = Double(step + 1) / 60
                return .init(latency: Int64(3e7 * pow(60, share)), fraction: disk + (1 - disk) * share)
            }
        func percentile(_ share: Double) -> Int64 { all.distribution.first { $0.fraction >= share }?.latency ?? 0 }
        all.p50 = percentile(0.5)
        all.p90 = percentile(0.9)
        all.p99 = percentile(0.99)
        all.p999 = percentile(0.999)
        all.max = all.distribution.last?.latency ?? 0
        all.mean = Double(all.p90) / 2
        return all
    }

    static let longName =
        "memory: split(thumbnail: lru(100 objects), full: lru(20 objects)); disk: ttl(lru(500MB), lifetime: 7d)"

    /// As a design review would see it: presets, specs, a cache that keeps nothing and one that keeps all.
    static func review(trace: String = "photo-feed", caches count: Int = 6) -> [RunResult] {
        let caches: [(String, Double, Double)] = [
            ("kingfisher-8", 0.71, 92e6), ("nuke-13", 0.78, 118e6), (longName, 0.74, 31e6), ("two-tier", 0.73, 94e6),
            ("unbounded", 0.93, 402e6), ("none", 0, 0), ("sdwebimage-5", 0.70, 90e6), ("memory: lru(5%)", 0.55, 20e6),
            ("fifo_small", 0.5, 18e6), ("memory: s3fifo(100MB, small: 0.1); disk: none", 0.79, 99e6),
            ("nscache `date` 'quoted' \"twice\"", 0.77, 116e6), ("写真キャッシュ 📷", 0.76, 97e6),
        ]
        return caches.prefix(count).flatMap { name, quality, memory in
            (1...3).map { repetition in
                let noise = Double(repetition - 2) * 0.004
                return session(
                    identity(trace: trace, cache: name, repetition: repetition), quality: max(0, quality + noise),
                    memory: memory)
            }
        }
    }

    static let inputs = RunInputs(program: "p1", plugins: ["mine": "m1"], bodies: "b1")

    static func describe(
        caches: [String] = ["lru"], sha256: String = "aa", format: String = "jsonl", version: String = "1.0.0",
        inputs: RunInputs = inputs
    ) -> Manifest<ReplayFacts> {
        Manifest<ReplayFacts>(
            versions: ["cachereplay": version], command: ["cachereplay", "replay", "feed.jsonl"],
            traces: [.init(name: "feed", path: "feed.jsonl", sha256: sha256, format: format)], inputs: inputs,
            start: Date(timeIntervalSince1970: 1_700_000_000),
            ReplayFacts(
                caches: caches.map { .init(name: $0, specifications: ["feed": $0]) }, seed: 1, timing: "modelled",
                repeats: 1))
    }
}

extension ChartKind {
    /// The charts of runs of one cache in which nothing is swept and nothing is fetched ahead of need.
    static var ofPlainRuns: [ChartKind] {
        allCases.filter { ![.difference, .prefetch, .sweep].contains($0) }
    }
}
