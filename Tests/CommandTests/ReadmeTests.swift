import CacheReplayCommand
import Foundation
import Testing

@Suite("README", .namesCommands)
struct ReadmeTests {
    /// The page that has an example of every command.
    static let tour = (try? Binary.root.text(tourPath)) ?? ""
    private static let tourPath = "Sources/CacheReplayCommand/CacheReplayCommand.docc/Tour.md"

    /// Every command of a page's shell blocks, in order, without its comment.
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
        #expect(own.count >= 5)
        try withTemporaryFolder { folder in
            try folder.link("Traces", "scripts", "Sources")
            _ = try folder.makeFolder("Results")
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

    @Test("So do those of the page on recording a person, with a recorded session")
    func recordingPage() throws {
        let page = try Binary.root.text("Sources/CacheReplayCommand/CacheReplayCommand.docc/RecordingAPerson.md")
        let own = Self.commands(in: page).filter { $0.hasPrefix("cachereplay ") }
        #expect(own.first == "cachereplay record gallery ~/Pictures --host 0.0.0.0 --output session.jsonl")
        #expect(own.count == 6)
        try withTemporaryFolder { folder in
            try folder.copyTrace("stress-return.jsonl", to: "session.jsonl")
            _ = try folder.write("0123456789abcdef0123456789abcdef", to: "salt.txt")
            for command in own.dropFirst() {
                let words = Self.words(command)
                let run = try Command.run(words + (words[0] == "replay" ? ["--no-charts"] : []), in: folder)
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
            try folder.link("Traces", "Sources", "Examples")
            _ = try folder.makeFolder("Results")
            // The first one is run by OwnPolicyCommandTests, in the build of these tests.
            #expect(commands[0].contains(OwnPolicyCommandTests.example))
            #expect(try OwnPolicyCommandTests.compile(Array(commands[1].dropFirst()), in: folder) == 0)
            let run = try Binary.succeed(Array(commands[2].dropFirst()), in: folder)
            // The figures of the page, which tell the policies apart.
            let page = try Binary.root.text("Examples/README.md")
            for (policy, share) in [("fifo", "71.0"), ("second-chance", "70.7"), ("lru", "61.2")] {
                let row = run.output.split(separator: "\n").first { !$0.hasPrefix("*") && $0.contains(" \(policy) ") }
                #expect(row?.contains(" \(share)%") == true, "\(run.output)")
                #expect(page.contains("\(share) %"))
            }
        }
    }

    @Test("The tour names every subcommand, and every subcommand has a help text with an example")
    func completeness() throws {
        let commands = CacheReplay.configuration.subcommands.map { $0.configuration }.filter { $0.shouldDisplay }
        #expect(commands.count >= 12)
        for command in commands.compactMap({ $0.commandName }) {
            #expect(Self.tour.contains("cachereplay \(command)"), "\(command)")
            let help = try Command.succeed(command, "--help")
            #expect(help.output.lowercased().contains("example") || command == "trace", "\(command)")
        }
    }

    /// The arguments of a command.
    static func words(_ command: String) -> [String] { Array(split(command).dropFirst()) }

    /// Splits as a shell does, as far as the README goes: spaces part words, double quotes hold them together.
    static func split(_ command: String) -> [String] {
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
