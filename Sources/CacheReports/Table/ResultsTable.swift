/// Results as people read them first: per trace, one row per cache, the medians of its repeats.
public enum ResultsTable {
    private struct Entry: Sendable {
        var title: String
        /// nil: not shown as a figure, but a dash.
        var text: @Sendable (CellFigures) -> String?
    }

    /// Tables and notes, ready to print; ends in a line break.
    public static func text(_ results: ResultSet) -> String {
        let (sections, notes) = sections(results)
        guard !sections.isEmpty else { return "No results.\n" }
        return sections.map { $0.heading + "\n" + $0.grid.plain() + "\n" }.joined() + notes.map { $0 + "\n" }.joined()
    }

    /// One table per trace, and what is to be said below them.
    static func sections(_ results: ResultSet) -> (
        tables: [(trace: String, heading: String, grid: TextGrid)], notes: [String]
    ) {
        let cells = results.cells
        let names = ShortNames(cells.map(\.key.cache), limit: nameLimit)
        var traces: [String] = []
        for cell in cells where !traces.contains(cell.key.trace) { traces.append(cell.key.trace) }
        let tables = traces.map { trace in
            let cells = cells.filter { $0.key.trace == trace }
            return (trace, heading(trace, cells), grid(cells, names))
        }
        return (tables, names.explanations + [meaning] + results.notes.map { "Note: \(ShortNames.printable($0))" })
    }

    private static let meaning =
        "p50, p99: time to image. blank: share of the visible time without one. shared: coalesced with another's fetch."

    private static func heading(_ trace: String, _ cells: [CellFigures]) -> String {
        let repeats = Set(cells.map(\.runs.count)).sorted()
        var parts = [ShortNames.printable(trace)]
        if let requests = commonRequests(cells) { parts.append("\(HumanText.count(requests)) requests") }
        if repeats != [1] {
            let range = repeats.count == 1 ? "\(repeats[0])" : "\(repeats.first ?? 0) to \(repeats.last ?? 0)"
            parts.append("medians of \(range) repeats")
        }
        let settings = ["clock", "timing"].map { name in
            cells.reduce(into: Set<String>()) { $0.formUnion($1.settings(name)) }.sorted().joined(separator: " and ")
        }
        parts.append("\(settings[0]) clock, \(settings[1]) timing")
        return parts.joined(separator: " · ")
    }

    private static func grid(_ cells: [CellFigures], _ names: ShortNames) -> TextGrid {
        // A trace fixes its requests, so they stand in the heading; a column is only needed when that fails.
        let entries = commonRequests(cells) == nil ? [requests] + entries : entries
        var grid = TextGrid(
            headings: [.init(title: "cache", alignment: .left)] + entries.map { .init(title: $0.title) })
        grid.rows = cells.map { cell in [names[cell.key.cache]] + entries.map { $0.text(cell) ?? "–" } }
        return grid
    }

    /// Chosen so that with ordinary figures a line has at most 120 columns.
    private static let nameLimit = 24

    private static func commonRequests(_ cells: [CellFigures]) -> Double? {
        let counts = Set(cells.map { $0.median("requests") })
        return counts.count == 1 ? counts.first ?? nil : nil
    }

    private static let requests = Entry(title: "requests") { $0.median("requests").map(HumanText.count) }

    private static let entries: [Entry] = [
        Entry(title: "hits") { $0.median("hit_ratio").map(HumanText.share) },
        Entry(title: "memory") { share("memory_hits", of: $0) },
        Entry(title: "disk") { share("disk_hits", of: $0) },
        Entry(title: "origin") { share("origin_fetches", of: $0) },
        Entry(title: "shared") { share("coalesced", of: $0) },
        Entry(title: "p50") { $0.median("latency_p50_us").map(HumanText.microseconds) },
        Entry(title: "p99") { $0.median("latency_p99_us").map(HumanText.microseconds) },
        Entry(title: "blank") { $0.median("blank_ratio").map(HumanText.share) },
        Entry(title: "fetched") { $0.median("origin_bytes").map(HumanText.bytes) },
        Entry(title: "peak mem") { $0.median("memory_peak_bytes").map(HumanText.bytes) },
        Entry(title: "evicted") { cell in
            guard let memory = cell.median("memory_evictions"), let disk = cell.median("disk_evictions") else {
                return nil
            }
            return HumanText.count(memory + disk)
        },
    ]

    private static func share(_ metric: String, of cell: CellFigures) -> String? {
        guard let part = cell.median(metric), let whole = cell.median("requests"), whole > 0 else { return nil }
        return HumanText.share(part / whole)
    }
}
