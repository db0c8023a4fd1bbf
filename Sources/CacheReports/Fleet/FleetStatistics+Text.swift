import Basics
import ReplayEngine
import ResultColumns
import Runs
import Statistics

extension FleetFigure {
    public static var titles: [String] { allCases.map(FleetTexts.title) }

    /// - Returns: nil if no table has the title.
    public init?(title: String) {
        guard let figure = Self.allCases.first(where: { FleetTexts.title($0) == title }) else { return nil }
        self = figure
    }
}

extension ResultOrder {
    /// The names that the tables of a fleet know besides the metrics of their figures.
    package static let fleetNames = ["given", "cache"] + FleetFigure.titles

    /// The figure by which the tables of a fleet are sorted; nil for other orders.
    var fleetFigure: FleetFigure? {
        column.flatMap { FleetFigure(title: $0) ?? FleetFigure(rawValue: $0) }
    }

    /// Whether the tables of a fleet can be in this order.
    package var isOfFleets: Bool { column == nil || fleetFigure != nil }
}

/// Words and numbers of the tables of a fleet.
enum FleetTexts {
    static func title(_ figure: FleetFigure) -> String {
        switch figure {
        case .shown: "shown"
        case .blank: "blank"
        case .bytes: "fetched"
        case .memoryPeak: "peak mem"
        case .memoryHits: "memory"
        case .diskHits: "disk"
        case .hitches: "hitches"
        }
    }

    static func value(_ value: Double, _ figure: FleetFigure) -> String {
        figure.isShare ? HumanText.share(value) : HumanText.figure(value, figure.unit)
    }

    /// Returns `2.1% to 2.4%`, with as many digits as the ends need to differ.
    static func interval(_ interval: ConfidenceInterval, _ figure: FleetFigure) -> String {
        guard figure.isShare else { return "\(value(interval.low, figure)) to \(value(interval.high, figure))" }
        let (low, high) = HumanText.shares(interval.low, interval.high)
        return "\(low) to \(high)"
    }

    /// Returns a difference with its sign. Shares differ by percentage points.
    static func difference(_ value: Double, _ figure: FleetFigure) -> String {
        let amount = figure.isShare ? HumanText.decimals(abs(value) * 100, 2) : self.value(abs(value), figure)
        // What rounds to 0 has no direction.
        return (value < 0 && amount.contains { $0.isNumber && $0 != "0" } ? "-" : "+") + amount
    }
}

extension FleetStatistics {
    /// Returns the conclusions, the tables and the notes.
    ///
    /// There is one table over users per figure, one of differences from the best cache, and one of the times to image.
    /// Rows over sessions, the other pairs and the other intervals are in the CSV files.
    /// - Parameters:
    ///   - only: The figure whose table is the only one; nil for all tables.
    ///   - onlyTables: Whether conclusions and notes are left out.
    ///   - hasNotes: Whether notes follow the tables.
    package func document(
        of only: FleetFigure? = nil, by order: ResultOrder = .standard, onlyTables: Bool = false,
        notes hasNotes: Bool = true
    ) -> Document {
        // Times to image alone are no results.
        guard !rows.isEmpty else { return Document.results([], [], notes: [], areTitled: false) }
        let names = ShortNames(caches, limit: 24)
        func name(_ cache: String) -> String { names[cache] }
        let sorted = sorted(by: order)
        var tables = (only.map { [$0] } ?? FleetFigure.allCases).map { figure in
            Document.Table(
                sorted.grid(figure, name), caption(figure),
                dispensable: ["p25", "p75", "p5", "95% interval"])
        }
        for ranking in rankings where only == nil {
            let caption = """
                \(FleetTexts.title(ranking.figure)) in percentage points more than with \
                \(NameList.name(ranking.best.cache)), for the same users
                """
            tables.append(Document.Table(sorted.grid(ranking, name), caption, dispensable: ["95% interval"]))
        }
        if only == nil {
            tables.append(
                Document.Table(
                    sorted.latencyGrid(name), "time to image of the requests that were delivered",
                    dispensable: ["p99.9", "mean", "requests"]))
        }
        let hasNotes = hasNotes && !onlyTables
        return Document.results(
            onlyTables ? [] : conclusions, tables, notes: hasNotes ? names.explanations + notes : [],
            areTitled: hasNotes)
    }

    private func caption(_ figure: FleetFigure) -> String {
        let caption = "\(FleetTexts.title(figure)): \(figure.meaning)"
        let beside = figuresBeside(figure).map(FleetTexts.title)
        return beside.isEmpty ? caption : "\(caption); \(NameList.text(beside)): the means of users"
    }

    /// The figures whose means stand beside the deciding figure, because people notice them too.
    private func figuresBeside(_ figure: FleetFigure) -> [FleetFigure] {
        guard rankings.contains(where: { $0.figure == figure }) else { return [] }
        return [.memoryPeak, .hitches].filter { beside in rows.contains { $0.figure == beside } }
    }

    /// Returns the mean of users with a cache, and a mark if images do not fit into the device of some user.
    func meanText(_ figure: FleetFigure, _ cache: String) -> String {
        guard let mean = row(figure, cache)?.mean.value else { return "–" }
        let isMarked = figure == .memoryPeak && excesses.contains { $0.cache == cache }
        return FleetTexts.value(mean, figure) + (isMarked ? "!" : "")
    }

    /// Returns these statistics with the caches of each network in an order.
    func sorted(by order: ResultOrder) -> Self {
        let figure = order.fleetFigure ?? rankings.first?.figure ?? .blank
        var sorted = self
        sorted.caches = comparedNetworks.flatMap { network in
            order.ordered(caches.filter { networks[$0] == network }, figure.polarity) { cache -> ResultOrder.Figure? in
                let row = rows.first { $0.figure == figure && $0.level == .users && $0.cache == cache }
                return row.map { ($0.mean.value, FleetTexts.value($0.mean.value, figure)) }
            }
        }
        let places = Dictionary(uniqueKeysWithValues: sorted.caches.enumerated().map { ($1, $0) })
        sorted.rows = rows.stableSorted { places[$0.cache] ?? 0 < places[$1.cache] ?? 0 }
        sorted.latencies = latencies.stableSorted { places[$0.cache] ?? 0 < places[$1.cache] ?? 0 }
        return sorted
    }

    /// The notes that a reader of the figures must know, one sentence or two per note.
    public var notes: [String] {
        var notes = [
            """
            Figures are over users: \(HumanText.count(sessionCount, "session")) of \
            \(HumanText.count(userCount, "user")). fleet.csv has them over sessions too.
            """
        ]
        if hasOneSessionPerUser, userCount > 1 {
            notes.append(
                """
                Each user has one session: intervals describe users with one session each, and the rows of users and \
                of sessions are equal.
                """)
        }
        if !excesses.isEmpty {
            notes.append("peak mem, !: for some users, images take up more than the memory of the device.")
        }
        if let injected { notes.append(RunNote.eventsInjected(injected).text) }
        if let stayingCount {
            notes.append(
                """
                In \(stayingCount) of \(HumanText.count(sessionCount, "session")), no disappearance of a cell is \
                recorded, so each cell counts as visible until the end. Blank times rest on this assumption.
                """)
        }
        let estimates =
            rows.filter { $0.level == .users }.flatMap { [$0.mean] + $0.quantiles } + pairs.map(\.difference)
        for lack in Estimate.Lack.allCases where estimates.contains(where: { $0.lack == lack }) {
            notes.append(Self.note(lack))
        }
        for figure in FleetFigure.allCases {
            let without = rows.filter { $0.figure == figure && $0.level == .sessions }.map(\.countWithout).max() ?? 0
            guard without > 0 else { continue }
            notes.append(
                """
                \(FleetTexts.title(figure)): \(HumanText.count(without, "session")) \(without == 1 ? "has" : "have") \
                no value with some cache, and \(without == 1 ? "is" : "are") in no figure.
                """)
        }
        return notes
    }

    private static func note(_ lack: Estimate.Lack) -> String {
        switch lack {
        case .oneUser: "There is only one user, who says nothing about others, so there are no intervals."
        case .tooFewUsers:
            """
            A dash instead of an interval: too few users. An interval needs 6 users for a median, 13 for quartiles, 72 \
            for the 5th and 95th percentile, 50 for the mean of a share, 200 for the mean of bytes, and 400 for the \
            mean \
            difference of bytes.
            """
        case .allEqual: "No interval where all users have the same value."
        case .tooFewResamples: "An interval of a mean needs at least 39 resamples."
        }
    }

    func grid(_ figure: FleetFigure, _ name: (String) -> String) -> TextGrid {
        let beside = figuresBeside(figure)
        var grid = TextGrid(
            headings: [.text("cache")]
                + (["mean", "95% interval"] + Self.shareNames + beside.map(FleetTexts.title)).map { .figure($0) })
        grid.rows = rows.filter { $0.figure == figure && $0.level == .users }.map { row in
            [
                name(row.cache), FleetTexts.value(row.mean.value, figure),
                row.mean.interval.map { FleetTexts.interval($0, figure) } ?? "–",
            ] + row.quantiles.map { FleetTexts.value($0.value, figure) } + beside.map { meanText($0, row.cache) }
        }
        return grid
    }

    func grid(_ ranking: FleetRanking, _ name: (String) -> String) -> TextGrid {
        var grid = TextGrid(
            headings: [.text("cache")] + ["mean", "95% interval", "better", "worse", "equal"].map { .figure($0) })
        let figure = ranking.figure
        let best = ranking.best.cache
        let others = caches.filter { $0 != best && networks[$0] == ranking.network }
        grid.rows = others.compactMap { pair(figure, best, $0) }.map { pair -> [String] in
            let users = [pair.better, pair.worse, pair.equal].map { share -> String in
                guard let share else { return "–" }
                return countsUsers
                    ? HumanText.count((share * Double(pair.count)).rounded()) : HumanText.share(share)
            }
            return [
                name(pair.second), FleetTexts.difference(pair.difference.value, figure),
                pair.difference.interval.map {
                    "\(FleetTexts.difference($0.low, figure)) to \(FleetTexts.difference($0.high, figure))"
                } ?? "–",
            ] + users
        }
        return grid
    }

    func latencyGrid(_ name: (String) -> String) -> TextGrid {
        var grid = TextGrid(
            headings: [.text("cache")] + ["requests", "mean", "p50", "p90", "p99", "p99.9"].map { .figure($0) })
        func time(_ nanoseconds: Double) -> String { HumanText.microseconds(nanoseconds / 1_000) }
        grid.rows = latencies.filter { $0.group == .all }.map { row in
            [name(row.cache), HumanText.count(Double(row.count)), time(row.mean)]
                + [row.p50, row.p90, row.p99, row.p999].map { time(Double($0)) }
        }
        return grid
    }
}
