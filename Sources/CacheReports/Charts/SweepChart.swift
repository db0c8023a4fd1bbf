import ReplayEngine

/// Blank time and shown images against a swept value: two lines per cache. Less blank time is better, more shown images
/// are better.
enum SweepChart {
    private struct Point {
        var value: Double
        var blank: Double
        var shown: Double
    }

    private struct Line {
        var name: String
        var points: [Point]
    }

    /// Returns nil if no cache has two values of the swept parameter that are numbers.
    static func content(_ input: ChartInput) -> ChartContent? {
        let swept = input.caches.compactMap { $0.runs.first?.identity.swept?.first }
        guard let parameter = swept.first?.parameter else { return nil }
        let lines = lines(input, parameter)
        let values = lines.flatMap { $0.points.map(\.value) }
        guard let least = values.min(), let most = values.max(), least < most else { return nil }
        let label = label(swept.filter { $0.parameter == parameter })
        let x: Axis =
            least > 0 && most > 4 * least
            ? .logarithmic(from: least, to: most, label: label) : .linear(from: least, to: most, label: label)
        let isPartial = swept.contains { $0.parameter == parameter && $0.number == nil }
        let kinds = ["blank: share of visible time without an image", "shown: share of requests"]
        let legend = Legend(
            kinds + lines.map(\.name),
            styles: [style(ChartStyle.black, isBlank: true), style(ChartStyle.black, isBlank: false)]
                + lines.indices.map { "linewidth 2.5 linecolor rgb '\(ChartStyle.colour($0))'" })
        return ChartContent(
            title: "Blank time and shown images against \(parameter) · \(input.trace)", height: legend.height,
            settings: x.settings("x") + Axis.linear(from: 0, to: 1) { HumanText.wholeShare($0) }.settings("y") + [
                "set xlabel \(GnuplotText.quoted(xTitle(parameter, x, isPartial)))",
                "set ylabel 'share'",
                "set lmargin 11",
                "set rmargin 5",
            ] + legend.settings,
            plots: lines.indices.flatMap { index in
                [(3, true), (4, false)].map { column, isBlank in
                    "$data using ($1 == \(index + 1) ? $2 : NaN):\(column) with linespoints pointtype "
                        + "\(isBlank ? 7 : 6) \(style(ChartStyle.colour(index), isBlank: isBlank)) notitle"
                }
            },
            columns: ["series", "swept_value", "blank_ratio", "shown_ratio", "cache"],
            rows: lines.enumerated().flatMap { index, line in
                line.points.map {
                    [
                        "\(index + 1)", GnuplotText.number($0.value), Unit.ratio.written(.real($0.blank)),
                        Unit.ratio.written(.real($0.shown)), ShortNames.printable(line.name),
                    ]
                }
            })
    }

    private static func lines(_ input: ChartInput, _ parameter: String) -> [Line] {
        var lines: [Line] = []
        for cache in input.caches {
            guard let identity = cache.runs.first?.identity, let swept = identity.swept, let first = swept.first,
                first.parameter == parameter, let value = first.number,
                let blank = cache.median({
                    $0.blank.visibleTime > 0 ? $0.blank.blankTime / $0.blank.visibleTime : nil
                }),
                let shown = cache.median({
                    $0.counts.requests > 0 ? Double($0.counts.shown) / Double($0.counts.requests) : nil
                })
            else { continue }
            // Each combination of the other swept values has a line.
            let name = ([identity.base ?? cache.name] + swept.dropFirst().map(\.text)).joined(separator: " ")
            let point = Point(value: value, blank: blank, shown: shown)
            if let known = lines.firstIndex(where: { $0.name == name }) {
                lines[known].points.append(point)
            } else {
                lines.append(Line(name: name, points: [point]))
            }
        }
        return lines.map { line in
            Line(name: line.name, points: line.points.sorted { $0.value < $1.value })
        }
    }

    private static func style(_ colour: String, isBlank: Bool) -> String {
        "linewidth 2.5 linecolor rgb '\(colour)' dashtype \(isBlank ? "solid" : "(6,5)")"
    }

    /// Returns the text of a tic: bytes, a time or a plain number, as the values are written.
    private static func label(_ values: [SweptValue]) -> (Double) -> String {
        guard let first = values.first(where: { $0.number != nil }), Double(first.value) == nil else {
            return { HumanText.count($0) }
        }
        if first.value.hasSuffix("objects") { return { HumanText.count($0) } }
        if first.value.uppercased().hasSuffix("B") { return { HumanText.bytes($0) } }
        return { HumanText.microseconds($0) }
    }

    private static func xTitle(_ parameter: String, _ axis: Axis, _ isPartial: Bool) -> String {
        let scale = axis.isLogarithmic ? " (logarithmic)" : ""
        return "\(parameter)\(scale)\(isPartial ? "; values that are no number are not drawn" : "")"
    }
}
