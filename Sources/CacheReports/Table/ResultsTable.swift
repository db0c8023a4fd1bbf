import Basics
import ReplayEngine
import ResultColumns
import Runs

/// The table of a replay's results: for each trace and network, one row per cache with the medians of its repeats.
public enum ResultsTable {
    struct Entry: Sendable {
        var title: String
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
        let hasExcess = groups.contains(where: exceedsDevice)
        let notes =
            meanings + (isModelled ? [meaningOfModelled] : []) + (hasHitches ? [meaningOfHitches] : [])
            + (hasExcess ? [meaningOfExcess] : [])
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

    private static let meaningOfExcess =
        "peak mem, !: images take up more than the physical memory of the device, so the system ends the app before."

    /// Whether images take up more than the physical memory of the device that the cache's preset assumes.
    private static func exceedsDevice(_ group: RunGroup) -> Bool {
        guard let device = group.median("device_memory_bytes") else { return false }
        return ["memory_peak_bytes", "image_memory_peak_bytes"].contains { group.median($0) ?? 0 > device }
    }

    private static func heading(_ place: String, _ groups: [RunGroup]) -> String {
        ([VisibleText.printable(place)] + settings(groups)).joined(separator: " · ")
    }

    /// Returns the common facts of a trace's rows: the requests, the repeats, and the settings of their runs.
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
        parts.append(settings("timing").map(BasisWords.durations).joined(separator: " and "))
        parts.append(settings("network").map(BasisWords.network).joined(separator: " and "))
        parts.removeAll(where: \.isEmpty)
        let injected = groups.compactMap(\.injected).unique()
        if !injected.isEmpty { parts.append("injected: \(injected.joined(separator: " and "))") }
        return parts
    }

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
    private static let peakMemory: Entry = {
        var entry = figure("peak mem", "memory_peak_bytes")
        entry.text = { group in
            group.median("memory_peak_bytes").map { HumanText.bytes($0) + (exceedsDevice(group) ? "!" : "") }
        }
        return entry
    }()

    /// The figures that have a column only if a row exceeds a bound. The column follows the column `after`.
    private static let exceptions: [(entry: Entry, metric: String, bound: Double, after: String)] = [
        (wrong, "wrong", 0, "shown"),
        (figure("hitches", hitches), hitches, 0, "blank"),
        (figure("damaged", "damaged_files"), "damaged_files", 0, "disk"),
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
        peakMemory,
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

/// Names in a width, each still different from the others.
struct ShortNames {
    /// The printed text of each full name.
    private var shortened: [String: String] = [:]
    /// A line `[1] full name` for every name that is not printed in full.
    private(set) var explanations: [String] = []

    /// Keeps names of at most `limit` columns. Others lose the words with which all of them begin, then their middle,
    /// and get a number: `…lru(64MB)…00MB) [1]`.
    ///
    /// - Parameter count: The names that have numbers already.
    init(_ names: [String], limit: Int, after count: Int = 0) {
        let printed = names.unique().map { (name: $0, text: VisibleText.printable($0)) }
        let start = Self.commonWords(printed.map(\.text).filter { TextGrid.width($0) > limit })
        for (name, text) in printed {
            guard TextGrid.width(text) > limit else {
                shortened[name] = text
                continue
            }
            let mark = "[\(count + explanations.count + 1)]"
            let own = start == 0 ? text : "…\(text.dropFirst(start))"
            shortened[name] = TextGrid.withoutMiddle(own, width: limit - TextGrid.width(mark) - 1) + " \(mark)"
            explanations.append("\(mark) \(text)")
        }
    }

    subscript(name: String) -> String { shortened[name] ?? VisibleText.printable(name) }

    /// Returns the number of characters in the words with which several names begin.
    private static func commonWords(_ names: [String]) -> Int {
        guard let first = names.first, names.count > 1 else { return 0 }
        let common = names.dropFirst().reduce(first) { common, name in
            String(zip(common, name).prefix { $0 == $1 }.map(\.0))
        }
        return common.lastIndex(of: " ").map { common.distance(from: common.startIndex, to: $0) + 1 } ?? 0
    }
}

extension ResultsTable {
    /// Returns the places of the rows with the best figures, for each column.
    ///
    /// Only rows whose blank time ties with the least one can be best: a cache that shows little would be best in bytes
    /// or in the time of what it shows.
    static func best(_ entries: [Entry], _ groups: [RunGroup], _ relevanceThreshold: Tolerance) -> [Set<Int>] {
        let rivals = rivals(groups, relevanceThreshold)
        return entries.map { best($0, groups, among: rivals, relevanceThreshold) }
    }

    /// Returns the places of the rows whose blank time ties with the least one. All rows, if none has a blank time.
    private static func rivals(_ groups: [RunGroup], _ relevanceThreshold: Tolerance) -> [Int] {
        let known = groups.indices.compactMap { row in groups[row].median("blank_ratio").map { (row, $0) } }
        guard let best = known.min(by: { $0.1 < $1.1 })?.0 else { return Array(groups.indices) }
        return known.map(\.0).filter {
            groups[$0].ties(with: groups[best], "blank_ratio", .ratio, relevanceThreshold)
        }
    }

    /// Returns the places of the rows with the best figure of a column; none if no direction is better, or if more than
    /// half of the rows have it. Figures that read the same, or differ by no more than `Tolerance`, are equally good.
    /// A rival without others is marked where it is the best of all rows.
    private static func best(
        _ entry: Entry, _ groups: [RunGroup], among rivals: [Int], _ relevanceThreshold: Tolerance
    ) -> Set<Int> {
        func figures(_ rows: some Sequence<Int>) -> [(row: Int, value: Double)] {
            rows.compactMap { row in entry.value(groups[row]).map { (row, $0) } }
        }
        let known = figures(rivals.count > 1 ? rivals : Array(groups.indices))
        let best =
            switch entry.polarity {
            case .higherIsBetter: known.max { $0.value < $1.value }
            case .lowerIsBetter: known.min { $0.value < $1.value }
            case .neutral: nil as (row: Int, value: Double)?
            }
        guard let best else { return [] }
        func ties(_ row: Int, _ value: Double) -> Bool {
            relevanceThreshold.ties(value, best.value, entry.unit)
                || entry.text(groups[row]) == entry.text(groups[best.row])
        }
        guard figures(groups.indices).count(where: { ties($0.row, $0.value) }) * 2 <= groups.count else { return [] }
        return Set(known.filter { ties($0.row, $0.value) }.map(\.row)).intersection(rivals)
    }
}
