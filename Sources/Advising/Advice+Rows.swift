import ImageLibraries
import ReplayEngine
import Runs
import Statistics

extension Advice {
    /// Returns the rows of candidates with the limits of the question.
    static func rows(
        _ choices: [(candidate: Candidate, own: Candidate)], _ table: FleetTable, _ candidates: [Candidate],
        _ question: Question, _ figures: AdviceFigures, _ statistics: FleetStatistics
    ) -> [Row] {
        let asked = choices.map(\.candidate)
        // A cache that takes more memory than the question allows is not what others must reach.
        let fitting = asked.filter { candidate in
            question.budget.map { figures.peak(candidate) <= Double($0) } ?? true
        }
        let leastBlank = (fitting.isEmpty ? asked : fitting).map { figures.mean(.blank, $0) }.min() ?? 0
        return choices.compactMap { choice -> Row? in
            var row = Row(choice.candidate, candidates, question, figures, statistics, leastBlank: leastBlank)
            if choice.own.changes != choice.candidate.changes {
                row?.unchanged = figures.mean(question.objective.figure, choice.own)
                row?.improvedBy = choice.candidate.changes.filter { !choice.own.changes.contains($0) }
            }
            if let app = question.app { row?.addDistances(to: app, table, candidates, question) }
            return row
        }
    }

    /// Returns a candidate with the limits of the question for each cache: the one with the best rules, or the first
    /// one if that is not better by more than the tolerance, or not for the users; and the first one, which has the
    /// cache's own rules.
    static func asked(
        _ candidates: [Candidate], _ question: Question, _ table: FleetTable, _ figures: AdviceFigures, seed: UInt64
    ) -> [(candidate: Candidate, own: Candidate)] {
        let (figure, tolerance) = (question.objective.figure, question.relevanceThreshold)
        let about = candidates.filter(question.isAbout)
        return about.map(\.cache).unique().compactMap { cache in
            let own = about.filter { $0.cache == cache }
            guard let first = own.first,
                let best = own.first(where: \.hasBestRules)
                    ?? own.min(by: { figures.mean(figure, $0) < figures.mean(figure, $1) })
            else { return nil }
            let (least, usual) = (figures.mean(figure, best), figures.mean(figure, first))
            guard !tolerance.accepts(usual, for: least, figure.unit) else { return (first, first) }
            let statistics = FleetStatistics(
                table.with(caches: [best.name, first.name]), seed: seed, threads: 1, relevanceThreshold: tolerance)
            let difference = FleetDifference(statistics, figure, from: best.name, to: first.name)
            return (difference.isConsistent ? best : first, first)
        }
    }
}

extension Advice.Candidate {
    /// Whether the candidate is the cache of a row, with the same rules.
    func isOf(_ row: Advice.Row) -> Bool { cache == row.cache && changes == row.changes }

    /// Whether the candidate is a point: a step of the limits, or a limit that a row names.
    func isShown(beside rows: [Advice.Row]) -> Bool {
        !isBetweenSteps
            || rows.contains { row in
                isOf(row) && disk == row.disk && (limit == row.smallestSufficientLimit || limit == row.enoughOnAverage)
            }
    }
}

extension Advice.Row {
    /// Returns the cache at the limit that is enough; nil if its configuration is not known.
    func configured(
        _ candidates: [Advice.Candidate], _ question: Advice.Question
    ) -> Advice.Candidate? {
        let limit = smallestSufficientLimit ?? question.budget
        let candidate = candidates.first { $0.isOf(self) && $0.limit == limit && $0.disk == disk }
        return candidate?.configuration == nil ? nil : candidate
    }

    /// Adds how near the sessions come to the limit of the app, at the limit of the question and at the smallest
    /// sufficient one.
    mutating func addDistances(
        to app: AppMemory, _ table: FleetTable, _ candidates: [Advice.Candidate], _ question: Advice.Question
    ) {
        func distance(_ limit: Int?) -> NearLimit? {
            candidates.first { $0.isOf(self) && $0.limit == limit && $0.disk == disk }
                .flatMap { NearLimit(table, cache: $0.name, app) }
        }
        near = distance(question.budget)
        enoughNear = smallestSufficientLimit.flatMap { distance($0) }
    }

    /// Creates the row of a candidate with the limits of the question; nil without a figure.
    init?(
        _ asked: Advice.Candidate, _ candidates: [Advice.Candidate], _ question: Advice.Question,
        _ figures: AdviceFigures, _ statistics: FleetStatistics, leastBlank: Double
    ) {
        guard let blank = statistics.row(.blank, asked.name), let bytes = statistics.row(.bytes, asked.name),
            let peak = statistics.row(.memoryPeak, asked.name)
        else { return nil }
        let figure = question.objective.figure
        let target = question.objective == .memory ? leastBlank : figures.mean(figure, asked)
        let tolerance = question.relevanceThreshold
        func isEnoughOnAverage(_ candidate: Advice.Candidate) -> Bool {
            tolerance.accepts(figures.mean(figure, candidate), for: target, figure.unit) && question.allows(candidate)
        }
        func share(_ candidate: Advice.Candidate) -> Double? {
            figures.users(figure, candidate, within: tolerance, of: asked)
        }
        func isEnough(_ candidate: Advice.Candidate) -> Bool {
            isEnoughOnAverage(candidate) && (share(candidate) ?? 0) >= Advice.mostUsers
        }
        let own = candidates.filter { $0.cache == asked.cache && $0.changes == asked.changes }
        let smaller = own.filter { $0.disk == asked.disk && $0.limit != asked.limit }
            .sorted { ($0.limit ?? .max) > ($1.limit ?? .max) }
        let smallerDisk = own.filter { $0.limit == asked.limit && $0.disk != asked.disk }
            .sorted { ($0.disk ?? .max) > ($1.disk ?? .max) }
        peakBytes = peak.quantiles.last?.value ?? 0
        fits = question.budget.map { figures.peak(asked) <= Double($0) } ?? true
        qualifies = fits && isEnoughOnAverage(asked)
        let enough = qualifies ? smaller.prefix(while: isEnough).last : nil
        let average = qualifies ? smaller.prefix(while: isEnoughOnAverage).last : nil
        let pairs = own.filter { $0.limit != asked.limit && $0.disk != asked.disk && isEnough($0) }
        func isWithin(_ one: Advice.Candidate, _ other: Advice.Candidate) -> Bool {
            (one.limit ?? .max) <= (other.limit ?? .max) && (one.disk ?? .max) <= (other.disk ?? .max)
                && (one.limit, one.disk) != (other.limit, other.disk)
        }
        enoughPairs =
            !qualifies
            ? []
            : pairs.filter { pair in !pairs.contains { isWithin($0, pair) } }
                .sorted { ($0.limit ?? .max) < ($1.limit ?? .max) }
                .compactMap { pair in pair.disk.map { Advice.LimitPair(memory: pair.limit, disk: $0) } }
        changes = asked.changes
        cache = asked.cache
        disk = asked.disk
        blankRatio = blank.mean.value
        (low, high) = (blank.mean.interval?.low, blank.mean.interval?.high)
        originBytes = bytes.mean.value
        (originLow, originHigh) = (bytes.mean.interval?.low, bytes.mean.interval?.high)
        neededBytes = figures.peak(enough ?? asked)
        isLimitedByMemory = asked.evictions > 0
        bytesPerDay = asked.bytesPerDay
        self.smallestSufficientLimit = enough?.limit
        diskEnough = qualifies ? smallerDisk.prefix(while: isEnough).last?.disk : nil
        enoughOnAverage = average?.limit
        averageForUsers = average.flatMap(share)
        enoughForUsers = enough.flatMap(share)
        let interval = enoughForUsers.map {
            WilsonInterval.ofShare(($0 * Double(statistics.userCount)).rounded(), of: statistics.userCount)
        }
        (enoughForUsersLow, enoughForUsersHigh) = (interval?.lowerBound, interval?.upperBound)
    }
}
