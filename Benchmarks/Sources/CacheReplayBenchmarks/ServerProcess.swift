import Basics
import Foundation
import SessionModel

/// A server of the `cachereplay` command in a process of its own, so that it shares no thread with the measured client.
/// The process ends with the instance.
final class ServerProcess {
    /// The address that the server prints first, without the slash at its end: `http://127.0.0.1:40123`.
    let address: String
    /// The server's files.
    let folder: ScratchFolder
    private let process = Process()
    private let input = Pipe()

    /// Starts `cachereplay` with the arguments that `arguments` returns for a new folder.
    init(_ arguments: (_ folder: String) throws -> [String]) throws {
        let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("cachereplay")
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            throw BenchmarkError(
                description: "\(program.path) is missing; build the whole package first: swift build -c release")
        }
        folder = try ScratchFolder(prefix: "cachereplay-bench")
        let output = Pipe()
        process.executableURL = program
        process.arguments = try arguments(folder.path) + ["--until-input-ends"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let address = line.split(whereSeparator: \.isWhitespace).first, address.hasPrefix("http://") else {
            throw BenchmarkError(description: "cachereplay \(process.arguments?.first ?? "") did not start: \(line)")
        }
        self.address = String(address.hasSuffix("/") ? address.dropLast() : address)
    }

    /// The loopback origin of a trace.
    static func origin(_ trace: Trace, _ options: [String] = []) throws -> ServerProcess {
        try ServerProcess { folder in
            let file = "\(folder)/bench.jsonl"
            _ = try trace.write(to: file)
            return ["origin", file] + options
        }
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
