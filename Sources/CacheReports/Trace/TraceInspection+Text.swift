import Basics
import Foundation
import ReplayEngine
import SessionModel
import TraceAnalysis

extension TraceInspection {
    /// Returns the gain that caches can have from the session, then the counts and the figures, with one label and
    /// value per line.
    ///
    /// - Parameters:
    ///   - consistency: The result of the consistency check, which adds a row for each network model.
    ///   - width: The widest line, in columns; nil for any.
    public func text(_ consistency: ConsistencyReport? = nil, width: Int? = nil) -> String {
        let start = analysis.finding.map { TextGrid.wrapped($0, width: width) + "\n\n" } ?? ""
        return start + TraceSummary.aligned(rows(consistency), width: width)
    }

    func rows(_ consistency: ConsistencyReport? = nil) -> [(label: String, value: String)] {
        summary.rows(format: format, facts: facts, pages: pages) + analysis.rows()
            + (consistency.map(ConsistencyTable.rows) ?? [])
    }
}

extension TraceStatistics {
    /// The share of requests that can be hits, and the objects with which LRU answers half of these; nil without
    /// requests.
    fileprivate var finding: String? {
        let all = reuse.firstUses + reuse.reuses
        guard all > 0 else { return nil }
        guard let half = reuse.quantile(0.5) else {
            return "No request can be a hit without prefetching: each is the first one for its object."
        }
        return """
            At most \(HumanText.share(Double(reuse.reuses) / Double(all))) of the requests can be hits without \
            prefetching: the others are the first ones for their object. LRU with \
            \(HumanText.count(half + 1, "object")) answers at least half of those that can.
            """
    }

    fileprivate func rows() -> [(label: String, value: String)] {
        guard popularity.requests > 0 else { return [] }
        var rows = [("popularity", popularityText), ("requested once", onceText), ("reuse distance", reuseText)]
        if let gaps = interArrivalText(interArrivals.byRequest) { rows.append(("between requests", gaps)) }
        if let gaps = interArrivalText(interArrivals.byObject) {
            rows.append(("between uses", gaps + ", of the same object"))
        }
        rows.append(("working set", workingSetText))
        for sizes in sizes where !sizes.sorted.isEmpty { rows.append(("\(sizes.variant) sizes", Self.text(sizes))) }
        if let concurrency { rows.append(("in flight", Self.text(concurrency))) }
        if let scroll { rows += Self.rows(scroll) }
        if let pace = habits.flatMap(Pace.init) { rows += Self.rows(pace) }
        if !missing.isEmpty { rows.append(("not recorded", missing.joined(separator: ", "))) }
        return rows
    }

    private var popularityText: String {
        let top =
            popularity.requestShare(ofTop: 0.1).map { "the top 10% of objects get \(HumanText.share($0)) of requests" }
            ?? ""
        guard let zipf = popularity.zipf else { return top }
        return "Zipf exponent \(Self.exponent(zipf)), KS distance \(HumanText.decimals(zipf.distance, 3))"
            + (zipf.isPoor ? " (a poor fit)" : "") + "; \(top)"
    }

    /// Returns the exponent with as many decimals as its standard error justifies, at least three.
    static func exponent(_ zipf: ZipfFit) -> String {
        let places = [3, 4, 5, 6].first { zipf.standardError * pow(10, Double($0)) >= 1 } ?? 6
        return "\(HumanText.decimals(zipf.exponent, places)) ± \(HumanText.decimals(zipf.standardError, places))"
    }

    private var onceText: String {
        let objects = popularity.counts.count
        return "\(HumanText.count(Double(popularity.oneHitWonders))) objects, "
            + "\(HumanText.share(Double(popularity.oneHitWonders) / Double(max(objects, 1)))) of all"
    }

    private var reuseText: String {
        let first =
            """
            \(HumanText.share(Double(reuse.firstUses) / Double(max(popularity.requests, 1)))) of requests are first uses
            """
        guard let half = reuse.quantile(0.5), let most = reuse.quantile(0.9), let all = reuse.quantile(1) else {
            return first
        }
        let figures = zip(["p50", "p90", "max"], [half, most, all]).map { "\($0) \(HumanText.count(Double($1)))" }
        return "\(figures.joined(separator: ", ")) objects; \(first)"
    }

    private func interArrivalText(_ gaps: LogHistogram) -> String? {
        guard !missing.contains("times"), let mean = gaps.mean else { return nil }
        let figures = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99)].compactMap { name, share in
            gaps.quantile(share).map { "\(name) \(HumanText.microseconds(Double($0)))" }
        }
        return figures.joined(separator: ", ") + ", mean \(HumanText.microseconds(mean))"
    }

    private var workingSetText: String {
        let hasSizes = !missing.contains("sizes")
        func figure(_ objects: Double, _ bytes: Double) -> String {
            (objects < 10 && objects != objects.rounded()
                ? HumanText.decimals(objects, 1) : HumanText.count(objects.rounded()))
                + (objects == 1 ? " object" : " objects") + (hasSizes ? ", \(HumanText.bytes(bytes))" : "")
        }
        return
            """
            within \(workingSet.name(WorkingSet.recent)): mean \
            \(figure(workingSet.mean(\.recentObjects), workingSet.mean(\.recentBytes)))
            """
                + "; peak \(figure(Double(workingSet.peak(\.recentObjects)), Double(workingSet.peak(\.recentBytes))))"
    }

    private static func text(_ sizes: ObjectSizeStatistics) -> String {
        let figures = [("p10", 0.1), ("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("max", 1)].compactMap { name, share in
            sizes.quantile(share).map { "\(name) \(HumanText.bytes(Double($0)))" }
        }
        return figures.joined(separator: ", ")
            + " (\(HumanText.count(Double(sizes.objects))) object\(sizes.objects == 1 ? "" : "s"))"
    }

    private static func text(_ concurrency: FetchConcurrency) -> String {
        "peak \(concurrency.peak) fetches, mean \(HumanText.decimals(concurrency.mean, 2)), "
            + "while busy \(HumanText.decimals(concurrency.meanWhileBusy, 2))"
    }

    private static func rows(_ scroll: ScrollSpeeds) -> [(String, String)] {
        let times = ScrollPhase.allCases.map { "\($0.title) \(HumanText.microseconds(Double(scroll.time($0))))" }
        let speeds = [ScrollPhase.dragged, .decelerating].compactMap { phase -> String? in
            guard let half = scroll.speed(phase, quantile: 0.5), let most = scroll.speed(phase, quantile: 0.99) else {
                return nil
            }
            return "\(phase.title) p50 \(HumanText.count(half.rounded())), p99 \(HumanText.count(most.rounded()))"
        }
        let flicks = scroll.flicks == 1 ? "1 flick" : "\(HumanText.count(Double(scroll.flicks))) flicks"
        var rows = [("scroll phases", times.joined(separator: ", ") + "; \(flicks)")]
        if !speeds.isEmpty { rows.append(("scroll speed", speeds.joined(separator: "; ") + " points/s")) }
        return rows
    }
}

extension TraceStatistics {
    private static func rows(_ pace: Pace) -> [(String, String)] {
        let factor = pace.screensPerMinute / Pace.ofPeople
        var own = [
            "\(HumanText.decimals(pace.screensPerMinute, 1)) screens/min", "moving \(HumanText.share(pace.moving))",
        ]
        if let back = pace.back { own.append("\(HumanText.share(back)) of scrolls back") }
        if let known = pace.known { own.append("\(HumanText.share(known)) of the way over known ground") }
        let people = "13 to 33 screens/min, moving 14% to 49%, 17% to 30% back, 35% to 50% over known ground (modelled)"
        var rows = [("pace", own.joined(separator: ", ")), ("pace of people", people)]
        if factor >= 2 {
            rows.append(("", "the list moves \(HumanText.decimals(factor, 1)) times as fast as with people"))
        } else if factor <= 0.5 {
            rows.append(("", "the list moves \(HumanText.decimals(factor, 2)) times as fast as with people"))
        }
        return rows
    }
}

extension WorkingSet {
    /// `500 ms`, `10 s`, `1,000 requests`.
    var windowName: String { name(1) }

    func name(_ windows: Int) -> String {
        let length = Double(windowLength) * Double(windows)
        return isOfTime ? HumanText.duration(length) : "\(HumanText.count(length)) requests"
    }
}

extension ScrollPhase {
    var title: String {
        switch self {
        case .dragged: "dragged"
        case .decelerating: "decelerating"
        case .atRest: "at rest"
        }
    }
}
