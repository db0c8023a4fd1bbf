import Foundation
import Testing

/// A command that serves until it is interrupted.
final class Service {
    let process: Process
    let address: String
    private let folder: URL

    /// - Parameter openFiles: The limit of open files of the command; nil for that of this process.
    init(_ arguments: [String], openFiles: Int? = nil) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("cachereplay-service-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let errors = folder.appendingPathComponent("err")
        _ = FileManager.default.createFile(atPath: errors.path, contents: nil)
        let output = Pipe()
        process = try Binary.start(
            arguments, openFiles: openFiles, output: output.fileHandleForWriting,
            errors: FileHandle(forWritingTo: errors))
        try output.fileHandleForWriting.close()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        address = String(try #require(line.split(whereSeparator: \.isWhitespace).first).dropLast())
    }

    /// Interrupts the command and returns its exit status and standard error.
    func end() -> (status: Int32, errors: String) {
        process.interrupt()
        process.waitUntilExit()
        return (process.terminationStatus, (try? folder.text("err")) ?? "")
    }

    deinit {
        if process.isRunning {
            process.terminate()
            process.waitUntilExit()
        }
        try? FileManager.default.removeItem(at: folder)
    }
}
