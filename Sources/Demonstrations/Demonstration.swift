import Foundation

/// A short sequence that shows what a cache does, run on the same tiers and pipeline as every replay: each step with
/// what is expected of it, and what happened.
public struct Demonstration: Sendable {
    public let name: String
    /// What it shows, in a sentence.
    public let claim: String
    /// What a reviewer should take from it.
    public let meaning: String
    let scenario: @Sendable (inout DemonstrationReport) throws -> Void

    init(
        _ name: String, _ claim: String, meaning: String,
        _ scenario: @escaping @Sendable (inout DemonstrationReport) throws -> Void
    ) {
        self.name = name
        self.claim = claim
        self.meaning = meaning
        self.scenario = scenario
    }

    public static let all: [Demonstration] =
        memoryDemonstrations + lifetimeDemonstrations + pipelineDemonstrations + slipDemonstrations
        + foundationDemonstrations

    /// Runs it, and says step by step what happened. Throws what the tiers throw. `command`: the `cachereplay` command,
    /// by which a ``IsolatedScenario`` gets a process of its own.
    public func run(command: URL) throws -> DemonstrationReport {
        var report = DemonstrationReport(command: command)
        try scenario(&report)
        return report
    }
}

public struct DemonstrationReport: Sendable, Equatable {
    public struct Step: Sendable, Equatable {
        /// What was done, and to what.
        public var action: String
        /// nil for a figure that was measured, and differs from machine to machine.
        public var expected: String?
        public var outcome: String

        public var isAsExpected: Bool { expected == nil || expected == outcome }
    }

    /// Steps of one cache.
    public struct Section: Sendable, Equatable {
        public var cache: String
        public var steps: [Step] = []
    }

    public var sections: [Section] = []
    let command: URL

    public var isAsExpected: Bool { sections.allSatisfy { $0.steps.allSatisfy(\.isAsExpected) } }

    mutating func begin(_ cache: String) { sections.append(Section(cache: cache)) }

    mutating func step(_ action: String, expected: String, _ outcome: String) {
        append(Step(action: action, expected: expected, outcome: outcome))
    }

    /// A figure that was measured: shown, and compared with nothing.
    mutating func note(_ action: String, _ measured: String) {
        append(Step(action: action, expected: nil, outcome: measured))
    }

    private mutating func append(_ step: Step) {
        if sections.isEmpty { begin("") }
        sections[sections.count - 1].steps.append(step)
    }
}
