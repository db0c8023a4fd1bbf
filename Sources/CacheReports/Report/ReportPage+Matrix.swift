import Basics
import ResultColumns
import Runs

extension ReportPage {
    /// The most caches of the matrix, beside those that the conclusions name.
    private static let mostRows = 24

    /// What the page shows first: the figure that a person notices, by cache and session, the least mean first.
    var overview: [Document.Block] {
        if let fleet { return fleet.overview }
        guard let matrix = BlankMatrix(self) else { return [] }
        let all = matrix.rows
        let named = Set(conclusions.flatMap(\.caches))
        let shown = all.enumerated().filter { $0.offset < Self.mostRows || named.contains($0.element.cache) }
        let tolerance = results.relevanceThreshold.text(.ratio)
        var about = "Framed: the best of its column, and what ties with it, within \(tolerance)."
        if shown.count < all.count {
            about += """
                 The first \(Self.mostRows) caches by the mean are here, and those that the conclusions name. The \
                tables of the sessions have all \(all.count).
                """
        }
        let title = matrix.title(inputs.count > 1)
        return [
            .section(
                title, id: "overview",
                [
                    .matrix(matrix.table(shown.map(\.element), title)),
                    .sentences(["\(about) A cell leads to its session and cache."], as: .remark),
                ])
        ]
    }
}

/// One share by cache and place, with the sizes that it costs.
private struct BlankMatrix {
    struct Row {
        var cache: String
        /// By place; nil without runs.
        var groups: [RunGroup?]
        /// nil if a place has no figure.
        var mean: Double?
    }

    /// A column of sizes.
    private struct Size {
        var title: String
        /// The place whose colour the bars have.
        var place: String
        var metric: String
        /// Whether the figures of places are added; otherwise the largest counts.
        var isSum = false
    }

    private let page: ReportPage
    private let caches: ComparedCaches
    private let places: [String]
    /// The caches in order.
    let rows: [Row]
    /// By place: the best runs among the caches that an answer can name; nil without any.
    private let best: [RunGroup?]
    private let allowed: Set<RunGroup.Key>

    private static let sizes = [
        Size(title: "peak memory", place: "memory", metric: "memory_peak_bytes"),
        Size(title: "peak disk", place: "disk", metric: "disk_peak_bytes"),
        Size(title: "fetched", place: "network", metric: "origin_bytes", isSum: true),
    ]

    /// - Returns: nil without figures.
    init?(_ page: ReportPage) {
        let caches = ComparedCaches(page.groups, page.results.relevanceThreshold, page.results.budgets)
        let metric = caches.measure.metric
        guard page.groups.contains(where: { $0.median(metric) != nil }) else { return nil }
        let places = page.inputs.map(\.place)
        let allowed = Set(caches.variants.flatMap { $0.models.joined() }.map(\.key))
        self.page = page
        (self.caches, self.places, self.allowed) = (caches, places, allowed)
        best = places.map { place in
            page.groups.filter { $0.key.place == place && allowed.contains($0.key) }.min(by: caches.isBetter)
        }
        let byCache = Dictionary(grouping: page.groups, by: \.key.cache)
        let all = page.results.groups.map(\.key.cache).unique().map { cache -> Row in
            let groups = places.map { place in byCache[cache]?.first { $0.key.place == place } }
            let values = groups.compactMap { $0?.median(metric) }
            let mean = values.count == places.count ? values.reduce(0, +) / Double(values.count) : nil
            return Row(cache: cache, groups: groups, mean: mean)
        }
        let polarity = caches.measure.isHigherBetter ? Polarity.higherIsBetter : .lowerIsBetter
        rows = ResultOrder.standard.ordered(all, by: \.cache, polarity) { row -> ResultOrder.Figure? in
            row.mean.map { ($0, HumanText.share($0)) }
        }
    }

    /// - Parameter hasSeveral: Whether there are several places.
    func title(_ hasSeveral: Bool) -> String {
        let noun = caches.measure.noun
        let place = !hasSeveral ? "" : caches.noun == "networks" ? " and network" : " and session"
        return "\(noun.prefix(1).uppercased() + noun.dropFirst()) by cache\(place)"
    }

    func table(_ rows: [Row], _ title: String) -> Document.Matrix {
        let measure = caches.measure
        // The names of the tables of sessions.
        let names = ShortNames(page.groups.map(\.key.cache), limit: ReportPage.nameLimit)
        let sizes = Self.sizes.filter { size in rows.contains { amount($0, size) ?? 0 > 0 } }
        let hasMean = places.count > 1
        var columns = page.inputs.enumerated().map { index, input in
            Document.Matrix.Column(
                title: "\(link: input.place, to: "t\(index + 1)")", about: page.sessionTitle(of: input), kind: .share)
        }
        if hasMean { columns.append(Document.Matrix.Column(title: "mean", kind: .plain)) }
        columns += sizes.map { size in
            let about = !hasMean ? "" : size.isSum ? "in all sessions" : "at most"
            return Document.Matrix.Column(
                title: RichText(size.title), about: about, meaning: SummaryColumns[size.metric]?.sentence ?? "",
                kind: .bar(size.place))
        }
        let cells = rows.map { row -> Document.Matrix.Row in
            let mean = Document.Matrix.Cell(text: RichText(row.mean.map(HumanText.share) ?? "–"), value: row.mean)
            let bars = sizes.map { size -> Document.Matrix.Cell in
                let amount = amount(row, size)
                return Document.Matrix.Cell(text: RichText(amount.map(HumanText.bytes) ?? "–"), value: amount)
            }
            return Document.Matrix.Row(
                head: "\(link: names[row.cache], to: page.anchor(of: row.cache))",
                cells: places.indices.map { cell(row, $0) } + (hasMean ? [mean] : []) + bars)
        }
        return Document.Matrix(
            caption: title, corner: "\(measure.noun), % of \(measure.whole)",
            meaning: SummaryColumns[measure.metric]?.sentence ?? "", columns: columns, rows: cells,
            isHigherBetter: measure.isHigherBetter, tolerance: page.results.relevanceThreshold)
    }

    private func cell(_ row: Row, _ place: Int) -> Document.Matrix.Cell {
        guard let group = row.groups[place], let value = group.median(caches.measure.metric) else {
            return Document.Matrix.Cell(text: "–")
        }
        let ties = best[place].map { caches.ties(group, $0) } ?? false
        return Document.Matrix.Cell(
            text: "\(link: HumanText.share(value), to: page.rows[group.key] ?? "")", value: value,
            isFramed: rows.count > 1 && allowed.contains(group.key) && ties)
    }

    /// Returns the largest size of a cache at any place, or the sum over the places; nil if a place has none.
    private func amount(_ row: Row, _ size: Size) -> Double? {
        let values = row.groups.compactMap { $0?.median(size.metric) }
        guard values.count == places.count else { return nil }
        return size.isSum ? values.reduce(0, +) : values.max()
    }
}
