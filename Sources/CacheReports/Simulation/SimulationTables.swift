import Basics
import CachePolicies
import Runs

extension MissRatioFile {
    static func grid(_ rows: [MissRatioRow]) -> TextGrid {
        var grid = TextGrid(headings: [
            .text("trace"), .text("policy"), .figure("capacity"),
            .figure("requests"), .figure("miss ratio"), .figure("byte miss ratio"),
            .figure("requests/s"),
        ])
        let hasIntervals = rows.contains { $0.interval != nil }
        if hasIntervals { grid.headings.insert(.figure(interval), at: 5) }
        grid.rows = rows.map { row in
            var cells = [
                row.trace, row.policy, row.capacity.map(text) ?? "–", HumanText.count(Double(row.requests)),
                HumanText.share(row.missRatio), text(row.byteMissRatio),
                HumanText.count(row.requestsPerSecond.rounded()),
            ]
            if hasIntervals { cells.insert(text(row.interval), at: 5) }
            return cells
        }
        return grid
    }

    /// Returns a share, or a dash where there is none, as of bytes without sizes.
    static func text(_ share: Double?) -> String { share.map { HumanText.share($0) } ?? "–" }

    static let interval = "95% interval"

    static func text(_ interval: SampleInterval?) -> String {
        guard let range = interval?.missRatio else { return "–" }
        let ends = HumanText.shares(range.lowerBound, range.upperBound)
        return "\(ends.0) to \(ends.1)"
    }

    /// Returns a sentence about the intervals of samples; nil without any.
    static func meaningOfSamples(_ rows: [MissRatioRow], _ curves: [CurvePoint]) -> String? {
        let counts = rows.compactMap { $0.interval?.samples } + curves.compactMap { $0.interval?.samples }
        guard let count = counts.first else { return nil }
        return """
            The figures are means of \(HumanText.count(Double(count))) samples. The interval contains the mean of all \
            possible samples with a probability of 95%.
            """
    }

    /// Returns a sentence about the requests that are not counted; nil if all are.
    static func meaningOfWarmUp(_ rows: [MissRatioRow]) -> String? {
        let counts = rows.compactMap(\.warmupRequests)
        guard let least = counts.min(), let most = counts.max() else { return nil }
        let number = HumanText.count(Double(most))
        let range = least == most ? number : "\(HumanText.count(Double(least))) to \(number)"
        return "The first \(range) requests of a trace change the caches, and are not counted: they are the warm-up."
    }

    /// Returns a sentence about policies that learned no model; nil without such policies.
    static func meaningOfModels(_ rows: [MissRatioRow]) -> String? {
        let unlearned = rows.filter { $0.hasModel == false }
        guard let first = unlearned.first else { return nil }
        let names = NameList.text(unlearned.map(\.policy).unique())
        let places = unlearned.map { row in
            row.capacity.map { "\(text($0)) on \(NameList.name(row.trace))" } ?? NameList.name(row.trace)
        }
        let all = rows.filter { $0.policy == first.policy }.count
        let isAll = Set(unlearned.map(\.policy)).count == 1 && unlearned.count == all
        let end = isAll ? "in any row" : "at \(NameList.text(places.unique(), most: 5))"
        return "\(names) learned no model \(end), because too little was requested: until its first model, it is LRU."
    }

    public static func text(_ capacity: Capacity) -> String {
        switch capacity.unit {
        case .bytes: HumanText.bytes(Double(capacity.value))
        case .objects: "\(HumanText.count(Double(capacity.value))) objects"
        }
    }
}

extension LeastMissesFile {
    static let meaning = [
        "No policy that holds at most the capacity misses less than the least ratios, also if it knows the future.",
        "A schedule of what to keep, or a policy above, has the known ratios. Where both are equal, they are the optimum, "
            + "which is proven.",
    ]

    static func grid(_ rows: [LeastMissesRow]) -> TextGrid {
        var grid = TextGrid(headings: [
            .text("trace"), .figure("capacity"), .figure("least miss ratio"), .figure("known"),
            .figure("least byte miss ratio"), .figure("known"), .text("proven optimum"),
        ])
        grid.rows = rows.map { row in
            let proven = [(row.misses, "misses"), (row.missBytes, "bytes")].filter { $0.0?.count == 1 }.map(\.1)
            let misses = HumanText.shares(bound: row.leastMissRatio, row.knownMissRatio)
            var bytes = ("–", "–")
            if let least = row.leastByteMissRatio, let known = row.knownByteMissRatio {
                bytes = HumanText.shares(bound: least, known)
            }
            return [
                row.trace, MissRatioFile.text(row.capacity), misses.0, misses.1, bytes.0, bytes.1,
                proven.isEmpty ? "–" : proven.joined(separator: " and "),
            ]
        }
        return grid
    }
}

extension CurveFile {
    static let meaningOfBounds = "at most: some objects are larger than the cache, so the curve is not exact there."

    static func grid(_ points: [CurvePoint]) -> TextGrid {
        var grid = TextGrid(headings: [
            .text("trace"), .text("curve"), .figure("capacity"),
            .figure("miss ratio"), .figure("byte miss ratio"), .text(""),
        ])
        let hasIntervals = points.contains { $0.interval != nil }
        if hasIntervals { grid.headings.insert(.figure(MissRatioFile.interval), at: 4) }
        grid.rows = points.map { point in
            let rate = point.sampleRate.map { "estimated from \(HumanText.share($0)) of the objects" }
            var cells = [
                point.trace, point.policy, MissRatioFile.text(point.capacity),
                HumanText.share(point.missRatio), MissRatioFile.text(point.byteMissRatio),
                rate ?? (point.isExact ? "exact" : "at most"),
            ]
            if hasIntervals { cells.insert(MissRatioFile.text(point.interval), at: 4) }
            return cells
        }
        return grid
    }
}
