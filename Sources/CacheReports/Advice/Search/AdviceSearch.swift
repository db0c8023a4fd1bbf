import ReplayEngine

/// What a search asks of replays. The sessions are numbered; those with smaller numbers are a sample of all.
protocol AdviceReplaying {
    /// The number of sessions.
    var sessionCount: Int { get }

    /// Replays settings on sessions, without those that were replayed before.
    ///
    /// - Returns: Whether all were replayed; false after a limit of time.
    func replay(_ choices: [AdviceChoice], _ sessions: Range<Int>) throws -> Bool

    /// Returns the mean over users of a figure of a setting on sessions; infinity without a value.
    func mean(_ figure: FleetFigure, _ choice: AdviceChoice, _ sessions: Range<Int>) -> Double

    /// Returns the share of users whose figure with a setting is within a share of that with another one.
    func users(
        _ figure: FleetFigure, _ choice: AdviceChoice, within: Double, of other: AdviceChoice, _ sessions: Range<Int>
    ) -> Double

    /// Whether a cache accepts the values of a setting.
    func isPossible(_ choice: AdviceChoice) -> Bool

    /// Returns the settings whose memory alone has the fewest misses, in a simulation of its policy on sessions.
    func fewestMisses(_ choices: [AdviceChoice], keeping count: Int, _ sessions: Range<Int>) throws -> [AdviceChoice]
}

/// Finds the settings of caches that are worth replaying on every session.
///
/// 1. Every cache is replayed on a sample of the sessions with its own rules and the limits of the question.
/// 2. Levers are searched one after the other, with the best values of the others so far, until no value of any lever
///    is better, at most ``mostRounds`` times. The values of a lever are halved: all are replayed on a quarter of the
///    sample, the best half of them on half of it, and the best half of those on all of it. Policies of memory are
///    first simulated alone, and the ``mostPolicies`` with the fewest misses are replayed.
/// 3. Limits are searched with the best values of the levers. Between two limits with the same figures, none is
///    replayed. Smaller limits of memory and of the disk at once are found on a path along the edge of those that are
///    enough.
/// 4. If there are more sessions than in the sample, what could be the answer is replayed on all of them.
///
/// The same sessions give the same answer: nothing depends on the order in which replays end.
struct AdviceSearch<Replays: AdviceReplaying> {
    /// What a search found.
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
    private let within: Double
    private let sample: Range<Int>
    private let replays: Replays
    /// The settings that were replayed on the whole sample, in order.
    private var sampled: [AdviceChoice] = []

    /// - Parameters:
    ///   - spaces: The settings of each cache.
    ///   - figure: The figure to have least of.
    ///   - within: The share by which the figure may be larger with a smaller limit.
    ///   - sample: The number of sessions of the sample.
    ///   - replays: What replays settings.
    init(_ spaces: [AdviceSpace], _ figure: FleetFigure, within: Double, sample: Int, _ replays: Replays) {
        self.spaces = spaces
        self.figure = figure
        self.within = within
        self.sample = 0..<min(max(sample, 1), replays.sessionCount)
        self.replays = replays
    }

    private struct TimeIsUp: Error {}

    /// Searches.
    ///
    /// - Throws: The error of a cache that cannot have the limits of the question, and those of replays.
    mutating func run() throws -> Outcome {
        let own = try spaces.enumerated().map { try $1.start($0) }
        var best = own
        var choices = own
        var isComplete = false
        do {
            try replayOnSample(own)
            for place in spaces.indices {
                best[place] = try bestLevers(of: spaces[place], from: own[place])
            }
            for place in spaces.indices { try searchLimits(of: spaces[place], best[place]) }
            choices = sampled
            if sample.upperBound < replays.sessionCount {
                choices = finalists(own, best)
                guard try replays.replay(choices, 0..<replays.sessionCount) else { throw TimeIsUp() }
            }
            isComplete = true
        } catch is TimeIsUp {
            if choices == own { choices = sampled.isEmpty ? own : sampled }
        }
        return Outcome(choices: choices, own: own, best: best, isComplete: isComplete)
    }

    private mutating func replayOnSample(_ choices: [AdviceChoice]) throws {
        guard try replays.replay(choices, sample) else { throw TimeIsUp() }
        let known = Set(sampled)
        sampled += choices.filter { !known.contains($0) }
    }

    private func merit(_ choice: AdviceChoice, _ sessions: Range<Int>) -> Double {
        replays.mean(figure, choice, sessions)
    }

    // MARK: Levers

    private mutating func bestLevers(of space: AdviceSpace, from start: AdviceChoice) throws -> AdviceChoice {
        var best = start
        // The values of all levers when each one was searched last.
        var searched = [AdviceChoice?](repeating: nil, count: space.levers.count)
        for _ in 0..<Self.mostRounds {
            let before = best
            for (place, lever) in space.levers.enumerated() where searched[place] != best.with(place, 0) {
                searched[place] = best.with(place, 0)
                var rivals = (0...lever.values.count).map { best.with(place, $0) }
                    .filter { $0 != best && replays.isPossible($0) }
                if rivals.count > Self.mostPolicies, lever.parameter == "policy" {
                    rivals = try replays.fewestMisses(rivals, keeping: Self.mostPolicies, sample)
                }
                best = try halve(rivals, best)
            }
            if best == before { break }
        }
        return best
    }

    /// Returns the best of several settings by successive halving; the present one if none is better by more than
    /// ``Tolerance``.
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
        let (least, own) = (merit(winner, sample), merit(present, sample))
        return least < own && !Tolerance.ties(least, own, figure.unit) ? winner : present
    }

    // MARK: Limits

    private mutating func searchLimits(of space: AdviceSpace, _ best: AdviceChoice) throws {
        try refine(space.memory.indices.map { best.with(memory: $0, disk: 0) })
        guard space.disk.count > 1 else { return }
        try refine(space.disk.indices.map { best.with(memory: 0, disk: $0) })
        try followEdge(of: space, best)
    }

    /// Replays the settings of a ladder, except for those between two with the same figures.
    private mutating func refine(_ ladder: [AdviceChoice]) throws {
        guard let last = ladder.indices.last else { return }
        try replayOnSample([ladder[0], ladder[last]])
        var parts = [0...last]
        while !parts.isEmpty {
            let open = parts.filter { $0.count > 2 && !isSame(ladder[$0.lowerBound], ladder[$0.upperBound]) }
            let middles = open.map { ($0.lowerBound + $0.upperBound) / 2 }
            try replayOnSample(middles.map { ladder[$0] })
            parts = zip(open, middles).flatMap { [$0.lowerBound...$1, $1...$0.upperBound] }
        }
    }

    private func isSame(_ one: AdviceChoice, _ other: AdviceChoice) -> Bool {
        [FleetFigure.blank, .bytes].allSatisfy { figure in
            let (a, b) = (replays.mean(figure, one, sample), replays.mean(figure, other, sample))
            return abs(a - b) <= 1e-9 * max(abs(a), abs(b))
        }
    }

    private func isEnough(_ choice: AdviceChoice, _ best: AdviceChoice) -> Bool {
        merit(choice, sample).isWithin(within, of: merit(best, sample), figure)
            && replays.users(figure, choice, within: within, of: best, sample) >= Advice.mostUsers
    }

    /// Replays pairs of limits of memory and disk along the edge of those that are enough: from the smallest memory
    /// with the largest disk, the disk shrinks while it is enough, or else memory grows.
    private mutating func followEdge(of space: AdviceSpace, _ best: AdviceChoice) throws {
        var pair = best.with(memory: enough(space.memory.indices.map { best.with(memory: $0, disk: 0) }, best), disk: 0)
        while pair.disk + 1 < space.disk.count {
            let smaller = pair.with(memory: pair.memory, disk: pair.disk + 1)
            try replayOnSample([smaller])
            if isEnough(smaller, best) { pair = smaller } else if pair.memory == 0 { break } else { pair.memory -= 1 }
        }
    }

    /// Returns the place of the last setting of a ladder up to which all that were replayed are enough.
    private func enough(_ ladder: [AdviceChoice], _ best: AdviceChoice) -> Int {
        let known = Set(sampled)
        var last = 0
        for (place, choice) in ladder.enumerated() where known.contains(choice) {
            guard isEnough(choice, best) else { break }
            last = place
        }
        return last
    }

    // MARK: All sessions

    /// Returns the settings that could be the answer, in the order in which they were found: for each cache, the limits
    /// of the question with its own and with its best rules, and the limits around those that are enough; for the best
    /// caches, all limits.
    private func finalists(_ own: [AdviceChoice], _ best: [AdviceChoice]) -> [AdviceChoice] {
        let least = best.map { merit($0, sample) }.min() ?? 0
        var kept = Set(own + best)
        for (place, space) in spaces.enumerated() {
            let top = best[place]
            if merit(top, sample).isWithin(within, of: least, figure) {
                kept.formUnion(sampled.filter { $0.space == place && $0.levers == top.levers })
            }
            for ladder in [
                space.memory.indices.map { top.with(memory: $0, disk: 0) },
                space.disk.indices.map { top.with(memory: 0, disk: $0) },
            ] {
                let known = Set(sampled)
                let replayed = ladder.filter(known.contains)
                let last = ladder[enough(ladder, top)]
                guard let edge = replayed.firstIndex(of: last) else { continue }
                kept.formUnion(replayed[max(0, edge - 2)...min(replayed.count - 1, edge + 1)])
            }
        }
        return sampled.filter(kept.contains)
    }
}
