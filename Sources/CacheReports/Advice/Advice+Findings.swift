import Advising
import Basics
import ReplayEngine
import ResultColumns
import Runs

extension Advice {
    /// The findings of the advice: the answer, the changes that made a difference and those that made none, the limit
    /// that is enough and the cost of less, what the answer rests on, and the room that is left.
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

    /// The tied cache with the least figure of the objective.
    private var least: Row? {
        tied.min { one, other in
            switch objective {
            case .blank: one.blankRatio < other.blankRatio
            case .bytes: one.originBytes < other.originBytes
            case .memory: one.neededBytes < other.neededBytes
            }
        }
    }

    func finding(_ subject: Finding.Subject, _ text: String, _ rows: [Row] = []) -> Finding {
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

    func name(_ row: Row) -> String { NameList.name(row.cache) }

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

    static let cannotTell = "These sessions cannot tell"

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

    private func reason(_ row: Row) -> String {
        if !row.fits { return "\(HumanText.bytes(row.peakBytes)) \(share95)is in memory at its peak" }
        if let dataPerDay, let bytes = row.bytesPerDay, bytes > Double(dataPerDay) {
            return "it fetches \(HumanText.bytes(bytes)) per day"
        }
        return "its blank time is more than \(relevanceThreshold.text(.ratio)) above the least one"
    }

    /// The meaning of a peak, beside its amount.
    var share95: String { users == 1 ? "" : "(95th percentile of \(crowd)) " }

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

    /// The notes that a reader of the answer must know.
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
}
