import Basics
import ReplayEngine

/// The parts of charts with one curve per cache: equal curves are one, the best caches have colours and names in the
/// legend, and the others are grey, with their names beside them, at the right.
struct CurveChart {
    let groups: [ChartInput.Group]
    let legend: Legend
    /// The places in ``groups`` of the curves with colours, in the order of the legend.
    let coloured: [Int]
    /// The numbers of the looks of the coloured curves, by their places. A cache has the same one in all charts of its
    /// trace.
    private let looks: [Int: Int]
    private let canvas: ChartCanvas

    /// The widest name beside a grey curve, in columns.
    private static let nameColumns = 18

    /// - Parameter figures: Returns what makes two curves equal.
    init(_ input: ChartInput, _ canvas: ChartCanvas, equalBy figures: (ChartInput.Series) -> [String]) {
        // The groups are in the order that is chosen.
        self.init(input.groups(equalBy: figures), merits: input.caches.map { $0.blank ?? 2 }, canvas, order: .given)
    }

    /// - Parameters:
    ///   - merits: A number for each cache, less for a better one. The best curves have colours.
    ///   - order: The order of the names in the legend: the best first, or the order of `groups`.
    init(_ groups: [ChartInput.Group], merits: [Double], _ canvas: ChartCanvas, order: ChartOrder) {
        self.groups = groups
        let best = groups.indices.sorted {
            (merits[groups[$0].members[0]], $0) < (merits[groups[$1].members[0]], $1)
        }.prefix(ChartStyle.mostColoured)
        let coloured = order == .blank ? Array(best) : best.sorted()
        let byPlace = coloured.sorted { groups[$0].members[0] < groups[$1].members[0] }
        let looks = Dictionary(uniqueKeysWithValues: byPlace.enumerated().map { place, group in (group, place) })
        legend = Legend(
            coloured.map { groups[$0].label }, styles: coloured.map { ChartStyle.line(looks[$0] ?? 0) },
            canvas: canvas)
        (self.coloured, self.looks) = (coloured, looks)
        self.canvas = canvas
    }

    func style(_ group: Int) -> String {
        looks[group].map(ChartStyle.line) ?? "linewidth 1.2 linecolor rgb '\(ChartStyle.greyLine)' dashtype solid"
    }

    func colour(_ group: Int) -> String { looks[group].map(ChartStyle.colour) ?? ChartStyle.greyLine }

    /// The curves in the order in which they are drawn: grey ones below.
    var order: [Int] { groups.indices.filter { !coloured.contains($0) } + coloured }

    /// The right edge of the plot, which leaves room for the names of grey curves.
    var rightMargin: String {
        guard coloured.count < groups.count else { return "set rmargin 5" }
        let share = 1 - Double(Self.nameColumns) * 9 / Double(canvas.width)
        return "set rmargin at screen \(GnuplotText.number(max(0.6, share)))"
    }

    /// Returns the names of the curves with their ends. Grey curves share one.
    ///
    /// - Parameter places: By group, the end of the curve in the plot, from 0 to 1; nil for a curve without points.
    func ends(at places: [(x: Double, y: Double)?]) -> [EndNames.End] {
        let named = coloured.compactMap { group -> EndNames.End? in
            guard let end = places[group] else { return nil }
            return EndNames.End(name: groups[group].label, colour: colour(group), x: end.x, y: end.y)
        }
        let grey = groups.indices.filter { !coloured.contains($0) }
        let heights = grey.compactMap { places[$0]?.y }
        guard !heights.isEmpty else { return named }
        let count = grey.reduce(0) { $0 + groups[$1].members.count }
        let name = "\(HumanText.count(count, "other cache")), grey"
        let middle = heights.reduce(0, +) / Double(heights.count)
        return named + [EndNames.End(name: name, colour: "#777777", x: 1, y: middle)]
    }

    /// Returns the names of grey curves, at their heights. Curves that are near each other share a name.
    /// - Parameter ends: The height of each curve, by its place in ``groups``; nil for a curve without points.
    func names(at ends: [Double?], _ axis: Axis) -> [String] {
        let grey = groups.indices.filter { !coloured.contains($0) }.compactMap { group in
            ends[group].map { (group: group, place: axis.fraction($0)) }
        }.sorted { ($0.place, $0.group) < ($1.place, $1.group) }
        let line = 17.0 / Double(legend.height) * 1.6
        var clusters: [(place: Double, groups: [Int])] = []
        for (group, place) in grey {
            if let last = clusters.last, place - last.place < line {
                clusters[clusters.count - 1].groups.append(group)
            } else {
                clusters.append((place, [group]))
            }
        }
        return clusters.map { cluster in
            let members = cluster.groups.map { groups[$0].members.count }
            let count = members.reduce(0, +)
            let first = groups[cluster.groups[0]].label
            let text = count > 1 ? "\(count) caches" : first
            let short =
                TextGrid.width(text) > Self.nameColumns
                ? TextGrid.prefix(text, width: Self.nameColumns - 1) + "…" : text
            return "set label \(GnuplotText.quoted(short)) left at graph 1.01, graph "
                + "\(GnuplotText.number(cluster.place)) textcolor rgb '#777777'"
        }
    }
}
