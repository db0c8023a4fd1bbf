import ReplayEngine

/// The table of a replay's results: for each trace, one row per cache with the medians of its repeats.
public enum ResultsTable {
    private struct Entry: Sendable {
        var title: String
        /// Returns the text of a row, or nil for a dash.
        var text: @Sendable (RunGroup) -> String?
    }

    /// Returns the conclusions, the tables, and the notes as an appendix, with a line break at the end.
    ///
    /// - Parameters:
    ///   - onlyTables: Whether to leave out conclusions and notes.
    ///   - showsNotes: Whether the notes follow the tables. The meaning of numbers in brackets is always shown.
    ///   - trace: The trace whose table is shown; nil for all. Conclusions are about all traces.
    ///   - width: The widest line of a table, in columns; nil for any. Columns that do not fit are left out, the least
    ///     important ones first.
    public static func text(
        _ results: ResultSet, onlyTables: Bool = false, notes showsNotes: Bool = true, of trace: String? = nil,
        width: Int? = nil
    ) -> String {
        let (all, notes) = sections(results, width: width)
        let sections = all.filter { trace == nil || $0.trace == trace }
        guard !sections.isEmpty else { return "No results.\n" }
        let tables = sections.map { TextGrid.wrapped($0.heading, width: width) + "\n" + $0.grid.plain() + "\n" }
            .joined()
        guard !onlyTables else { return tables }
        func line(_ text: String) -> String { TextGrid.wrapped(text, width: width, indent: "  ") + "\n" }
        let conclusions = results.conclusions.map { line("* " + ShortNames.printable($0.text)) }.joined()
        let shown = showsNotes ? notes : notes.filter { $0.hasPrefix("[") }
        let appendix = shown.map(line).joined()
        return conclusions + (conclusions.isEmpty ? "" : "\n") + tables + (showsNotes ? "Notes\n" : "") + appendix
    }

    /// Returns one table per trace, and the notes below them.
    static func sections(_ results: ResultSet, width: Int? = nil) -> (
        tables: [(trace: String, heading: String, grid: TextGrid)], notes: [String]
    ) {
        let groups = results.groups
        let names = ShortNames(groups.map(name), limit: nameLimit)
        let tables = groups.map(\.key.trace).unique().map { trace in
            let groups = groups.filter { $0.key.trace == trace }
            return (trace, heading(trace, groups), fitted(grid(groups, names), to: width))
        }
        return (
            tables,
            names.explanations + [meaning] + results.notes.map { "\($0.group): \(ShortNames.printable($0.text))" }
        )
    }

    private static let meaning =
        """
        ≤100ms: requests shown within 100 ms. blank: share of the visible time without an image. memory, disk: hits.
        p50, p99: time to image of shown images.
        """

    private static func heading(_ trace: String, _ groups: [RunGroup]) -> String {
        let repeats = Set(groups.map(\.runs.count)).sorted()
        var parts = [ShortNames.printable(trace)]
        if let requests = commonRequests(groups) { parts.append("\(HumanText.count(requests)) requests") }
        if repeats != [1] {
            let range = repeats.count == 1 ? "\(repeats[0])" : "\(repeats.first ?? 0) to \(repeats.last ?? 0)"
            parts.append("medians of \(range) repeats")
        }
        let settings = ["clock", "timing", "network"].map { name in
            groups.reduce(into: Set<String>()) { $0.formUnion($1.settings(name)) }.sorted().joined(separator: " and ")
        }
        parts.append(
            "\(settings[0]) clock, \(settings[1]) timing, \(settings[2] == "none" ? "no" : settings[2]) network")
        return parts.joined(separator: " · ")
    }

    /// The columns that a narrow table leaves out, the first one first.
    private static let dispensable = ["evicted", "p50", "p99", "holds", "shown", "fetched", "disk", "memory"]

    /// Returns the grid without the columns for which there is no room.
    private static func fitted(_ grid: TextGrid, to width: Int?) -> TextGrid {
        guard let width else { return grid }
        var grid = grid
        for title in dispensable where grid.plainWidth > width {
            guard let column = grid.headings.firstIndex(where: { $0.title == title }) else { continue }
            grid.headings.remove(at: column)
            for row in grid.rows.indices { grid.rows[row].remove(at: column) }
        }
        return grid
    }

    private static func grid(_ groups: [RunGroup], _ names: ShortNames) -> TextGrid {
        // All caches of a trace have the same requests, which the heading gives. A column is the exception.
        var entries = commonRequests(groups) == nil ? [requests] + entries : entries
        func insert(_ entry: Entry, after title: String) {
            entries.insert(entry, at: (entries.firstIndex { $0.title == title } ?? entries.count - 1) + 1)
        }
        if groups.contains(where: { swept($0) != nil }) {
            entries.insert(Entry(title: "swept") { swept($0).map(ShortNames.printable) }, at: 0)
        }
        if Set(groups.map { $0.settings("holds") }).count > 1 { insert(holds, after: "peak mem") }
        if groups.contains(where: { $0.median("wrong") ?? 0 > 0 }) { insert(wrong, after: "shown") }
        if groups.contains(where: { $0.median("damaged_files") ?? 0 > 0 }) { insert(damaged, after: "disk") }
        if groups.contains(where: { $0.median("lag_ratio") ?? 0 > ClockLag.mostLate }) { insert(lag, after: "evicted") }
        var grid = TextGrid(
            headings: [.init(title: "cache", alignment: .left)] + entries.map { .init(title: $0.title) })
        grid.rows = groups.map { group in [names[name(group)]] + entries.map { $0.text(group) ?? "–" } }
        return grid
    }

    /// The values that a sweep has set, or nil.
    private static func swept(_ group: RunGroup) -> String? {
        group.settings("swept").first.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The name of the cache. Swept values have a column of their own, so the name has none.
    private static func name(_ group: RunGroup) -> String {
        guard let swept = swept(group), let base = group.settings("base_cache").first else { return group.key.cache }
        let values = swept.split(separator: "; ").joined(separator: " ")
        return base + group.key.cache.dropFirst("\(base) \(values)".count)
    }

    /// The longest name in columns, so that a line with ordinary figures has at most 120 columns.
    private static let nameLimit = 24

    private static func commonRequests(_ groups: [RunGroup]) -> Double? {
        let counts = Set(groups.map { $0.median("requests") })
        return counts.count == 1 ? counts.first ?? nil : nil
    }

    private static let holds = Entry(title: "holds") { $0.settings("holds").sorted().joined(separator: "/") }
    private static let wrong = Entry(title: "wrong") { share("wrong", of: $0) }
    private static let damaged = Entry(title: "damaged") { $0.median("damaged_files").map(HumanText.count) }
    private static let lag = Entry(title: "late events") { $0.median("lag_ratio").map(HumanText.share) }
    private static let requests = Entry(title: "requests") { $0.median("requests").map(HumanText.count) }

    private static let entries: [Entry] = [
        Entry(title: "≤100ms") { $0.median("shown_100ms_ratio").map(HumanText.share) },
        Entry(title: "blank") { $0.median("blank_ratio").map(HumanText.share) },
        Entry(title: "fetched") { $0.median("origin_bytes").map(HumanText.bytes) },
        Entry(title: "peak mem") { $0.median("memory_peak_bytes").map(HumanText.bytes) },
        Entry(title: "shown") { $0.median("shown_ratio").map(HumanText.share) },
        Entry(title: "memory") { share("memory_hits", of: $0) },
        Entry(title: "disk") { share("disk_hits", of: $0) },
        Entry(title: "p50") { $0.median("latency_p50_us").map(HumanText.microseconds) },
        Entry(title: "p99") { $0.median("latency_p99_us").map(HumanText.microseconds) },
        Entry(title: "evicted") { group in
            guard let memory = group.median("memory_evictions"), let disk = group.median("disk_evictions") else {
                return nil
            }
            return HumanText.count(memory + disk)
        },
    ]

    private static func share(_ metric: String, of group: RunGroup) -> String? {
        guard let part = group.median(metric), let whole = group.median("requests"), whole > 0 else { return nil }
        return HumanText.share(part / whole)
    }
}

extension ResultsTable {
    /// Returns the same rows as JSON, with the median of every metric of `summary.csv`, or null where there is no
    /// figure.
    public static func json(_ results: ResultSet) -> String {
        let groups = results.groups.map { group -> JSONText in
            let names: [(String, JSONText)] = [
                ("trace", .string(group.key.trace)), ("cache", .string(group.key.cache)),
                ("repeats", .number(String(group.runs.count))),
            ]
            let metrics = SummaryColumns.metrics.map { ($0.name, JSONText.figure(group.median($0.name), $0.unit)) }
            return .object(names + metrics)
        }
        let conclusions = results.conclusions.map { conclusion in
            JSONText.object([
                ("subject", .string(conclusion.subject.rawValue)), ("text", .string(conclusion.text)),
                ("evidence", .array(conclusion.evidence.map(evidence))),
            ])
        }
        let notes = results.notes.map { JSONText.object([("group", .string($0.group)), ("text", .string($0.text))]) }
        return JSONText.object([
            ("conclusions", .array(conclusions)), ("results", .array(groups)), ("notes", .array(notes)),
        ]).rendered() + "\n"
    }

    private static func evidence(_ evidence: Conclusion.Evidence) -> JSONText {
        let unit = SummaryColumns.metrics.first { $0.name == evidence.metric }?.unit ?? .count
        return .object([
            ("trace", .string(evidence.trace)), ("cache", .string(evidence.cache)),
            ("metric", .string(evidence.metric)), ("value", .figure(evidence.value, unit)),
        ])
    }
}
