import ReplayEngine

/// The columns of `summary.csv`, in order: one row per run.
///
/// The gated metrics are the few that a person notices or pays for and that have a meaning by themselves. The others
/// explain them: fewer disk hits, for example, are an improvement when they became memory hits.
public enum SummaryColumns {
    public static let all: [Column<RunResult>] =
        identity + outcomes + delivery + ratios + tiers + prefetching + validations + latencies + mainLane + rests
        + costs

    /// The columns that measure something.
    public static let metrics = all.filter { $0.polarity != nil }

    private static let byName = Dictionary(uniqueKeysWithValues: metrics.map { ($0.name, $0) })

    /// Returns the metric of a name, or nil.
    public static subscript(name: String) -> Column<RunResult>? { byName[name] }

    package static let identity: [Column<RunResult>] = [
        .identity("trace", "name of the trace") { .text($0.identity.trace) },
        .identity("cache", "name of the cache on the command line") { .text($0.identity.cache) },
        .identity("repeat", "number of the repeat, from 1", unit: .count) { .integer($0.identity.repetition) },
        .identity("seed", "seed of the run's random numbers", unit: .count) { .text(String($0.identity.seed)) },
        .identity("timing", "measured, modelled or instant; +decode if images are decoded, +costs with own costs") {
            .text($0.identity.timing)
        },
        .identity("network", "recorded, shared or a profile such as lte; none with instant timing") {
            .text($0.identity.network)
        },
        .identity("holds", "what memory holds: decoded (bitmaps) or encoded (the bytes of responses)") {
            .text($0.identity.holds)
        },
        .identity("injected", "events that the recording lacks and that were injected, such as relaunch at 90s") {
            .text($0.identity.injected ?? "")
        },
        .identity("base_cache", "name of the cache without swept values") {
            .text($0.identity.base ?? $0.identity.cache)
        },
        .identity("swept", "values that --sweep has set, such as memory=64MB") {
            .text(($0.identity.swept ?? []).map(\.text).joined(separator: "; "))
        },
        .identity("swept_value", "first swept value as a number: bytes, objects, microseconds or a plain number") {
            $0.identity.swept?.first?.number.map(ColumnValue.real) ?? .absent
        },
        .identity("user", "name that stands for the user of the session; empty if the session is a user of its own") {
            $0.user.map(ColumnValue.text) ?? .absent
        },
    ]

    package static let outcomes: [Column<RunResult>] = [
        .amount("requests", .count, .neutral, "view cells that appear and need an image", \.counts.requests),
        .amount(
            "prefetches", .count, .neutral, "images asked for ahead of need, which are not requests",
            \.counts.prefetches),
        .amount("memory_hits", .count, .neutral, "requests that memory answers", \.counts.memoryHits),
        .amount("disk_hits", .count, .neutral, "requests that the disk tier answers", \.counts.diskHits),
        .amount(
            "origin_fetches", .count, .lowerIsBetter, "requests that a fetch of their own answers",
            \.counts.originFetches),
        .amount("coalesced", .count, .neutral, "requests that an earlier fetch in flight answers", \.counts.coalesced),
        .amount(
            "deferred", .count, .neutral, "requests held back while scrolling, whose cell vanishes before the fetch",
            \.counts.deferred),
        .amount("cancelled", .count, .neutral, "requests cancelled because the cell vanishes", \.counts.cancelled),
        .amount("failed", .count, .lowerIsBetter, gated: true, "requests that end in an error", \.counts.failed),
        .amount("stale_hits", .count, .lowerIsBetter, gated: true, "deliveries past the lifetime", \.counts.staleHits),
        .amount(
            "wrong", .count, .lowerIsBetter, gated: true, "requests that get the picture of another key", \.counts.wrong
        ),
    ]

    /// The second partition of the requests, and how fast images were shown, as shares of all requests.
    package static let delivery: [Column<RunResult>] = [
        .amount("shown", .count, .neutral, "requests whose image is ready while the cell is visible", \.counts.shown),
        .amount("late", .count, .neutral, "requests whose image is ready after the cell has vanished", \.counts.late),
        .amount("never_shown", .count, .neutral, "requests whose image is never ready", \.counts.neverShown),
        .share(
            "shown_ratio", .higherIsBetter, gated: true, "share of the requests whose image is shown", \.counts.shown,
            of: \.counts.requests),
        .share(
            "shown_16ms_ratio", .higherIsBetter, "requests shown within 16 ms per request", \.counts.shownWithin16ms,
            of: \.counts.requests),
        .share(
            "shown_100ms_ratio", .higherIsBetter, gated: true, "requests shown within 100 ms per request",
            \.counts.shownWithin100ms, of: \.counts.requests),
        .share(
            "shown_1s_ratio", .higherIsBetter, "requests shown within 1 s per request", \.counts.shownWithin1s,
            of: \.counts.requests),
    ]

    package static let ratios: [Column<RunResult>] = [
        .metric("hit_ratio", .ratio, .higherIsBetter, gated: true, "memory and disk hits per request") {
            .share(Double($0.counts.memoryHits + $0.counts.diskHits), of: Double($0.counts.requests))
        },
        .share(
            "memory_hit_ratio", .higherIsBetter, gated: true, "memory hits per request", \.counts.memoryHits,
            of: \.counts.requests),
        .share(
            "byte_hit_ratio", .higherIsBetter, gated: true, "share of the requested bytes that memory or disk answers",
            \.tiers.hitBytes, of: \.tiers.requestBytes),
    ]

    package static let tiers: [Column<RunResult>] = [
        .amount(
            "origin_bytes", .bytes, .lowerIsBetter, gated: true,
            "bytes fetched from the origin; of a cancelled transfer, what has crossed the network", \.tiers.originBytes),
        .amount("disk_read_bytes", .bytes, .neutral, "bytes read from the disk tier", \.tiers.diskReadBytes),
        .amount(
            "disk_written_bytes", .bytes, .lowerIsBetter, "bytes written to the disk tier", \.tiers.diskWrittenBytes),
        .metric("memory_evictions", .count, .neutral, "objects that memory evicts for lack of room") {
            $0.driven == nil ? .integer($0.tiers.memoryEvictions) : .absent
        },
        .amount(
            "disk_evictions", .count, .neutral, "objects that the disk tier evicts for lack of room",
            \.tiers.diskEvictions),
        .metric("memory_expirations", .count, .neutral, "objects that memory removes at the end of their lifetime") {
            $0.driven == nil ? .integer($0.tiers.memoryExpirations) : .absent
        },
        .amount(
            "disk_expirations", .count, .neutral, "objects that the disk tier removes at the end of their lifetime",
            \.tiers.diskExpirations),
        .amount(
            "damaged_files", .count, .lowerIsBetter, "reads from disk that find a file damaged or missing; not hits",
            \.tiers.damagedFiles),
        .amount(
            "cache_faults", .count, .lowerIsBetter, gated: true,
            "defects of a cache of your own, and calls after its end; see the notes", \.driven?.faultCount),
    ]

    package static let prefetching: [Column<RunResult>] = [
        .amount(
            "prefetch_fetches", .count, .neutral, "transfers ahead of need, while no request waits",
            \.prefetch.fetches),
        .amount("prefetch_used", .count, .neutral, "those transfers whose image a request uses", \.prefetch.used),
        .amount(
            "prefetch_cancelled", .count, .neutral, "fetches ahead of need cancelled as the list turns",
            \.prefetch.cancelled),
        .amount(
            "prefetch_bytes", .bytes, .neutral,
            "bytes of transfers ahead of need; of a cancelled one, what has crossed the network", \.prefetch.bytes),
        .amount(
            "prefetch_wasted_bytes", .bytes, .lowerIsBetter, "those bytes of images that no request uses",
            \.prefetch.unusedBytes),
        .metric(
            "prefetch_blank_avoided_s", .seconds, .higherIsBetter,
            "blank_s of the same cache with prefetch: none, minus that of this one; if modelled and planned"
        ) {
            $0.prefetch.blankAvoided.map { .real($0 / 1e9) } ?? .absent
        },
        .metric(
            "prefetch_blank_avoided_s_per_mb", .seconds, .higherIsBetter,
            "prefetch_blank_avoided_s for each 1,000,000 prefetch_bytes"
        ) {
            $0.prefetch.blankAvoidedPerMegabyte.map { .real($0) } ?? .absent
        },
    ]

    /// Objects past their lifetime, in caches that validate them.
    package static let validations: [Column<RunResult>] = [
        .amount(
            "revalidations", .count, .neutral, "conditional requests sent to validate stored objects",
            \.revalidation.revalidations),
        .amount(
            "not_modified", .count, .neutral, "conditional requests answered by 304: the stored object is current",
            \.revalidation.notModified),
        .amount(
            "revalidation_saved_bytes", .bytes, .neutral, "bytes of the bodies that answers of 304 did not transfer",
            \.revalidation.savedBytes),
        .metric(
            "revalidation_wait_s", .seconds, .lowerIsBetter,
            "time of visible blank cells that wait for validations, summed over cells"
        ) {
            .real($0.revalidation.waitTime / 1e9)
        },
        .metric(
            "staleness_shown_s", .seconds, .lowerIsBetter,
            "time past the lifetime that headers state when an object is shown, summed over requests"
        ) {
            .real($0.revalidation.stalenessShown / 1e9)
        },
    ]

    /// The times to image over all shown requests. They are absent when none was shown.
    package static let latencies = Column<RunResult>.latencies(
        "latency_", ", of shown images", gated: ["latency_p99_us"]
    ) { $0.delivered(.all) }

    /// The work of the main lane, and the frames that it delays. They are absent with instant timing and on a wall
    /// clock. The columns of frames are absent where the list never moves.
    package static let mainLane: [Column<RunResult>] =
        [
            .metric(
                "main_lane_s", .seconds, .lowerIsBetter,
                "time that the work for images takes on the main lane, on the virtual clock"
            ) {
                $0.mainLane.map { .seconds($0.workTime) } ?? .absent
            },
            .metric("scroll_s", .seconds, .neutral, "time in which the list moves, to which hitches refer") {
                $0.moving.map { .seconds($0.scrollTime) } ?? .absent
            },
        ] + frames(60) { $0.at60Hz } + frames(120) { $0.at120Hz }

    private static func frames(
        _ rate: Int, _ delays: @escaping @Sendable (MainLaneFigures) -> FrameDelays
    ) -> [Column<RunResult>] {
        [
            .metric(
                "hitch_\(rate)hz_ms_per_s", .millisecondsPerSecond, .lowerIsBetter,
                "delay of frames at \(rate) Hz per second of scrolling on a virtual clock; below 5 is good, 10 critical"
            ) { result in
                result.moving.flatMap { $0.hitchRate(delays($0)) }.map(ColumnValue.real) ?? .absent
            },
            .amount(
                "overrun_frames_\(rate)hz", .count, .lowerIsBetter,
                "frames at \(rate) Hz for which the main lane is ready too late while the list moves"
            ) { $0.moving.map { delays($0).overrunFrames } },
            .metric(
                "overrun_\(rate)hz_p95_us", .microseconds, .lowerIsBetter,
                "95th percentile of the time by which the main lane is too late for a frame at \(rate) Hz"
            ) { .microseconds($0.moving.flatMap { delays($0).overrunP95 }.map(Double.init)) },
        ]
    }

    /// How soon the screen is complete when the list has come to rest. They are absent with instant timing, where the
    /// list never comes to rest, and where no cell vanishes.
    package static let rests: [Column<RunResult>] = [
        .amount("rests", .count, .neutral, "times that the list comes to rest after it has moved", \.rests?.rests),
        .amount(
            "rests_incomplete", .count, .lowerIsBetter, "rests of the list that end while a visible cell has no image",
            \.rests?.incomplete),
        .metric(
            "rest_complete_p50_us", .microseconds, .lowerIsBetter,
            "median of the time from rest until all visible cells show their images, at most the rest"
        ) { .microseconds(($0.rests?.p50).map(Double.init)) },
        .metric(
            "rest_complete_p95_us", .microseconds, .lowerIsBetter,
            "95th percentile of the time from rest until all visible cells show their images, at most the rest"
        ) { .microseconds(($0.rests?.p95).map(Double.init)) },
    ]

    package static let costs: [Column<RunResult>] = [
        .metric(
            "blank_ratio", .ratio, .lowerIsBetter, gated: true, "share of the visible time of cells without an image"
        ) {
            .share($0.blank.blankTime, of: $0.blank.visibleTime)
        },
        .metric(
            "blank_s", .seconds, .lowerIsBetter,
            "time of visible cells without an image in the foreground, summed over cells"
        ) {
            .real($0.blank.blankTime / 1e9)
        },
        .metric(
            "blank_area_s", .seconds, .lowerIsBetter,
            "share of the area of visible cells without an image, summed over time: seconds of a blank screen"
        ) {
            $0.blank.screenTime.map { .real($0 / 1e9) } ?? .absent
        },
        .metric(
            "blank_area_worst_ratio", .ratio, .lowerIsBetter,
            "largest share of the area of visible cells without an image over one second"
        ) {
            $0.blank.worstSecond.map { .real($0) } ?? .absent
        },
        .metric(
            "memory_peak_bytes", .bytes, .lowerIsBetter, gated: true, "peak of the memory tier by its own accounting"
        ) {
            $0.knowsMemory ? .integer($0.tiers.memoryPeakBytes) : .absent
        },
        .amount(
            "device_memory_bytes", .bytes, .neutral, "physical memory of the device that the preset assumes",
            \.deviceMemory),
        .amount(
            "image_memory_peak_bytes", .bytes, .lowerIsBetter,
            "peak of images: held, shown, in transfer and decoded; if modelled", \.imageMemoryPeak),
        .amount(
            "rss_peak_bytes", .bytes, .lowerIsBetter, "peak of resident memory above the level at the start",
            \.machine?.residentPeakBytes),
        .amount(
            "disk_peak_bytes", .bytes, .lowerIsBetter, "peak of the disk tier by its own accounting",
            \.tiers.diskPeakBytes),
        .metric("trace_s", .seconds, .neutral, "length of the trace") { .seconds($0.traceDuration) },
        .metric("wall_s", .seconds, .lowerIsBetter, "wall time of the replay") {
            $0.machine.map { .seconds($0.wallTime) } ?? .absent
        },
        .metric("requests_per_s", .perSecond, .higherIsBetter, "requests per second of wall time") { result in
            guard let machine = result.machine else { return .absent }
            return .share(Double(result.counts.requests) * 1e9, of: Double(machine.wallTime))
        },
    ]
}

/// Times to image in nanoseconds.
package protocol TimesToImage {
    var mean: Double { get }
    var p50: Int64 { get }
    var p90: Int64 { get }
    var p99: Int64 { get }
    var p999: Int64 { get }
    var max: Int64 { get }
}

extension LatencySummary: TimesToImage {}

extension Column {
    /// Returns the columns of times to image. They are absent where `times` returns nil.
    ///
    /// - Parameters:
    ///   - prefix: The beginning of the names.
    ///   - suffix: The end of the meanings.
    ///   - gated: The names of the gated columns.
    package static func latencies(
        _ prefix: String = "", _ suffix: String = "", gated: Set<String> = [],
        _ times: @escaping @Sendable (Row) -> (any TimesToImage)?
    ) -> [Column] {
        let figures: [(name: String, meaning: String, value: @Sendable (any TimesToImage) -> Double)] = [
            ("mean", "mean time to image", { $0.mean }),
            ("p50", "median of the time to image", { Double($0.p50) }),
            ("p90", "90th percentile of the time to image", { Double($0.p90) }),
            ("p99", "99th percentile of the time to image", { Double($0.p99) }),
            ("p999", "99.9th percentile of the time to image", { Double($0.p999) }),
            ("max", "longest time to image", { Double($0.max) }),
        ]
        return figures.map { name, meaning, value in
            let name = "\(prefix)\(name)_us"
            return .metric(name, .microseconds, .lowerIsBetter, gated: gated.contains(name), meaning + suffix) {
                .microseconds(times($0).map(value))
            }
        }
    }

    package static func run(_ identity: @escaping @Sendable (Row) -> RunIdentity) -> [Column] {
        [
            .identity("trace", "name of the trace") { .text(identity($0).trace) },
            .identity("cache", "name of the cache") { .text(identity($0).cache) },
            .identity("repeat", "number of the repeat, from 1", unit: .count) { .integer(identity($0).repetition) },
            .identity("network", "name of the network; none with instant timing") { .text(identity($0).network) },
        ]
    }
}

extension RunResult {
    /// The figures of the main lane; nil if they are not known, and for a trace whose list never moves.
    fileprivate var moving: MainLaneFigures? { mainLane.flatMap { $0.scrollTime > 0 ? $0 : nil } }

    /// Returns the summary of a group, or nil when it has no delivered request.
    package func delivered(_ group: LatencyGroup) -> LatencySummary? {
        latencies.first { $0.group == group && $0.count > 0 }
    }
}
