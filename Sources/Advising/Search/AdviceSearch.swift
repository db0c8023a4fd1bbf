import Runs

/// The replays that a search asks for. The sessions are numbered; those with smaller numbers are a sample of all.
protocol AdviceReplaying {
    var sessionCount: Int { get }

    /// Replays settings on sessions, without those that were replayed before.
    ///
    /// - Returns: Whether all were replayed; false after a limit of time.
    func replay(_ choices: [AdviceChoice], _ sessions: Range<Int>) throws -> Bool

    /// Returns the mean over users of a figure of a setting on sessions; infinity without a value.
    func mean(_ figure: FleetFigure, _ choice: AdviceChoice, _ sessions: Range<Int>) -> Double

    /// Returns the share of users whose figure with `choice` exceeds the figure with `other` by at most `tolerance`.
    func users(
        _ figure: FleetFigure, _ choice: AdviceChoice, within tolerance: Tolerance, of other: AdviceChoice,
        _ sessions: Range<Int>
    ) -> Double

    /// Whether a cache accepts the values of a setting.
    func isPossible(_ choice: AdviceChoice) -> Bool

    /// Returns the settings whose memory alone has the fewest misses, in a simulation of its policy on sessions.
    func fewestMisses(_ choices: [AdviceChoice], keeping count: Int, _ sessions: Range<Int>) throws -> [AdviceChoice]
}

/// Finds the settings of caches that are worth replaying on every session.
///
/// 1. Every cache is replayed on a sample of the sessions with its own rules and the limits of the question.
/// 2. Rules are searched one after the other, with the best values of the others so far, until no value of any rule
///    is better, at most ``mostRounds`` times. The values of a rule are halved: all are replayed on a quarter of the
///    sample, the best half of them on half of it, and the best half of those on all of it. Policies of memory are
///    first simulated alone, and the ``mostPolicies`` with the fewest misses are replayed.
/// 3. Limits are searched with the best values of the rules. Between two limits with the same figures, none is
///    replayed. Smaller limits of memory and of the disk at once are found on a path along the edge of those that are
///    enough.
/// 4. Between the smallest limit of memory that is enough and the next smaller one, limits are bisected until a factor
///    of ``AdviceSpace/finestStep`` remains. For the best caches, all limits above the answer are replayed in steps of
///    that factor, because a larger limit can be worse than a smaller one.
/// 5. If there are more sessions than in the sample, the candidates for the answer are replayed on all of them, and the
///    limits of the best caches are bisected again.
///
/// The same sessions give the same answer: nothing depends on the order in which replays end.
struct AdviceSearch<Replays: AdviceReplaying> {
    /// The outcome of a search.
    struct Outcome: Equatable {
        /// The settings whose figures count.
        var choices: [AdviceChoice]
        /// By space: the setting with the limits of the question and the cache's own rules.
        var own: [AdviceChoice]
        /// By space: the setting with the limits of the question and the best rules.
        var best: [AdviceChoice]
        /// Whether the search came to its end; false after a limit of time.
        var isComplete: Bool
    }

    static var mostRounds: Int { 3 }
    static var mostPolicies: Int { 6 }

    private let spaces: [AdviceSpace]
    private let figure: FleetFigure
    private let tolerance: Tolerance
    private let sample: Range<Int>
    private let replays: Replays
    /// The settings that were replayed on the whole sample, in order.
    private var sampled: [AdviceChoice] = []
    /// The settings that were replayed on all sessions, in order, if the sample does not have all.
    private var everywhere: [AdviceChoice] = []
    /// Whether the figure at a limit is compared with the least one of all caches, not with the least one of the cache
    /// itself.
    private let sharesTarget: Bool

    /// - Parameters:
    ///   - spaces: The settings of each cache.
    ///   - figure: The figure to minimise.
    ///   - tolerance: The smallest difference that counts.
    ///   - sample: The number of sessions of the sample.
    ///   - sharesTarget: Whether the figure at a limit is compared with the least one of all caches.
    ///   - replays: Replays settings.
    init(
        _ spaces: [AdviceSpace], _ figure: FleetFigure, within tolerance: Tolerance = .standard, sample: Int,
        sharesTarget: Bool = false, _ replays: Replays
    ) {
        self.sharesTarget = sharesTarget
        self.spaces = spaces
        self.figure = figure
        self.tolerance = tolerance
        self.sample = 0..<min(max(sample, 1), replays.sessionCount)
        self.replays = replays
    }

    private struct TimeIsUp: Error {}

    /// Searches.
    ///
    /// - Throws: The error of a cache that cannot have the limits of the question, and errors of replays.
    mutating func run() throws -> Outcome {
        let own = try spaces.enumerated().map { try $1.start($0) }
        var best = own
        var choices = own
        var isComplete = false
        do {
            try replayOnSample(own)
            for place in spaces.indices {
                best[place] = try bestRules(of: spaces[place], from: own[place])
            }
            for place in spaces.indices { try searchLimits(of: spaces[place], best[place], among: best) }
            try sharpen(best, on: sample, checksLarger: true)
            choices = sampled
            if sample.upperBound < replays.sessionCount {
                let all = 0..<replays.sessionCount
                choices = finalists(own, best)
                try replay(choices, on: all)
                try sharpen(best, on: all, checksLarger: false)
                choices = everywhere
            }
            isComplete = true
        } catch is TimeIsUp {
            if !everywhere.isEmpty {
                choices = everywhere
            } else if choices == own {
                choices = sampled.isEmpty ? own : sampled
            }
        }
        return Outcome(choices: choices, own: own, best: best, isComplete: isComplete)
    }

    private mutating func replayOnSample(_ choices: [AdviceChoice]) throws { try replay(choices, on: sample) }

    /// Replays settings on the sample or on all sessions.
    private mutating func replay(_ choices: [AdviceChoice], on sessions: Range<Int>) throws {
        guard try replays.replay(choices, sessions) else { throw TimeIsUp() }
        let known = known(sessions)
        let new = choices.filter { !known.contains($0) }
        if sessions == sample { sampled += new } else { everywhere += new }
    }

    /// Returns the settings that were replayed on the sample, or on all sessions.
    private func known(_ sessions: Range<Int>) -> Set<AdviceChoice> { Set(sessions == sample ? sampled : everywhere) }

    private func merit(_ choice: AdviceChoice, _ sessions: Range<Int>) -> Double {
        replays.mean(figure, choice, sessions)
    }

    /// Whether the figure of a setting is at most the figure of another one, up to the tolerance.
    private func isNear(_ choice: AdviceChoice, _ merit: Double, _ sessions: Range<Int>) -> Bool {
        tolerance.accepts(self.merit(choice, sessions), for: merit, figure.unit)
    }

    // MARK: Rules

    private mutating func bestRules(of space: AdviceSpace, from start: AdviceChoice) throws -> AdviceChoice {
        var best = start
        // The values of all rules when each one was searched last.
        var searched = [AdviceChoice?](repeating: nil, count: space.rules.count)
        for _ in 0..<Self.mostRounds {
            let before = best
            for (place, rule) in space.rules.enumerated() where searched[place] != best.with(place, 0) {
                searched[place] = best.with(place, 0)
                var rivals = (0...rule.values.count).map { best.with(place, $0) }
                    .filter { $0 != best && replays.isPossible($0) }
                if rivals.count > Self.mostPolicies, rule.parameter == "policy" {
                    rivals = try replays.fewestMisses(rivals, keeping: Self.mostPolicies, sample)
                }
                best = try halve(rivals, best)
            }
            if best == before { break }
        }
        return best
    }

    /// Returns the best of several settings by successive halving; the present one if none is better by more than the
    /// tolerance.
    ///
    /// K. Jamieson and A. Talwalkar, "Non-stochastic Best Arm Identification and Hyperparameter Optimization", AISTATS
    /// 2016; here with sessions in place of steps of training.
    private mutating func halve(_ rivals: [AdviceChoice], _ present: AdviceChoice) throws -> AdviceChoice {
        guard !rivals.isEmpty else { return present }
        var left = rivals
        for part in [4, 2] {
            let some = 0..<((sample.count + part - 1) / part)
            guard some.count < sample.count, left.count > 1 else { continue }
            guard try replays.replay(left, some) else { throw TimeIsUp() }
            let ranked = left.stableSorted { merit($0, some) < merit($1, some) }
            let kept = Set(ranked.prefix((left.count + 1) / 2))
            left = left.filter(kept.contains)
        }
        try replayOnSample(left)
        guard let winner = left.min(by: { merit($0, sample) < merit($1, sample) }) else { return present }
        return isNear(present, merit(winner, sample), sample) ? present : winner
    }

    // MARK: Limits

    private mutating func searchLimits(
        of space: AdviceSpace, _ best: AdviceChoice, among all: [AdviceChoice]
    ) throws {
        try refine(space.memory.indices.map { best.with(memory: $0, disk: 0) }, on: sample)
        guard space.disk.count > 1 else { return }
        try refine(space.disk.indices.map { best.with(memory: 0, disk: $0) }, on: sample)
        try followEdge(of: space, best, among: all)
    }

    /// Replays the settings of a ladder, except for those between two with the same figures.
    private mutating func refine(_ ladder: [AdviceChoice], on sessions: Range<Int>) throws {
        guard let first = ladder.first, let last = ladder.last else { return }
        try replay([first, last], on: sessions)
        let known = known(sessions)
        let replayed = ladder.indices.filter { known.contains(ladder[$0]) }
        var parts = zip(replayed, replayed.dropFirst()).map { $0...$1 }
        while !parts.isEmpty {
            let open = parts.filter { $0.count > 2 && !isSame(ladder[$0.lowerBound], ladder[$0.upperBound], sessions) }
            let middles = open.map { ($0.lowerBound + $0.upperBound) / 2 }
            try replay(middles.map { ladder[$0] }, on: sessions)
            parts = zip(open, middles).flatMap { [$0.lowerBound...$1, $1...$0.upperBound] }
        }
    }

    private func isSame(_ one: AdviceChoice, _ other: AdviceChoice, _ sessions: Range<Int>) -> Bool {
        [FleetFigure.blank, .bytes].allSatisfy { figure in
            let (a, b) = (replays.mean(figure, one, sessions), replays.mean(figure, other, sessions))
            return abs(a - b) <= 1e-9 * max(abs(a), abs(b))
        }
    }

    /// Returns the figure that a smaller limit of a cache is compared with.
    ///
    /// - Parameter all: The best setting of each cache.
    private func target(_ best: AdviceChoice, among all: [AdviceChoice], _ sessions: Range<Int>) -> Double {
        guard sharesTarget else { return merit(best, sessions) }
        let fitting = all.filter { choice in
            spaces[choice.space].memory[0].map { replays.mean(.memoryPeak, choice, sessions) <= Double($0) } ?? true
        }
        return (fitting.isEmpty ? all : fitting).map { merit($0, sessions) }.min() ?? merit(best, sessions)
    }

    private func isEnough(
        _ choice: AdviceChoice, _ best: AdviceChoice, _ target: Double, _ sessions: Range<Int>
    ) -> Bool {
        isNear(choice, target, sessions)
            && replays.users(figure, choice, within: tolerance, of: best, sessions) >= Advice.mostUsers
    }

    /// Replays pairs of limits of memory and disk along the edge of those that are enough: from the smallest memory
    /// with the largest disk, the disk shrinks while it is enough, or else memory grows.
    private mutating func followEdge(
        of space: AdviceSpace, _ best: AdviceChoice, among all: [AdviceChoice]
    ) throws {
        let target = target(best, among: all, sample)
        let ladder = space.memory.indices.map { best.with(memory: $0, disk: 0) }
        var pair = best.with(memory: edge(ladder, sample) { isEnough($0, best, target, sample) }.last, disk: 0)
        while pair.disk + 1 < space.disk.count {
            let smaller = pair.with(memory: pair.memory, disk: pair.disk + 1)
            try replayOnSample([smaller])
            if isEnough(smaller, best, target, sample) {
                pair = smaller
            } else if pair.memory == 0 {
                break
            } else {
                pair.memory -= 1
            }
        }
    }

    /// Returns the place of the last setting of a ladder up to which all that were replayed are enough, and the place
    /// of the next one that was replayed; nil for the latter if all are enough.
    private func edge(
        _ ladder: [AdviceChoice], _ sessions: Range<Int>, _ isEnough: (AdviceChoice) -> Bool
    ) -> (last: Int, next: Int?) {
        let known = known(sessions)
        var last = 0
        for (place, choice) in ladder.enumerated() where known.contains(choice) {
            guard isEnough(choice) else { return (last, place) }
            last = place
        }
        return (last, nil)
    }

    /// Finds the smallest limit of memory that is enough among all of ``AdviceSpace/memoryLadder(_:)``, for each user
    /// and on average.
    ///
    /// - Parameters:
    ///   - best: The best setting of each cache.
    ///   - sessions: The sample, or all sessions. On all sessions, only the caches within the tolerance of the best one
    ///     are searched.
    ///   - checksLarger: Whether all limits above the answer are replayed for these caches, except for those between
    ///     two with the same figures.
    private mutating func sharpen(_ best: [AdviceChoice], on sessions: Range<Int>, checksLarger: Bool) throws {
        let least = best.map { merit($0, sessions) }.min() ?? 0
        for choice in best {
            let isTop = isNear(choice, least, sessions)
            guard isTop || sessions == sample else { continue }
            let ladder = spaces[choice.space].memoryLadder(choice)
            let target = target(choice, among: best, sessions)
            try bisect(ladder, sessions) { $0.isEnough($1, choice, target, sessions) }
            if checksLarger, isTop {
                let last = edge(ladder, sessions) { isEnough($0, choice, target, sessions) }.last
                try refine(Array(ladder[...last]), on: sessions)
            }
            try bisect(ladder, sessions) { $0.isNear($1, target, sessions) }
        }
    }

    /// Replays the middle between the last setting of a ladder that is enough and the first one that is not, until they
    /// are neighbours.
    private mutating func bisect(
        _ ladder: [AdviceChoice], _ sessions: Range<Int>, _ isEnough: (Self, AdviceChoice) -> Bool
    ) throws {
        while true {
            let (last, next) = edge(ladder, sessions) { isEnough(self, $0) }
            guard let next, next - last > 1 else { return }
            try replay([ladder[(last + next) / 2]], on: sessions)
        }
    }

    // MARK: All sessions

    /// Returns the settings that could be the answer, in the order in which they were found: for each cache, the limits
    /// of the question with its own and with its best rules, and the limits around those that are enough; for the best
    /// caches, all limits.
    private func finalists(_ own: [AdviceChoice], _ best: [AdviceChoice]) -> [AdviceChoice] {
        let least = best.map { merit($0, sample) }.min() ?? 0
        let known = known(sample)
        var kept = Set(own + best)
        for (place, space) in spaces.enumerated() {
            let top = best[place]
            let target = target(top, among: best, sample)
            if isNear(top, least, sample) {
                kept.formUnion(
                    sampled.filter { $0.space == place && $0.rules == top.rules && $0.memoryPart == 0 })
            }
            for ladder in [
                space.memory.indices.map { top.with(memory: $0, disk: 0) }, space.memoryLadder(top),
                space.disk.indices.map { top.with(memory: 0, disk: $0) },
            ] {
                let replayed = ladder.filter(known.contains)
                let last = ladder[edge(ladder, sample) { isEnough($0, top, target, sample) }.last]
                guard let edge = replayed.firstIndex(of: last) else { continue }
                kept.formUnion(replayed[max(0, edge - 2)...min(replayed.count - 1, edge + 1)])
            }
        }
        return sampled.filter(kept.contains)
    }
}
