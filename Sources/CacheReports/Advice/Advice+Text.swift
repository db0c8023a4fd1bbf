import ReplayEngine

extension Advice {
    /// Returns the recommendation and what it rests on, a sentence each.
    public var sentences: [String] {
        guard let best = rows.first else { return ["No session has a visible cell, so these sessions cannot tell."] }
        var sentences: [String] = []
        let limit = budget.map { "memory: \(HumanText.bytes(Double($0)))" } ?? "no limit of memory"
        let peak = rows.map(\.peakBytes).max() ?? 0
        if !rows.contains(where: \.binds), budget != nil {
            sentences.append(
                """
                These sessions cannot tell limits of \(HumanText.bytes(Double(budget ?? 0))) and more apart: no cache \
                fills it. Memory has at most \(HumanText.bytes(peak)) (95th percentile of users).
                """)
        }
        sentences.append(
            """
            Use \(best.cache) with \(limit): cells are blank for \(HumanText.share(best.blankRatio)) of the visible \
            time \
            (\(interval(best.low, best.high))).
            """)
        if let enough = best.enough, let share = best.enoughForUsers {
            sentences.append(
                """
                \(HumanText.bytes(Double(enough))) is enough: the blank time stays within \(HumanText.share(within)), \
                for \
                \(HumanText.wholeShare((share * 1000).rounded() / 1000)) of \
                \(FleetStatistics.count(users, "user")).
                """)
        }
        sentences += nearLimit(best)
        if ties > 1 {
            let others = rows.dropFirst().prefix(ties - 1).map(\.cache).joined(separator: ", ")
            sentences.append(
                """
                \(ties) caches tie within \(HumanText.share(SmallestEffect.share)) of blank time: also \(others). \
                Choose \
                among them by other reasons.
                """)
        }
        if let second = runnerUp {
            sentences.append(
                """
                \(second.cache) has \(HumanText.share(second.difference)) more of the visible time blank \
                (\(interval(second.low, second.high))).
                """)
        }
        return sentences
    }

    /// Returns the share of sessions near the limit of the app, and what it counts.
    private func nearLimit(_ best: Row) -> [String] {
        guard let app, let near = best.near else { return [] }
        func counted(_ near: NearLimit) -> String {
            """
            \(near.near) of \(FleetStatistics.count(near.sessions, "session")), \(HumanText.share(near.share)) \
            (95 % interval \(HumanText.share(near.low)) to \(HumanText.share(near.high)))
            """
        }
        let asked = budget.map { HumanText.bytes(Double($0)) } ?? "no limit of memory"
        var sentences = [
            """
            With \(asked), \(counted(near)), come within a tenth of the \(HumanText.bytes(Double(app.limit))) at \
            which \(app.consequence).
            """
        ]
        if let enough = best.enough, let near = best.enoughNear {
            sentences.append("With \(HumanText.bytes(Double(enough))), it is \(counted(near)).")
        }
        return sentences + [app.contents]
    }

    private func interval(_ low: Double?, _ high: Double?) -> String {
        guard let low, let high else {
            return "\(FleetStatistics.count(users, "user")): too few, or too alike, for an interval"
        }
        let (one, other) = (HumanText.share(low), HumanText.share(high))
        return "95 % interval \(one) to \(other), \(FleetStatistics.count(users, "user"))"
    }

    /// Returns the front of blank time, memory and bytes, and its knee: a sentence, and a table with a row per setting,
    /// the least memory first.
    public var front: String {
        let front = points.filter(\.isOnFront).stableSorted { $0.peakBytes < $1.peakBytes }
        guard !front.isEmpty else { return "" }
        let count = FleetStatistics.count(points.count, "setting")
        var text = "\(front.count) of \(count) have no other that is better in blank time, memory and bytes:\n\n"
        var grid = TextGrid(headings: [
            .init(title: "cache", alignment: .left), .init(title: "memory limit"), .init(title: "blank"),
            .init(title: "memory p95"), .init(title: "fetched"),
        ])
        if app != nil { grid.headings.append(.init(title: "near the app's limit")) }
        grid.headings.append(.init(title: "", alignment: .left))
        grid.rows = front.map { point in
            [
                point.cache, point.limitText, HumanText.share(point.blankRatio), HumanText.bytes(point.peakBytes),
                HumanText.bytes(point.originBytes),
            ] + (app == nil ? [] : [point.near?.text ?? "–"]) + [point.isKnee ? "knee" : ""]
        }
        text += grid.plain()
        if !points.contains(where: \.isKnee) {
            text += "\nThere is no knee: blank time does not fall faster with the first bytes of memory than later.\n"
        }
        return text
    }

    /// Returns the table of the caches.
    public var table: String {
        var grid = TextGrid(headings: [
            .init(title: "cache", alignment: .left), .init(title: "blank"), .init(title: "95 % interval"),
            .init(title: "memory p95"), .init(title: "fetched"), .init(title: "enough"),
            .init(title: "for users"),
        ])
        if app != nil { grid.headings.append(.init(title: "near the app's limit")) }
        grid.rows = rows.map { row in
            [
                row.cache, HumanText.share(row.blankRatio),
                row.low.flatMap { low in row.high.map { "\(HumanText.share(low)) to \(HumanText.share($0))" } } ?? "–",
                HumanText.bytes(row.peakBytes), HumanText.bytes(row.originBytes),
                row.enough.map { HumanText.bytes(Double($0)) } ?? "–",
                row.enoughForUsers.map { HumanText.wholeShare(($0 * 1000).rounded() / 1000) } ?? "–",
            ] + (app == nil ? [] : [row.near?.text ?? "–"])
        }
        return grid.plain()
    }
}
