import Basics
import CachePolicies
import Runs

extension MissRatioFile {
    public static func table(_ rows: [MissRatioRow]) -> String { grid(rows).plain() }

    static func grid(_ rows: [MissRatioRow]) -> TextGrid {
        var grid = TextGrid(headings: [
            .init(title: "trace", alignment: .left), .init(title: "policy", alignment: .left), .init(title: "capacity"),
            .init(title: "requests"), .init(title: "miss ratio"), .init(title: "byte miss ratio"),
            .init(title: "requests/s"),
        ])
        grid.rows = rows.map { row in
            [
                row.trace, row.policy, row.capacity.map(text) ?? "–", HumanText.count(Double(row.requests)),
                HumanText.share(row.missRatio),
                HumanText.share(row.byteMissRatio), HumanText.count(row.requestsPerSecond.rounded()),
            ]
        }
        return grid
    }

    public static func text(_ capacity: Capacity) -> String {
        switch capacity.unit {
        case .bytes: HumanText.bytes(Double(capacity.value))
        case .objects: "\(HumanText.count(Double(capacity.value))) objects"
        }
    }
}

extension CurveFile {
    public static func table(_ points: [CurvePoint]) -> String {
        var grid = TextGrid(headings: [
            .init(title: "trace", alignment: .left), .init(title: "curve", alignment: .left), .init(title: "capacity"),
            .init(title: "miss ratio"), .init(title: "byte miss ratio"), .init(title: "", alignment: .left),
        ])
        grid.rows = points.map { point in
            let rate = point.sampleRate.map { "estimated from \(HumanText.share($0)) of the objects" }
            return [
                point.trace, point.policy, MissRatioFile.text(point.capacity),
                HumanText.share(point.missRatio),
                HumanText.share(point.byteMissRatio),
                rate ?? (point.isExact ? "exact" : "at most: some objects are larger than the cache"),
            ]
        }
        return grid.plain()
    }
}

extension SampleErrorFile {
    public static func table(_ rows: [SampleError]) -> String {
        var grid = TextGrid(headings: [
            .init(title: "trace", alignment: .left), .init(title: "policy", alignment: .left),
            .init(title: "capacities"),
            .init(title: "sample"), .init(title: "mean error"), .init(title: "largest"),
            .init(title: "mean error, bytes"),
            .init(title: "exact"), .init(title: "sampled"), .init(title: "faster"),
        ])
        grid.rows = rows.map { row in
            [
                row.trace, row.policy, "\(row.capacities)", HumanText.share(row.sampleRate),
                HumanText.decimals(row.meanAbsoluteError, 4),
                HumanText.decimals(row.largestError, 4), HumanText.decimals(row.meanAbsoluteByteError, 4),
                HumanText.microseconds(row.exactSeconds * 1e6), HumanText.microseconds(row.sampleSeconds * 1e6),
                "\(HumanText.decimals(row.exactSeconds / max(row.sampleSeconds, 1e-9), 1)) x",
            ]
        }
        return grid.plain()
    }
}
