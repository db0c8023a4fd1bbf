import Basics

/// Sessions in comparison with observations of people.
public struct PeopleComparison: Sendable {
    /// One figure.
    public struct Row: Sendable {
        public let target: PeopleTarget
        /// The median of the sessions, or their one number; nil without a value.
        public let value: Double?
        /// The distance between sessions and people; nil without a value.
        ///
        /// Of quantiles, the largest difference between the share of people and the share of the sessions' values up to
        /// a quantile of people (Kolmogorov-Smirnov, at the known quantiles). Of a share, the difference. Of another
        /// number, the difference as a share of the number. Of a range, 0 inside of it, and the same outside.
        public let distance: Double?

        public var agrees: Bool { distance.map { $0 <= PeopleComparison.tolerance } ?? false }
    }

    /// The largest distance of figures that agree. It says whether sessions move as people's sessions do; the tolerance
    /// for differences between caches is another one.
    public static let tolerance = 0.10

    public let rows: [Row]
    public let sessions: Int
    /// Whether the sessions are generated, so that the reasons of ``PeopleTarget`` concern them.
    private let areModelled: Bool

    /// Compares sessions. Values of several sessions are pooled.
    ///
    /// - Parameters:
    ///   - habits: The habits of each session.
    ///   - areModelled: Whether all sessions are generated.
    ///   - targets: The known habits of people.
    public init(_ habits: [SessionHabits], areModelled: Bool = false, targets: [PeopleTarget] = PeopleTarget.all) {
        sessions = habits.count
        self.areModelled = areModelled
        rows = targets.map { target in
            let values = target.measure(target.isOfFeeds ? habits.filter(\.isOfFeed) : habits).sorted()
            guard !values.isEmpty else { return Row(target: target, value: nil, distance: nil) }
            let median = values[values.count / 2]
            return Row(target: target, value: median, distance: Self.distance(values, median, target))
        }
    }

    private static func distance(_ values: [Double], _ median: Double, _ target: PeopleTarget) -> Double {
        func apart(_ value: Double, _ wanted: Double) -> Double {
            target.unit == "share" ? abs(value - wanted) : abs(value / wanted - 1)
        }
        switch target.value {
        case .number(let wanted): return apart(median, wanted)
        case .range(let range):
            return range.contains(median)
                ? 0 : min(apart(median, range.lowerBound), apart(median, range.upperBound))
        case .quantiles(let quantiles):
            return quantiles.map { share, value in
                let below = Double(values.firstPlace { $0 >= value }) / Double(values.count)
                let upTo = Double(values.firstPlace { $0 > value }) / Double(values.count)
                return max(0, below - share, share - upTo)
            }.max() ?? 0
        }
    }

    /// The comparison in a sentence, and as a table of text. Below it are the reasons of figures that differ or have no
    /// data, the figures that are not compared, and the sources.
    public func text() -> String {
        var table = [["figure", "unit", "sessions", "people", "distance", "", "known"]]
        for row in rows {
            table.append([
                row.target.name, row.target.unit, row.value.map(Self.short) ?? "–", row.target.text,
                row.distance.map { $0.fixed(2) } ?? "–",
                row.distance == nil ? "no data" : row.agrees ? "agrees" : "differs", row.target.certainty,
            ])
        }
        let known = rows.filter { $0.distance != nil }
        let count = HumanText.count(known.count, "figure")
        var lines = [
            """
            \(known.count { $0.agrees }) of \(count) of \(HumanText.count(sessions, "session")) are within 0.10 of \
            people's. Figures of few people differ by chance.
            """, "",
        ]
        lines += TextGrid.lines(table) + reasons
        lines += ["", "Known of people, and not compared:"]
        lines += PeopleTarget.notCompared.map { "  \($0.name): \($0.reason)." }
        lines += ["", "Sources of people's figures:"] + sources
        return lines.joined(separator: "\n")
    }

    /// Why figures differ, or have no data. The reasons of differences are known of modelled people only.
    private var reasons: [String] {
        let explained = rows.filter { row in
            areModelled && row.target.reason != nil && (row.distance == nil ? !row.target.isModelled : !row.agrees)
        }
        var lines: [String] = []
        if !explained.isEmpty {
            lines += ["", "Why figures of modelled people differ or have no data:"]
            lines += explained.map { "  \($0.target.name): \($0.target.reason ?? "")." }
        }
        let missing = rows.filter { row in
            row.distance == nil && !explained.contains { $0.target.name == row.target.name }
        }
        if !missing.isEmpty {
            lines += [
                "",
                """
                No data, because the sessions have no such events, too few of them, or no feed, for the figures of \
                feeds:
                """,
            ]
            lines += ["  \(missing.map(\.target.name).joined(separator: "; "))."]
        }
        return lines
    }

    /// Each source with the figures that are known from it.
    private var sources: [String] {
        rows.map(\.target.source).unique().map { source in
            let own = rows.filter { $0.target.source == source }
            return "  \(source): \(own.map(\.target.name).joined(separator: "; "))."
        }
    }

    /// A number with three significant digits.
    static func short(_ value: Double) -> String {
        let digits = abs(value) >= 100 ? 0 : abs(value) >= 10 ? 1 : abs(value) >= 1 ? 2 : 3
        return value.fixed(digits)
    }
}

extension PeopleTarget {
    /// The median of quantiles, the number, or the range.
    public var text: String {
        switch value {
        case .number(let number): return PeopleComparison.short(number)
        case .range(let range):
            return "\(PeopleComparison.short(range.lowerBound)) to \(PeopleComparison.short(range.upperBound))"
        case .quantiles(let quantiles):
            return quantiles.first { $0.share == 0.5 }.map { PeopleComparison.short($0.value) } ?? ""
        }
    }
}

extension [Double] {
    /// The first place of a sorted array at which `isAfter` is true.
    fileprivate func firstPlace(_ isAfter: (Double) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isAfter(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// The movement of a session beside the movement of people, in the numbers of ``PeopleTarget``.
public struct Pace: Sendable, Equatable {
    /// The screens of 844 points that the list travels in a minute in the foreground.
    public var screensPerMinute: Double
    /// The share of the time in the foreground in which the list moves.
    public var moving: Double
    /// The share of the scrolls that go back; nil without scrolls.
    public var back: Double?
    /// The share of the way over ground that the list had covered before; nil without a way.
    public var known: Double?

    /// People's screens per minute: 60 s / 1.7 s per item, at 480 of 844 points per item.
    public static let ofPeople = 20.1

    /// Returns nil if the session has no time in the foreground.
    public init?(_ habits: SessionHabits) {
        guard habits.foreground > 0 else { return nil }
        screensPerMinute = habits.travelled / SessionHabits.screen / (habits.foreground / 60)
        moving = habits.moving / habits.foreground
        let back = habits.scrolls.count { $0 < 0 }
        self.back = habits.scrolls.isEmpty ? nil : Double(back) / Double(habits.scrolls.count)
        known = habits.travelled > 0 ? habits.retravelled / habits.travelled : nil
    }
}
