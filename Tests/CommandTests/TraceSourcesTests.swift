import Basics
import Foundation
import Testing

@testable import CacheReplayCommand

@Suite("The traces that a command line names", .namesCommands)
struct TraceSourcesTests {
    /// Writes two sessions into a folder, one of them in a folder below, and an archive of it.
    private func sessions(in folder: URL) throws -> (folder: String, archive: String) {
        let sessions = folder.appendingPathComponent("sessions")
        let below = try sessions.makeFolder("anna")
        let lines = [#"{"cachereplay_trace":1}"#, #"{"e":"object","o":0,"key":"k","bytes":1000}"#]
        for (place, name, times) in [(sessions, "bob.jsonl", [0, 1, 2]), (below, "monday.jsonl", [0, 3])] {
            let events = times.flatMap { time in
                [
                    #"{"t":\#(time * 1_000_000),"e":"appear","o":0}"#,
                    #"{"t":\#(time * 1_000_000 + 500_000),"e":"disappear","o":0}"#,
                ]
            }
            _ = try place.write((lines + events).joined(separator: "\n") + "\n", to: name)
        }
        let archive = folder.appendingPathComponent("sessions.tar.gz").path
        let made = try Binary.execute("/usr/bin/env", ["tar", "-czf", archive, "-C", sessions.path, "."], in: folder)
        try #require(made.status == 0, "\(made.errors)")
        return (sessions.path, archive)
    }

    @Test("the traces of an archive stay as long as one of them is in use, and are removed then")
    func lifetime() throws {
        try withTemporaryFolder { folder in
            let archive = try sessions(in: folder).archive
            // The value that has found the files is gone when the first of them is read.
            var files = try TraceSources([archive], format: nil).files
            #expect(files.map(\.name) == ["anna/monday", "bob"])
            let place = files[0].place
            #expect(try files.map { try $0.read().trace.events.count } == [4, 6])
            files = []
            #expect(!FileManager.default.fileExists(atPath: place))
        }
    }

    @Test("the files of a folder and of an archive have names of bytes, whatever marks are beside a slash or a dot")
    func marks() throws {
        try withTemporaryFolder { folder in
            let sessions = try sessions(in: folder).folder
            let names = ["\u{301}a/x.jsonl", "z\u{600}/y\u{600}.jsonl", "über/日.jsonl"]
            for name in names {
                let path = "\(sessions)/\(name)"
                try FileManager.default.createDirectory(
                    atPath: String(path.splitPath.folder), withIntermediateDirectories: true)
                try FileManager.default.copyItem(atPath: "\(sessions)/bob.jsonl", toPath: path)
            }
            let archive = folder.appendingPathComponent("all.tar").path
            let made = try Binary.execute("/usr/bin/env", ["tar", "-cf", archive, "-C", sessions, "."], in: folder)
            try #require(made.status == 0, "\(made.errors)")
            let expected = ["anna/monday", "bob", "z\u{600}/y\u{600}", "über/日", "\u{301}a/x"]
            for source in [sessions, archive] {
                let files = try TraceSources([source], format: nil).files
                #expect(files.map { Array($0.name.utf8) } == expected.map { Array($0.utf8) }, "\(source)")
                #expect(try files.map { try $0.read().trace.events.count } == [4, 6, 6, 6, 6])
            }
        }
    }

    @Test("a file in a folder in memory is read more than once, and a stream of the process is not")
    func memory() {
        #expect(TraceFile(path: "/dev/shm/a.jsonl").isRereadable)
        #expect(!TraceFile(path: "/dev/stdin").isRereadable && !TraceFile(path: "/dev/null").isRereadable)
    }

    @Test("a symbolic link to a folder is read as the folder")
    func link() throws {
        try withTemporaryFolder { folder in
            let sessions = try sessions(in: folder).0
            let link = folder.appendingPathComponent("link").path
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: sessions)
            let files = try TraceSources([link], format: nil).files
            #expect(files.map(\.name) == ["anna/monday", "bob"] && files[0].path == "\(link)/anna/monday.jsonl")
        }
    }

    @Test("NAME=PATH names a trace, and a path with '=' stays a path")
    func givenNames() throws {
        try withTemporaryFolder { folder in
            let sessions = try sessions(in: folder).folder
            let bob = "\(sessions)/bob.jsonl"
            let files = try TraceSources(["feed=\(bob)", bob, "a=b=c.jsonl", "=x", "x="], format: nil).files
            #expect(files.map(\.name) == ["feed", "bob", "a", "=x", "x="])
            #expect(files.map(\.path) == [bob, bob, "b=c.jsonl", "=x", "x="])
            let areNamed = files.allSatisfy { $0.isNamed }
            #expect(areNamed)
            // The text before '=' is a path, which is no name.
            let literal = try folder.write("no trace\n", to: "k=v.jsonl")
            let paths = try TraceSources([literal, "\(folder.path)/k=*.jsonl", "no/k=v.jsonl"], format: nil).files
            #expect(paths.map(\.name) == ["k=v", "k=v", "k=v"])
            #expect(paths.map(\.path) == [literal, literal, "no/k=v.jsonl"])
            let list = try folder.write("feed=\(bob)\n", to: "list.txt")
            let listed = try TraceSources(["@\(list)"], format: nil).files
            #expect(listed.map(\.name) == ["feed"] && listed.map(\.isNamed) == [false])
        }
    }

    @Test("A given name is that of the tables, two of one name are refused, and a name of several traces is too")
    func givenNamesInCommands() throws {
        try withTemporaryFolder { folder in
            let (sessions, archive) = try sessions(in: folder)
            let bob = "\(sessions)/bob.jsonl"
            func run(_ command: [String], _ traces: String...) throws -> Binary.Outcome {
                try Command.run(command + traces + ["--json", "-q"])
            }
            func names(_ outcome: Binary.Outcome) throws -> [String] {
                let rows = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [[String: Any]]
                return (rows ?? []).compactMap { $0["trace"] as? String }
            }
            let simulate = ["simulate", "--policy", "lru", "--capacity", "1 objects"]
            for command in [simulate, ["explain", "--cache", "lru(5kB)"]] {
                let both = try run(command, bob, "feed=\(bob)")
                #expect(both.status == 0, "\(both.errors)")
                let found = try names(both)
                #expect(found == ["bob", "feed"])
                let twice = try run(command, bob, "bob=\(sessions)/anna/monday.jsonl")
                #expect(twice.status == 64, "\(twice.errors)")
                #expect(twice.errors.contains("Two traces are called 'bob'; name one of them, as in NAME=PATH"))
                for (path, kind) in [(sessions, "a folder"), (archive, "an archive"), ("no*", "a pattern")] {
                    let several = try run(command, "feed=\(path)")
                    #expect(several.status == 64 && several.errors.contains("is \(kind), which"), "\(several.errors)")
                }
                let none = try run(command, "feed=none.jsonl")
                #expect(none.status == 66 && none.errors.contains("none.jsonl"), "\(none.errors)")
            }
        }
    }

    @Test("an archive in a folder is skipped with the advice to name it by itself")
    func archiveInFolder() throws {
        try withTemporaryFolder { folder in
            let (sessions, archive) = try sessions(in: folder)
            let inside = "\(sessions)/more.tar.gz"
            try FileManager.default.moveItem(atPath: archive, toPath: inside)
            let reason = "\(inside): an archive that is in a folder or matches a pattern is not read; name it by itself"
            for command in [["simulate", "--policy", "lru", "--capacity", "1kB"], ["trace", "info"]] {
                let run = try Command.run(command + [sessions, "--json", "-q"])
                #expect(run.status == 0 && run.errors.contains("skipped: \(reason)\n"), "\(run.errors)")
                #expect(run.errors.contains("1 of 3 traces"), "\(run.errors)")
                let itself = try Command.run(command + [inside, "--json", "-q"])
                #expect(itself.status == 0 && !itself.errors.contains("skipped"), "\(itself.errors)")
            }
        }
    }

    /// A command line of each command that reads many traces, without the traces and without long work on them.
    private static func commands(writingTo folder: URL) -> [[String]] {
        func output(_ name: String) -> [String] { ["--output", folder.appendingPathComponent(name).path, "--force"] }
        return [
            ["replay", "--cache", "lru(5kB)", "--timing", "modelled", "--no-charts"] + output("replay"),
            ["explain", "--cache", "lru(5kB)", "--no-charts"] + output("explain"),
            ["advise", "--for", "kingfisher-8", "--memory", "1MB", "--no-charts"] + output("advise"),
            ["simulate", "--policy", "lru", "--capacity", "1kB", "--no-charts"] + output("simulate"),
            ["trace", "info"], ["validate", "--syntax"],
        ]
    }

    /// A file that can be opened, and whose first byte cannot be read, also by root.
    private static let unreadable = "/proc/self/mem"
    private static let hasUnreadable = FileManager.default.fileExists(atPath: unreadable)

    @Test("Every command skips a file of a folder or a list that is no trace or unreadable; --strict stops at it")
    func oneMeaning() throws {
        try withTemporaryFolder { folder in
            let sessions = try sessions(in: folder).folder
            _ = try URL(fileURLWithPath: sessions).write("shopping: milk\n", to: "notes.md")
            let list = try folder.write("\(sessions)/bob.jsonl\n\(Self.unreadable)\n", to: "list.txt")
            let cases =
                [(sessions, "notes.md", "1 of 3", 65)]
                + (Self.hasUnreadable ? [("@\(list)", Self.unreadable, "1 of 2", 74)] : [])
            for command in Self.commands(writingTo: folder) {
                for (source, skipped, count, status) in cases {
                    let run = try Command.run(command + [source])
                    #expect(run.status == 0 && !run.output.isEmpty, "\(run)")
                    #expect(run.errors.components(separatedBy: skipped).count == 2, "named once: \(run.errors)")
                    #expect(run.errors.contains("cachereplay: skipped: "), "\(run.errors)")
                    #expect(run.errors.contains("\(count) traces could not be "), "\(run.errors)")
                    let strict = try Command.run(command + [source, "--strict"])
                    #expect(strict.status == Int32(status) && strict.errors.contains(skipped), "\(strict)")
                }
            }
        }
    }

    @Test("A trace that is named by itself must be readable, also beside a folder")
    func named() throws {
        try withTemporaryFolder { folder in
            let sessions = try sessions(in: folder).folder
            let notes = try folder.write("shopping: milk\n", to: "notes.md")
            let missing = folder.appendingPathComponent("missing.jsonl").path
            for command in Self.commands(writingTo: folder) + [["calibrate"]] {
                for (file, status) in [(notes, 65), (missing, 66)] {
                    let run = try Command.run(command + [sessions, file])
                    #expect(run.status == Int32(status) && run.errors.contains(file), "\(run)")
                    #expect(!run.errors.contains("skipped"), "\(run.errors)")
                }
            }
        }
    }

    @Test("A folder without a single trace is bad data for every command")
    func noTrace() throws {
        try withTemporaryFolder { folder in
            let notes = try folder.makeFolder("notes")
            _ = try notes.write("shopping: milk\n", to: "list.md")
            for command in Self.commands(writingTo: folder) + [["calibrate"]] {
                try Command.refuse(65, "list.md", command + [notes.path])
            }
        }
    }

    @Test("validate skips a file of a folder that is no trace, and fails for a trace with an error")
    func validate() throws {
        try withTemporaryFolder { folder in
            let sessions = try sessions(in: folder).folder
            let place = URL(fileURLWithPath: sessions)
            _ = try place.write("shopping: milk\n", to: "notes.md")
            _ = try place.write("{\"cachereplay_trace\":1}\nnonsense\n", to: "zoe.jsonl")
            for options in [["--syntax"], ["--cache", "lru(5kB)"], []] {
                let run = try Command.run(["validate", sessions] + options)
                #expect(run.status == 65 && run.errors.contains("zoe.jsonl:2"), "\(run)")
                #expect(run.errors.contains("1 of 4 traces could not be read and were skipped"), "\(run.errors)")
            }
        }
    }

    @Test("A simulation goes on with --resume when a missing file of its list has come")
    func resumeAfterRepair() throws {
        try withTemporaryFolder { folder in
            let sessions = try sessions(in: folder).folder
            let late = folder.appendingPathComponent("late.jsonl")
            let list = try folder.write("\(sessions)/bob.jsonl\n\(late.path)\n", to: "list.txt")
            let output = folder.appendingPathComponent("simulation")
            func traces(_ policies: String) throws -> [String] {
                try Command.succeed(
                    "simulate", "@\(list)", "--policy", policies, "--capacity", "1kB", "--no-charts", "--resume",
                    "--output", output.path)
                return try rows(output.text("miss_ratio.csv")).compactMap { $0["trace"] }.sorted()
            }
            #expect(try traces("lru") == ["bob"])
            try FileManager.default.copyItem(atPath: "\(sessions)/bob.jsonl", toPath: late.path)
            #expect(try traces("lru") == ["bob", "late"])
            // The rows of a file that is not there cannot be compared with it, so nothing is added to them.
            try FileManager.default.removeItem(at: late)
            let refused = try Command.run(
                "simulate", "@\(list)", "--policy", "lru,fifo", "--capacity", "1kB", "--no-charts", "--resume",
                "--output", output.path)
            #expect(refused.status == 73, "\(refused)")
            #expect(refused.errors.contains("holds results of late, whose content"), "\(refused)")
        }
    }
}
