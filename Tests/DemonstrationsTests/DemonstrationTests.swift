import Foundation
import Testing

import ReplayEngine
@testable import Demonstrations

/// What is expected at each step stands with the step itself, in hand-worked words; here every one is run.
@Suite("Demonstrations")
struct DemonstrationTests {
    @Test("Each shows what it claims", arguments: Demonstration.all.map(\.name))
    func asExpected(name: String) throws {
        let demonstration = try #require(Demonstration.all.first { $0.name == name })
        let report = try demonstration.run(command: Self.command)
        #expect(!report.sections.isEmpty)
        for section in report.sections {
            // Something must be at stake.
            #expect(section.steps.contains { $0.expected != nil })
            for step in section.steps {
                #expect(
                    step.isAsExpected, "\(section.cache): \(step.action): \(step.outcome), not \(step.expected ?? "")")
            }
        }
    }

    /// The built command, in which specimens are told. It lies beside the test bundle, where the package manager puts
    /// both.
    private static let command: URL = {
        let tests = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        let bundle = tests.deletingLastPathComponent()
        return bundle.appendingPathComponent("cachereplay")
    }()

    @Test("A difference anywhere is a difference, a measured figure is none")
    func difference() {
        var report = DemonstrationReport(command: Self.command)
        report.note("how long it takes", "7 ms")
        report.step("read A", expected: "hit", "hit")
        #expect(report.isAsExpected)
        report.step("read B", expected: "hit", "miss")
        #expect(!report.isAsExpected)
    }

    #if canImport(FoundationNetworking)
    @Test("A command that cannot be started, or that does not know the specimen, is not taken for a trap")
    func notATrap() throws {
        let missing = DemonstrationReport(command: URL(fileURLWithPath: "/nonexistent/cachereplay"))
        #expect(throws: ReplayError.self) { try missing.run(isolated: "urlcache-stored-twice") }
        let unknown = try DemonstrationReport(command: Self.command).run(isolated: "no such specimen")
        #expect(unknown == IsolatedOutcome(steps: [], end: "the process ends with 64"))
    }
    #endif

    @Test("No two have one name")
    func names() {
        #expect(Set(Demonstration.all.map(\.name)).count == Demonstration.all.count)
    }
}
