import Basics
import Foundation
import Testing

@testable import CacheReplayCommand

/// The output of the real command for names that could control a terminal.
@Suite("Hostile names on the terminal", .namesCommands)
struct TerminalOutputTests {
    /// ESC, BEL, C1, a bidirectional override and a line break.
    private static let hostile = "t\u{1B}]0;own\u{7}\u{9B}31m\u{202E}\u{2066}\ncachereplay: forged"
    private static let visible = "t\\u{1b}]0;own\\u{7}\\u{9b}31m\\u{202e}\\u{2066}"

    /// A trace whose file name, title and keys are hostile.
    private func trace(in folder: URL, name: String = hostile + ".jsonl") throws -> String {
        let key = try #require(String(data: try JSONEncoder().encode([Self.hostile]), encoding: .utf8)).dropFirst()
            .dropLast()
        return try folder.write(
            """
            {"cachereplay_trace":1,"title":\(key)}
            {"t":0,"e":"fetch","key":\(key),"status":200,"bytes":1000}
            {"t":0,"e":"appear","key":\(key)}
            {"t":9000,"e":"appear","key":"other"}

            """, to: name)
    }

    private func expectVisible(_ run: Binary.Outcome, _ command: [String]) {
        for text in [run.output, run.errors] {
            let hidden = text.unicodeScalars.filter { scalar in
                switch scalar.value {
                case 0x0A, 0x09: false
                case 0..<0x20, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
                default: false
                }
            }
            #expect(hidden.isEmpty, "\(command): \(hidden.map { String($0.value, radix: 16) })")
            #expect(!text.hasPrefix("cachereplay: forged") && !text.contains("\ncachereplay: forged"), "\(command)")
        }
    }

    @Test("tables and notes show hidden characters as numbers")
    func tables() throws {
        try withTemporaryFolder { folder in
            let trace = try trace(in: folder)
            let output = folder.appendingPathComponent(Self.hostile).path
            let other = folder.appendingPathComponent("other.jsonl").path
            let config = try folder.write("caches:\n  \"c\\e[2J\\u202E\": {memory: lru(2MB)}\n", to: "c\u{1B}.yaml")
            let shown = [
                ["trace", "info", trace], ["trace", "head", trace], ["validate", "--syntax", trace],
                ["simulate", trace, "--policy", "lru", "--capacity", "50%", "--curve", "--no-charts"],
                ["simulate", trace, "--policy", "lru", "--capacity", "1 objects", "--output", output],
                ["chart", output],
                [
                    "replay", trace, "--config", config, "--timing", "modelled", "--no-charts", "--output",
                    output + "2",
                ],
                ["compare", output + "2", output + "2"],
                ["compare", output + "2", output + "2", "--as", "markdown"],
                ["compare", output + "2", output + "2", "--as", "junit"],
                ["trace", "convert", trace, other, "--thumbnails", Self.hostile],
                ["trace", "compile", trace, output + ".crtrace"], ["validate", trace],
            ]
            for command in shown {
                let run = try Command.run(command)
                #expect(run.status == 0 || run.errors.contains("gnuplot"), "\(command): \(run.errors)")
                expectVisible(run, command)
            }
            for command in shown.prefix(4) {
                let run = try Command.run(command)
                #expect(run.output.contains(Self.visible), "\(command): \(run.output)")
            }
            let table = try Command.run(shown[6] + ["--force"])
            #expect(table.output.contains("c\\u{1b}[2J\\u{202e}"), "\(table.output)")
        }
    }

    @Test("errors show hidden characters as numbers, also those of the argument parser")
    func errors() throws {
        try withTemporaryFolder { folder in
            let trace = try trace(in: folder)
            let broken = try folder.write("{\"cachereplay_trace\":1}\n{\"t\":\u{1B}\n", to: Self.hostile + "2.jsonl")
            let missing = folder.appendingPathComponent(Self.hostile).path
            let commands: [([String], Int32)] = [
                (["trace", "info", missing], 66), (["trace", "info", broken], 65),
                (["validate", "--syntax", broken], 65), (["validate", "--syntax", broken, missing], 65),
                (["replay", trace, "--cache", Self.hostile], 64),
                (["simulate", trace, "--policy", Self.hostile, "--capacity", "2MB"], 64),
                (["simulate", trace, "--policy", "lru", "--capacity", Self.hostile], 64),
                (["replay", trace, "--cache", "lru(2MB)", "--config", missing], 66),
                (["replay", trace, "--cache", "lru(2MB)", "--plugin", missing], 66),
                (["replay", trace, "--cache", "lru(2MB)", "--output", "/dev/null/" + Self.hostile], 73),
                (["chart", missing], 66), (["compare", missing, missing], 66),
                (["list", "policies", Self.hostile], 64), (["list", "rules", Self.hostile], 64),
                (["list", "caches", Self.hostile], 64),
                ([Self.hostile], 64), (["--" + Self.hostile], 64), (["replay", trace, "--timing", Self.hostile], 64),
                (["trace", "convert", trace, missing], 64), (["origin", missing], 66),
            ]
            for (command, status) in commands {
                let run = try Command.run(command)
                #expect(run.status == status, "\(command): \(run.errors)")
                #expect(run.output.isEmpty && !run.errors.isEmpty, "\(command): \(run.output)")
                expectVisible(run, command)
            }
        }
    }

    @Test("JSON keeps the names exactly, in escapes")
    func json() throws {
        try withTemporaryFolder { folder in
            let trace = try trace(in: folder)
            let output = folder.appendingPathComponent("out").path
            func object(_ command: String...) throws -> [String: Any] {
                let run = try Command.succeed(command)
                expectVisible(run, command)
                let json = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
                return try #require((json as? [String: Any]) ?? (json as? [[String: Any]])?.first)
            }
            #expect(try object("trace", "info", trace, "--json")["title"] as? String == Self.hostile)
            let row = try object("simulate", trace, "--policy", "lru", "--capacity", "50%", "--json", "--quiet")
            #expect(row["trace"] as? String == Self.hostile)
            let results = try object(
                "replay", trace, "--cache", "lru(2MB)", "--timing", "modelled", "--no-charts", "--output", output,
                "--json", "--quiet")
            #expect((results["results"] as? [[String: Any]])?.first?["trace"] as? String == Self.hostile)
            let head = try Command.run("trace", "head", trace, "--json")
            expectVisible(head, ["trace", "head"])
            let again = try folder.write(head.output, to: "again.jsonl")
            #expect(try object("trace", "info", again, "--json")["title"] as? String == Self.hostile)
        }
    }

    @Test("Help and the version go to standard output, wrong usage to standard error")
    func parserMessages() throws {
        for command in [["--help"], ["replay", "--help"], ["help", "simulate"], ["--version"]] {
            let run = try Command.run(command)
            #expect(run.status == 0 && !run.output.isEmpty && run.errors.isEmpty, "\(command)")
        }
        let wrong = try Command.run("replay", "--frobnicate")
        #expect(wrong.status == 64 && wrong.output.isEmpty)
        #expect(wrong.errors.hasPrefix("Error: Unknown option '--frobnicate'"), "\(wrong.errors)")
    }

    @Test("a command without even a name of its program fails: its arguments were not found")
    func noArguments() throws {
        #expect(try CacheReplay.arguments(of: ["cachereplay", "gate", "--nonsense"]) == ["gate", "--nonsense"])
        #expect(try CacheReplay.arguments(of: ["cachereplay"]) == [])
        let failure = #expect(throws: CommandFailure.self) { try CacheReplay.arguments(of: []) }
        #expect(failure?.status.rawValue == 70 && failure?.description.contains("/proc/self/maps") == true)
    }

    @Test("an argument with a line break stays one line of a message")
    func arguments() {
        let arguments = ["cachereplay", "a\nb", "--output=c\nd", "e\n", "/x/f\ng.jsonl.gz"]
        #expect(
            CommandOutput.shown("a\nb: no\nfile c\nd in e\nf\ng: no", arguments)
                == "a\\u{a}b: no\nfile c\\u{a}d in e\nf\\u{a}g: no")
    }

    @Test("an argument stays one line also if it shares a character with the text beside it")
    func marks() {
        for name in ["\u{301}a\n::error::b", "a\n::error::b\u{600}"] {
            let shown = CommandOutput.shown("file: \(name): no", ["cachereplay", name])
            #expect(shown.utf8.elementsEqual("file: \(VisibleText.line(name)): no".utf8), "\(shown)")
        }
    }

    @Test("a tab of a name is a number in errors")
    func tabs() {
        #expect(CommandOutput.shownError("a\tb: no such file\n", []) == "a\\u{9}b: no such file\n")
    }

    @Test("A terminal has weight and colour, unless it is dumb or its user refuses them")
    func styles() {
        #expect(CommandOutput.areStylesWanted(by: ["TERM": "xterm-256color"]))
        #expect(CommandOutput.areStylesWanted(by: ["TERM": "xterm", "NO_COLOR": ""]))
        #expect(!CommandOutput.areStylesWanted(by: ["TERM": "xterm", "NO_COLOR": "1"]))
        #expect(!CommandOutput.areStylesWanted(by: ["TERM": "dumb"]))
        #expect(!CommandOutput.areStylesWanted(by: [:]))
    }

    /// Runs a command on a terminal.
    private static let script = "/usr/bin/script"

    @Test(
        "A terminal has the text of a pipe in lines of its width, and weight unless NO_COLOR or TERM refuses it",
        .enabled(if: FileManager.default.isExecutableFile(atPath: script)))
    func terminal() throws {
        try withTemporaryFolder { folder in
            let replay = "replay Traces/photo-feed.jsonl --timing modelled --cache kingfisher-8 --cache 'lru(2MB)'"
            func lines(_ text: String) -> [String] {
                text.replacing("\r\n", with: "\n").replacing(/\u{1B}\[\d*m/, with: "").split(separator: "\n")
                    .map(String.init).filter { !$0.hasPrefix("CSVs: ") }
            }
            func shown(_ columns: Int, _ environment: [String: String] = [:]) throws -> String {
                let output = folder.appendingPathComponent(UUID().uuidString).path
                let command = "'\(Binary.path)' \(replay) --no-charts --output '\(output)' 2>/dev/null"
                let run = try Binary.execute(
                    Self.script, ["-qec", "stty cols \(columns) rows 24; \(command)", "/dev/null"],
                    environment: ["TERM": "xterm", "NO_COLOR": ""].merging(environment) { $1 })
                #expect(run.status == 0, "\(run.output)")
                return run.output
            }
            for columns in [80, 120] {
                let text = try shown(columns)
                #expect(text.contains("\u{1B}[1m0.1%\u{1B}[0m") && text.contains("\u{1B}[2m"), "\(text)")
                #expect(lines(text).allSatisfy { TextGrid.width($0) <= columns }, "\(text)")
                let piped = try Command.run(
                    "replay", "Traces/photo-feed.jsonl", "--timing", "modelled", "--cache", "kingfisher-8", "--cache",
                    "lru(2MB)", "--no-charts", "--width", "\(columns)", "--output", "\(folder.path)/\(columns)")
                #expect(!piped.output.contains("\u{1B}") && lines(piped.output) == lines(text), "\(text)")
            }
            #expect(try !shown(80, ["NO_COLOR": "1"]).contains("\u{1B}"))
            #expect(try !shown(80, ["TERM": "dumb"]).contains("\u{1B}"))
        }
    }

    @Test("Only CommandOutput writes to the standard streams")
    func onlyWriter() throws {
        let sources = Binary.root.appendingPathComponent("Sources")
        let writer = try Regex(
            #"(^|[^\w.])(print|debugPrint|dump|NSLog|puts|putchar|perror|vprintf|printf)\(|Swift\.print|"#
                + #"FileHandle\.standard(Output|Error)|FileHandle\(fileDescriptor|exit\(withError|"#
                + #"write\((1|2|STDOUT_FILENO|STDERR_FILENO),|fputs\([^)]*std(out|err)"#)
        var found: [String] = []
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var count = 0
        for case let file as URL in files where file.pathExtension == "swift" {
            let path = file.path.dropFirst(sources.path.count + 1)
            count += 1
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                let code = line.drop { $0 == " " }
                if !code.hasPrefix("//"), code.contains(writer), !code.contains("func print(") {
                    found.append("\(path): \(code)")
                }
            }
        }
        #expect(count > 300)
        // The second one only reads.
        let known = ["CacheReplayCommand/Shared/CommandOutput.swift: ", "Runs/Files/ResultFiles.swift: FileHandle("]
        let strangers = found.filter { found in !known.contains { found.hasPrefix($0) } }
        #expect(strangers.isEmpty, "use CommandOutput: \(strangers.joined(separator: "\n"))")
        #expect(found.count >= 4, "the search finds nothing, not even CommandOutput itself")
    }
}
