import Foundation
import Testing

@Suite("scripts/checks/budget", .namesCommands)
struct BudgetTests {
    @Test("A number above the table's fails with its name and the remedy; a reason of the table stays with --set")
    func excess() throws {
        try withTemporaryFolder { folder in
            for name in ["Sources/Basics", "scripts/checks", "Tests"] {
                try FileManager.default.createDirectory(
                    at: folder.appendingPathComponent(name), withIntermediateDirectories: true)
            }
            func budget(_ options: String...) throws -> Binary.Outcome {
                try Script.run(["scripts/checks/budget", "--folder", folder.path] + options)
            }
            func write(_ source: String) throws { _ = try folder.write(source, to: "Sources/Basics/A.swift") }
            _ = try folder.write("number,allowed,reason\noptions,0,one more\n", to: "scripts/checks/budget.csv")
            try write("public struct A {\n    @Option var b = 1\n}\n")
            #expect(try budget("--set").status == 0)
            let table = try folder.text("scripts/checks/budget.csv")
            for line in ["lines of Basics,3,", "files of Sources,1,", "options,1,one more"] {
                #expect(table.contains("\n\(line)\n"), "\(table)")
            }
            #expect(try budget().status == 0)

            try write("public struct A {\n    @Option var b = 1\n    @Flag var c = false\n}\n// That of d.\n")
            let failed = try budget()
            #expect(failed.status == 1)
            for excess in [
                "lines of Basics: 5 is above 3.", "lines of Sources: 5 is above 3.", "options: 2 is above 1.",
                "comments with 'that of' or 'those of': 1 is above 0.",
            ] {
                #expect(failed.errors.contains("scripts/checks/budget: \(excess) Remove something"), "\(failed.errors)")
            }
            #expect(!failed.errors.contains("declarations"))
        }
    }
}
