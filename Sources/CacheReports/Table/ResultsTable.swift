import Basics
import ReplayEngine
import Runs

/// The table of a replay's results: for each trace and network, one row per cache with the medians of its repeats.
public enum ResultsTable {
    /// One column.
    struct Entry: Sendable {
        var title: String
        /// The meaning in a sentence.
        var meaning: String
        var unit: Unit
        var polarity = Polarity.neutral
        /// Returns the figure of a row, or nil when there is none.
        var value: @Sendable (RunGroup) -> Double? = { _ in nil }
        /// Returns the text of a row, or nil for a dash.
        var text: @Sendable (RunGroup) -> String?
    }

    /// Returns the conclusions, the tables, and the notes as an appendix.
    ///
    /// - Parameters:
    ///   - results: The figures of all runs.
    ///   - order: The order of the rows.
    ///   - onlyTables: Whether to leave out conclusions and notes.
    ///   - showsNotes: Whether the notes follow the tables. The meaning of numbers in brackets is always shown.
    ///   - trace: The trace whose table is shown; nil for all. Conclusions are about all traces.
    package static func document(
        _ results: ResultSet, by order: ResultOrder = .standard, onlyTables: Bool = false,
        notes showsNotes: Bool = true, of trace: String? = nil
    ) -> Document {
        let groups = results.groups
        let names = ShortNames(groups.map(name), limit: nameLimit)
        let shown = groups.filter { trace == nil || $0.key.trace == trace }
        let tables = shown.map(\.key.place).unique().map { place in
            table(place, order.ordered(shown.filter { $0.key.place == place }), names, results.relevanceThreshold)
        }
        let isModelled = groups.contains { $0.settings("timing").contains { $0.hasPrefix("modelled") } }
        let hasHitches = groups.contains { $0.median(hitches) ?? 0 > 0 }
        let notes =
            meanings + (isModelled ? [meaningOfModelled] : []) + (hasHitches ? [meaningOfHitches] : [])
            + results.notes.map { "\($0.group): \(VisibleText.printable($0.text))" }
        return Document.results(
            onlyTables ? [] : results.conclusions, tables,
            notes: onlyTables ? [] : names.explanations + (showsNotes ? notes : []),
            areTitled: showsNotes && !onlyTables)
    }

    private static let meanings = [
        "≤100ms: requests shown within 100 ms. blank: share of the visible time without an image. memory, disk: hits.",
        "shown: requests whose image came while the cell was visible. evicted: objects that left to make room.",
        "p50, p99: half and 99% of the shown images came within this time. Other requests count in blank alone.",
    ]

    private static let meaningOfModelled =
        "modelled durations: a cost model says how long disk and decoding take, so every machine prints these figures."

    private static let meaningOfHitches =
        "hitches: delay of frames at 60 Hz by work for images, in each second of scrolling. 10 ms/s is critical."

    private static func heading(_ place: String, _ groups: [RunGroup]) -> String {
        ([VisibleText.printable(place)] + settings(groups)).joined(separator: " · ")
    }

    /// Returns what the rows of a trace have in common: the requests, the repeats, and the settings of their runs.
    static func settings(_ groups: [RunGroup]) -> [String] {
        let repeats = Set(groups.map(\.runs.count)).sorted()
        var parts: [String] = []
        if let requests = commonRequests(groups) { parts.append("\(HumanText.count(requests)) requests") }
        if repeats != [1] {
            let range = repeats.count == 1 ? "\(repeats[0])" : "\(repeats.first ?? 0) to \(repeats.last ?? 0)"
            parts.append("medians of \(range) repeats")
        }
        func settings(_ name: String) -> [String] {
            groups.reduce(into: Set<String>()) { $0.formUnion($1.settings(name)) }.filter { !$0.isEmpty }.sorted()
        }
        let clock = settings("clock").contains("wall") ? "wall" : "virtual"
        parts.append(
            settings("timing").map { BasisWords.durations($0, clock: clock) }.joined(separator: " and "))
        parts.append(settings("network").map(BasisWords.network).joined(separator: " and "))
        parts.removeAll(where: \.isEmpty)
        let injected = groups.compactMap(\.injected).unique()
        if !injected.isEmpty { parts.append("injected: \(injected.joined(separator: " and "))") }
        return parts
    }

    /// - Parameter groups: In the order of the rows.
    private static func table(
        _ place: String, _ groups: [RunGroup], _ names: ShortNames, _ relevanceThreshold: Tolerance
    ) -> Document.Table {
        let entries = entries(for: groups)
        let best = best(entries, groups, relevanceThreshold)
        let rows = groups.indices.map { row -> [Document.Table.Cell] in
            let group = groups[row]
            let figures = zip(entries, best).map { entry, best in
                Document.Table.Cell(
                    text: RichText(entry.text(group) ?? "–"), isBest: best.contains(row),
                    isWrong: entry.title == wrong.title && group.showsWrongPictures)
            }
            return [Document.Table.Cell(text: RichText(names[name(group)]))] + figures
        }
        return Document.Table(
            caption: heading(place, groups), headings: [.text("cache")] + entries.map { .figure($0.title) }, rows: rows,
            dispensable: ["evicted", "p50", "p99", "holds", "shown", "fetched", "disk", "memory"])
    }

    /// Returns the columns of a trace's rows.
    static func entries(for groups: [RunGroup]) -> [Entry] {
        // All caches of a trace have the same requests, which the heading gives. A column is the exception.
        var entries = commonRequests(groups) == nil ? [requests] + entries : entries
        func insert(_ entry: Entry, after title: String) {
            entries.insert(entry, at: (entries.firstIndex { $0.title == title } ?? entries.count - 1) + 1)
        }
        if groups.contains(where: { swept($0) != nil }) {
            entries.insert(sweptValue, at: 0)
        }
        if Set(groups.map { $0.settings("holds") }).count > 1 { insert(holds, after: "peak mem") }
        for (entry, metric, bound, place) in exceptions
        where groups.contains(where: { $0.median(metric) ?? 0 > bound }) { insert(entry, after: place) }
        return entries
    }

    /// The values that a sweep has set, or nil.
    private static func swept(_ group: RunGroup) -> String? {
        group.settings("swept").first.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The name of the cache. Swept values have a column of their own, so the name has none.
    static func name(_ group: RunGroup) -> String {
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

    private static let sweptValue = Entry(
        title: "swept", meaning: "The values that the sweep has set.", unit: .text,
        value: { $0.settings("swept_value").first.flatMap(Double.init) },
        text: { swept($0).map(VisibleText.printable) })
    private static let holds = Entry(
        title: "holds", meaning: "What memory holds: decoded bitmaps, or the encoded bytes of responses.", unit: .text
    ) { $0.settings("holds").sorted().joined(separator: "/") }
    private static let wrong = share("wrong", "wrong")
    private static let hitches = "hitch_60hz_ms_per_s"
    private static let requests = figure("requests", "requests")

    /// The figures of which a column is shown only if a row has more than a bound, each behind another column.
    private static let exceptions: [(entry: Entry, metric: String, bound: Double, after: String)] = [
        (wrong, "wrong", 0, "shown"),
        (figure("hitches", hitches), hitches, 0, "blank"),
        (figure("damaged", "damaged_files"), "damaged_files", 0, "disk"),
        (figure("late events", "lag_ratio"), "lag_ratio", ClockLag.mostLate, "evicted"),
    ]

    /// The columns of figures, with those that only some tables have.
    static let columns = entries + [requests] + exceptions.map(\.entry)

    /// Returns the column of a title, or of a metric of `summary.csv`; nil for another name.
    static func column(named name: String) -> Entry? {
        columns.first { $0.title == name } ?? SummaryColumns[name].map { figure($0.name, $0.name) }
    }

    private static let entries: [Entry] = [
        figure("≤100ms", "shown_100ms_ratio"),
        figure("blank", "blank_ratio"),
        figure("fetched", "origin_bytes"),
        figure("peak mem", "memory_peak_bytes"),
        figure("shown", "shown_ratio"),
        share("memory", "memory_hits"),
        share("disk", "disk_hits"),
        figure("p50", "latency_p50_us"),
        figure("p99", "latency_p99_us"),
        Entry(
            title: "evicted", meaning: "Objects that memory and disk evict for lack of room.", unit: .count,
            value: evicted
        ) { evicted($0).map(HumanText.count) },
    ]

    @Sendable private static func evicted(_ group: RunGroup) -> Double? {
        guard let memory = group.median("memory_evictions"), let disk = group.median("disk_evictions") else {
            return nil
        }
        return memory + disk
    }

    /// Returns a column of a metric of `summary.csv`.
    private static func figure(_ title: String, _ metric: String) -> Entry {
        let column = SummaryColumns[metric]
        let unit = column?.unit ?? .count
        return Entry(
            title: title, meaning: column?.sentence ?? "", unit: unit, polarity: column?.polarity ?? .neutral,
            value: { $0.median(metric) },
            text: { $0.median(metric).map { unit == .ratio ? HumanText.share($0) : HumanText.figure($0, unit) } })
    }

    /// Returns a column of a count per request.
    private static func share(_ title: String, _ metric: String) -> Entry {
        let column = SummaryColumns[metric]
        let value: @Sendable (RunGroup) -> Double? = { group in
            guard let part = group.median(metric), let whole = group.median("requests"), whole > 0 else { return nil }
            return part / whole
        }
        return Entry(
            title: title, meaning: column?.sentence ?? "", unit: .ratio, polarity: column?.polarity ?? .neutral,
            value: value, text: { value($0).map(HumanText.share) })
    }
}

extension ResultsTable {
    /// Returns the same rows as JSON, with the median of every metric of `summary.csv`, or null where there is no
    /// figure.
    public static func json(_ results: ResultSet) -> String {
        let groups = results.groups.map { group -> JSONValue in
            let names: [(String, JSONValue)] = [
                ("trace", .string(group.key.trace)), ("cache", .string(group.key.cache)),
                ("repeats", .number(String(group.runs.count))),
            ].inserting(network: group.key.network)
            let metrics = SummaryColumns.metrics.map { ($0.name, JSONValue.figure(group.median($0.name), $0.unit)) }
            return .object(names + metrics)
        }
        let conclusions = results.conclusions.map { conclusion in
            JSONValue.object([
                ("subject", .string(conclusion.subject.rawValue)), ("text", .string(conclusion.text)),
                ("evidence", .array(conclusion.evidence.map(evidence))),
            ])
        }
        let notes = results.notes.map { JSONValue.object([("group", .string($0.group)), ("text", .string($0.text))]) }
        return JSONValue.object([
            ("conclusions", .array(conclusions)), ("results", .array(groups)), ("notes", .array(notes)),
        ]).text(.indented) + "\n"
    }

    private static func evidence(_ evidence: Finding.Evidence) -> JSONValue {
        let unit = SummaryColumns[evidence.metric]?.unit ?? .count
        return .object(
            [
                ("trace", .string(evidence.trace)), ("cache", .string(evidence.cache)),
                ("metric", .string(evidence.metric)), ("value", .figure(evidence.value, unit)),
            ].inserting(network: evidence.network))
    }
}

extension [(String, JSONValue)] {
    /// Returns members that begin with `trace`, with the member `network` after it if there is a network to name.
    func inserting(network: String?) -> [(String, JSONValue)] {
        guard let network else { return self }
        return prefix(1) + [("network", .string(network))] + dropFirst()
    }
}
