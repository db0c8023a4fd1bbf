import CacheReplayCommand
import Foundation
import Testing

@Suite("README", .namesCommands)
struct ReadmeTests {
    static let readme = (try? Binary.root.text("README.md")) ?? ""
    /// The page that has an example of every command.
    static let tour = (try? Binary.root.text(tourPath)) ?? ""
    private static let tourPath = "Sources/CacheReplayCommand/CacheReplayCommand.docc/Tour.md"

    /// Every command of the README's shell blocks, in order, without its comment.
    static var commands: [String] { commands(in: readme) }

    static func commands(in page: String) -> [String] {
        page.components(separatedBy: "```sh\n").dropFirst().flatMap { block in
            (block.components(separatedBy: "```").first ?? "").split(separator: "\n")
                .map { ($0.components(separatedBy: " #").first ?? "").trimmingCharacters(in: .whitespaces) }
        }
    }

    @Test("Every command in it and in the tour works, in order, in a fresh folder", arguments: ["README.md", tourPath])
    func commands(page: String) throws {
        let own = Self.commands(in: try Binary.root.text(page)).filter {
            $0.hasPrefix("cachereplay ") || $0.hasPrefix("cc ")
        }
        #expect(own.count >= 6)
        try withTemporaryFolder { folder in
            for name in ["Traces", "scripts", "Sources"] {
                try FileManager.default.createSymbolicLink(
                    at: folder.appendingPathComponent(name),
                    withDestinationURL: Binary.root.appendingPathComponent(name))
            }
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent("Results"), withIntermediateDirectories: true)
            try FileManager.default.copyItem(
                at: Binary.root.appendingPathComponent("Results/example"),
                to: folder.appendingPathComponent("Results/example"))
            for command in own {
                if command.hasPrefix("cc ") {
                    #expect(try OwnPolicyCommandTests.compile(Self.words(command), in: folder) == 0, "\(command)")
                    continue
                }
                let servers = ["cachereplay record ", "cachereplay origin ", "cachereplay play "]
                if servers.contains(where: "\(command) ".hasPrefix) {
                    try record(command, in: folder)
                    continue
                }
                let run = try Binary.run(Self.words(command), in: folder)
                #expect(run.status == 0, "\(command)\n\(run.errors)")
                #expect(
                    !run.output.isEmpty || command.contains("--output ") || command.contains(" convert ")
                        || command.contains(" compile "), "\(command)")
            }
        }
    }

    /// Runs a recorder, an origin or a playground until it prints its address, then interrupts it.
    private func record(_ command: String, in folder: URL) throws {
        // Some pictures, wherever the home folder is.
        let command = command.replacingOccurrences(of: "~/Pictures", with: "Results/example/charts")
        let said = Pipe()
        let process = try Binary.start(
            Self.words(command), in: folder, environment: ["XDG_CACHE_HOME": folder.path + "/caches"],
            output: said.fileHandleForWriting, errors: .nullDevice)
        try said.fileHandleForWriting.close()
        var text = ""
        while !text.contains("http://") {
            let more = said.fileHandleForReading.availableData
            if more.isEmpty { break }
            text += String(decoding: more, as: UTF8.self)
        }
        #expect(text.contains("http://"), "\(command)\n\(text)")
        process.interrupt()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && process.terminationStatus == 0, "\(command)")
    }

    @Test("Each of the five questions in the tour has a command, which answers it")
    func questions() throws {
        let section = try #require(Self.tour.components(separatedBy: "## Five questions\n").last)
        let rows = (section.components(separatedBy: "\n## ").first ?? "").split(separator: "\n")
            .filter { $0.hasPrefix("| ") && $0.contains("?") }
        let commands = rows.compactMap { row in
            row.components(separatedBy: "`").first { $0.hasPrefix("cachereplay ") }
        }
        let answers = [
            " with memory: 64 MB", " is enough: ", "What gains most with kingfisher-8: ", "Cells were blank for ",
            "No cache of 64 MB over lte without prefetching leaves less than ",
        ]
        #expect(commands.count == answers.count)
        for (command, answer) in zip(commands, answers) {
            let run = try Binary.run(Self.words(command))
            let said = run.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(run.status == 0 && said.contains(answer), "\(command)\n\(run.output)\(run.errors)")
        }
    }

    @Test("So do the commands of the other pages")
    func otherPages() throws {
        let info = try Binary.run("trace", "info", "Traces/photo-feed.jsonl")
        #expect(info.status == 0)
        #expect(try Binary.root.text("Traces/README.md").contains("`cachereplay trace info Traces/photo-feed.jsonl`"))
        let page = try Binary.root.text("Sources/SessionRecorder/SessionRecorder.docc/SessionRecorder.md")
        let command = try #require(page.split(separator: "\n").first { $0.hasPrefix("cachereplay replay feed.jsonl ") })
        try withTemporaryFolder { folder in
            try FileManager.default.copyItem(
                at: Binary.root.appendingPathComponent("Traces/photo-feed.jsonl"),
                to: folder.appendingPathComponent("feed.jsonl"))
            let run = try Binary.run(Self.words(String(command)) + ["--timing", "modelled", "--no-charts"], in: folder)
            #expect(run.status == 0, "\(run.errors)")
        }
    }

    @Test("So do those of the page on recording a person, with a recorded session")
    func recordingPage() throws {
        let page = try Binary.root.text("Sources/CacheReplayCommand/CacheReplayCommand.docc/RecordingAPerson.md")
        let own = Self.commands(in: page).filter { $0.hasPrefix("cachereplay ") }
        #expect(own.first == "cachereplay record gallery ~/Pictures --host 0.0.0.0 --output session.jsonl")
        #expect(own.count == 6)
        try withTemporaryFolder { folder in
            try FileManager.default.copyItem(
                at: Binary.root.appendingPathComponent("Traces/stress-return.jsonl"),
                to: folder.appendingPathComponent("session.jsonl"))
            _ = try folder.write("0123456789abcdef0123456789abcdef", to: "salt.txt")
            for command in own.dropFirst() {
                let words = Self.words(command)
                let run = try Binary.run(words + (words[0] == "replay" ? ["--no-charts"] : []), in: folder)
                #expect(run.status == 0, "\(command)\n\(run.errors)")
            }
            #expect(FileManager.default.fileExists(atPath: folder.path + "/shared.jsonl"))
        }
    }

    @Test("So do those of the page on policies of one's own", .enabled(if: OwnPolicyCommandTests.compiler != nil))
    func examplesPage() throws {
        let commands = Self.commands(in: try Binary.root.text("Examples/README.md")).map(Self.split)
        #expect(commands.map(\.first) == ["swift", "cc", "cachereplay"])
        try withTemporaryFolder { folder in
            for name in ["Traces", "Sources", "Examples"] {
                try FileManager.default.createSymbolicLink(
                    at: folder.appendingPathComponent(name),
                    withDestinationURL: Binary.root.appendingPathComponent(name))
            }
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent("Results"), withIntermediateDirectories: true)
            // The first one is run by OwnPolicyCommandTests, in the build of these tests.
            #expect(commands[0].contains(OwnPolicyCommandTests.example))
            #expect(try OwnPolicyCommandTests.compile(Array(commands[1].dropFirst()), in: folder) == 0)
            let run = try Binary.run(Array(commands[2].dropFirst()), in: folder)
            #expect(run.status == 0, "\(run.errors)")
            // The figures of the page, which tell the policies apart.
            let page = try Binary.root.text("Examples/README.md")
            for (policy, share) in [("fifo", "71.0"), ("second-chance", "70.7"), ("lru", "61.2")] {
                let row = run.output.split(separator: "\n").first { !$0.hasPrefix("*") && $0.contains(" \(policy) ") }
                #expect(row?.contains(" \(share)%") == true, "\(run.output)")
                #expect(page.contains("\(share) %"))
            }
        }
    }

    @Test("It is short: an answer, two commands, a path for each kind of reader")
    func order() {
        let sections = Self.readme.components(separatedBy: "\n## ").dropFirst().map { $0.prefix { $0 != "\n" } }
        #expect(
            sections == [
                "One answer", "The playground", "Two commands", "I have an app", "I review pull requests",
                "I study caches", "Every command",
            ])
        #expect(Self.readme.split(separator: "\n", omittingEmptySubsequences: false).count <= 127)
    }

    @Test("Every script that it names is there and can be run")
    func scripts() {
        let named = Self.commands.filter { $0.hasPrefix("scripts/") }
        #expect(named == ["scripts/demo", "scripts/test"])
        for script in named + [
            "scripts/bench", "scripts/install", "scripts/recording/record-photo-feed",
            "scripts/recording/record-sessions", "scripts/fuzz", "scripts/studies/compare-libraries",
            "scripts/studies/compare-people", "scripts/studies/compare-policies", "scripts/recording/make-people",
            "scripts/studies/make-example", "scripts/make-synthetic-trace", "scripts/docs",
            "scripts/checks/check-deliveries", "scripts/recording/predict-recordings",
            "scripts/studies/compare-caffeine", "scripts/convert-replay", ".ci/run",
        ] {
            #expect(
                FileManager.default.isExecutableFile(atPath: Binary.root.appendingPathComponent(script).path),
                "\(script)")
        }
    }

    @Test("Its answer, and the figures of people that are kept, are what the command writes today")
    func people() throws {
        try withTemporaryFolder { folder in
            let output = folder.appendingPathComponent("people")
            let run = try Binary.run(
                "replay", "Traces/people-feed.tar.xz", "--config", "scripts/studies/people.yaml", "--timing",
                "modelled", "--no-charts", "--table", "blank", "--width", "80", "--quiet", "--output", output.path)
            #expect(run.status == 0, "\(run.errors)")
            let kept = Binary.root.appendingPathComponent("Results/people")
            for file in ["fleet.csv", "fleet-pairs.csv", "fleet-latency.csv"] {
                #expect(try output.text(file) == kept.text(file), "\(file)")
            }
            let table = run.output.trimmingCharacters(in: .newlines)
            let page = try Binary.root.text("Results/README.md")
            #expect(table.hasPrefix("blank: ") && page.contains("```\n\(table)\n```"), "\(table)")
            #expect(Self.readme.replacingOccurrences(of: "\n", with: " ").contains("modelled, not recorded"))
            // The two sentences of the answer have the means of these caches.
            for cache in ["kingfisher-8", "nuke-13", "sdwebimage-5", "nuke-13 no prefetch"] {
                let row = table.split(separator: "\n").first { $0.hasPrefix("\(cache)  ") }
                let mean = row?.dropFirst(cache.count).split(separator: " ").first?.dropLast() ?? "none"
                #expect(Self.readme.contains("\(mean) %"), "\(cache): \(mean)")
            }
        }
    }

    private static let archivers = ["/usr/bin/tar", "/usr/bin/xz"]

    @Test(
        "The bundled people are those that the model generates today",
        .enabled(if: archivers.allSatisfy(FileManager.default.isExecutableFile)))
    func bundledPeople() throws {
        try withTemporaryFolder { folder in
            let made = folder.appendingPathComponent("made")
            let run = try Binary.run(
                "trace", "synthesize", "--people", "56", "--days", "3", "--app", "feed", "--output", made.path)
            #expect(run.status == 0, "\(run.errors)")
            let archive = Binary.root.appendingPathComponent("Traces/people-feed.tar.xz")
            let size = try #require(archive.resourceValues(forKeys: [.fileSizeKey]).fileSize)
            #expect(size <= 3_000_000)
            let extracted = try Binary.outcome {
                try Binary.launch(
                    URL(fileURLWithPath: Self.archivers[0]), ["--extract", "--file", archive.path], in: folder, [:], $0,
                    $1)
            }
            #expect(extracted.status == 0, "\(extracted.errors)")
            let kept = folder.appendingPathComponent("people-feed")
            let names = try FileManager.default.contentsOfDirectory(atPath: made.path).sorted()
            #expect(names.count == 56)
            #expect(try FileManager.default.contentsOfDirectory(atPath: kept.path).sorted() == names)
            for name in names {
                #expect(
                    FileManager.default.contentsEqual(
                        atPath: made.appendingPathComponent(name).path,
                        andPath: kept.appendingPathComponent(name).path),
                    "\(name)")
            }
        }
    }

    @Test("The example's CSVs are what the command writes today")
    func example() throws {
        try withTemporaryFolder { folder in
            let output = folder.appendingPathComponent("example")
            let run = try Binary.run(
                "replay", "Traces/stress-flicks.jsonl", "--config", "scripts/demo.yaml", "--timing", "modelled",
                "--no-charts", "--output",
                output.path)
            #expect(run.status == 0, "\(run.errors)")
            let kept = Binary.root.appendingPathComponent("Results/example")
            for file in ["summary.csv", "latency.csv"] {
                #expect(try output.text(file) == kept.text(file), "\(file)")
            }
        }
    }

    @Test(
        "What is kept of libraries and designs is what they come to today, in the CSV and on the page",
        arguments: ["stress-return", "stress-flicks"])
    func libraries(trace: String) throws {
        try withTemporaryFolder { folder in
            let output = folder.appendingPathComponent("libraries")
            let listed = try Binary.run("list", "caches", "--json").output
            let presets = try JSONDecoder().decode([Named].self, from: Data(listed.utf8)).map(\.name)
            let run = try Binary.run(
                [
                    "replay", "Traces/\(trace).jsonl", "--timing", "modelled", "--decode", "--no-charts", "--output",
                    output.path,
                ]
                    + presets.flatMap { ["--cache", $0] })
            #expect(run.status == 0, "\(run.errors)")
            let kept = Binary.root.appendingPathComponent("Results/libraries")
            let rows = try kept.text("summary.csv").split(whereSeparator: \.isNewline).filter {
                $0.hasPrefix("\(trace),")
            }
            #expect(rows.count >= presets.count)
            #expect(try output.text("summary.csv").split(whereSeparator: \.isNewline).dropFirst() == rows[...])
            let page = try kept.text("README.md")
            #expect(page.contains("## \(trace), "))
            for row in rows { #expect(page.contains("| `\(row.split(separator: ",")[1])` |")) }
        }
    }

    @Test("The tour names every subcommand, and every subcommand has a help text with an example")
    func completeness() throws {
        let commands = CacheReplay.configuration.subcommands.map { $0.configuration }.filter { $0.shouldDisplay }
        #expect(commands.count >= 12)
        for command in commands.compactMap({ $0.commandName }) {
            #expect(Self.tour.contains("cachereplay \(command)"), "\(command)")
            let help = try Binary.run(command, "--help")
            #expect(help.status == 0)
            #expect(
                help.output.lowercased().contains("example") || command == "trace", "\(command)")
        }
    }

    private struct Named: Decodable { var name: String }

    /// The arguments of a command.
    static func words(_ command: String) -> [String] { Array(split(command).dropFirst()) }

    /// Splits as a shell does, as far as the README goes: spaces part words, double quotes hold them together.
    private static func split(_ command: String) -> [String] {
        var words = [""]
        var quoted = false
        for character in command {
            switch character {
            case "\"": quoted.toggle()
            case " " where !quoted: words.append("")
            default: words[words.count - 1].append(character)
            }
        }
        return words.filter { !$0.isEmpty }
    }
}
