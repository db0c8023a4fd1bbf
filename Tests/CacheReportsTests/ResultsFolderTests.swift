import Basics
import Foundation
import ReplayEngine
import Testing

@testable import CacheReports

@Suite("A results folder")
struct ResultsFolderTests {
    private let done = Date(timeIntervalSince1970: 1_700_000_060)

    @Test("after each run the cell and all CSVs are there, and nothing else is left over")
    func adding() throws {
        try withTemporaryFolder { root in
            let path = "\(root)/deep/results"
            let folder = try ResultsFolder.begin(at: path, Samples.describe(), resume: false)
            try folder.add(Samples.ten())
            #expect(try names(in: path) == ["cells", "latency.csv", "run.json", "summary.csv", "timeline.csv"])
            #expect(try names(in: "\(path)/cells") == ["feed--lru--1.json"])
            #expect(try text(of: "\(path)/summary.csv") == ResultFiles.summary([Samples.ten()]))
            #expect(try text(of: "\(path)/timeline.csv") == ResultFiles.timeline([Samples.ten()]))
            #expect(try ResultsFolder.open(path).results == [Samples.ten()])
        }
    }

    @Test("rows stand in the order of the command line, whatever finished first")
    func order() throws {
        try withTemporaryFolder { root in
            let folder = try ResultsFolder.begin(at: root, Samples.describe(caches: ["zeta", "alpha"]), resume: false)
            for (cache, repetition) in [("alpha", 2), ("zeta", 1), ("alpha", 1), ("other", 1)] {
                try folder.add(Samples.ten(Samples.identity(cache: cache, repetition: repetition)))
            }
            try folder.finish(at: done)
            let rows = try text(of: "\(root)/summary.csv").split(separator: "\n").dropFirst().map {
                $0.prefix { $0 != "1" && $0 != "2" }
            }
            #expect(rows == ["feed,zeta,", "feed,alpha,", "feed,alpha,", "feed,other,"])
            #expect(try ResultsFolder.open(root).description?.end == done)
        }
    }

    @Test("runs that finish in another order, interrupted or not, give the same bytes")
    func sameBytes() throws {
        try withTemporaryFolder { root in
            let runs = (1...3).map { Samples.ten(Samples.identity(repetition: $0)) }
            let straight = try ResultsFolder.begin(at: "\(root)/straight", Samples.describe(), resume: false)
            for run in runs { try straight.add(run) }
            try ResultsFolder.begin(at: "\(root)/resumed", Samples.describe(), resume: false).add(runs[2])
            let resumed = try ResultsFolder.begin(at: "\(root)/resumed", Samples.describe(), resume: true)
            for run in [runs[1], runs[0]] { try resumed.add(run) }
            for file in ["summary.csv", "latency.csv", "timeline.csv", "cells/feed--lru--2.json"] {
                #expect(try text(of: "\(root)/straight/\(file)") == text(of: "\(root)/resumed/\(file)"))
            }
        }
    }

    @Test("resuming finds exactly the runs that are done")
    func resuming() throws {
        try withTemporaryFolder { root in
            try ResultsFolder.begin(at: root, Samples.describe(), resume: false).add(Samples.ten())
            let folder = try ResultsFolder.begin(at: root, Samples.describe(), resume: true)
            #expect(folder.finished(Samples.identity()) == Samples.ten())
            #expect(folder.finished(Samples.identity(seed: 2)) == nil)
            #expect(folder.finished(Samples.identity(repetition: 2)) == nil)
        }
    }

    @Test("a changed trace or another version is replayed again", arguments: [("bb", "1.0.0"), ("aa", "1.0.1")])
    func staleCells(sha256: String, version: String) throws {
        try withTemporaryFolder { root in
            try ResultsFolder.begin(at: root, Samples.describe(), resume: false).add(Samples.ten())
            let now = Samples.describe(sha256: sha256, version: version)
            #expect(try ResultsFolder.begin(at: root, now, resume: true).results.isEmpty)
            #expect(try names(in: "\(root)/cells").isEmpty)
        }
    }

    @Test("without resume earlier results go, and files of the user stay")
    func startingAfresh() throws {
        try withTemporaryFolder { root in
            try ResultsFolder.begin(at: root, Samples.describe(), resume: false).add(Samples.ten())
            try write("mine", to: "\(root)/notes.txt")
            let folder = try ResultsFolder.begin(at: root, Samples.describe(), resume: false)
            #expect(folder.results.isEmpty)
            #expect(try names(in: root) == ["cells", "notes.txt", "run.json"])
        }
    }

    @Test("an unfinished file of a killed run is never read, and gone with the next run")
    func unfinished() throws {
        try withTemporaryFolder { root in
            try ResultsFolder.begin(at: root, Samples.describe(), resume: false).add(Samples.ten())
            try write("{\"half", to: "\(root)/cells/\(AtomicFile.temporaryPrefix)7-feed--lru--2.json")
            #expect(try ResultsFolder.open(root).results.count == 1)
            _ = try ResultsFolder.begin(at: root, Samples.describe(), resume: true)
            #expect(try names(in: "\(root)/cells") == ["feed--lru--1.json"])
        }
    }

    @Test("a broken cell is told with its path and the remedy")
    func brokenCell() throws {
        try withTemporaryFolder { root in
            try ResultsFolder.begin(at: root, Samples.describe(), resume: false).add(Samples.ten())
            try write("{\"half", to: "\(root)/cells/feed--lru--1.json")
            let error = #expect(throws: ResultsError.self) { try ResultsFolder.open(root) }
            #expect(error?.kind == .badData)
            #expect(error?.file == "\(root)/cells/feed--lru--1.json")
            #expect(error?.message == "not whole, or not JSON; remove the file and replay with --resume")
        }
    }

    @Test("a folder that cannot be made is refused before anything runs")
    func unwritable() throws {
        try withTemporaryFolder { root in
            try write("", to: "\(root)/file")
            let error = #expect(throws: ResultsError.self) {
                try ResultsFolder.begin(at: "\(root)/file/results", Samples.describe(), resume: false)
            }
            #expect(error?.kind == .cannotCreate)
            #expect(error?.file == "\(root)/file/results")
        }
    }

    @Test("no folder, and a folder without runs, are told apart")
    func nothingThere() throws {
        try withTemporaryFolder { root in
            let missing = #expect(throws: ResultsError.self) { try ResultsFolder.open("\(root)/none") }
            #expect(missing?.kind == .notFound)
            let empty = #expect(throws: ResultsError.self) { try ResultsFolder.open(root) }
            #expect(empty?.kind == .badData)
        }
    }

    @Test(
        "a full disk is an I/O error that names the file",
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func fullDevice() throws {
        let error = #expect(throws: ResultsError.self) { try ResultFile.write("x", to: "/dev/full") }
        #expect(error?.kind == .ioError)
        #expect(error?.file == "/dev/full")
        #expect(error?.message.contains("No space left") == true)
    }

    @Test("when a file cannot replace its target, the target stays and no part of it is left")
    func failedWrite() throws {
        try withTemporaryFolder { root in
            // A file cannot replace a folder.
            try FileManager.default.createDirectory(atPath: "\(root)/summary.csv/x", withIntermediateDirectories: true)
            let error = #expect(throws: ResultsError.self) { try ResultFile.write("new", to: "\(root)/summary.csv") }
            #expect(error?.kind == .cannotCreate)
            #expect(try names(in: root) == ["summary.csv"])
        }
    }

    @Test("what a killed run left of its disk tiers is removed; those of a process that runs are not")
    func abandonedScratch() throws {
        try withTemporaryFolder { root in
            let gone = Process()
            gone.executableURL = URL(fileURLWithPath: "/bin/true")
            try gone.run()
            gone.waitUntilExit()
            let (left, used, other) = (".cell-\(gone.processIdentifier)-0", ".cell-\(getpid())-0", ".cell-notes")
            for name in [left, used, other] {
                try FileManager.default.createDirectory(
                    atPath: "\(root)/\(name)/disk", withIntermediateDirectories: true)
            }
            _ = try ResultsFolder.begin(at: root, Samples.describe(), resume: true)
            #expect(try names(in: root).filter { $0.hasPrefix(".cell") } == [used, other].sorted())
        }
    }
}

@Suite("Files that no replay wrote")
struct StrangersTests {
    @Test(
        "A folder with somebody's summary.csv is refused, and the file stays; one of an earlier replay is written anew")
    func strangers() throws {
        try withTemporaryFolder { root in
            try Data("mine".utf8).write(to: URL(fileURLWithPath: "\(root)/summary.csv"))
            let description = RunDescription(
                versions: ["cachereplay": "1"], command: [], traces: [], caches: [], seed: 1, clock: "virtual",
                timing: "modelled",
                repeats: 1, start: Date(timeIntervalSince1970: 0))
            let error = #expect(throws: ResultsError.self) {
                try ResultsFolder.begin(at: root, description, resume: false)
            }
            #expect(error?.kind == .cannotCreate)
            #expect(try String(contentsOfFile: "\(root)/summary.csv", encoding: .utf8) == "mine")
            try FileManager.default.removeItem(atPath: "\(root)/summary.csv")
            _ = try ResultsFolder.begin(at: root, description, resume: false)
            _ = try ResultsFolder.begin(at: root, description, resume: false)
        }
    }
}
