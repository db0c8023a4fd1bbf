import Basics
import CacheSimulation
import CacheTraces
import ReplayEngine
import Runs

/// The figures of finished replays.
extension AdviceReplays {
    // MARK: Figures

    func mean(_ figure: FleetFigure, _ choice: AdviceChoice, _ sessions: Range<Int>) -> Double {
        let values = state.withLock { $0.values(figure, choice, sessions) }.filter { !$0.isNaN }
        return values.isEmpty ? .infinity : values.reduce(0, +) / Double(values.count)
    }

    func users(
        _ figure: FleetFigure, _ choice: AdviceChoice, within tolerance: Tolerance, of other: AdviceChoice,
        _ sessions: Range<Int>
    ) -> Double {
        let (own, others) = state.withLock { ($0.values(figure, choice, sessions), $0.values(figure, other, sessions)) }
        let pairs = zip(own, others).filter { !$0.0.isNaN && !$0.1.isNaN }
        let unit = figure.unit
        return pairs.isEmpty ? 0 : Double(pairs.count { tolerance.accepts($0, for: $1, unit) }) / Double(pairs.count)
    }

    func fewestMisses(_ choices: [AdviceChoice], keeping count: Int, _ sessions: Range<Int>) throws -> [AdviceChoice] {
        var misses = [Int](repeating: 0, count: choices.count)
        for number in sessions.prefix(Self.mostSimulated) {
            guard state.withLock({ $0.skipped[number] == nil }), let loaded = try? load(number) else { continue }
            for (place, choice) in choices.enumerated() {
                guard let cache = cache(choice) else { continue }
                misses[place] += try loaded.trace.memoryMisses(of: cache)
            }
        }
        let ranked = choices.indices.sorted { (misses[$0], $0) < (misses[$1], $1) }
        return ranked.prefix(count).sorted().map { choices[$0] }
    }

    /// The most sessions that policies are simulated on.
    private static let mostSimulated = 16

    // MARK: Results

    /// The figures of settings over the sessions that were replayed with all of them.
    struct Figures {
        var table: FleetTable
        var candidates: [Advice.Candidate]
        var sessions: Int
        /// The length of the sessions in nanoseconds.
        var duration: Int64
        /// The hosts of each session.
        var hosts: [[String]]
        /// The number of sessions in which no cell disappears.
        var staying: Int
    }

    func figures(_ choices: [AdviceChoice]) throws -> Figures {
        let caches = choices.map { cache($0) }
        return try state.withLock { state in
            let complete = sessions.indices.filter { session in
                state.facts[session] != nil && choices.allSatisfy { state.hasRun($0, session) }
            }
            var candidates: [Advice.Candidate] = []
            for (choice, cache) in zip(choices, caches) {
                guard let cache else { throw ReplayError("a setting has no cache") }
                let space = spaces[choice.space]
                var candidate = Advice.Candidate(
                    cache: space.base.name, limit: space.memoryLimit(choice), disk: space.disk[choice.disk],
                    changes: space.changes(choice), name: cache.name, configuration: cache)
                candidate.isBetweenSteps = choice.memoryPart > 0
                for session in complete {
                    guard let run = state.runs[choice]?[session] else { continue }
                    candidate.evictions &+= run.evictions
                    candidate.bytes &+= Int64(exactly: run.measures[FleetMeasure.originBytes.rawValue].rounded()) ?? 0
                }
                candidates.append(candidate)
            }
            var table = FleetTable(caches: candidates.map(\.name))
            for session in complete {
                for (choice, candidate) in zip(choices, candidates) {
                    guard let run = state.runs[choice]?[session] else { continue }
                    table.add(
                        run.measures, cache: candidate.name, session: sessions[session].name,
                        user: state.facts[session]?.user)
                }
            }
            return Figures(
                table: table, candidates: candidates, sessions: complete.count,
                duration: complete.reduce(0) { $0 + (state.facts[$1]?.duration ?? 0) },
                hosts: complete.map { state.facts[$0]?.hosts ?? [] },
                staying: complete.count { state.facts[$0]?.cellsStay == true })
        }
    }

    /// Returns the causes of misses and blank time of two settings, summed over at most so many sessions.
    func causes(_ choices: [AdviceChoice], sessions count: Int) throws -> [CauseSums] {
        var sums = choices.map { _ in CauseSums() }
        var done = 0
        for number in sessions.indices where done < count {
            guard state.withLock({ state in choices.allSatisfy { state.hasRun($0, number) } }) else { continue }
            let loaded = try load(number)
            for (place, choice) in choices.enumerated() {
                guard let cache = cache(choice) else { continue }
                let rows = try job(sessions[number], cache, loaded)
                    .explain(loaded.trace, measured: options.measured).requests
                sums[place].add(CauseTotals(rows), of: done)
            }
            done += 1
        }
        return sums
    }
}

extension PreparedTrace {
    /// Returns the misses of the policy of a cache's memory alone, in a simulation without time of fetches.
    func memoryMisses(of cache: CacheConfiguration) throws -> Int {
        let holdsBitmaps = cache.memoryRules.cost == .decoded || cache.memoryRules.holds == .decoded
        let policy = try context.memoryPolicy(of: cache)
        return Simulation.run(DenseTrace(trace, holdsBitmaps: holdsBitmaps), policy).misses
    }
}
