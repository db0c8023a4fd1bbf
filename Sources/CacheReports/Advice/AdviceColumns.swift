import Advising

/// The columns of `advice.csv`: one row per cache and limit.
public enum AdviceColumns {
    public static let all: [Column<AdvicePoint>] = [
        .identity("cache", "name of the cache without the limit") { .text($0.cache) },
        .identity("memory_limit_bytes", "limit of memory; empty for none", unit: .bytes) {
            $0.limit.map { .integer(Int64($0)) } ?? .absent
        },
        .identity("disk_limit_bytes", "limit of the disk; empty for that of the cache itself", unit: .bytes) {
            $0.disk.map { .integer(Int64($0)) } ?? .absent
        },
        .identity("changes", "values of rules that are not the cache's own, such as order=lifo; empty for none") {
            .text($0.changes.map(\.text).joined(separator: " "))
        },
        .metric(
            "blank_ratio", .ratio, .lowerIsBetter,
            "mean over users of the share of the visible time of cells without an image"
        ) { .real($0.blankRatio) },
        .metric(
            "memory_peak_bytes", .bytes, .lowerIsBetter,
            "95th percentile over users of the peak of the memory tier"
        ) { .real($0.peakBytes) },
        .metric("origin_bytes", .bytes, .lowerIsBetter, "mean over users of the bytes that a session fetches") {
            .real($0.originBytes)
        },
        .metric(
            "near_app_limit_ratio", .ratio, .lowerIsBetter,
            "share of sessions near the limit of the app; empty without one"
        ) { $0.near.map { .real($0.share) } ?? .absent },
        .metric("near_app_limit_low", .ratio, .neutral, "lower end of its 95 % interval") {
            $0.near.map { .real($0.low) } ?? .absent
        },
        .metric("near_app_limit_high", .ratio, .neutral, "upper end of its 95 % interval") {
            $0.near.map { .real($0.high) } ?? .absent
        },
        .identity("front", "yes on the front: a row on it matches each other row in blank time, memory and bytes") {
            .text($0.isOnFront ? "yes" : "no")
        },
        .identity("knee", "yes for the knee of blank time over memory") { .text($0.isKnee ? "yes" : "no") },
    ]
}
