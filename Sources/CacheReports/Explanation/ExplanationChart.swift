import Basics
import ReplayEngine

/// The charts of explanations: one bar per cache, divided by cause or by wait. The raw value is the last part of the
/// names of their files.
public enum ExplanationChart: String, Sendable, CaseIterable {
    case causes, waits

    static var names: [String] { allCases.map(\.rawValue) }

    var meaning: String {
        switch self {
        case .causes: "The requests, by the cause for which memory did not answer them. What is left are memory hits."
        case .waits: "The seconds in which visible cells were blank, by what they waited for."
        }
    }

    /// Causes or waits that share a part. The legend has the words of those that occur.
    private struct Family<Member: Equatable & Sendable>: Sendable {
        var column: String
        var fill: Fill
        var members: [Member]
    }

    private static let causeFamilies: [Family<MissCause>] = [
        .init(column: "first_request", fill: .grey, members: [.firstRequest, .similarKey]),
        .init(column: "capacity", fill: .gold, members: [.capacity]),
        .init(column: "policy", fill: .never, members: [.policy]),
        .init(column: "at_once", fill: .violet, members: [.evictedAtOnce, .wrongPrefetch]),
        .init(
            column: "lost", fill: .teal,
            members: [.expired, .validation, .memoryWarning, .background, .relaunch, .removal]),
        .init(
            column: "other", fill: .slate,
            members: [.inFlight, .damaged, .refused, .cancelled, .deferred, .blocked, .failed]),
    ]

    private static let waitFamilies: [Family<Wait>] = [
        .init(column: "device", fill: .violet, members: [.mainLane, .decodeQueue, .decode]),
        .init(column: "disk", fill: .disk, members: [.diskQueue, .diskRead]),
        .init(column: "rest", fill: .slate, members: [.gate]),
        .init(column: "connection", fill: .gold, members: [.connectionQueue]),
        .init(column: "network", fill: .network, members: [.connect, .firstByte, .transfer]),
        .init(column: "again", fill: .pale, members: [.validation, .retryPause]),
        .init(column: "nothing", fill: .never, members: [.nothing]),
    ]

    /// Returns the charts of each trace: the chart of causes if memory missed anything, the chart of waits if a cell
    /// was blank.
    static func charts(_ runs: [RunExplanation], _ options: ChartOptions) -> [Chart] {
        runs.map(\.trace).unique().filter(options.shows(trace:)).flatMap { trace -> [Chart] in
            let chosen = options.chosen(runs.filter { $0.trace == trace }, by: \.cache)
            let own = options.order.ranked(
                chosen, by: \.cache, { $0.blankMilliseconds }, text: { HumanText.milliseconds($0, 0) })
            return allCases.compactMap { kind in
                guard let content = kind.content(own, trace, options.canvas) else { return nil }
                return Chart(ChartName(trace, kind), trace: trace, content, options, caption: kind.meaning)
            }
        }
    }

    /// - Parameter runs: The runs of a trace in the order of the picture.
    private func content(_ runs: [RunExplanation], _ trace: String, _ canvas: ChartCanvas) -> ChartContent? {
        guard let bars = self == .causes ? Self.causeBars(runs) : Self.waitBars(runs) else { return nil }
        var content = bars.content(
            self == .causes ? "Why memory missed · \(trace)" : "What blank cells waited for · \(trace)", canvas)
        content.source = ["\(HumanText.count(runs[0].requests, "request"))", "one run of each cache"]
        content.finding = finding(runs[0]).map { runs.count == 1 ? $0 : "\(NameList.name(runs[0].cache)): \($0)" }
        return content
    }

    /// Returns the finding about the causes of a run, or about its blank time.
    private func finding(_ run: RunExplanation) -> String? {
        self == .causes ? run.misses.text : run.blank?.text
    }

    private static func causeBars(_ runs: [RunExplanation]) -> StackedBars? {
        guard runs.contains(where: { $0.requests > $0.memoryHits }) else { return nil }
        func share(_ run: RunExplanation, _ family: Family<MissCause>) -> Double {
            let misses = run.causes.filter { $0.tier == .memory && family.members.contains($0.cause) }
            return Double(misses.reduce(0) { $0 + $1.requests }) / Double(max(1, run.requests))
        }
        let occurring = Set(runs.flatMap { run in run.causes.filter { $0.tier == .memory }.map(\.cause) })
        let hits = StackedBars.Part(title: "memory hits", column: "memory_hits", fill: .pale)
        return StackedBars(
            parts: causeFamilies.map { family in
                StackedBars.Part(
                    title: family.members.filter { occurring.contains($0) }.map(\.title).joined(separator: "; "),
                    column: family.column, fill: family.fill)
            } + [hits],
            rows: runs.map { run in
                let hits = Double(run.memoryHits) / Double(max(1, run.requests))
                return StackedBars.Row(
                    label: run.cache, requests: run.requests, amounts: causeFamilies.map { share(run, $0) } + [hits],
                    beside: beside(run))
            }, axisTitle: "share of requests", heading: "blank")
    }

    private static func waitBars(_ runs: [RunExplanation]) -> StackedBars? {
        guard runs.contains(where: { run in run.waits.contains { $0.milliseconds > 0 } }) else { return nil }
        let occurring = Set(runs.flatMap { $0.waits.map(\.wait) })
        return StackedBars(
            parts: waitFamilies.map { family in
                StackedBars.Part(
                    title: family.members.filter { occurring.contains($0) }.map(\.title).joined(separator: "; "),
                    column: family.column, fill: family.fill)
            },
            rows: runs.map { run in
                let seconds = waitFamilies.map { family in
                    run.waits.filter { family.members.contains($0.wait) }.reduce(0) { $0 + $1.milliseconds } / 1_000
                }
                return StackedBars.Row(
                    label: run.cache, requests: run.requests, amounts: seconds, beside: beside(run))
            }, amount: .seconds, axisTitle: "blank time of all cells in seconds", heading: "blank")
    }

    /// Returns the blank time, by which the rows are ordered.
    private static func beside(_ run: RunExplanation) -> String { HumanText.milliseconds(run.blankMilliseconds, 0) }
}
