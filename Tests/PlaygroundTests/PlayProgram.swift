import Foundation
import Runs
import TestSupport
import Testing

/// The program `cachereplay`, run as a user runs it.
enum PlayProgram {
    /// Beside the test bundle, where the package manager puts both.
    private static let path: String = {
        let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let beside = tests.deletingLastPathComponent().appendingPathComponent("cachereplay").path
        return FileManager.default.isExecutableFile(atPath: beside)
            ? beside : PlaySupport.root.appendingPathComponent(".build/debug/cachereplay").path
    }()

    /// Runs a replay in the root of the package, and returns the rows of its summary.csv by name of the column.
    static func summary(of arguments: [String]) throws -> [[String: String]] {
        let folder = try TemporaryFolder()
        let output = folder.url("results").path
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments + ["--output", output, "--no-charts", "--quiet"]
        process.currentDirectoryURL = PlaySupport.root
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        let errors = try folder.file("errors", "")
        process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: errors))
        try process.run()
        process.waitUntilExit()
        let text = try folder.text("errors")
        try #require(process.terminationStatus == 0, "\(arguments): \(text)")
        let file = "\(output)/summary.csv"
        let csv = String(decoding: try Data(contentsOf: URL(fileURLWithPath: file)), as: UTF8.self)
        let records = try CSVReader.records(of: csv, file: file)
        let names = try #require(records.first).fields
        return records.dropFirst().map { record -> [String: String] in
            Dictionary(uniqueKeysWithValues: zip(names, record.fields))
        }
    }
}
