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

    @Test("replay: texts have a quote in front, also when it is resumed without the option")
    func replay() throws {
        try withTemporaryFolder { folder in
            let output = folder.appendingPathComponent("out")
            let arguments = [
                "replay", try trace(in: folder), "--cache", "lru(2MB)", "--timing", "modelled", "--requests", "csv",
                "--network", "recorded", "--no-charts", "--output", output.path,
            ]
            #expect(try Binary.run(arguments).status == 0)
            #expect(try output.text("requests.csv").contains("\n=1+1,lru(2MB),1,recorded,0,0.000000,\(Self.key),"))
            for more in [["--csv-safe"], []] {
                let run = try Binary.run(arguments + ["--resume"] + more)
                #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
                for file in ["summary", "latency", "timeline"] {
                    #expect(try output.text("\(file).csv").contains("\n'=1+1,lru(2MB),1,"), "\(file)")
                }
                let requests = try output.text("requests.csv")
                #expect(requests.contains("\n'=1+1,lru(2MB),1,recorded,0,0.000000,'\(Self.key),"), "\(requests)")
                #expect(requests.contains(",-3.5,"))
            }
            let compared = try Binary.run("compare", output.path, output.path + "/summary.csv")
            #expect(compared.status == 0, "\(compared.output)\(compared.errors)")
        }
    }

    @Test("simulate: a resumed simulation finds its rows, and writes new ones in the same way")
    func simulate() throws {
        try withTemporaryFolder { folder in
            let output = folder.appendingPathComponent("out")
            let arguments = [
                "simulate", try trace(in: folder), "--capacity", "1 objects", "--ignore-size", "--no-charts",
                "--output", output.path, "--policy",
            ]
            #expect(try Binary.run(arguments + ["lru", "--csv-safe"]).status == 0)
            let first = try output.text("miss_ratio.csv")
            #expect(first.contains("\n'=1+1,lru,1,objects,2,"))
            let run = try Binary.run(arguments + ["lru,fifo", "--resume"])
            #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
            let lines = try output.text("miss_ratio.csv").split(separator: "\n")
            // The kept row was not simulated again: its speed is the same to the digit.
            #expect(lines.count == 3 && first.split(separator: "\n")[1] == lines[1])
            #expect(lines[2].hasPrefix("'=1+1,fifo,1,"))
            let unused = try Binary.run("simulate", "x.csv", "--policy", "lru", "--capacity", "1MB", "--csv-safe")
            #expect(unused.status == 64 && unused.errors.contains("--csv-safe needs --output"))
        }
    }

    @Test("trace convert: keys have a quote in front, and other formats refuse the option")
    func convert() throws {
        try withTemporaryFolder { folder in
            let trace = try trace(in: folder)
            let file = folder.appendingPathComponent("out.csv").path
            #expect(try Binary.run("trace", "convert", trace, file, "--quiet").status == 0)
            #expect(try folder.text("out.csv") == "time_us,key,size\n0,\(Self.key),1000\n9000,-3.5,\n")
            #expect(try Binary.run("trace", "convert", trace, file, "--quiet", "--csv-safe").status == 0)
            #expect(try folder.text("out.csv") == "time_us,key,size\n0,'\(Self.key),1000\n9000,-3.5,\n")
            let other = try Binary.run("trace", "convert", trace, "out.jsonl", "--csv-safe")
            #expect(other.status == 64 && other.errors.contains("requires a CSV file"), "\(other.errors)")
        }
    }
}
