import Basics
import ReplayEngine

/// The outcomes of the requests: one bar per cache, whose parts add up to all requests. Shown images are divided by
/// their source. Caches with equal bars share one.
enum OutcomeChart {
    private static let parts: [(part: StackedBars.Part, count: @Sendable (RunResult) -> Int)] = [
        (.init(title: "memory", column: "memory_share", fill: .memory), { shown($0, .memoryHit) }),
        (.init(title: "disk", column: "disk_share", fill: .disk), { shown($0, .diskHit) }),
        (
            .init(title: "network", column: "network_share", fill: .network),
            { shown($0, .coalesced) + shown($0, .origin) }
        ),
        (.init(title: "late", column: "late_share", fill: .late), { $0.counts.late }),
        (
            .init(title: "never", column: "never_share", fill: .never),
            { $0.counts.neverShown - $0.counts.wrong }
        ),
        (.init(title: "wrong", column: "wrong_share", fill: .wrong), { $0.counts.wrong }),
    ]

    private static func shown(_ result: RunResult, _ group: LatencyGroup) -> Int { result.delivered(group)?.count ?? 0 }

    static func content(_ input: ChartInput, _ canvas: ChartCanvas) -> ChartContent? {
        RequestBars.content(
            input, canvas, "What became of the requests", parts.map { $0.part }, parts.map { $0.count })
    }
}

/// How soon the images were there: one bar per cache, whose parts add up to all requests.
enum TimesChart {
    private static let parts: [(part: StackedBars.Part, count: @Sendable (RunResult) -> Int)] = [
        (
            .init(title: "within 16 ms", column: "within_16ms_share", fill: .within16ms),
            { $0.counts.shownWithin16ms }
        ),
        (
            .init(title: "within 100 ms", column: "within_100ms_share", fill: .within100ms),
            { $0.counts.shownWithin100ms - $0.counts.shownWithin16ms }
        ),
        (
            .init(title: "within 1 s", column: "within_1s_share", fill: .within1s),
            { $0.counts.shownWithin1s - $0.counts.shownWithin100ms }
        ),
        (
            .init(title: "later", column: "later_share", fill: .late),
            { $0.counts.shown - $0.counts.shownWithin1s }
        ),
        (
            .init(title: "never while the cell was visible", column: "never_share", fill: .never),
            { $0.counts.requests - $0.counts.shown }
        ),
    ]

    /// Returns nil if nothing takes time, or if nothing was requested.
    static func content(_ input: ChartInput, _ canvas: ChartCanvas) -> ChartContent? {
        let runs = input.caches.flatMap(\.runs)
        guard runs.contains(where: { $0.counts.requests > 0 && !$0.identity.timing.hasPrefix("instant") }) else {
            return nil
        }
        return RequestBars.content(
            input, canvas, "When the images were there", parts.map { $0.part }, parts.map { $0.count })
    }
}

/// Bars of shares of requests, in the order of blank time, which stands beside them.
private enum RequestBars {
    static func content(
        _ input: ChartInput, _ canvas: ChartCanvas, _ title: String, _ parts: [StackedBars.Part],
        _ counts: [@Sendable (RunResult) -> Int]
    ) -> ChartContent {
        func shares(_ cache: ChartInput.Series) -> [Double] {
            let requests = Double(cache.total(\.counts.requests))
            return counts.map { Double(cache.total($0)) / requests }
        }
        let hasBlank = input.caches.contains { $0.blank != nil }
        func beside(_ cache: ChartInput.Series) -> String {
            hasBlank ? cache.blankText : cache.shown.map(HumanText.share) ?? "–"
        }
        let groups = input.groups { cache in
            shares(cache).map { Unit.ratio.written(.real($0)) } + [beside(cache)]
        }
        let bars = StackedBars(
            parts: parts,
            rows: groups.map { group in
                let cache = input.caches[group.members[0]]
                return StackedBars.Row(
                    label: group.label, requests: cache.total(\.counts.requests), amounts: shares(cache),
                    beside: beside(cache))
            }, axisTitle: "share of requests", heading: hasBlank ? "blank" : "shown")
        return bars.content("\(title) · \(input.place)", canvas)
    }
}
