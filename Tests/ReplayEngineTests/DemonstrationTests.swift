import ReplayEngine
import Testing

/// What is expected at each step stands with the step itself, in hand-worked words; here every one is run.
@Suite("Demonstrations")
struct DemonstrationTests {
    @Test("Each shows what it claims", arguments: Demonstration.all.map(\.name))
    func asExpected(name: String) throws {
        let demonstration = try #require(Demonstration.all.first { $0.name == name })
        let report = try demonstration.run()
        #expect(!report.scenes.isEmpty)
        for scene in report.scenes {
            #expect(!scene.steps.isEmpty)
            for step in scene.steps {
                #expect(step.outcome == step.expected, "\(scene.cache): \(step.action)")
            }
        }
    }

    @Test("No two have one name")
    func names() {
        #expect(Set(Demonstration.all.map(\.name)).count == Demonstration.all.count)
    }
}
