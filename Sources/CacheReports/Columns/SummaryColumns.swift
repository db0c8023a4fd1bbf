import ReplayEngine

/// The columns of `summary.csv`, in order: one row per run.
///
/// Gated are the few metrics that a person feels or pays for and that mean something by themselves. The others
/// explain them: fewer disk hits, say, are good news when they became memory hits.
public enum SummaryColumns {
    public static let all: [Column<RunResult>] = identity + outcomes + ratios + tiers + latencies + costs

    /// Those that `compare` can judge, or at least show.
    public static var metrics: [Column<RunResult>] { all.filter { $0.polarity != nil } }

    static let identity: [Column<RunResult>] = [
        .identity("trace", "the trace's name") { .text($0.identity.trace) },
        .identity("cache", "the cache's name as the user gave it") { .text($0.identity.cache) },
        .identity("repeat", "counted from 1", unit: .count) { .integer($0.identity.repetition) },
        .identity("seed", "of the run's random draws", unit: .count) { .text(String($0.identity.seed)) },
        .identity("clock", "virtual or wall") { .text($0.identity.clock) },
        .identity("timing", "measured, modelled or instant, with +decode where images were decoded") {
            .text($0.identity.timing)
        },
    ]

    static let outcomes: [Column<RunResult>] = [
        .metric("requests", .count, .neutral, "cells that appeared and wanted an image") {
            .integer($0.counts.requests)
        },
        .metric("prefetches", .count, .neutral, "fetches ahead of need; no requests") {
            .integer($0.counts.prefetches)
        },
        .metric("memory_hits", .count, .neutral, "answered from memory") { .integer($0.counts.memoryHits) },
        .metric("disk_hits", .count, .neutral, "answered from disk") { .integer($0.counts.diskHits) },
        .metric("origin_fetches", .count, .lowerIsBetter, "answered by a fetch of their own") {
            .integer($0.counts.originFetches)
        },
        .metric("coalesced", .count, .neutral, "answered by a fetch already in flight") {
            .integer($0.counts.coalesced)
        },
        .metric("deferred", .count, .neutral, "held back while scrolling; the cell vanished before the fetch") {
            .integer($0.counts.deferred)
        },
        .metric("cancelled", .count, .neutral, "given up when the cell vanished") { .integer($0.counts.cancelled) },
        .metric("failed", .count, .lowerIsBetter, gated: true, "ended in an error") { .integer($0.counts.failed) },
        .metric("stale_hits", .count, .lowerIsBetter, gated: true, "delivered past their lifetime") {
            .integer($0.counts.staleHits)
        },
        .metric("wrong_hits", .count, .lowerIsBetter, gated: true, "delivered the bytes of another key") {
            .integer($0.counts.wrongHits)
        },
    ]

    static let ratios: [Column<RunResult>] = [
        .metric("hit_ratio", .ratio, .higherIsBetter, gated: true, "memory and disk hits, of all requests") {
            .share(Double($0.counts.memoryHits + $0.counts.diskHits), of: Double($0.counts.requests))
        },
        .metric("memory_hit_ratio", .ratio, .higherIsBetter, gated: true, "memory hits, of all requests") {
            .share(Double($0.counts.memoryHits), of: Double($0.counts.requests))
        },
        .metric("byte_hit_ratio", .ratio, .higherIsBetter, gated: true, "bytes answered from memory or disk, of all") {
            .share(Double($0.tiers.hitBytes), of: Double($0.tiers.requestBytes))
        },
    ]

    static let tiers: [Column<RunResult>] = [
        .metric("origin_bytes", .bytes, .lowerIsBetter, gated: true, "fetched from the origin") {
            .integer($0.tiers.originBytes)
        },
        .metric("disk_read_bytes", .bytes, .neutral, "read from the disk tier") { .integer($0.tiers.diskReadBytes) },
        .metric("disk_written_bytes", .bytes, .lowerIsBetter, "written to the disk tier") {
            .integer($0.tiers.diskWrittenBytes)
        },
        .metric("memory_evictions", .count, .neutral, "left memory to make room") {
            .integer($0.tiers.memoryEvictions)
        },
        .metric("disk_evictions", .count, .neutral, "left the disk to make room") { .integer($0.tiers.diskEvictions) },
        .metric("memory_expirations", .count, .neutral, "left memory because their lifetime was over") {
            .integer($0.tiers.memoryExpirations)
        },
        .metric("disk_expirations", .count, .neutral, "left the disk because their lifetime was over") {
            .integer($0.tiers.diskExpirations)
        },
    ]

    static let latencies: [Column<RunResult>] = [
        latency("mean", "the mean") { $0.mean },
        latency("p50", gated: true, "the median") { Double($0.p50) },
        latency("p90", "the 90th percentile") { Double($0.p90) },
        latency("p99", gated: true, "the 99th percentile") { Double($0.p99) },
        latency("p999", "the 99.9th percentile") { Double($0.p999) },
        latency("max", "the longest") { Double($0.max) },
    ]

    static let costs: [Column<RunResult>] = [
        .metric("blank_ratio", .ratio, .lowerIsBetter, gated: true, "blank time, of the time cells were visible") {
            .share($0.blank.blankTime, of: $0.blank.visibleTime)
        },
        .metric("blank_s", .seconds, .lowerIsBetter, "how long visible cells had no image, summed") {
            .real($0.blank.blankTime / 1e9)
        },
        .metric("memory_peak_bytes", .bytes, .lowerIsBetter, gated: true, "peak of the memory tier, by its own account")
        {
            .integer($0.tiers.memoryPeakBytes)
        },
        .metric("rss_peak_bytes", .bytes, .lowerIsBetter, "peak of resident memory above the level at the start") {
            $0.machine.map { .integer($0.residentPeakBytes) } ?? .absent
        },
        .metric("disk_peak_bytes", .bytes, .lowerIsBetter, "peak of the disk tier, by its own account") {
            .integer($0.tiers.diskPeakBytes)
        },
        .metric("trace_s", .seconds, .neutral, "the trace's length") { .seconds($0.traceDuration) },
        .metric("wall_s", .seconds, .lowerIsBetter, "what the replay itself took") {
            $0.machine.map { .seconds($0.wallTime) } ?? .absent
        },
        .metric("requests_per_s", .perSecond, .higherIsBetter, "requests replayed per second of wall time") { result in
            guard let machine = result.machine else { return .absent }
            return .share(Double(result.counts.requests) * 1e9, of: Double(machine.wallTime))
        },
    ]

    /// Time to image over all delivered requests; absent when none was delivered.
    private static func latency(
        _ name: String, gated: Bool = false, _ meaning: String, figure: @escaping @Sendable (LatencySummary) -> Double
    ) -> Column<RunResult> {
        .metric("latency_\(name)_us", .microseconds, .lowerIsBetter, gated: gated, "time to image: \(meaning)") {
            .microseconds($0.delivered(.all).map(figure))
        }
    }
}

extension RunResult {
    /// The summary of a group; nil when nothing in it was delivered.
    func delivered(_ group: LatencyGroup) -> LatencySummary? {
        latencies.first { $0.group == group && $0.count > 0 }
    }
}
