import ReplayEngine
import Runs

extension AdviceReplays {
    /// What is known of the settings and the sessions.
    struct State: Sendable {
        /// By choice and session.
        var runs: [AdviceChoice: [AdviceRun?]] = [:]
        /// By session: what all its replays share.
        var facts: [Facts?]
        var caches: [AdviceChoice: CacheConfiguration?] = [:]
        /// The traces that stay in memory.
        var loaded: [Int: AdviceSession.Loaded] = [:]
        var loadedBytes = 0
        var skipped: [Int: String] = [:]
        var failure: (any Error)?
        var replays = 0
        var replaysRead = 0
        /// The number of calls for replays so far.
        var calls = 0

        func hasRun(_ choice: AdviceChoice, _ session: Int) -> Bool {
            guard let runs = runs[choice], session < runs.count else { return false }
            return runs[session] != nil
        }

        /// Returns the figure of each user on some sessions; NaN without a value. Sessions without a user are users of
        /// their own.
        func values(_ figure: FleetFigure, _ choice: AdviceChoice, _ sessions: Range<Int>) -> [Double] {
            guard let runs = runs[choice] else { return [] }
            var places: [String: Int] = [:]
            var sums: [(part: Double, whole: Double)] = []
            for session in sessions {
                var value = (part: 0.0, whole: 0.0)
                if session < runs.count, let run = runs[session] {
                    value.part = run.measures[figure.measure.rawValue]
                    value.whole = if case .share(let of) = figure.pooling { run.measures[of.rawValue] } else { 1 }
                }
                if let user = facts[session]?.user {
                    if let place = places[user] {
                        sums[place].part += value.part
                        sums[place].whole += value.whole
                        continue
                    }
                    places[user] = sums.count
                }
                sums.append(value)
            }
            return sums.map { $0.whole > 0 ? $0.part / $0.whole : .nan }
        }

        mutating func set(_ run: AdviceRun, _ choice: AdviceChoice, _ session: Int) {
            let missing = session + 1 - (runs[choice]?.count ?? 0)
            if missing > 0 { runs[choice, default: []] += [AdviceRun?](repeating: nil, count: missing) }
            runs[choice]?[session] = run
        }
    }

    /// What all replays of a session share.
    struct Facts: Sendable {
        var user: String?
        var duration: Int64
        var hosts: [String]
        var cellsStay: Bool
    }
}
