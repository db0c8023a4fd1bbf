import Foundation
import Testing

@Suite("cachereplay validate", .namesCommands) struct ValidateCommandTests {
    private static let recordings = "Tests/ReplayEngineTests/Recordings"

    @Test("A recording predicts another one over another link; the wrong link exits with 1")
    func predict() throws {
        func predict(_ arguments: String...) throws -> Binary.Outcome {
            try Command.run(
                ["validate", "\(Self.recordings)/fast-6.jsonl", "--predict", "\(Self.recordings)/slow-2.jsonl"]
                    + arguments)
        }
        let rules = "connections: 2; order: lifo"
        let right = try predict("--link-factor", "0.333", "--rules", rules)
        #expect(right.status == 0 && right.output.contains("fast-6 → slow-2"), "\(right)")
        let json = try predict("--link-factor", "0.333", "--rules", rules, "--json")
        let row = try json.object()
        #expect(row["agrees"] as? Bool == true && row["recorded_images"] as? Int == 58, "\(row)")
        let wrong = try predict("--rules", rules)
        #expect(wrong.status == 1 && wrong.output.contains("differs"), "\(wrong)")
        let unknown = try predict("--rules", "connexions: 2")
        #expect(unknown.status == 64 && unknown.errors.contains("connections"), "\(unknown)")
    }

    @Test("--syntax reads files and folders, and prints every error")
    func syntax() throws {
        try withTemporaryFolder { folder in
            let good = #"{"cachereplay_trace":1}"# + "\n" + #"{"t":0,"e":"appear","key":"a"}"# + "\n"
            _ = try folder.write(good, to: "good.jsonl")
            _ = try folder.write(good + "{\"t\":1}\n{\"t\":2}\n", to: "wrong.jsonl")
            let files = ["good.jsonl", "wrong.jsonl"]
            let new = try Command.run(["validate", "--syntax"] + files, in: folder)
            #expect(new.status == 65 && new.output.hasPrefix("good.jsonl: ok, jsonl, 1 events"), "\(new)")
            #expect(new.errors.contains("wrong.jsonl:3") && new.errors.contains("wrong.jsonl:4"), "\(new.errors)")
            try Command.refuse(65, "1 of 2 traces are not valid", "validate", "--syntax", ".", in: folder)
            // Without --syntax, the errors of one trace do not hide the other traces.
            let replayed = try Command.run("validate", "Traces/stress-flicks.jsonl", folder.path + "/wrong.jsonl")
            #expect(replayed.status == 65 && replayed.output.contains("stress-flicks"), "\(replayed)")
            #expect(replayed.errors.contains("wrong.jsonl:3") && replayed.errors.contains("wrong.jsonl:4"))
            for wrong in [["--limit", "0"], ["--fail-on-warnings"], ["--syntax", "--json"]] {
                #expect(try Command.run(["validate", "good.jsonl"] + wrong, in: folder).status == 64, "\(wrong)")
            }
        }
    }
}
