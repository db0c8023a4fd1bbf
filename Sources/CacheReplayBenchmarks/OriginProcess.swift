import CacheTraces
import Foundation

/// `cachereplay origin` in a process of its own, so that it shares no thread with the client that is measured.
final class OriginProcess {
    let address: String
    private let process = Process()
    private let input = Pipe()
    private let folder: URL

    init(_ trace: Trace, _ options: [String] = []) throws {
        let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent(
            "cachereplay")
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            throw BenchmarkError(
                description: "\(program.path) is missing. Build the whole package first: swift build -c release")
        }
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("cachereplay-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent("bench.jsonl").path
        _ = try trace.write(to: file)
        let output = Pipe()
        process.executableURL = program
        process.arguments = ["origin", file, "--until-input-ends"] + options
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let address = line.split(separator: " ").first, address.hasPrefix("http://") else {
            throw BenchmarkError(description: "The origin did not start: \(line)")
        }
        self.address = String(address.dropLast())
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }
}
