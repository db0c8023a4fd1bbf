import Basics
import Runs

/// The sentences about users who are worse off than most, and about memory.
///
/// If one cache has the best mean, they are about that cache. Of several, no one is the best, so that the sentences say
/// which caches tie in the figure that they are about, and which one is the first behind them.
extension FleetRanking {
    /// Rows with a value of each, the best one first, divided into those that tie with the best one and the others.
    private struct Order {
        /// The rows whose values tie with the best one.
        let first: [(row: FleetStatistics.Row, value: Double)]
        let others: [(row: FleetStatistics.Row, value: Double)]
        /// Both, as sentences name and count them.
        let tie: FleetTie

        /// - Parameters:
        ///   - rows: At least one row, each with its value, in the order of the results.
        ///   - sign: -1 if higher values are better, otherwise 1.
        init?(
            _ rows: [(row: FleetStatistics.Row, value: Double)], sign: Double, _ statistics: FleetStatistics
        ) {
            guard let best = rows.min(by: { sign * $0.value < sign * $1.value }) else { return nil }
            func ties(_ value: Double) -> Bool {
                statistics.relevanceThreshold.ties(best.value, value, best.row.figure.unit)
            }
            first = rows.filter { ties($0.value) }
            others = rows.filter { !ties($0.value) }.stableSorted { sign * $0.value < sign * $1.value }
            tie = FleetTie(first.map(\.row), others.map(\.row), statistics.cacheName)
        }

        /// The values of the rows that tie.
        var values: [Double] { first.map(\.value) }
    }

    /// What one user in 20 has: with the best cache, or if several tie, with the caches whose figure of these users is
    /// the best. nil of few users.
    var tail: Finding? {
        guard !statistics.countsUsers, let own = tail(of: best) else { return nil }
        guard winners.count > 1 else {
            return Finding(
                subject: .tail,
                text: "For one user in 20, \(NameList.name(best.cache)) \(measure.does(bound([own]))).",
                evidence: [tailEvidence(best, own)], caches: [statistics.cacheName(best.cache)])
        }
        let rows = (winners + others).compactMap { row in tail(of: row).map { (row: row, value: $0) } }
        guard let order = Order(rows, sign: isBlank ? 1 : -1, statistics), let first = order.first.first
        else { return nil }
        let next = order.others.first
        let isTie = order.tie.names.count > 1
        var texts: [String] = []
        if !isTie {
            let share = "\(bound([first.value])) of \(measure.whole)"
            texts = ["For one user in 20, \(NameList.name(first.row.cache)) \(measure.leads)\(over): \(share)."]
        } else {
            let verb = "tie within \(tolerance(figure))\(over)"
            let does = measure.does(bound(order.values), isPlural: true)
            texts = [
                next == nil
                    ? "For one user in 20, \(NameList.all(order.tie.count)) caches \(verb)."
                    : "For one user in 20, \(order.tie.sentence(verb))", "They \(does).",
            ]
        }
        if let next {
            let does = measure.does(bound([next.value]))
            texts.append("\(Self.place(isTie)), \(NameList.name(next.row.cache)), \(does).")
        }
        let ends = [order.first.min { $0.value < $1.value }, order.first.max { $0.value < $1.value }, next]
        let shown = order.first.prefix(FleetTie.mostNamed).map(\.row.cache) + (next.map { [$0.row.cache] } ?? [])
        return Finding(
            subject: .tail, text: texts.joined(separator: " "),
            evidence: ends.compactMap { $0.map { tailEvidence($0.row, $0.value) } }.unique(),
            caches: shown.map(statistics.cacheName).unique())
    }

    /// Returns the figure of the user at the worse end of 19 in 20; nil without quantiles.
    private func tail(of row: FleetStatistics.Row) -> Double? {
        (isBlank ? row.quantiles.last : row.quantiles.first)?.value
    }

    /// Returns `at least 8.0%`, or `at least 8.0% to 8.1%`.
    private func bound(_ values: [Double]) -> String { "\(isBlank ? "at least" : "at most") \(Measure.range(values))" }

    private func tailEvidence(_ row: FleetStatistics.Row, _ value: Double) -> Finding.Evidence {
        evidence(row, isBlank ? "95th percentile" : "5th percentile", value)
    }

    /// The subject of the sentence about a cache that is behind one, or behind several that tie.
    private static func place(_ isTie: Bool) -> String { isTie ? "The first cache behind them" : "The next" }

    /// The memory that the best cache holds for half of the users and, of many, for 19 in 20. If several tie, that of
    /// those that hold the least.
    var memory: Finding? {
        let rows = (winners.count > 1 ? winners : [best]).compactMap { winner in
            statistics.row(.memoryPeak, winner.cache).flatMap { row in
                row.quantiles.count == FleetStatistics.shares.count ? (row: row, value: row.quantiles[2].value) : nil
            }
        }
        guard let order = Order(rows, sign: 1, statistics),
            let median = order.first.max(by: { $0.value < $1.value })?.row,
            let high = order.first.max(by: { $0.row.quantiles[4].value < $1.row.quantiles[4].value })?.row
        else { return nil }
        var figures = [evidence(median, "median", median.quantiles[2].value, .memoryPeak)]
        if !statistics.countsUsers {
            figures.append(evidence(high, "95th percentile", high.quantiles[4].value, .memoryPeak))
        }
        let next = order.others.first
        if let next { figures.append(evidence(next.row, "median", next.value, .memoryPeak)) }
        let named = order.first.prefix(FleetTie.mostNamed).map(\.row.cache) + (next.map { [$0.row.cache] } ?? [])
        return Finding(
            subject: .memory, text: memoryText(order, median, high), evidence: figures.unique(),
            caches: named.map(statistics.cacheName).unique())
    }

    /// Returns `up to 5 MB in memory for half of the users, and up to 8 MB for 19 in 20`.
    ///
    /// - Parameter place: ` in memory`, or empty where a sentence says so before.
    private func amount(_ median: FleetStatistics.Row, _ high: FleetStatistics.Row, _ place: String) -> String {
        let texts = (HumanText.bytes(median.quantiles[2].value), HumanText.bytes(high.quantiles[4].value))
        var text = "up to \(texts.0)\(place)"
        if median.count > 1 { text += " for half of the users" }
        if !statistics.countsUsers {
            text += texts.0 == texts.1 ? ", and for 19 in 20" : ", and up to \(texts.1) for 19 in 20"
        }
        return text
    }

    /// - Parameters:
    ///   - order: The winners by the memory that they hold for half of the users.
    ///   - median: Of those that hold the least, the one with the largest median.
    ///   - high: Of those, the one with the largest 95th percentile.
    private func memoryText(
        _ order: Order, _ median: FleetStatistics.Row, _ high: FleetStatistics.Row
    ) -> String {
        let name = order.tie.names.first.map(NameList.name) ?? ""
        let inMemory = amount(median, high, " in memory")
        guard order.tie.count > 1 else { return "\(name) holds \(inMemory)." }
        let amount = amount(median, high, "")
        let verb = "tie in memory within \(tolerance(.memoryPeak))"
        guard let next = order.others.first else {
            return "Of these, \(NameList.all(order.tie.count)) \(verb). They hold \(amount)."
        }
        let isTie = order.tie.names.count > 1
        let start =
            isTie
            ? "Of these, \(order.tie.sentence(verb)) They hold \(amount)."
            : "Of these, \(name) holds the least: \(inMemory)."
        let users = next.row.count > 1 ? " for half of the users" : ""
        let holds = "holds up to \(HumanText.bytes(next.value))\(users)"
        return "\(start) \(Self.place(isTie)), \(NameList.name(next.row.cache)), \(holds)."
    }
}
