import CachePolicies

/// The charts of a simulation: pure functions of its rows. The raw value ends the names of their files.
enum SimulationChart: String, CaseIterable {
    case missRatio = "miss-ratio"
    case byteMissRatio = "byte-miss-ratio"
    case improvement

    /// Whether a file in `charts/` is one that charts are made of, and may be removed with them.
    static func isOurs(_ name: String) -> Bool {
        let endings = ["gp", "csv"] + ChartFormat.allCases.map(\.rawValue)
        return endings.contains { ending in allCases.contains { name.hasSuffix("-\($0.rawValue).\(ending)") } }
    }

    /// All charts of all traces that have figures for them.
    static func charts(_ rows: [MissRatioRow], _ curves: [CurvePoint], formats: [ChartFormat]) -> [Chart] {
        SimulationSeries.all(rows, curves).flatMap { series in
            allCases.compactMap { kind in
                guard let content = kind.draw(series)?.content() else { return nil }
                let name =
                    "\(SafeName.of(series.trace))\(series.isOnlyUnit ? "" : "-\(series.unit.rawValue)")-\(kind.rawValue)"
                return Chart(
                    name: name, trace: series.trace, title: content.title,
                    script: content.script(name: name, formats: formats),
                    data: CSVText.line(content.columns) + content.rows.map(CSVText.line).joined())
            }
        }
    }

    private func draw(_ series: SimulationSeries) -> CapacityChart? {
        switch self {
        case .missRatio: Self.ratios(series, "Miss ratio", "miss_ratio", \.missRatio, \.missRatio)
        case .byteMissRatio:
            // Where every object counts as 1, it would be the same picture again.
            series.countsBytes
                ? Self.ratios(series, "Byte miss ratio", "byte_miss_ratio", \.byteMissRatio, \.byteMissRatio) : nil
        case .improvement: Self.improvement(series)
        }
    }

    private static func ratios(
        _ series: SimulationSeries, _ name: String, _ column: String, _ ratio: (MissRatioRow) -> Double,
        _ point: (CurvePoint) -> Double
    ) -> CapacityChart? {
        var lines = series.policies.enumerated().map { place, policy in
            CapacityChart.Line(
                name: policy.name, points: policy.rows.map { (Double($0.capacity?.value ?? 0), ratio($0)) },
                role: knowsTheFuture(policy.name) ? .floor : .policy(place))
        }
        if !series.curve.isEmpty {
            let rate = series.curve[0].sampleRate == nil ? "" : ", estimated"
            lines.append(
                .init(
                    name: "lru, every capacity\(rate)",
                    points: series.curve.map { (Double($0.capacity.value), point($0)) },
                    role: .curve))
        }
        guard lines.contains(where: { !$0.points.isEmpty }) else { return nil }
        return CapacityChart(
            title: "\(name) by capacity · \(series.trace)\(series.sampling)", yLabel: name.lowercased(),
            yColumn: column, unit: series.unit,
            lines: lines)
    }

    /// What part of the baseline's misses a policy avoids. nil without a baseline, or without others.
    private static func improvement(_ series: SimulationSeries) -> CapacityChart? {
        guard let base = ["lru", "fifo"].lazy.compactMap({ name in series.policies.first { $0.name == name } }).first,
            series.policies.count > 1
        else { return nil }
        let misses = Dictionary(base.rows.map { ($0.capacity, $0.missRatio) }) { $1 }
        let lines = series.policies.enumerated().filter { $0.element.name != base.name }.map { place, policy in
            CapacityChart.Line(
                name: policy.name,
                points: policy.rows.compactMap { row in
                    guard let capacity = row.capacity, let before = misses[row.capacity], before > 0 else { return nil }
                    return (Double(capacity.value), (before - row.missRatio) / before)
                }, role: knowsTheFuture(policy.name) ? .bound : .policy(place))
        }
        guard lines.contains(where: { !$0.points.isEmpty }) else { return nil }
        return CapacityChart(
            title: "Misses avoided against \(base.name) · \(series.trace)\(series.sampling)",
            yLabel: "share of \(base.name)'s misses that are avoided",
            yColumn: "avoided_share", unit: series.unit, lines: lines, baseline: 0)
    }

    /// Nobody misses less.
    private static func knowsTheFuture(_ policy: String) -> Bool { policy == "belady" || policy.hasPrefix("belady(") }

    /// How to read it, in a sentence or two.
    static func caption(_ chart: Chart) -> String? {
        allCases.first {
            chart.name.hasSuffix("-\($0.rawValue)") && ($0 != .missRatio || !chart.name.hasSuffix("-byte-miss-ratio"))
        }.map { kind in
            switch kind {
            case .missRatio:
                "The share of requests that have to be fetched, by what the cache may hold. Lower is better."
            case .byteMissRatio:
                """
                The share of the requested bytes that have to be fetched: what a user's data plan pays for. Lower is \
                better.
                """
            case .improvement:
                """
                How many of the baseline's misses each policy avoids at the same capacity. Higher is better; below 0 \
                it is worse.
                """
            }
        }
    }
}

/// What the charts of one trace and one unit of capacity are drawn from.
struct SimulationSeries {
    var trace: String
    var unit: CapacityUnit
    /// Whether the trace's capacities are all in this unit.
    var isOnlyUnit: Bool
    /// In the order of the rows, each with its rows by rising capacity. Policies that carry their own size have no
    /// place on the axis.
    var policies: [(name: String, rows: [MissRatioRow])] = []
    var curve: [CurvePoint] = []

    /// Requests have sizes.
    var countsBytes: Bool {
        policies.contains { $0.rows.contains { $0.requestBytes != $0.requests } }
            || curve.contains { $0.byteMissRatio != $0.missRatio }
    }

    /// What a title has to say of a sample.
    var sampling: String {
        let rate = policies.lazy.flatMap(\.rows).compactMap(\.sampleRate).first ?? curve.first?.sampleRate
        return rate.map { " · estimated from \(HumanText.share($0)) of the objects" } ?? ""
    }

    static func all(_ rows: [MissRatioRow], _ curves: [CurvePoint]) -> [SimulationSeries] {
        var all: [SimulationSeries] = []
        func place(_ trace: String, _ unit: CapacityUnit) -> Int {
            if let place = all.firstIndex(where: { $0.trace == trace && $0.unit == unit }) { return place }
            all.append(SimulationSeries(trace: trace, unit: unit, isOnlyUnit: true))
            return all.count - 1
        }
        for row in rows {
            guard let capacity = row.capacity, capacity.value > 0 else { continue }
            let series = place(row.trace, capacity.unit)
            if let policy = all[series].policies.firstIndex(where: { $0.name == row.policy }) {
                all[series].policies[policy].rows.append(row)
            } else {
                all[series].policies.append((row.policy, [row]))
            }
        }
        for point in curves where point.capacity.value > 0 {
            all[place(point.trace, point.capacity.unit)].curve.append(point)
        }
        for index in all.indices {
            all[index].isOnlyUnit = all.count { $0.trace == all[index].trace } == 1
            for policy in all[index].policies.indices {
                all[index].policies[policy].rows.sort { $0.capacity?.value ?? 0 < $1.capacity?.value ?? 0 }
            }
            all[index].curve.sort { $0.capacity.value < $1.capacity.value }
        }
        return all
    }
}
