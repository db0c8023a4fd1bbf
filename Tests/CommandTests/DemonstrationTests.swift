import Foundation
import Testing

import ReplayEngine
@testable import CacheReplayCommand

/// Runs every demonstration. Each step contains its expected outcome.
@Suite("Demonstrations")
struct DemonstrationTests {
    @Test("Every outcome is as expected", arguments: Demonstration.all.map(\.name))
    func asExpected(name: String) throws {
        let demonstration = try #require(Demonstration.all.first { $0.name == name })
        let report = try demonstration.run(command: Self.command)
        #expect(!report.sections.isEmpty)
        for section in report.sections {
            // A section without an expectation would prove nothing.
            #expect(section.steps.contains { $0.expected != nil })
            for step in section.steps {
                #expect(
                    step.isAsExpected, "\(section.cache): \(step.action): \(step.outcome), not \(step.expected ?? "")")
            }
        }
    }

    /// The built command, which runs isolated scenarios. The package manager puts it next to the test bundle.
    private static let command: URL = {
        let tests = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        let bundle = tests.deletingLastPathComponent()
        return bundle.appendingPathComponent("cachereplay")
    }()

    @Test("A single difference makes the report differ, and a measured figure does not")
    func difference() {
        var report = DemonstrationReport(command: Self.command)
        report.note("how long it takes", "7 ms")
        report.step("read A", expected: "hit", "hit")
        #expect(report.isAsExpected)
        report.step("read B", expected: "hit", "miss")
        #expect(!report.isAsExpected)
    }

    #if canImport(FoundationNetworking)
    @Test("A missing command and an unknown scenario do not count as a trap")
    func notATrap() throws {
        // Nothing can exist below a device.
        let missing = DemonstrationReport(command: URL(fileURLWithPath: "/dev/null/cachereplay"))
        #expect(throws: ReplayError.self) { try missing.run(isolated: "urlcache-stored-twice") }
        let unknown = try DemonstrationReport(command: Self.command).run(isolated: "unknown")
        #expect(unknown == IsolatedOutcome(steps: [], end: "the process ends with 64"))
    }
    #endif

    @Test("Names are unique")
    func names() {
        #expect(Set(Demonstration.all.map(\.name)).count == Demonstration.all.count)
    }
}
