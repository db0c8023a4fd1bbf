import Foundation
import Testing

@Suite("--resume after a change of the inputs")
struct ResumeTests {
    @Test(
        "runs and rows of a rebuilt plugin are repeated, and a message names the plugin",
        .enabled(if: OwnPolicyCommandTests.compiler != nil))
    func rebuiltPlugin() throws {
        try withTemporaryFolder { folder in
            let library = folder.appendingPathComponent("second_chance.so").path
            func build(_ option: String) throws {
                let arguments = ["-shared", "-fPIC", "-I", "Sources/CPolicyPlugin", option, "-o", library]
                try #require(
                    try OwnPolicyCommandTests.compile(arguments + ["Sources/Examples/Plugin/second_chance.c"]) == 0)
            }
            let commands = [
                (
                    "1 row is repeated",
                    [
                        "simulate", ReplayCommandTests.feed, "--policy", "second-chance", "--capacity", "2MB", "--cost",
                        "encoded",
                    ]
                ),
                (
                    "1 run is repeated",
                    ["replay", ReplayCommandTests.feed, "--cache", "second-chance(2MB)", "--timing", "modelled"]
                ),
            ]
            for (message, command) in commands {
                let output = folder.appendingPathComponent(command[0])
                let arguments = command + ["--plugin", library, "--no-charts", "--output", output.path]
                try build("-O1")
                let first = try Binary.run(arguments)
                #expect(first.status == 0 && first.errors.isEmpty, "\(first.errors)")
                let same = try Binary.run(arguments + ["--resume"])
                #expect(same.status == 0 && same.errors.isEmpty, "\(same.errors)")
                try build("-DANOTHER=1")
                try Data("\n".utf8).append(to: library)
                let changed = try Binary.run(arguments + ["--resume"])
                #expect(changed.status == 0, "\(changed.errors)")
                #expect(
                    changed.errors
                        == "cachereplay: \(message), because the plugin of the policy second-chance changed\n")
                let again = try Binary.run(arguments + ["--resume"])
                #expect(again.status == 0 && again.errors.isEmpty, "\(again.errors)")
            }
        }
    }

    @Test("runs with other kept bodies are repeated, and a message says so")
    func changedBodies() throws {
        try withTemporaryFolder { folder in
            let body = Data(repeating: 7, count: 1_000)
            // sha256 of 1,000 bytes of value 7, computed by the test so that the index is right.
            let hash = try Self.sha256(body, in: folder)
            let bodies = folder.appendingPathComponent("bodies")
            let place = bodies.appendingPathComponent("\(hash.prefix(2))/\(hash.dropFirst(2).prefix(2))")
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            try body.write(to: place.appendingPathComponent(hash))
            let entry = "{\"key\":\"k\",\"sha256\":\"\(hash)\",\"bytes\":1000,\"type\":\"image/jpeg\"}\n"
            _ = try bodies.write(entry, to: "index.jsonl")
            let trace = try folder.write(
                """
                {"cachereplay_trace":1}
                {"t":0,"e":"fetch","key":"k","status":200,"bytes":1000}
                {"t":0,"e":"appear","key":"k"}

                """, to: "one.jsonl")
            let arguments = [
                "replay", trace, "--cache", "lru(1MB)", "--bodies", bodies.path, "--no-charts", "--output",
                folder.appendingPathComponent("results").path,
            ]
            let first = try Binary.run(arguments)
            #expect(first.status == 0, "\(first.errors)")
            let same = try Binary.run(arguments + ["--resume"])
            #expect(same.status == 0 && same.errors.isEmpty, "\(same.errors)")
            _ = try bodies.write(entry + entry.replacingOccurrences(of: "\"k\"", with: "\"other\""), to: "index.jsonl")
            let changed = try Binary.run(arguments + ["--resume"])
            #expect(changed.status == 0, "\(changed.errors)")
            #expect(
                changed.errors == "cachereplay: 1 run is repeated, because the kept bodies (--bodies) changed\n")
        }
    }

    /// Returns the SHA-256 of data, by the system's `sha256sum`.
    private static func sha256(_ data: Data, in folder: URL) throws -> String {
        let file = folder.appendingPathComponent("body")
        try data.write(to: file)
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["sh", "-c", "sha256sum \"$0\" || shasum -a 256 \"$0\"", file.path]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return String(try #require(text.split(separator: " ").first))
    }
}

extension Data {
    fileprivate func append(to path: String) throws {
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        defer { try? handle.close() }
        try handle.seekToEnd()
        try handle.write(contentsOf: self)
    }
}
