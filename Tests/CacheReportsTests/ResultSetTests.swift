import Testing

@testable import CacheReports
@testable import Runs

@Suite("Reading results back")
struct ResultSetTests {
    @Test("a folder, its summary.csv alone, and a folder with only that file give the same groups")
    func sources() throws {
        try withTemporaryFolder { root in
            let folder = try ReplayStore.begin(at: "\(root)/full", Samples.describe(), resume: false)
            try folder.add(Samples.ten())
            try ResultFile.makeFolder("\(root)/slim")
            try write(try text(of: "\(root)/full/summary.csv"), to: "\(root)/slim/summary.csv")
            for path in ["full", "full/summary.csv", "slim"] {
                let groups = try ResultSet.read("\(root)/\(path)").groups
                #expect(groups.map(\.key) == [.init(trace: "feed", cache: "lru")])
                #expect(groups.first?.median("hit_ratio") == 0.7)
                #expect(groups.first?.median("wall_s") == nil)
            }
        }
    }

    @Test("columns are found by name, unknown ones are ignored, missing ones have no figure")
    func otherVersions() throws {
        let set = try ResultSet(csv: "cache,novel,trace,hit_ratio,repeat\nlru,7,feed,0.5,1\n", file: "x")
        #expect(set.groups.first?.median("hit_ratio") == 0.5)
        #expect(set.groups.first?.median("origin_bytes") == nil)
    }

    @Test(
        "the message of a bad file has its line",
        arguments: [
            ("", nil, "empty"), ("a,b\n", 1, "\"trace\" is missing"),
            ("trace,cache,repeat\nfeed,lru\n", 2, "cut short"),
            ("trace,cache,repeat\nfeed,lru,x\n", 2, "whole number"),
            ("trace,cache,repeat,hit_ratio\nfeed,lru,1,0.5\nfeed,lru,2,high\n", 3, "hit_ratio is \"high\""),
            ("trace,cache,repeat,hit_ratio\nfeed,lru,1,nan\n", 2, "a finite number is expected"),
            ("trace,cache,repeat,hit_ratio\nfeed,lru,1,-inf\n", 2, "a finite number is expected"),
            ("trace,cache,repeat\nfeed,lru,1\nfeed,lru,1\n", 3, "second time"),
        ] as [(String, Int?, String)])
    func badFiles(text: String, line: Int?, reason: String) {
        let error = #expect(throws: ResultsError.self) { try ResultSet(csv: text, file: "summary.csv") }
        #expect(error?.kind == .badData)
        #expect(error?.line == line)
        #expect(error?.message.contains(reason) == true)
    }

    @Test("the median of an even number is the mean of the middle two")
    func median() throws {
        let set = try ResultSet(
            csv: "trace,cache,repeat,failed\nf,l,1,9\nf,l,2,1\nf,l,3,2\nf,l,4,3\n", file: "x")
        #expect(set.groups.first?.median("failed") == 2.5)
    }

    @Test("a missing folder and a folder without results are not found")
    func missing() throws {
        try withTemporaryFolder { root in
            for path in ["\(root)/none", root] {
                let error = #expect(throws: ResultsError.self) { try ResultSet.read(path) }
                #expect(error?.kind == .notFound)
            }
        }
    }
}
