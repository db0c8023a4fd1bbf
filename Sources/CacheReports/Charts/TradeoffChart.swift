import ReplayEngine

/// Blank time against peak memory: further down and left is better.
///
/// Each label is nearest to its own point. Caches whose points are too close for that share one label, such as
/// `7 caches [1]`, and a line below the chart names them.
enum TradeoffChart {
    private static let frame = PlotFrame(
        left: 110, right: 60, top: 70, bottom: 90, width: ChartContent.width, height: 680)
    private static let labelLimit = 30
    /// The distance in pixels within which points share a label from the start.
    private static let closest = 9.0

    struct Spot {
        var name: String
        var memory: Double
        /// The share of the visible time of cells without an image.
        var blank: Double
        var place: PlotFrame.Place
    }

    /// The caches that share a label.
    struct Group {
        var spots: [Spot]
        /// Whether the label is only a number, because the name has no room.
        var isNumbered = false
    }

    /// The groups with their labels, each in its place.
    struct Layout {
        var groups: [Group]
        var texts: [String]
        var explanations: [String]
        var placement: LabelPlacement
        var boxes: [LabelBox]
    }

    static func content(_ input: ChartInput) -> ChartContent {
        let figures = input.caches.compactMap { cache -> (name: String, memory: Double, blank: Double)? in
            guard let memory = cache.median({ Double($0.tiers.memoryPeakBytes) }),
                let blank = cache.median({
                    $0.blank.visibleTime > 0 ? $0.blank.blankTime / $0.blank.visibleTime : nil
                })
            else { return nil }
            return (cache.name, memory, blank)
        }
        let x = memoryAxis(figures.map(\.memory))
        let y = blankAxis(figures.map(\.blank))
        let layout = layout(
            figures.map {
                let place = frame.place(x.fraction($0.memory), y.fraction($0.blank))
                return Spot(name: $0.name, memory: $0.memory, blank: $0.blank, place: place)
            })
        let legend = explained(layout.explanations)
        return ChartContent(
            title: "Blank time against peak memory · \(input.trace)", height: frame.height + legend.height,
            settings: frame.settings(extra: legend.height) + x.settings("x") + y.settings("y") + [
                "set xlabel 'peak of the memory tier\(x.isLogarithmic ? " (logarithmic)" : "")'",
                "set ylabel 'share of visible time without an image' offset -1.5",
                "unset key",
            ] + labels(layout, extra: legend.height) + legend.settings,
            plots: layout.groups.indices.map {
                "$data using ($1 == \($0 + 1) ? $2 : NaN):3 with points \(ChartStyle.point($0)) notitle"
            },
            columns: ["series", "memory_peak_bytes", "blank_ratio", "cache"],
            rows: layout.groups.enumerated().flatMap { index, group in
                group.spots.map {
                    [
                        "\(index + 1)", Unit.bytes.written(.real($0.memory)), Unit.ratio.written(.real($0.blank)),
                        ShortNames.printable($0.name),
                    ]
                }
            })
    }

    /// Returns labels of which each is nearest to its own points, and covers nothing.
    ///
    /// A label without such a place becomes a number first. If that is not enough, its group joins the nearest one.
    static func layout(_ spots: [Spot]) -> Layout {
        var groups: [Group] = []
        for spot in spots {
            if let near = groups.firstIndex(where: { gap($0, Group(spots: [spot])) < closest }) {
                groups[near].spots.append(spot)
            } else {
                groups.append(Group(spots: [spot]))
            }
        }
        while true {
            let layout = placed(groups)
            let unclear = layout.placement.unclear(layout.boxes)
            if unclear.isEmpty || groups.count == 1 { return layout }
            // All of them at once: with many points, one at a time takes long.
            let named = unclear.filter { !groups[$0].isNumbered }
            if !named.isEmpty {
                for index in named { groups[index].isNumbered = true }
                continue
            }
            let index = unclear[0]
            let others = groups.indices.filter { $0 != index }
            guard let nearest = others.min(by: { gap(groups[$0], groups[index]) < gap(groups[$1], groups[index]) })
            else { return layout }
            groups[min(index, nearest)] = Group(
                spots: groups[min(index, nearest)].spots + groups[max(index, nearest)].spots)
            groups.remove(at: max(index, nearest))
        }
    }

    private static func placed(_ groups: [Group]) -> Layout {
        var explanations: [String] = []
        let texts = groups.map { group in
            let name = group.spots.map { ShortNames.printable($0.name) }.joined(separator: ", ")
            let isWhole = group.spots.count == 1 && !group.isNumbered && TextGrid.width(name) <= labelLimit
            if isWhole { return name }
            let mark = "[\(explanations.count + 1)]"
            explanations.append("\(mark) \(name)")
            if group.isNumbered { return mark }
            if group.spots.count > 1 { return "\(group.spots.count) caches \(mark)" }
            return "\(TextGrid.prefix(name, width: labelLimit - mark.count - 2))… \(mark)"
        }
        let placement = LabelPlacement(frame: frame, groups: groups.map { $0.spots.map(\.place) })
        return Layout(
            groups: groups, texts: texts, explanations: explanations, placement: placement,
            boxes: placement.place(texts))
    }

    /// Returns the least distance in pixels between points of two groups.
    private static func gap(_ one: Group, _ other: Group) -> Double {
        let distances = one.spots.flatMap { spot in
            let point = LabelBox(left: spot.place.x, top: spot.place.y, width: 0, height: 0)
            return other.spots.map { point.distance(to: $0.place) }
        }
        return distances.min() ?? .infinity
    }

    /// Returns an axis that is logarithmic if sizes differ by more than a factor of 20 and none is 0.
    private static func memoryAxis(_ values: [Double]) -> Axis {
        let least = values.min() ?? 0
        let most = values.max() ?? 1
        guard least > 0, most > 20 * least else {
            return .linear(from: 0, to: max(most, 1_000) * 1.05, label: HumanText.bytes)
        }
        return .logarithmic(from: least / 1.3, to: most * 1.3, label: HumanText.bytes)
    }

    /// Returns an axis from 0, or close to the data if it is far from 0, with a least height so that noise does not
    /// look large.
    private static func blankAxis(_ values: [Double]) -> Axis {
        let least = values.min() ?? 0
        let most = values.max() ?? 1
        let slack = max((most - least) * 0.1, most * 0.05, 0.001)
        let low = least < most / 2 ? 0 : max(0, least - slack)
        return .linear(from: low, to: most + slack) { HumanText.wholeShare($0) }
    }

    private static func labels(_ layout: Layout, extra: Int) -> [String] {
        zip(layout.texts, layout.boxes).enumerated().flatMap { index, label in
            let (text, box) = label
            let point = layout.placement.nearest(index, to: box)
            // The width is an estimate, so the side that faces the point is the anchor.
            let isLeft = box.left + box.width < point.x
            let anchor = frame.screen(isLeft ? box.left + box.width : box.left, box.middle, extra: extra)
            let line = "set label \(GnuplotText.quoted(text)) \(isLeft ? "right" : "left") at \(anchor)"
            guard let end = box.leader(from: point) else { return [line] }
            return [
                line,
                "set arrow from \(frame.screen(point.x, point.y, extra: extra)) "
                    + "to \(frame.screen(end.x, end.y, extra: extra)) nohead linewidth 1 linecolor rgb '#999999'",
            ]
        }
    }

    /// Returns the names behind numbered labels below the chart.
    private static func explained(_ lines: [String]) -> (height: Int, settings: [String]) {
        let wrapped = lines.flatMap { line in
            NameRows.wrap(line, at: 125, mostLines: 3).enumerated().map { $0 == 0 ? $1 : "      " + $1 }
        }
        let height = wrapped.isEmpty ? 0 : wrapped.count * 20 + 12
        let total = Double(frame.height + height)
        let settings = wrapped.enumerated().map { index, line in
            let y = (Double(height) - Double(index) * 20 - 12) / total
            return "set label \(GnuplotText.quoted(line)) left at screen 0.03, screen \(GnuplotText.number(y))"
        }
        return (height, settings)
    }
}
