import Advising
import Basics
import ReplayEngine
import ResultColumns
import Runs

extension Advice {
    /// Returns the recommendation and what it rests on, a sentence each.
    public var sentences: [String] {
        guard let best = rows.first else { return ["No session has a visible cell, so these sessions cannot tell."] }
        var sentences = injected.map { [RunNote.eventsInjected($0).text] } ?? []
        if sessionsLeftOut > 0 {
            sentences.append(
                """
                After --time-limit, \(sessions) of \(sessions + sessionsLeftOut) sessions had been replayed; the \
                answer \
                rests on these.
                """)
        }
        if !leftOut.isEmpty {
            sentences.append("Left out, because their disk has no limit that could be set: \(names(leftOut)).")
        }
        let withoutDisk = disk == nil ? [] : rows.filter { $0.disk == nil }.map(\.cache)
        if !withoutDisk.isEmpty {
            sentences.append("Without a disk, so that --disk means nothing: \(names(withoutDisk)).")
        }
        let peak = rows.map(\.peakBytes).max() ?? 0
        if !rows.contains(where: \.isLimitedByMemory), budget != nil {
            sentences.append(
                """
                These sessions cannot tell limits of \(HumanText.bytes(Double(budget ?? 0))) and more apart: no cache \
                fills it. Memory has at most \(HumanText.bytes(peak)) (95th percentile of users).
                """)
        }
        sentences += differentApps + withoutDisappearances
        guard best.qualifies else { return sentences + tooLarge + (rows.contains(where: \.fits) ? [tooMuchData] : []) }
        sentences.append(recommendation(best))
        sentences += gain(best) + enough(best) + nearLimit(best)
        if let runnerUp { sentences.append(sentence(runnerUp)) }
        if let why { sentences.append(why) }
        sentences += tooLarge
        let others = rows.filter { !$0.qualifies && $0.fits }.map(\.cache)
        if !others.isEmpty {
            let reason =
                objective == .memory
                ? "do not reach this blank time" + (dataPerDay == nil ? "" : " and data per day")
                : "fetch more than \(HumanText.bytes(Double(dataPerDay ?? 0))) per day"
            sentences.append("With the given limits, these \(reason): \(names(others)).")
        }
        return sentences
    }

    /// The sentence about sessions in which no cell disappears.
    private var withoutDisappearances: [String] {
        guard stayingSessions > 0 else { return [] }
        return [
            """
            In \(stayingSessions) of \(HumanText.count(sessions, "session")), no disappearance of a cell is \
            recorded, so each cell counts as visible until the end. Blank times rest on this assumption.
            """
        ]
    }

    /// The sentence about caches that take more memory than the limit of the question.
    private var tooLarge: [String] {
        let caches = rows.filter { !$0.fits }
        guard let budget, !caches.isEmpty else { return [] }
        let peaks = caches.map { "\($0.cache) (\(HumanText.bytes($0.peakBytes)))" }
        let text = "at its peak (95th percentile of users), and does not qualify: \(names(peaks))."
        let limit = HumanText.bytes(Double(budget))
        guard caches.count == rows.count else { return ["More than \(limit) is in memory \(text)"] }
        return [
            """
            No cache keeps within \(limit). More is in memory \(text) A cache that holds what visible cells show \
            beside its limit needs a larger --memory.
            """
        ]
    }

    private func names(_ caches: [String]) -> String { caches.joined(separator: ", ") }

    /// The sentence about sessions that have no host in common.
    private var differentApps: [String] {
        guard let groups = search?.groups, !groups.isEmpty else { return [] }
        let sorted = groups.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let text = sorted.prefix(3).map { "\(HumanText.count($0.value, "session")) with \($0.key)" }
            .joined(separator: ", ")
        let others = groups.count > 3 ? ", and \(groups.count - 3) more" : ""
        return [
            """
            The sessions are of \(groups.count) groups without a common host: \(text)\(others). If these are different \
            apps, ask for each of them by itself.
            """
        ]
    }

    /// The sentence about rules that are not the cache's own.
    private func gain(_ best: Row) -> [String] {
        guard let changeGain, let unchanged = best.unchanged else { return [] }
        let (value, difference): (String, String)
        switch objective {
        case .blank, .memory:
            value = "\(HumanText.share(unchanged)) of the visible time is blank"
            difference =
                "\(HumanText.share(changeGain.difference)) more (\(interval(changeGain.low, changeGain.high)))"
        case .bytes:
            value = "a session fetches \(HumanText.bytes(unchanged))"
            difference = """
                \(HumanText.bytes(changeGain.difference)) more \
                (\(interval(changeGain.low, changeGain.high, HumanText.bytes)))
                """
        }
        return ["With its own rules in place of \(Self.rules(best.improvedBy)), \(value): \(difference)."]
    }

    /// `connections: 12 and order: lifo`.
    static func rules(_ changes: [SweptValue]) -> String {
        let texts = changes.map { "\($0.parameter): \($0.value)" }
        return texts.count < 3
            ? texts.joined(separator: " and ")
            : texts.dropLast().joined(separator: ", ") + " and " + (texts.last ?? "")
    }

    /// The given limits in words.
    private func limits(_ row: Row, memory: String? = nil) -> String {
        let memory = memory ?? budget.map { "memory: \(HumanText.bytes(Double($0)))" } ?? "no limit of memory"
        let limits = row.disk.map { "\(memory) and disk: \(HumanText.bytes(Double($0)))" } ?? memory
        return row.changes.isEmpty ? limits : "\(limits); \(Self.rules(row.changes))"
    }

    /// The sentences about caches that differ by no more than the tolerance: none of them is recommended.
    private func tie(_ tied: [Row]) -> String {
        let limit = budget.map { "memory: \(HumanText.bytes(Double($0)))" } ?? "no limit of memory"
        let settings = tied.map { row in
            let enough = objective == .memory ? row.smallestSufficientLimit : nil
            return limits(row, memory: enough.map { "memory: \(HumanText.bytes(Double($0)))" } ?? limit)
        }
        let isCommon = Set(settings).count == 1
        let list = zip(tied, settings).map { isCommon ? $0.cache : "\($0.cache) with \($1)" }
        let names = "\(list.dropLast().joined(separator: ", ")) and \(list.last ?? "")"
        func range(_ figure: (Row) -> Double, _ text: (Double) -> String) -> String {
            let figures = tied.map(figure)
            let (low, high) = (text(figures.min() ?? 0), text(figures.max() ?? 0))
            return low == high ? low : "\(low) to \(high)"
        }
        let (figure, unit): (String, Unit) =
            switch objective {
            case .blank: ("cells are blank for \(range(\.blankRatio, HumanText.share)) of the visible time", .ratio)
            case .bytes: ("a session fetches \(range(\.originBytes, HumanText.bytes))", .bytes)
            case .memory: ("they need \(range(\.neededBytes, HumanText.bytes)) (95th percentile of users)", .bytes)
            }
        return """
            \(names) tie\(isCommon ? " with \(settings[0])" : ""): \(figure), and a difference of at most \
            \(Tolerance.text(unit)) is none. Choose among them by other reasons.
            """
    }

    private func recommendation(_ best: Row) -> String {
        guard ties < 2 else { return tie(Array(rows.prefix(ties))) }
        let blank = "cells are blank for \(HumanText.share(best.blankRatio)) of the visible time"
        let data = best.bytesPerDay.map { " It fetches \(HumanText.bytes($0)) per day." } ?? ""
        switch objective {
        case .blank:
            return "Use \(best.cache) with \(limits(best)): \(blank) (\(interval(best.low, best.high))).\(data)"
        case .bytes:
            let bytes = HumanText.bytes(best.originBytes)
            return """
                Use \(best.cache) with \(limits(best)): a session fetches \(bytes) \
                (\(interval(best.originLow, best.originHigh, HumanText.bytes))), and \(blank).\(data)
                """
        case .memory:
            let limit =
                (best.smallestSufficientLimit ?? budget).map { "memory: \(HumanText.bytes(Double($0)))" }
                ?? "no limit of memory"
            let disk = best.disk.map { " and disk: \(HumanText.bytes(Double($0)))" } ?? ""
            let changes = best.changes.isEmpty ? "" : "; \(Self.rules(best.changes))"
            return """
                Use \(best.cache) with \(limit)\(disk)\(changes): it needs \(HumanText.bytes(best.neededBytes)) (95th \
                percentile \
                of users), the least for a blank time within \(HumanText.share(within)) of the least one. With \
                \(limits(best)), \(blank).\(data)
                """
        }
    }

    private func enough(_ best: Row) -> [String] {
        var sentences: [String] = []
        let room = HumanText.share(within) + (objective == .bytes ? "" : " or \(Tolerance.text(.ratio))")
        let kept = "the \(objective == .bytes ? "bytes stay" : "blank time stays") within \(room)"
        let subject = ties < 2 ? "" : "With \(best.cache), "
        if objective != .memory, let enough = best.smallestSufficientLimit, let share = best.enoughForUsers {
            let interval = best.enoughForUsersLow.flatMap { low in
                best.enoughForUsersHigh.map { "\(HumanText.wholeShare(low)) to \(HumanText.wholeShare($0))" }
            }
            let others =
                (best.enoughForUsersLow ?? 1) < Self.mostUsers
                ? ", so that it may be fewer than \(HumanText.wholeShare(Self.mostUsers)) of other users" : ""
            sentences.append(
                """
                \(subject)\(HumanText.bytes(Double(enough))) is enough: \(kept)\(cost(of: enough, best)), for \
                \(Self.rounded(share)) of \(HumanText.count(users, "user"))\
                \(interval.map { " (95 % interval \($0)\(others))" } ?? "").
                """)
        }
        if let average = best.enoughOnAverage, average != best.smallestSufficientLimit, let share = best.averageForUsers
        {
            sentences.append(
                """
                With \(HumanText.bytes(Double(average))), the mean stays within \(room)\(cost(of: average, best)), \
                but that of only \(Self.rounded(share)) of users does.
                """)
        }
        if let enough = best.diskEnough {
            let memory = budget.map { HumanText.bytes(Double($0)) } ?? "no limit"
            sentences.append(
                "On disk, \(HumanText.bytes(Double(enough))) is enough: \(kept), with \(memory) in memory.")
        }
        if !best.enoughPairs.isEmpty {
            let pairs = best.enoughPairs.map { pair in
                let memory = pair.memory.map { HumanText.bytes(Double($0)) } ?? "no limit"
                return "\(memory) with \(HumanText.bytes(Double(pair.disk))) on disk"
            }
            sentences.append("Smaller limits of both are enough too: \(pairs.joined(separator: "; ")).")
        }
        return sentences
    }

    /// Returns the blank time that a smaller limit of memory adds, in brackets; nothing if it adds none.
    private func cost(of limit: Int, _ row: Row) -> String {
        let point = points.first {
            $0.cache == row.cache && $0.changes == row.changes && $0.limit == limit && $0.disk == row.disk
        }
        guard objective == .blank, let added = point.map({ $0.blankRatio - row.blankRatio }), added >= 0.0005 else {
            return ""
        }
        return " (it costs \(HumanText.share(added).replacing("%", with: "")) points)"
    }

    /// `74%`, or `99.7%`, which is not all.
    private static func rounded(_ share: Double) -> String { HumanText.wholeShare((share * 1000).rounded() / 1000) }

    /// The sentence if no cache fetches as little as asked.
    private var tooMuchData: String {
        let least = rows.min { ($0.bytesPerDay ?? .infinity) < ($1.bytesPerDay ?? .infinity) }
        guard let dataPerDay, let least, let bytes = least.bytesPerDay else {
            return "No cache reaches a blank time within \(HumanText.share(within)) of the least one."
        }
        return """
            No cache fetches at most \(HumanText.bytes(Double(dataPerDay))) per day with the given limits: the least \
            is \
            \(HumanText.bytes(bytes)), with \(least.cache). A larger disk, longer lifetimes or smaller images would \
            help.
            """
    }

    private func sentence(_ second: RunnerUp) -> String {
        switch objective {
        case .blank:
            """
            \(second.cache) has \(HumanText.share(second.difference)) more of the visible time blank \
            (\(interval(second.low, second.high))).
            """
        case .bytes:
            """
            \(second.cache) fetches \(HumanText.bytes(second.difference)) more per session \
            (\(interval(second.low, second.high, HumanText.bytes))).
            """
        case .memory: "\(second.cache) needs \(HumanText.bytes(second.difference)) more."
        }
    }

    /// Returns the share of sessions near the limit of the app, and what it counts.
    private func nearLimit(_ best: Row) -> [String] {
        guard let app, let near = best.near else { return [] }
        func counted(_ near: NearLimit) -> String {
            """
            \(near.near) of \(HumanText.count(near.sessions, "session")), \(HumanText.share(near.share)) \
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
        if let enough = best.smallestSufficientLimit, let near = best.enoughNear {
            sentences.append("With \(HumanText.bytes(Double(enough))), it is \(counted(near)).")
        }
        return sentences + app.contents(near)
    }

    private func interval(
        _ low: Double?, _ high: Double?, _ text: (Double) -> String = { HumanText.share($0) }
    ) -> String {
        guard let low, let high else {
            return "\(HumanText.count(users, "user")): too few, or too alike, for an interval"
        }
        return "95 % interval \(text(low)) to \(text(high)), \(HumanText.count(users, "user"))"
    }

    /// Returns what the advice says.
    ///
    /// - Parameter pictures: The charts.
    package func document(pictures: [Document.Block] = []) -> Document {
        Document(
            "advice", title: "advice", headline: "Which cache, and how large?",
            [.sentences(sentences), .table(table)] + pictures + front + settings.flatMap(\.blocks))
    }

    /// The front of blank time, memory and bytes, and its knee: a sentence, and a table with a row per setting, in
    /// order of rising memory.
    private var front: [Document.Block] {
        let front = points.filter(\.isOnFront).stableSorted { $0.peakBytes < $1.peakBytes }
        guard !front.isEmpty else { return [] }
        let count = HumanText.count(points.count, "setting")
        let sentence = """
            \(front.count) of \(count) make the front: one of them matches each other setting in blank time, memory \
            and bytes, within \(Tolerance.text(.ratio)) and \(Tolerance.text(.bytes)).
            """
        var grid = TextGrid(headings: [
            .text("cache"), .figure("memory limit"), .figure("blank"), .figure("memory p95"), .figure("fetched"),
        ])
        if disk != nil { grid.headings.insert(.figure("disk limit"), at: 2) }
        if app != nil { grid.headings.append(.figure("near the app's limit")) }
        grid.headings.append(.text(""))
        let changed = front.contains { !$0.changes.isEmpty }
        if changed { grid.headings.append(.text("rules")) }
        grid.rows = front.map { point in
            [
                point.cache, point.limitText,
            ] + (disk == nil ? [] : [point.diskText]) + [
                HumanText.share(point.blankRatio), HumanText.bytes(point.peakBytes), HumanText.bytes(point.originBytes),
            ] + (app == nil ? [] : [point.near?.text ?? "–"]) + [point.isKnee ? "knee" : ""]
                + (changed ? [Self.rules(point.changes)] : [])
        }
        guard !points.contains(where: \.isKnee) else { return [.sentences([sentence]), .table(grid)] }
        let reason =
            AdvicePoint.memoryFront(of: points).count < 3
            ? "fewer than three settings trade memory for blank time"
            : "blank time does not fall noticeably faster with the first bytes of memory than later"
        return [.sentences([sentence]), .table(grid), .sentences(["There is no knee: \(reason)."])]
    }

    /// The table of the caches.
    private var table: TextGrid {
        var grid = TextGrid(headings: [
            .text("cache"), .figure("blank"), .figure("95 % interval"),
            .figure("memory p95"), .figure("fetched"), .figure("enough"),
            .figure("for users"), .figure("on average"),
        ])
        if disk != nil { grid.headings.append(.figure("enough disk")) }
        if dataPerDay != nil { grid.headings.append(.figure("per day")) }
        if app != nil { grid.headings.append(.figure("near the app's limit")) }
        let changed = rows.contains { !$0.changes.isEmpty }
        if changed { grid.headings.append(.text("rules")) }
        grid.rows = rows.map { row in
            [
                row.cache, HumanText.share(row.blankRatio),
                row.low.flatMap { low in row.high.map { "\(HumanText.share(low)) to \(HumanText.share($0))" } } ?? "–",
                HumanText.bytes(row.peakBytes), HumanText.bytes(row.originBytes),
                row.smallestSufficientLimit.map { HumanText.bytes(Double($0)) } ?? "–",
                row.enoughForUsers.map(Self.rounded) ?? "–",
                row.enoughOnAverage.map { HumanText.bytes(Double($0)) } ?? "–",
            ] + (disk == nil ? [] : [row.diskEnough.map { HumanText.bytes(Double($0)) } ?? "–"])
                + (dataPerDay == nil ? [] : [row.bytesPerDay.map { HumanText.bytes($0) } ?? "–"])
                + (app == nil ? [] : [row.near?.text ?? "–"])
                + (changed ? [row.changes.isEmpty ? "its own" : Self.rules(row.changes)] : [])
        }
        return grid
    }
}

extension Advice {
    /// Why the first cache is better than the runner-up, or than itself without changes: a sentence with the causes of
    /// misses and blank time; nil if no cause differs.
    var why: String? {
        guard let rival, let first = rows.first,
            let change = CauseChange(.init(trace: "", cache: first.cache), rival.best, rival.other)
        else { return nil }
        let name = rival.cache == first.cache ? "\(rival.cache) with its own rules" : rival.cache
        return "Why: per session, \(name) has \(change.text)."
    }
}

extension AdviceSearchSummary {
    /// What the search did, as sentences.
    public var text: String {
        var text = "\(replays) replays"
        if replaysRead > 0 { text += ", and \(replaysRead) of an earlier search" }
        text += "; \(settings) settings count."
        if exhaustive > Double(replays + replaysRead) {
            let share = HumanText.share(Double(replays + replaysRead) / exhaustive)
            text +=
                " All settings on all sessions would be \(exhaustive.fixed(0)) replays, of which these are \(share)."
        }
        if varied.isEmpty {
            text += " --vary all also searches connections, order, lifetimes, policies and prefetching."
        }
        if !isComplete { text += " The search ended at --time-limit, before its end." }
        return text
    }
}
