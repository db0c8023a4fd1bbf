import Foundation
import Testing

#if canImport(FoundationNetworking)
@Suite("Demonstrations, as the command shows them")
struct DemonstrateCommandTests {
    @Test("A trap is told in a process of its own: the command ends well, and no crash report reaches the terminal")
    func trap() throws {
        let outcome = try Binary.run("demonstrate", "urlcache-trap")
        #expect(outcome.status == 0)
        #expect(outcome.errors.isEmpty)
        #expect(outcome.output.contains("the process traps\n"))
        #expect(outcome.output.contains("the process survives\n"))
        #expect(!outcome.output.contains("NOT AS EXPECTED"))
    }

    @Test("The trap is real: told directly, it ends the command by a signal, after three stores")
    func trapItself() throws {
        let outcome = try Binary.run(
            "demonstrate", "--specimen", "urlcache-stored-twice", environment: ["SWIFT_BACKTRACE": "enable=no"])
        #expect(outcome.status == -SIGILL || outcome.status == -SIGTRAP)
        #expect(outcome.output == "a\na\nb\n")
    }

    @Test("A proxy in the environment does not stand between the session and its own server")
    func proxy() throws {
        let outcome = try Binary.run(
            "demonstrate", "urlsession-never-stores", environment: ["http_proxy": "http://127.0.0.1:1"])
        #expect(outcome.status == 0, "\(outcome.output)")
    }

    @Test("A measured figure is shown as such, and has no expectation in JSON")
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

    @Test("The specimens are not for people: the help does not name them, and one that is not there is wrong usage")
    func hidden() throws {
        #expect(try !Binary.run("demonstrate", "--help").output.contains("specimen"))
        #expect(try Binary.run("demonstrate", "--specimen", "nope").status == 64)
    }
}
#endif
