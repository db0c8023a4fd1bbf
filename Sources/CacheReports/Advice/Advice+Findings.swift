import Advising
import Basics
import ReplayEngine
import ResultColumns
import Runs

extension Advice {
    /// What the advice says: the answer first, then what made a difference by amount and what made none, the limit that
    /// is enough and what less would cost, what all this rests on, and the room that is left.
    public var findings: [Finding] {
        guard let row = answer else {
            return [Finding(subject: .best, text: "No session has a visible cell, so these sessions cannot tell.")]
        }
        let reasons = row.qualifies ? changes(of: row) + enough(row) + nearLimit(row) : []
        return [best] + reasons + excluded + [basis] + notes + left
    }

    /// The cache that the answer is about: the one that the user has, or else the best one.
    var answer: Row? { kept ?? rows.first }

    private var kept: Row? { rows.first { $0.cache == keep } }

    /// The caches that qualify, and that tie with the best one.
    private var tied: [Row] { Array(rows.prefix(ties)) }

    /// Of these, the one with the least figure of the objective.
    private var least: Row? {
        tied.min { one, other in
            switch objective {
            case .blank: one.blankRatio < other.blankRatio
            case .bytes: one.originBytes < other.originBytes
            case .memory: one.neededBytes < other.neededBytes
            }
        }
    }

    private func finding(_ subject: Finding.Subject, _ text: String, _ rows: [Row] = []) -> Finding {
        let evidence = rows.map { row in
            let (metric, value): (String, Double) =
                switch objective {
                case .blank: ("blank_ratio", row.blankRatio)
                case .bytes: ("origin_bytes", row.originBytes)
                case .memory: ("memory_peak_bytes", row.neededBytes)
                }
            return Finding.Evidence(trace: "", cache: row.cache, metric: metric, value: value)
        }
        return Finding(subject: subject, text: text, evidence: evidence, caches: rows.map(\.cache))
    }

    // MARK: The answer

    private var best: Finding {
        guard ties > 0 else { return nothingQualifies }
        if let kept { return verdict(on: kept) }
        let next = runnerUp.flatMap { second in rows.first { $0.cache == second.cache } }
        guard ties == 1 else { return finding(.best, tie, tied) }
        let data = tied[0].bytesPerDay.map { " It fetches \(HumanText.bytes($0)) per day." } ?? ""
        let text = "Use \(name(tied[0])) with \(limits(tied[0])): \(amount(tied))\(interval(tied[0])).\(data)"
        return finding(.best, text + nextText, tied + [next].compactMap(\.self))
    }

    private func name(_ row: Row) -> String { NameList.name(row.cache) }

    /// The sentence about the best cache that does not tie; nothing if all do.
    private var nextText: String {
        guard let runnerUp else { return "" }
        let verb =
            switch objective {
            case .blank: "has"
            case .bytes: "fetches"
            case .memory: "needs"
            }
        let more = "\(difference(runnerUp.difference)) more"
        let interval = interval(runnerUp.low, runnerUp.high, difference)
        return " The next, \(NameList.name(runnerUp.cache)), \(verb) \(more)\(interval)\(holds(runnerUp, tied[0]))."
    }

    /// For how many people a cache is better than another one; nothing for one.
    private func holds(_ other: RunnerUp, _ best: Row) -> String {
        guard users > 1, let better = other.betterForUsers else { return "" }
        let isOne = users < Self.leastForShares && count(better) == 1
        let verb = objective == .bytes ? (isOne ? "fetches" : "fetch") : isOne ? "has" : "have"
        return "; \(people(better)) \(verb) less with \(name(best))"
    }

    private var tie: String {
        let settings = Set(tied.map(limits))
        let common = settings.count == 1 ? settings.first.map { " with \($0)" } ?? "" : ""
        let names = NameList.text(tied.map(\.cache))
        let start = tiesByChance ? "\(Self.cannotTell) \(names) apart" : "\(names) tie"
        return "\(start)\(common): \(amount(tied)). Stay with the one that you have."
    }

    private static let cannotTell = "These sessions cannot tell"

    /// Whether figures of the caches that tie differ by more than the tolerance, which may be chance.
    private var tiesByChance: Bool {
        let figures = tied.map { objective == .bytes ? $0.originBytes : $0.blankRatio }
        guard objective != .memory, let least = figures.min() else { return false }
        return figures.contains { !relevanceThreshold.ties($0, least, objective.unit) }
    }

    /// Whether to stay with the cache that the user has.
    private func verdict(on kept: Row) -> Finding {
        let others = tied.filter { $0.cache != kept.cache }
        let text: String
        if !kept.qualifies {
            let use = others.first.map { " \(name($0)) with \(limits($0)) does: \(amount([$0]))." } ?? ""
            text = "\(name(kept)) does not answer the question: \(reason(kept)).\(use)"
        } else if let switchGain, let least {
            let interval = interval(switchGain.low, switchGain.high, difference)
            let more = others.map(\.cache).filter { $0 != least.cache }
            let alike =
                more.isEmpty ? "" : " (\(NameList.text(more)) \(more.count == 1 ? "ties" : "tie") with it)"
            text = """
                \(name(least))\(alike) in place of \(name(kept)) would gain \(difference(switchGain.difference))\
                \(interval), with \(limits(kept)): \(amount([least])), and with \(name(kept)) \(figure([kept]))\
                \(holds(switchGain, least)).
                """
        } else if others.isEmpty {
            text = "Stay with \(name(kept)) with \(limits(kept)): \(amount([kept]))\(interval(kept)).\(nextText)"
        } else {
            let names = NameList.text(others.map(\.cache))
            let tie =
                tiesByChance
                ? "these sessions cannot tell \(names) from it"
                : "\(names) \(others.count == 1 ? "ties" : "tie") with it"
            text = "Stay with \(name(kept)): \(tie) at \(limits(kept)), where \(amount(tied))."
        }
        return finding(.best, text, [kept] + others)
    }

    /// Why a cache does not qualify.
    private func reason(_ row: Row) -> String {
        if !row.fits { return "\(HumanText.bytes(row.peakBytes)) \(share95)is in memory at its peak" }
        if let dataPerDay, let bytes = row.bytesPerDay, bytes > Double(dataPerDay) {
            return "it fetches \(HumanText.bytes(bytes)) per day"
        }
        return "its blank time is more than \(relevanceThreshold.text(.ratio)) above the least one"
    }

    /// What a peak is, beside its amount.
    private var share95: String { users == 1 ? "" : "(95th percentile of \(crowd)) " }

    /// The answer if no cache qualifies.
    private var nothingQualifies: Finding {
        if let budget, !rows.contains(where: \.fits) {
            let peaks = rows.prefix(3).map { "\(name($0)) (\(HumanText.bytes($0.peakBytes)))" }
            let text = """
                No cache keeps within \(HumanText.bytes(Double(budget))). More \(share95)is in memory at the peak: \
                \(NameList.text(peaks)). A cache that holds what visible cells show beside its limit needs a larger \
                --memory.
                """
            return Finding(subject: .best, text: text, caches: rows.prefix(3).map(\.cache))
        }
        let least = rows.min { ($0.bytesPerDay ?? .infinity) < ($1.bytesPerDay ?? .infinity) }
        guard let dataPerDay, let least, let bytes = least.bytesPerDay else {
            return finding(
                .best, "No cache reaches a blank time within \(relevanceThreshold.text(.ratio)) of the least one.")
        }
        let text = """
            No cache fetches at most \(HumanText.bytes(Double(dataPerDay))) per day with the given limits: the least \
            is \(HumanText.bytes(bytes)), with \(name(least)). A larger disk, longer lifetimes or smaller images would \
            help.
            """
        return Finding(subject: .best, text: text, caches: [least.cache])
    }

    /// The caches that do not qualify beside others that do.
    private var excluded: [Finding] {
        guard ties > 0 else { return [] }
        let large = rows.filter { !$0.fits && $0.cache != keep }
        let others = rows.filter { !$0.qualifies && $0.fits && $0.cache != keep }
        var findings: [Finding] = []
        if let budget, !large.isEmpty {
            let peaks = large.map { "\(name($0)) (\(HumanText.bytes($0.peakBytes)))" }
            let text = """
                Left out, because more than \(HumanText.bytes(Double(budget))) \(share95)is in memory at the peak: \
                \(NameList.text(peaks)).
                """
            findings.append(Finding(subject: .limits, text: text, caches: NameList.shown(large.map(\.cache))))
        }
        if !others.isEmpty {
            let reason =
                objective == .memory
                ? "do not reach this blank time" + (dataPerDay == nil ? "" : " and data per day")
                : "fetch more than \(HumanText.bytes(Double(dataPerDay ?? 0))) per day"
            let text = "With the given limits, these \(reason): \(NameList.text(others.map(\.cache)))."
            findings.append(finding(.limits, text, Array(others.prefix(3))))
        }
        return findings
    }

    // MARK: Changes

    /// What the levers of a cache gain: those that gain most, those whose gain may be chance, and those without one.
    private func changes(of row: Row) -> [Finding] {
        // Limits have findings of their own.
        let all = levers.filter { $0.cache == row.cache }
        let own = all.filter { $0.lever.kind != .limit }
        guard !own.isEmpty else { return [] }
        let limits = all.filter { $0.lever.kind == .limit && $0.gain > 0 && $0.isRelevant }
        let rising = own.filter { $0.gain > 0 }.stableSorted { $0.gain > $1.gain }
        let gains = rising.filter(\.isRelevant)
        let open = rising.filter(mayBeChance)
        let none = own.filter { !$0.isRelevant && !mayBeChance($0) }.map(\.lever.title)
        let least = "\(tolerance)\(open.isEmpty ? "" : " beyond chance")"
        let (text, named): (String, [LeverGain]) =
            if !gains.isEmpty {
                ("What gains most with \(name(row)): \(amounts(gains)).", gains)
            } else if let limit = limits.max(by: { $0.gain < $1.gain }) {
                (
                    """
                    No single change of \(name(row)) or of its app gains more than \(least), but for its memory: \
                    \(limit.lever.title) (\(inDetail(limit.gain))).
                    """, [limit]
                )
            } else {
                ("No single change of \(name(row)) or of its app gains more than \(least).", [])
            }
        var findings = [Finding(subject: .difference, text: text, evidence: evidence(named), caches: [row.cache])]
        if !open.isEmpty {
            findings.append(
                Finding(
                    subject: .difference, text: "\(Self.cannotTell) about \(amounts(open)).",
                    evidence: evidence(open), caches: [row.cache]))
        }
        if !none.isEmpty {
            findings.append(
                Finding(
                    subject: .noDifference, text: "No difference that counts: \(NameList.text(none)).",
                    caches: [row.cache]))
        }
        return findings
    }

    /// Whether a lever has an effect above the tolerance that is not relevant, because the users do not agree on it.
    private func mayBeChance(_ gain: LeverGain) -> Bool {
        !gain.isRelevant && !relevanceThreshold.ties(gain.value, gain.value + gain.gain, objective.unit)
    }

    /// The first three levers with what they gain: `downloads cancelled (1.1 points)`.
    private func amounts(_ gains: [LeverGain]) -> String {
        NameList.text(gains.prefix(3).map { "\($0.lever.title) (\(gained($0.gain)))" })
    }

    private func evidence(_ gains: [LeverGain]) -> [Finding.Evidence] {
        gains.prefix(3).map { gain in
            Finding.Evidence(
                trace: "", cache: "\(gain.cache) \(gain.lever.setting.text)",
                metric: objective == .bytes ? "origin_bytes" : "blank_ratio", value: gain.value)
        }
    }

    /// What a search of rules has found; none without one, or if the cache's own rules are as good.
    var searched: [Finding] {
        guard let changeGain, let row = rows.first, let unchanged = row.unchanged else { return [] }
        let value =
            objective == .bytes
            ? "a session fetches \(HumanText.bytes(unchanged))"
            : "\(HumanText.share(unchanged)) of the visible time is blank"
        let interval = interval(changeGain.low, changeGain.high, gained)
        let text = """
            With its own rules in place of \(Self.rules(row.improvedBy)), \(value): \
            \(gained(changeGain.difference)) more\(interval).
            """
        return [finding(.difference, text, [row])]
    }

    /// `connections: 12 and order: lifo`.
    static func rules(_ changes: [SweptValue]) -> String {
        let texts = changes.map { "\($0.parameter): \($0.value)" }
        return texts.count < 3
            ? texts.joined(separator: " and ")
            : texts.dropLast().joined(separator: ", ") + " and " + (texts.last ?? "")
    }

    /// Why the first cache is better than the one that it is compared with: the causes of misses and blank time; nil if
    /// no cause differs.
    var why: String? {
        guard let rival, let first = rows.first,
            let change = CauseChange(.init(trace: "", cache: first.cache), rival.best, rival.other)
        else { return nil }
        let name = rival.cache == first.cache ? "\(rival.cache) with its own rules" : rival.cache
        return "Why: per session, \(name) has \(change.text)."
    }

    // MARK: Limits

    /// The limits that are enough, and what less would cost.
    private func enough(_ row: Row) -> [Finding] {
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

    /// Returns for how many people a smaller limit is enough, if it is on average, or else what the next smaller one
    /// adds that was replayed and adds more than the tolerance.
    private func less(than limit: Int, _ row: Row) -> String {
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
    private func people(_ share: Double) -> String {
        "\(users < Self.leastForShares ? "\(count(share))" : Self.rounded(share)) of \(users) \(crowd)"
    }

    private func count(_ share: Double) -> Int { Int((share * Double(users)).rounded()) }

    /// The users from whom on shares are stated in per cent.
    private static let leastForShares = 50

    /// What users are: sessions, if each has one.
    var crowd: String { users == sessions ? "sessions" : "people" }

    /// `74%`, or `99.7%`, which is not all.
    static func rounded(_ share: Double) -> String { HumanText.wholeShare((share * 1000).rounded() / 1000) }

    /// Returns the share of sessions near the limit of the app, and what it counts.
    private func nearLimit(_ row: Row) -> [Finding] {
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

    // MARK: What it rests on

    private var basis: Finding {
        let count = search.map { $0.replays + $0.replaysRead } ?? replays
        let people = users > 1 && users < sessions ? " of \(users) people" : ""
        let rest = "\(HumanText.count(sessions, "session"))\(people) and \(HumanText.count(count, "replay"))"
        let sample =
            search.map { $0.sample < sessions && !levers.isEmpty ? "; changes were tried on \($0.sample) of them" : "" }
            ?? ""
        let more =
            switch users {
            case 1: ". Sessions of other people would show for whom it holds"
            case ..<Self.leastForShares: ": too few for intervals, which need \(Self.leastForShares) \(crowd)"
            default: ""
            }
        return Finding(subject: .basis, text: "This rests on \(rest)\(sample)\(more).")
    }

    /// What a reader of the answer must know.
    private var notes: [Finding] {
        var texts = injected.map { [RunNote.eventsInjected($0).text] } ?? []
        if sessionsLeftOut > 0 {
            texts.append(
                """
                After --time-limit, \(sessions) of \(sessions + sessionsLeftOut) sessions had been replayed; the \
                answer rests on these.
                """)
        }
        if !leftOut.isEmpty {
            texts.append("Left out, because their disk has no limit that could be set: \(NameList.text(leftOut)).")
        }
        let withoutDisk = disk == nil ? [] : rows.filter { $0.disk == nil }.map(\.cache)
        if !withoutDisk.isEmpty {
            texts.append("Without a disk, so that --disk means nothing: \(NameList.text(withoutDisk)).")
        }
        if stayingSessions > 0 {
            texts.append(
                """
                In \(stayingSessions) of \(HumanText.count(sessions, "session")), no disappearance of a cell is \
                recorded, so each cell counts as visible until the end. Blank times rest on this assumption.
                """)
        }
        return (texts + differentApps).map { Finding(subject: .basis, text: $0) }
    }

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

    // MARK: Amounts

    /// The limits of a row in words, and its rules: `memory: 64 MB and disk: 200 MB; order: lifo`.
    private func limits(_ row: Row) -> String {
        let limit = objective == .memory ? row.smallestSufficientLimit ?? budget : budget
        let memory = limit.map { "memory: \(HumanText.bytes(Double($0)))" } ?? "no limit of memory"
        let limits = row.disk.map { "\(memory) and disk: \(HumanText.bytes(Double($0)))" } ?? memory
        return row.changes.isEmpty ? limits : "\(limits); \(Self.rules(row.changes))"
    }

    /// The figures of the objective of rows: `6.1% to 6.3%`.
    private func figure(_ rows: [Row]) -> String {
        func range(_ figure: (Row) -> Double, _ text: (Double) -> String) -> String {
            let figures = rows.map(figure)
            let (low, high) = (text(figures.min() ?? 0), text(figures.max() ?? 0))
            return low == high ? low : "\(low) to \(high)"
        }
        return switch objective {
        case .blank: range({ $0.blankRatio }, HumanText.share)
        case .bytes: range({ $0.originBytes }, HumanText.bytes)
        case .memory: range({ $0.neededBytes }, HumanText.bytes)
        }
    }

    /// What rows have of the figure of the objective, as a clause.
    private func amount(_ rows: [Row]) -> String {
        switch objective {
        case .blank: "cells are blank for \(figure(rows)) of the visible time"
        case .bytes: "a session fetches \(figure(rows))"
        case .memory:
            """
            a peak of \(figure(rows)) \(share95)is the least for a blank time within \(tolerance) of the least one
            """
        }
    }

    /// A difference between rows, of what the objective minimises: `3.2 points` or `1.2 MB`.
    private func difference(_ value: Double) -> String {
        objective == .blank ? Self.points(value) : HumanText.bytes(value)
    }

    /// A difference between settings, of the figure that they are compared by: `3.2 points` or `1.2 MB`.
    private func gained(_ value: Double) -> String {
        objective == .bytes ? HumanText.bytes(value) : Self.points(value)
    }

    /// A difference that is compared with the tolerance, with a second decimal below one point: `0.14 points`.
    private func inDetail(_ value: Double) -> String {
        guard objective != .bytes, abs(value) < 0.01 else { return gained(value) }
        return "\(HumanText.decimals(value * 100, 2)) points"
    }

    /// The smallest difference that counts, of the figure that settings are compared by: `0.1 points` or `1 %`.
    private var tolerance: String { relevanceThreshold.text(objective.unit) }

    /// `3.2 points`.
    private static func points(_ share: Double) -> String { "\(inPoints(share)) points" }

    /// `3.2` for a difference of 3.2 points, below 0 with its sign.
    static func inPoints(_ share: Double) -> String {
        (share < 0 ? "−" : "") + HumanText.share(abs(share)).replacing("%", with: "")
    }

    /// The interval of the mean of a row, in brackets; nothing without one.
    private func interval(_ row: Row) -> String {
        switch objective {
        case .blank: interval(row.low, row.high, HumanText.share)
        case .bytes: interval(row.originLow, row.originHigh, HumanText.bytes)
        case .memory: ""
        }
    }

    private func interval(_ low: Double?, _ high: Double?, _ text: (Double) -> String) -> String {
        guard let low, let high else { return "" }
        return " (95 % interval \(text(low)) to \(text(high)))"
    }
}

extension Advice.Objective {
    /// The unit of the gains of levers.
    var unit: Unit { self == .bytes ? .bytes : .ratio }
}
