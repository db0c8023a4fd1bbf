import Foundation
import Synchronization

/// This same program again, as a child that does not outlive us: its standard input is a pipe that closes with us, or
/// with ``end()``.
final class ChildProcess: Sendable {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let errors = Pipe()
    private let errorText = Mutex(Data())
    private let errorsRead = DispatchSemaphore(value: 0)

    init(_ arguments: [String]) throws {
        process.executableURL = Self.executable
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        do { try process.run() } catch {
            throw CommandFailure(.ioError, "A process for the replay cannot be started: \(error.localizedDescription)")
        }
        Thread.detachNewThread { [self] in
            let text = errors.fileHandleForReading.readDataToEndOfFile()
            errorText.withLock { $0 = text }
            errorsRead.signal()
        }
    }

    /// The running program itself, also one that a user built with policies of his own.
    static var executable: URL {
        Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
    }

    /// The next line that the child prints; nil when it prints no more.
    func readLine() -> String? {
        var line = Data()
        while let byte = try? output.fileHandleForReading.read(upToCount: 1), let first = byte.first {
            if first == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(first)
        }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }

    /// Waits for the end; returns the exit code, or nil where a signal ended it, and what it said on standard error.
    func wait() -> (status: Int32?, errors: String) {
        process.waitUntilExit()
        errorsRead.wait()
        errorsRead.signal()
        let status = process.terminationReason == .exit ? process.terminationStatus : nil
        return (status, errorText.withLock { String(decoding: $0, as: UTF8.self) })
    }

    var isRunning: Bool { process.isRunning }

    /// Asks the child to end, without waiting.
    func end() {
        try? input.fileHandleForWriting.close()
        if process.isRunning { process.terminate() }
    }
}
