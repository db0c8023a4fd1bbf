import Foundation
import Testing

@Suite("--csv-safe", .namesCommands)
struct CSVSafeTests {
    private static let key = "=HYPERLINK(1)"

    private func trace(in folder: URL) throws -> String {
        try folder.write(
            """
            {"cachereplay_trace":1}
            {"t":0,"e":"fetch","key":"\(Self.key)","status":200,"bytes":1000}
            {"t":0,"e":"appear","key":"\(Self.key)"}
            {"t":9000,"e":"appear","key":"-3.5"}

            """, to: "=1+1.jsonl")
    }

    @Test("trace convert: keys have a quote in front, and other formats refuse the option")
    func convert() throws {
        try withTemporaryFolder { folder in
            let trace = try trace(in: folder)
            let file = folder.appendingPathComponent("out.csv").path
            #expect(try Command.run("trace", "convert", trace, file, "--quiet").status == 0)
            #expect(try folder.text("out.csv") == "time_us,key,size\n0,\(Self.key),1000\n9000,-3.5,\n")
            #expect(try Command.run("trace", "convert", trace, file, "--quiet", "--csv-safe").status == 0)
            #expect(try folder.text("out.csv") == "time_us,key,size\n0,'\(Self.key),1000\n9000,-3.5,\n")
            try Command.refuse(64, "requires a CSV file", "trace", "convert", trace, "out.jsonl", "--csv-safe")
        }
    }
}
