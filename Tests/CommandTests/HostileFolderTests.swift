import Foundation
import Testing

private let hasGnuplot = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .contains { FileManager.default.isExecutableFile(atPath: "\($0)/gnuplot") }

/// Every command that draws, over a folder of sessions whose names are commands of a shell or of gnuplot.
@Suite("Hostile names of files, in every command that draws", .namesCommands, .enabled(if: hasGnuplot))
struct HostileFolderTests {
    /// A folder with sessions, some of them in a folder below, and the places at which their names would write a file.
    private struct Hostile {
        let folder: URL
        let sessions: URL
        /// The names of the sessions; a command in each writes `ran-NUMBER` into ``folder``.
        let names: [String]

        init(in folder: URL) throws {
            self.folder = folder
            sessions = folder.appendingPathComponent("S")
            // A file name has no slash, so the shell makes the slashes of the path.
            let paths = (0..<8).map { "\(folder.path)/ran-\($0)".replacing("/", with: "\\057") }
            let touch = paths.map { "touch $(printf \"\($0)\")" }
            names = [
                "<\(touch[0]) #", "|\(touch[1]) #", "`\(touch[2])`", "$(\(touch[3]))", "'.system('\(touch[4])').'",
                "line\nsystem '\(touch[5])'\nline", "-e system('\(touch[6])')", "$data `\(touch[7])` ]]>",
            ]
            let below = try sessions.makeFolder("<anna>")
            for (index, name) in names.enumerated() {
                let place = index % 3 == 2 ? below : sessions
                try Data(try Self.session(title: name).utf8).write(to: place.appendingPathComponent("\(name).jsonl"))
            }
        }

        private static func session(title: String) throws -> String {
            func json(_ text: String) throws -> String {
                String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
            }
            var lines = [#"{"cachereplay_trace":1,"title":\#(try json(title))}"#]
            for object in 0..<6 {
                let key = try json("https://a.test/\(title)/\(object)")
                lines.append(#"{"e":"object","o":\#(object),"key":\#(key),"bytes":\#(1_000 + 300 * object)}"#)
            }
            for step in 0..<30 {
                let (time, object) = (step * 200_000, step * step % 7 % 6)
                lines.append(#"{"t":\#(time),"e":"appear","o":\#(object)}"#)
                lines.append(#"{"t":\#(time + 150_000),"e":"disappear","o":\#(object)}"#)
            }
            return lines.joined(separator: "\n") + "\n"
        }

        /// The files that the names have written.
        var written: [String] {
            get throws {
                try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("ran-") }
            }
        }

        /// Runs a command, and expects as many pictures in the charts of a folder, and that nothing else was run.
        func draw(_ arguments: [String], into output: String, pictures: Int, status: Int32 = 0) throws {
            let run = try Command.run(arguments, in: folder)
            #expect(run.status == status, "\(arguments): \(run.errors)")
            let made = try written
            #expect(made.isEmpty, "\(arguments[0]) has run \(made)")
            let charts = folder.appendingPathComponent("\(output)/charts")
            let files = (try? FileManager.default.contentsOfDirectory(atPath: charts.path)) ?? []
            let drawn = files.filter { $0.hasSuffix(".svg") }
            #expect(drawn.count == pictures, "\(arguments[0]): \(drawn.count) pictures: \(run.errors)")
            #expect(
                files.allSatisfy { name in
                    name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.~".contains($0)) }
                })
            for picture in drawn {
                #expect(try charts.text(picture).hasSuffix("</svg>\n\n"), "\(picture) is not whole")
            }
        }
    }

    /// The commands whose sources draw.
    private static let drawing: Set = ["replay", "merge", "chart", "simulate", "explain", "advise", "info"]

    @Test("nothing in a name is run, and every chart is drawn")
    func nothingRuns() throws {
        try withTemporaryFolder { folder in
            let hostile = try Hostile(in: folder)
            let all = hostile.names.count
            let caches = ["--cache", "`touch ran-cache`=lru(5kB)", "--cache", "$data=lru(3kB)"]
            let modelled = ["--timing", "modelled", "-q"]
            let again = ["--pictures", "svg", "--title", "`touch ran-title`", "--font", "Sans,14", "--dark", "-q"]
            try hostile.draw(["explain", "S"] + caches + ["-q", "-o", "e"], into: "e", pictures: 2 * all)
            try hostile.draw(["chart", "e"] + again, into: "e", pictures: 2 * all)
            try hostile.draw(["replay", "S"] + caches + modelled + ["-o", "r"], into: "r", pictures: 7 * all + 1)
            try hostile.draw(["chart", "r"] + again, into: "r", pictures: 7 * all + 1)
            for shard in 1...2 {
                let part =
                    ["replay", "S"] + caches + modelled + [
                        "--no-charts", "-o", "part\(shard)", "--shard", "\(shard)/2",
                    ]
                #expect(try Command.run(part, in: folder).status == 0)
            }
            try hostile.draw(["merge", "part1", "part2", "-o", "m", "-q"], into: "m", pictures: 7 * all + 1)
            try hostile.draw(
                ["advise", "S", "--for", "kingfisher-8", "--memory", "1MB", "-q", "-o", "a"], into: "a", pictures: 1)
            try hostile.draw(["chart", "a"] + again, into: "a", pictures: 1)
            let files = try FileManager.default.subpathsOfDirectory(atPath: hostile.sessions.path)
                .filter { $0.hasSuffix(".jsonl") }.map { "S/\($0)" }
            try hostile.draw(
                ["simulate"] + files + ["--policy", "lru,fifo", "--capacity", "2kB,5kB", "-q", "-o", "s"], into: "s",
                pictures: 3 * all)
            try hostile.draw(["chart", "s"] + again, into: "s", pictures: 3 * all)
            for (number, file) in files.prefix(3).enumerated() {
                try hostile.draw(
                    ["trace", "info", file, "--quiet", "-o", "i\(number)"], into: "i\(number)", pictures: 3)
                try hostile.draw(["chart", "i\(number)"] + again, into: "i\(number)", pictures: 3)
            }
        }
    }

    @Test("gnuplot runs such names where a script has them as they are: the test above can fail")
    func control() throws {
        try withTemporaryFolder { folder in
            let hostile = try Hostile(in: folder)
            let script = try folder.write("plot '\(hostile.names[0]).csv' using 1:2\n", to: "raw.gp")
            _ = try Binary.execute("/usr/bin/env", ["gnuplot", script], in: folder)
            #expect(try hostile.written == ["ran-0"])
        }
    }

    @Test("the test above has every command that draws")
    func catalogue() throws {
        let sources = Binary.root.appendingPathComponent("Sources/CacheReplayCommand")
        var found: Set<String> = []
        for file in try FileManager.default.subpathsOfDirectory(atPath: sources.path) where file.hasSuffix(".swift") {
            let text = try sources.text(file)
            let draws = /\.(drawCharts?|writeFigures|show)\((folder|advice|named)|drawCharts\(|drawChart\(/
            guard text.contains(draws) else { continue }
            found.formUnion(text.matches(of: /commandName: "(\w+)"/).map { String($0.1) })
        }
        #expect(found == Self.drawing)
    }
}
