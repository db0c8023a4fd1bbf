import Basics
import Foundation

/// A short sequence of steps that shows one behavior of a cache, on the same tiers and pipeline as every replay.
///
/// Each step has an expected and an actual outcome.
public struct Demonstration: Sendable {
    public let name: String
    /// The behavior that the steps show, in a sentence.
    public let claim: String
    /// The cause or the consequence of the behavior.
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
        memoryDemonstrations + lifetimeDemonstrations + pipelineDemonstrations + mistakeDemonstrations
        + foundationDemonstrations

    /// The prefix of the folders for the files of disk caches.
    static let scratchPrefix = "cachereplay-demonstration"

    /// Runs the demonstration and reports each step.
    ///
    /// - Parameter command: The `cachereplay` command. An ``IsolatedScenario`` runs in a separate process of it.
    /// - Throws: The errors of the tiers.
    public func run(command: URL) throws -> DemonstrationReport {
        ScratchFolder.removeAbandoned(
            in: FileManager.default.temporaryDirectory.path, prefix: Self.scratchPrefix)
        var report = DemonstrationReport(command: command)
        try scenario(&report)
        return report
    }
}

/// The steps of a demonstration, with their outcomes.
public struct DemonstrationReport: Sendable, Equatable {
    public struct Step: Sendable, Equatable {
        /// The operation.
        public var action: String
        /// The expected outcome; nil for a measured figure, which differs between machines.
        public var expected: String?
        public var outcome: String

        public var isAsExpected: Bool { expected == nil || expected == outcome }
    }

    /// The steps of one cache.
    public struct Section: Sendable, Equatable {
        public var cache: String
        public var steps: [Step] = []
    }

    public var sections: [Section] = []
    /// The `cachereplay` command.
    let command: URL

    public var isAsExpected: Bool { sections.allSatisfy { $0.steps.allSatisfy(\.isAsExpected) } }

    mutating func begin(_ cache: String) { sections.append(Section(cache: cache)) }

    mutating func step(_ action: String, expected: String, _ outcome: String) {
        append(Step(action: action, expected: expected, outcome: outcome))
    }

    /// Adds a measured figure, which is not compared with an expectation.
    mutating func note(_ action: String, _ measured: String) {
        append(Step(action: action, expected: nil, outcome: measured))
    }

    private mutating func append(_ step: Step) {
        if sections.isEmpty { begin("") }
        sections[sections.count - 1].steps.append(step)
    }
}
