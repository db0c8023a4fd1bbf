import Advising
import Basics
import ReplayEngine
import ResultColumns
import Runs

extension Advice {
    /// The limits that are enough, and what less would cost.
    func enough(_ row: Row) -> [Finding] {
        var texts: [String] = []
        let peak = rows.map(\.peakBytes).max() ?? 0
        if let budget, !rows.contains(where: \.isLimitedByMemory) {
            texts.append(
                """
                No cache fills \(HumanText.bytes(Double(budget))): these sessions cannot tell limits above \
                \(HumanText.bytes(peak)) apart.
                """)
        }
        let kept = objective == .bytes ? "the bytes stay" : "the blank time stays"
        let subject = ties < 2 ? "" : "With \(name(row)), "
        if objective != .memory, let enough = row.smallestSufficientLimit {
            texts.append(
                """
                \(subject)\(HumanText.bytes(Double(enough))) is enough: \(kept) within \(tolerance)\
                \(forPeople(row)).\(less(than: enough, row))\(untried(below: enough, row))
                """)
        } else if objective != .memory, let budget {
            let less = less(than: budget, row)
            if !less.isEmpty { texts.append("Less than \(HumanText.bytes(Double(budget))) is not enough.\(less)") }
        }
        if let enough = row.diskEnough {
            let memory = budget.map { HumanText.bytes(Double($0)) } ?? "no limit"
            let limit = HumanText.bytes(Double(enough))
            texts.append("On disk, \(limit) is enough: \(kept) within \(tolerance), with \(memory) in memory.")
        }
        if !row.enoughPairs.isEmpty {
            let pairs = row.enoughPairs.prefix(3).map { pair in
                let memory = pair.memory.map { HumanText.bytes(Double($0)) } ?? "no limit"
                return "\(memory) with \(HumanText.bytes(Double(pair.disk))) on disk"
            }
            texts.append("Smaller limits of both are enough too: \(pairs.joined(separator: "; ")).")
        }
        return texts.map { finding(.memory, $0, [row]) }
    }

    /// Returns for how many people a smaller limit is enough, if it is enough on average. Otherwise returns what the
    /// next smaller replayed limit adds that adds more than the tolerance.
    func less(than limit: Int, _ row: Row) -> String {
        if users > 1, let average = row.enoughOnAverage, average < limit, let share = row.averageForUsers {
            return " With \(HumanText.bytes(Double(average))), the mean does too, but that of only \(people(share))."
        }
        func figure(_ point: AdvicePoint) -> Double { objective == .bytes ? point.originBytes : point.blankRatio }
        let own = objective == .bytes ? row.originBytes : row.blankRatio
        let smaller = points.filter { isOf(row, $0) && $0.limit ?? .max < limit }
            .filter { !relevanceThreshold.accepts(figure($0), for: own, objective.unit) }
            .max { $0.limit ?? 0 < $1.limit ?? 0 }
        guard let smaller, let size = smaller.limit else { return "" }
        let verb = objective == .bytes ? "a session fetches" : "cells are blank for"
        return " With \(HumanText.bytes(Double(size))), \(verb) \(gained(figure(smaller) - own)) more."
    }

    /// Says why no limit below one was replayed; nothing if one was. Limits end at the size of the largest image.
    private func untried(below limit: Int, _ row: Row) -> String {
        points.contains { isOf(row, $0) && $0.limit ?? .max < limit }
            ? "" : " A smaller limit could not hold the largest image."
    }

    private func isOf(_ row: Row, _ point: AdvicePoint) -> Bool {
        point.cache == row.cache && point.changes == row.changes && point.disk == row.disk
    }

    /// For how many people a limit is enough; nothing for one.
    private func forPeople(_ row: Row) -> String {
        guard users > 1, let share = row.enoughForUsers else { return "" }
        let hasInterval = users >= Self.leastForShares
        let interval = interval(
            hasInterval ? row.enoughForUsersLow : nil, row.enoughForUsersHigh, HumanText.wholeShare)
        return ", for \(people(share))\(interval)"
    }

    /// A share of the users: `19 of 20 people`, or `95% of 200 people`.
    func people(_ share: Double) -> String {
        "\(users < Self.leastForShares ? "\(count(share))" : Self.rounded(share)) of \(users) \(crowd)"
    }

    func count(_ share: Double) -> Int { Int((share * Double(users)).rounded()) }

    /// The users from whom on shares are stated in per cent.
    static let leastForShares = 50

    /// The name of the users: sessions, if each has one.
    var crowd: String { users == sessions ? "sessions" : "people" }

    /// `74%`, or `99.7%`, which is not all.
    static func rounded(_ share: Double) -> String { HumanText.wholeShare((share * 1000).rounded() / 1000) }

    /// Returns the share of sessions near the limit of the app, and what it counts.
    func nearLimit(_ row: Row) -> [Finding] {
        guard let app, let near = row.near else { return [] }
        func counted(_ near: NearLimit) -> String {
            """
            \(near.near) of \(HumanText.count(near.sessions, "session")), \(HumanText.share(near.share)) \
            (95 % interval \(HumanText.share(near.low)) to \(HumanText.share(near.high)))
            """
        }
        let asked = budget.map { HumanText.bytes(Double($0)) } ?? "no limit of memory"
        var texts = [
            """
            With \(asked), \(counted(near)), come within a tenth of the \(HumanText.bytes(Double(app.limit))) at \
            which \(app.consequence).
            """
        ]
        if let enough = row.smallestSufficientLimit, let near = row.enoughNear {
            texts.append("With \(HumanText.bytes(Double(enough))), it is \(counted(near)).")
        }
        return (texts + app.contents(near)).map { Finding(subject: .budget, text: $0, caches: [row.cache]) }
    }
}
