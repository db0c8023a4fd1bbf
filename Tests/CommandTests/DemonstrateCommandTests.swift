import Foundation
import Testing

#if canImport(FoundationNetworking)
@Suite("The demonstrate command", .namesCommands)
struct DemonstrateCommandTests {
    @Test("A trap runs in a separate process: the command succeeds, and no crash report reaches the terminal")
    func trap() throws {
        let outcome = try Binary.run("demonstrate", "urlcache-trap")
        #expect(outcome.status == 0)
        #expect(outcome.errors.isEmpty)
        #expect(outcome.output.contains("the process traps\n"))
        #expect(outcome.output.contains("the process survives\n"))
        #expect(!outcome.output.contains("NOT AS EXPECTED"))
    }

    @Test("The trap is real: run directly, it ends the command with a signal after three stores")
    func trapItself() throws {
        let outcome = try Binary.run(
            "demonstrate", "--isolated", "urlcache-stored-twice", environment: ["SWIFT_BACKTRACE": "enable=no"])
        #expect(outcome.status == -SIGILL || outcome.status == -SIGTRAP)
        #expect(outcome.output == "a\na\nb\n")
    }

    @Test("A proxy in the environment does not come between the session and its server")
    func proxy() throws {
        let outcome = try Binary.run(
            "demonstrate", "urlsession-never-stores", environment: ["http_proxy": "http://127.0.0.1:1"])
        #expect(outcome.status == 0, "\(outcome.output)")
    }

    @Test("A measured figure is marked in the text and has no expectation in JSON")
    func measured() throws {
        struct Shown: Decodable {
            struct Step: Decodable {
                var action: String
                var expected: String?
                var outcome: String
            }
            var steps: [Step]
            var isAsExpected: Bool
        }
        #expect(try Binary.run("demonstrate", "linked-list").output.contains(" ms  (measured)\n"))
        let outcome = try Binary.run("demonstrate", "linked-list", "--json")
        let shown = try #require(try JSONDecoder().decode([Shown].self, from: Data(outcome.output.utf8)).first)
        #expect(shown.isAsExpected)
        for step in shown.steps { #expect((step.expected == nil) == step.outcome.hasSuffix(" ms"), "\(step.action)") }
        #expect(shown.steps.contains { $0.expected == nil } && shown.steps.contains { $0.expected != nil })
    }

    @Test("The help does not list isolated scenarios, and an unknown one is a usage error")
    func hidden() throws {
        #expect(try !Binary.run("demonstrate", "--help").output.contains("isolated"))
        #expect(try Binary.run("demonstrate", "--isolated", "nope").status == 64)
    }
}
#endif
