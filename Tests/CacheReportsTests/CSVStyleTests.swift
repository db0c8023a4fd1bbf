import Basics
import CachePolicies
import Foundation
import ReplayEngine
import Testing

@testable import CacheReports
@testable import Runs

@Suite("CSV files that are safe in spreadsheet programs")
struct CSVStyleTests {
    @Test(
        "texts that a spreadsheet program takes for formulas have a quote in front",
        arguments: [
            "=1+1", "=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1",
            "＝1", "＋1", "－1", "＠1", "'=1", "'", "'q'", "-", "+", "=", "@", "-3.5.1", "--1", "-a", "- 1",
        ])
    func marked(text: String) {
        #expect(CSVStyle.safe.written(text) == "'" + text)
        #expect(CSVStyle.safe.read("'" + text) == text)
        #expect(CSVStyle.exact.written(text) == text && CSVStyle.exact.read(text) == text)
    }

    @Test(
        "numbers and other texts remain",
        arguments: ["", "lru", "-3.5", "+1", "-1e-9", "-12.", "1+1", " =1", "a=b", "写真", "memory: lru(2MB)", "it's"])
    func unmarked(text: String) {
        #expect(CSVStyle.safe.written(text) == text)
        #expect(CSVStyle.safe.read(text) == text)
    }

    private static let identity = Samples.identity(trace: "=1+1", cache: "@SUM(A1)")

    @Test("a folder with the option writes it in every file, and reads the same names")
    func results() throws {
        try withTemporaryFolder { root in
            var description = Samples.describe()
            description.csvSafe = true
            let folder = try ReplayStore.begin(at: root, description, resume: false)
            try folder.add(Samples.ten(Self.identity))
            try folder.add(Samples.ten(Samples.identity(trace: "=1+1", cache: "-3.5")))
            let request = "=1+1,@SUM(A1),1,recorded,0,0.000000,\"+a,b\",full,origin,shown,-0.005\n"
            try folder.addRequests(request, of: Self.identity, as: .csv)
            for isFinished in [false, true] {
                if isFinished { try folder.finish(at: Date(timeIntervalSince1970: 0)) }
                for name in ["summary.csv", "latency.csv", "timeline.csv"] {
                    let lines = try text(of: "\(root)/\(name)").split(separator: "\n").dropFirst()
                    #expect(
                        lines.allSatisfy { $0.hasPrefix("'=1+1,'@SUM(A1),1,") || $0.hasPrefix("'=1+1,-3.5,1,") },
                        "\(lines)")
                }
            }
            _ = try folder.finishRequests(as: .csv)
            let rows = try text(of: "\(root)/requests.csv")
            #expect(rows.hasSuffix("\n'=1+1,'@SUM(A1),1,recorded,0,0.000000,\"'+a,b\",full,origin,shown,-0.005\n"))
            let set = try ResultSet.read("\(root)/summary.csv")
            #expect(set.runs.map(\.cache).sorted() == ["-3.5", "@SUM(A1)"] && set.runs[0].trace == "=1+1")
        }
    }

    @Test("a resumed replay keeps the option, and can add it")
    func resumedReplay() throws {
        try withTemporaryFolder { root in
            func resume(_ isSafe: Bool?) throws -> String {
                var description = Samples.describe()
                description.csvSafe = isSafe
                _ = try ReplayStore.begin(at: root, description, resume: true)
                return try text(of: "\(root)/summary.csv").split(separator: "\n").last.map(String.init) ?? ""
            }
            try ReplayStore.begin(at: root, Samples.describe(), resume: false).add(Samples.ten(Self.identity))
            #expect(try resume(nil).hasPrefix("=1+1,@SUM(A1),"))
            #expect(try resume(true).hasPrefix("'=1+1,'@SUM(A1),"))
            #expect(try resume(nil).hasPrefix("'=1+1,'@SUM(A1),"))
            #expect(try ReplayStore.open(root).manifest?.csvSafe == true)
        }
    }

    @Test("a resumed simulation keeps the option, can add it, and finds its rows again")
    func resumedSimulation() throws {
        try withTemporaryFolder { root in
            let row = SimulationChartTests.row("@p", 10, misses: 5, trace: "=1+1")
            let curve = [
                CurvePoint(
                    trace: "=1+1", capacity: Capacity(7, .bytes), missRatio: 0.5, byteMissRatio: 0.5, isExact: true)
            ]
            func begin(_ isSafe: Bool?, resume: Bool = true) throws -> SimulationStore {
                var description = SimulationChartTests.describe(name: "=1+1")
                description.csvSafe = isSafe
                return try SimulationStore.begin(at: root, description, resume: resume)
            }
            func lines() throws -> [String] {
                try ["miss_ratio", "curve"].map { name in
                    String(try text(of: "\(root)/\(name).csv").split(separator: "\n")[1].prefix(9))
                }
            }
            let first = try begin(nil, resume: false)
            try first.add(row)
            try first.add(curve)
            #expect(try lines() == ["=1+1,@p,1", "=1+1,lru,"])
            for isSafe in [true, nil] {
                let again = try begin(isSafe)
                #expect(again.rows == [row] && again.curves == curve && again.finished(row.identity))
                #expect(try lines() == ["'=1+1,'@p", "'=1+1,lru"])
            }
            #expect(try SimulationStore.open(root).rows == [row])
            let more = try begin(nil)
            try more.add(SimulationChartTests.row("@p", 20, misses: 5, trace: "=1+1"))
            #expect(try text(of: "\(root)/miss_ratio.csv").components(separatedBy: "\n'=1+1,'@p,").count == 3)
        }
    }

    @Test("the data of charts are always safe")
    func charts() throws {
        let charts = ChartKind.charts([Samples.ten(Self.identity)])
        for chart in charts {
            #expect(chart.data.split(separator: "\n").dropFirst().allSatisfy { $0.hasSuffix(",'@SUM(A1)") })
        }
    }
}
