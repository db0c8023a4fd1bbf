import ArgumentParser
import Basics
import CacheTraces
import Foundation
import ImageLibraries
import ReplayEngine
import Runs
import Testing

@testable import CacheReplayCommand

/// Settings, results and values of options with a few random changes: each is read, or refused by an error of the
/// command. The fuzzers of `Tests/Fuzzing` do so for traces, compression and policies.
@Suite("Damaged settings, results and values of options")
struct DamagedInputTests {
    private static let numbers = [
        "0", "-1", "1e999", "NaN", "9223372036854775808", "18446744073709551616", "1e-320", "00", "",
    ]
    private static let words = [
        "null", "{}", "[]", "\0", "\u{FEFF}", "\r\n", "\u{1B}[31m", "\u{202E}", "'", "\"", "\\", "*a", "&a", "!!int",
        "%", String(repeating: "{", count: 300), String(repeating: "(", count: 300),
        String(repeating: "a", count: 5_000), "../../etc/passwd",
    ]

    /// Returns a copy with one to six changes: bits, bytes, parts that are cut out, doubled or inserted, and numbers.
    private func damaged(_ content: [UInt8], _ generator: inout SplitMix64) -> [UInt8] {
        var content = content
        for _ in 0..<[1, 1, 2, 3, 6].randomElement(using: &generator)! {
            let start = Int.random(in: 0...content.count, using: &generator)
            let end = min(content.count, start + [1, 2, 8, 40, 400].randomElement(using: &generator)!)
            switch Int.random(in: 0..<7, using: &generator) {
            case 0 where start < content.count: content[start] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 1 where start < content.count: content[start] = UInt8.random(in: 0...255, using: &generator)
            case 2: content.removeSubrange(start..<end)
            case 3: content.removeLast(content.count - end)
            case 4: content.insert(contentsOf: content[start..<end] + content[start..<end], at: start)
            case 5: content.insert(contentsOf: Self.words.randomElement(using: &generator)!.utf8, at: start)
            default:
                guard let digit = content[start...].firstIndex(where: { (48..<58).contains($0) }) else { continue }
                let last = content[digit...].firstIndex { !(48..<58).contains($0) } ?? content.count
                content.replaceSubrange(digit..<last, with: Self.numbers.randomElement(using: &generator)!.utf8)
            }
        }
        return content
    }

    /// Reads damaged copies of a text.
    ///
    /// - Returns: How many were refused.
    private func refusals(_ text: String, copies: Int, seed: UInt64, _ read: ([UInt8]) throws -> Void) -> Int {
        var generator = SplitMix64(seed: seed)
        var refused = 0
        for copy in 0..<copies {
            do { try read(damaged(Array(text.utf8), &generator)) } catch {
                refused += 1
                let failure = CommandFailure(error)
                #expect(failure?.description.isEmpty == false, "copy \(copy): \(error)")
            }
        }
        return refused
    }

    @Test("Files of caches and of costs, and the index of kept bodies")
    func settings() throws {
        try withTemporaryFolder { folder in
            let path = folder.path + "/index.jsonl"
            let caches = """
                traces: [session.jsonl]
                repeat: 2
                caches:
                  plain: {memory: lru(20%)}
                  ours:
                    memory: "split(thumbnail: lru(100 objects), full: lru(20 objects))"
                    disk: {policy: "ttl(lru(1MB), lifetime: 7d)", layout: md5-fanout}
                    pipeline: {connections: 1, coalesce: true, store: memoryAndDisk}
                  preset: {preset: kingfisher-8, ram: 4GB}
                """
            let body = #"{"key":"https://a/0.jpg","sha256":"\#(String(repeating: "0", count: 64))","bytes":5}"# + "\n"
            let costs = "disk_read: 50us\ndisk_read_rate: 2GB/s\njpeg_decode_rate: 300MP/s\n"
            let readers: [(String, () throws -> Void)] = [
                (caches, { _ = try ConfigFile(contentsOf: path) }), (costs, { _ = try CostsFile(contentsOf: path) }),
                (body + body, { _ = try BodyIndex(folder: folder.path) }),
            ]
            for (number, (text, read)) in readers.enumerated() {
                _ = try folder.write(text, to: "index.jsonl")
                try read()
                let refused = refusals(text, copies: 300, seed: UInt64(number)) { bytes in
                    try Data(bytes).write(to: URL(fileURLWithPath: path))
                    try read()
                }
                #expect(refused > 30)
            }
        }
    }

    @Test(
        "Specifications of caches",
        arguments: [
            "memory: lru(20MB); disk: ttl(lru(500MB), lifetime: 7d); connections: 1", "sdwebimage-5; ram: 4GB",
            "nscache(cost: 30%, count: 9, model: corelibs)",
            "ttl(split(thumbnail: lru, full: fifo(1kB)), lifetime: 7d)",
            "memory: lru(1MB); memoryOnBackground: 50%; layout: sqlite; retries: 3; retryDelay: 1s; retryFactor: 2",
        ])
    func specifications(text: String) {
        let refused = refusals(text, copies: 200, seed: 7) { bytes in
            _ = try CacheConfiguration(
                specification: String(decoding: bytes, as: UTF8.self), registry: CacheReplay.policies)
        }
        #expect(refused > 100)
    }

    @Test("Folders of results")
    func results() throws {
        try withTemporaryFolder { folder in
            let session = Binary.root.appendingPathComponent("Traces/stress-feed.jsonl").path
            for arguments in [
                ["replay", session, "--cache", "lru(20%)", "--timing", "modelled"],
                ["simulate", session, "--policy", "lru,fifo", "--capacity", "10%,50%", "--curve"],
            ] {
                let made = folder.appendingPathComponent(arguments[0]).path
                try Binary.succeed(arguments + ["--no-charts", "--quiet", "--output", made])
                for file in ["run.json", "runs.jsonl", "miss_ratio.csv"] {
                    guard let whole = FileManager.default.contents(atPath: "\(made)/\(file)") else { continue }
                    let refused = refusals(String(decoding: whole, as: UTF8.self), copies: 100, seed: 11) { bytes in
                        try Data(bytes).write(to: URL(fileURLWithPath: "\(made)/\(file)"))
                        if arguments[0] == "replay" {
                            _ = try ReplayStore.open(made).results
                        } else {
                            _ = try SimulationStore.open(made, asShard: true)
                        }
                    }
                    #expect(refused > 20, "\(file)")
                    try whole.write(to: URL(fileURLWithPath: "\(made)/\(file)"))
                }
            }
        }
    }

    @Test("A hostile value of any option is taken as it is, or refused as wrong usage")
    func options() throws {
        let values =
            Self.numbers + Self.words + [" ", "-", "inf", "/dev/full", "1..99999999999", "$(id)", "|id", "=1+1"]
        var parsed = 0  // options
        for command in try CommandHelp.commands() {
            guard (command.subcommands ?? []).allSatisfy({ $0.commandName == "help" }) else { continue }
            // Much faster than parsing with the whole program each time.
            var type: any ParsableCommand.Type = CacheReplay.self
            for word in command.words {
                type = try #require(
                    type.configuration.subcommands.first { $0.configuration.commandName == word }, "\(word)")
            }
            let arguments = command.arguments ?? []
            let positional = arguments.filter { $0.kind == "positional" }.map { _ in "session.jsonl" }
            for option in arguments where option.kind == "option" {
                guard let name = option.names?.first(where: { $0.kind.hasPrefix("long") })?.name else { continue }
                let value = values[parsed * 7 % values.count]
                do { _ = try type.parseAsRoot(positional + ["--\(name)=\(value)"]) } catch {
                    let isUsage = type.exitCode(for: error).rawValue == 64
                    #expect(isUsage || CommandFailure(error) != nil, "--\(name)=\(value.prefix(40)): \(error)")
                }
                parsed += 1
            }
        }
        #expect(parsed > 200)
    }
}
