import Basics
import ReplayEngine
import Runs

/// The sentences about users who are worse off than most, about hitches, and about memory.
///
/// If one cache has the best mean, the sentences are about this cache. If several have, the sentences say which caches
/// tie in the figure, and which cache is the first behind them.
extension FleetRanking {
    /// Rows with a value of each, the best one first, divided into those that tie with the best one and the others.
    private struct Order {
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

        var values: [Double] { first.map(\.value) }
    }

    /// The figure that one user in 20 has with the best cache. If several tie, the best figure with any of them; nil if
    /// the users are too few for an interval of this figure.
    var tail: Finding? {
        guard let own = tail(of: best) else { return nil }
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

    /// Returns the figure of the user at the worse end of 19 in 20; nil of too few users.
    private func tail(of row: FleetStatistics.Row) -> Double? {
        row.knowsTail ? (isBlank ? row.quantiles.last : row.quantiles.first)?.value : nil
    }

    /// Returns `at least 8.0%`, or `at least 8.0% to 8.1%`.
    private func bound(_ values: [Double]) -> String { "\(isBlank ? "at least" : "at most") \(Measure.range(values))" }

    private func tailEvidence(_ row: FleetStatistics.Row, _ value: Double) -> Finding.Evidence {
        evidence(row, isBlank ? "95th percentile" : "5th percentile", value)
    }

    /// The subject of the sentence about a cache that is behind one, or behind several that tie.
    private static func place(_ isTie: Bool) -> String { isTie ? "The first cache behind them" : "The next" }

    /// The memory that the best cache holds for half of the users and, if there are many, for 19 in 20. If several
    /// caches tie, the one that holds the least memory counts.
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
        if high.knowsTail {
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
        if high.knowsTail {
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

    // MARK: What else people notice

    /// The ``Unlikeness`` of caches that tie.
    var unlikeness: Unlikeness {
        func means(_ figure: FleetFigure) -> [Finding.Evidence] {
            winners.compactMap { statistics.row(figure, $0.cache) }.map { evidence($0, "mean", $0.mean.value, figure) }
        }
        return Unlikeness(peaks: means(.memoryPeak), hitches: means(.hitches))
    }

    /// The caches that delay frames noticeably, and the others; nil if none does.
    var hitches: Finding? {
        let rows = (winners + others).compactMap { statistics.row(.hitches, $0.cache) }
        let late = rows.filter { HitchClass($0.mean.value) != .good }
        let rest = rows.filter { HitchClass($0.mean.value) == .good }
        guard let least = late.min(by: { $0.mean.value < $1.mean.value }),
            let most = late.max(by: { $0.mean.value < $1.mean.value })
        else { return nil }
        func amount(_ row: FleetStatistics.Row) -> String { "\(HumanText.trimmed(row.mean.value)) ms" }
        let names = FleetTie(late, rest, statistics.cacheName).names
        let texts = late.filter { names.contains($0.cache) }.map { "\(NameList.name($0.cache)) (\(amount($0)))" }
        var text = """
            \(NameList.text(texts)) \(names.count == 1 ? "delays" : "delay") frames by so much in each second of \
            scrolling\(over): from \(HitchClass.noticeableFrom) ms on people notice, and \
            \(HitchClass.criticalFrom) ms are critical.
            """
        let highest = rest.max { $0.mean.value < $1.mean.value }
        if let highest {
            let others = "The other\(rest.count == 1 ? "" : "s")"
            text +=
                highest.mean.value == 0
                ? " \(others) \(rest.count == 1 ? "delays" : "delay") none."
                : " \(others) \(rest.count == 1 ? "delays" : "delay") them by at most \(amount(highest))."
        }
        return Finding(
            subject: .hitches, text: text,
            evidence: ([least, most] + (highest.map { [$0] } ?? [])).map {
                evidence($0, "mean", $0.mean.value, .hitches)
            }.unique(), caches: names.map(statistics.cacheName))
    }

    /// The caches whose images do not fit into the device of some user; nil without any.
    var excess: Finding? {
        let shown = Set((winners + others).map(\.cache))
        let excesses = statistics.excesses.filter { shown.contains($0.cache) }
        guard let most = excesses.max(by: { $0.peak < $1.peak }) else { return nil }
        let names = excesses.map(\.cache)
        let users = excesses.map(\.users).max() ?? 0
        let isOne = excesses.count == 1
        return Finding(
            subject: .deviceMemory,
            text: """
                With \(NameList.text(names)), images take up more than the \
                \(HumanText.bytes(Double(most.deviceMemory))) of the device for \(isOne ? "" : "up to ")\(users) of \
                \(HumanText.count(most.count, "user"))\(over), up to \(HumanText.bytes(most.peak)): the system ends \
                the app before.
                """,
            evidence: [
                Finding.Evidence(
                    trace: "maximum", network: network, cache: statistics.cacheName(most.cache),
                    metric: FleetFigure.memoryPeak.rawValue, value: most.peak)
            ], caches: names.map(statistics.cacheName))
    }
}

extension FleetStatistics.Row {
    /// Whether the users are enough for an interval of the figure that one in 20 has.
    var knowsTail: Bool {
        quantiles.count == FleetStatistics.shares.count && quantiles[4].lack != .tooFewUsers
            && quantiles[4].lack != .oneUser
    }
}

/// The caches that tie with the best one, among all caches, as sentences name and count them.
///
/// A cache that rests on Darwin's NSCache has a row for each plausible model. It is one cache if all of its models tie,
/// or if none does; otherwise each model is named.
struct FleetTie {
    /// The most caches that a sentence names.
    static let mostNamed = 5

    /// The names of the caches that tie, in the order of the results.
    let names: [String]
    let count: Int

    /// - Parameters:
    ///   - winners: The caches that tie with the best one, and the best one.
    ///   - cacheName: Returns the name of a cache without its network.
    init(
        _ winners: [FleetStatistics.Row], _ others: [FleetStatistics.Row], _ cacheName: (String) -> String
    ) {
        let all = Set((winners + others).map { cacheName($0.cache) })
        func base(_ row: FleetStatistics.Row) -> String {
            let name = cacheName(row.cache)
            let bases = NSCacheModelChoice.allCases.compactMap { name.dropping(ending: " [\($0.rawValue)]") }
            return bases.first { all.contains($0) } ?? name
        }
        let divided = Set(winners.map(base)).intersection(others.map(base))
        func names(_ rows: [FleetStatistics.Row]) -> [String] {
            rows.filter { row in
                let base = base(row)
                return divided.contains(base) || base == cacheName(row.cache)
            }.map(\.cache)
        }
        self.names = names(winners)
        count = self.names.count + names(others).count
    }

    /// Returns `4 of 10 caches tie within 0.1 points: a, b, c and d.`
    func sentence(_ verb: String) -> String {
        "\(names.count) of \(count) caches \(verb): \(NameList.text(names, most: Self.mostNamed))."
    }
}
