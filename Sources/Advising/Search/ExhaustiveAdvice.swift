import ReplayEngine
import Runs

extension AdviceReplays {
    /// Returns the share of users whose blank time with `choice` exceeds the one with `other` by at most the standard
    /// tolerance.
    public func shareOfUsers(_ choice: AdviceChoice, near other: AdviceChoice) throws -> Double {
        let sessions = 0..<sessionCount
        _ = try replay([choice, other], sessions)
        return users(.blank, choice, within: .standard, of: other, sessions)
    }
}

/// The blank time of all settings on all sessions: the yardstick of a search.
public struct ExhaustiveAdvice {
    private struct Entry {
        var cache: String
        var changes: [SweptValue]
        var memory: Int
        var blank: Double
    }

    private let entries: [Entry]

    /// Replays all settings on all sessions.
    ///
    /// Complexity: as many replays as there are settings times sessions.
    public init(_ replays: AdviceReplays) throws {
        var entries: [Entry] = []
        let sessions = 0..<replays.sessionCount
        for (place, space) in replays.spaces.enumerated() {
            var choices = space.memory.indices.flatMap { memory in
                space.disk.indices.map { AdviceChoice(space: place, memory: memory, disk: $0) }
            }
            for rule in space.rules {
                choices = choices.flatMap { choice in
                    (0...rule.values.count).map { value in
                        var choice = choice
                        choice.rules.append(value)
                        return choice
                    }
                }
            }
            guard try replays.replay(choices, sessions) else {
                throw ReplayError("an exhaustive search has no limit of time")
            }
            entries += choices.map { choice in
                Entry(
                    cache: space.base.name, changes: space.changes(choice),
                    memory: space.memory[choice.memory] ?? .max, blank: replays.mean(.blank, choice, sessions))
            }
        }
        self.entries = entries
    }

    /// The least mean over users of the share of visible time that cells are blank.
    public var leastBlank: Double { entries.map(\.blank).min() ?? .infinity }

    /// Returns the smallest limit of memory with at most some blank time.
    ///
    /// - Parameters:
    ///   - row: The answer whose cache and rules it has.
    ///   - blank: The mean over users of the share of visible time that cells are blank.
    public func leastMemory(like row: Advice.Row, blank: Double) -> Int {
        entries.filter { $0.cache == row.cache && $0.changes == row.changes && $0.blank <= blank }
            .map(\.memory).min() ?? .max
    }

    /// Returns the least blank time of the settings that have the rules of an answer.
    public func leastBlank(withRulesOf row: Advice.Row) -> Double {
        entries.filter { $0.changes == row.changes }.map(\.blank).min() ?? .infinity
    }
}
