import Basics
import Foundation
import Synchronization

/// This program as a child that does not outlive this process: its standard input is a pipe that closes with this
/// process, or with ``end()``.
final class ChildProcess: Sendable {
    private let process: SpawnedProcess
    private let output: Mutex<LineReader>
    private let errorText = Mutex("")
    private let errorsRead = DispatchSemaphore(value: 0)

    init(_ arguments: [String]) throws {
        do {
            process = try SpawnedProcess(
                Self.executable.path, arguments, input: .pipe, output: .pipe, errors: .pipe)
        } catch {
            throw CommandFailure(.ioError, "A process for the replay cannot be started: \(error)")
        }
        output = Mutex(LineReader(process.output))
        do {
            try DetachedThread.start { [self] in
                let text = String(decoding: SpawnedProcess.readAll(process.errors), as: UTF8.self)
                errorText.withLock { $0 = text }
                errorsRead.signal()
            }
        } catch {
            kill()
            _ = process.wait()
            throw CommandFailure(.ioError, "A thread for the replay cannot be started: \(error)")
        }
    }

    /// The running program itself, including one that a user built with other policies.
    static var executable: URL {
        Invocation.current.map { URL(fileURLWithPath: $0.program) } ?? Bundle.main.executableURL
            ?? URL(fileURLWithPath: CommandLine.arguments[0])
    }

    /// Returns the next line that the child prints, or nil when it prints no more.
    func readLine() -> String? { output.withLock { $0.next() } }

    /// The child printed no line in time.
    struct Late: Error {}

    /// Returns the next line that the child prints, or nil when it prints no more.
    ///
    /// - Throws: ``Late`` if the child prints nothing within some seconds.
    func readLine(within seconds: Int) throws(Late) -> String? {
        let deadline = ContinuousClock.now + .seconds(seconds)
        return try output.withLock { output throws(Late) in try output.next(by: deadline) }
    }

    /// Waits for the end. Returns it, and the text of standard error.
    func wait() -> (end: SpawnedProcess.End, errors: String) {
        let end = process.wait()
        errorsRead.wait()
        errorsRead.signal()
        return (end, errorText.withLock { $0 })
    }

    /// Waits for the end. Returns the child's message, or how it ended.
    func reasonOfEnd() -> String {
        let (end, text) = wait()
        let errors = text.trimmingCharacters(in: .whitespacesAndNewlines)
        return errors.isEmpty ? "its process ended with \(end)" : errors
    }

    var isRunning: Bool { process.isRunning }

    func kill() { process.send(SIGKILL) }

    /// Asks the child to end, without waiting.
    func end() {
        process.closeInput()
        process.send(SIGTERM)
        // A stopped process ends only after it continues.
        process.send(SIGCONT)
    }
}

/// The lines of a pipe.
private struct LineReader {
    private let descriptor: Int32
    private var bytes: [UInt8] = []
    private var start = 0

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    mutating func next() -> String? {
        while true {
            if let line = takeLine() { return line }
            guard fill() else { return takeRest() }
        }
    }

    mutating func next(by deadline: ContinuousClock.Instant) throws(ChildProcess.Late) -> String? {
        while true {
            if let line = takeLine() { return line }
            try wait(until: deadline)
            guard fill() else { return takeRest() }
        }
    }

    /// Waits for more bytes, or for the end of the pipe. A signal does not end the wait.
    private func wait(until deadline: ContinuousClock.Instant) throws(ChildProcess.Late) {
        while true {
            let left = max(.zero, deadline - .now).components
            let milliseconds = left.seconds * 1_000 + left.attoseconds / 1_000_000_000_000_000
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let count = poll(&waiting, 1, Int32(clamping: milliseconds))
            if count > 0 { return }
            guard count < 0, errno == EINTR else { throw ChildProcess.Late() }
        }
    }

    private mutating func takeLine() -> String? {
        guard let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) else {
            bytes.removeFirst(start)
            start = 0
            return nil
        }
        defer { start = end + 1 }
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }

    /// Returns the text after the last line, if there is any.
    private mutating func takeRest() -> String? {
        defer { bytes = [] }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    /// Reads more bytes. Returns false at the end.
    private mutating func fill() -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 16) { buffer in
            var count = read(descriptor, buffer.baseAddress, buffer.count)
            while count < 0, errno == EINTR { count = read(descriptor, buffer.baseAddress, buffer.count) }
            guard count > 0 else { return false }
            bytes.append(contentsOf: buffer[..<count])
            return true
        }
    }
}

/// The loopback origin of one trace, in a process of its own, so that its memory and its threads are not the cache's.
final class OriginProcess: Sendable {
    /// For example `http://127.0.0.1:40123`.
    let address: String
    private let child: ChildProcess

    /// - Parameter started: Receives the process before it has printed its address, so that an interruption can end it.
    init(_ trace: String, bodies: String? = nil, started: (ChildProcess) -> Void = { _ in }) throws {
        struct Start: Decodable { var address: String }
        var arguments = ["origin", trace, "--format", "compiled", "--port", "0", "--until-input-ends", "--json"]
        if let bodies { arguments += ["--bodies", bodies] }
        child = try ChildProcess(arguments)
        started(child)
        let line: String?
        do { line = try child.readLine(within: Self.patience) } catch {
            child.kill()
            throw CommandFailure(
                .ioError,
                """
                The loopback origin did not print its address within \(Self.patience) seconds. Try again when this \
                machine is less busy.
                """)
        }
        guard let line else {
            throw CommandFailure(.ioError, "The loopback origin did not start: \(child.reasonOfEnd())")
        }
        guard let start = try? JSONDecoder().decode(Start.self, from: Data(line.utf8)) else {
            throw CommandFailure(.ioError, "The loopback origin printed no address, but: \(line)")
        }
        address = start.address
    }

    /// In seconds. The origin maps a compiled trace, so that it starts at once.
    private static let patience = 60

    var isRunning: Bool { child.isRunning }

    func end() { child.end() }

    var identity: ObjectIdentifier { ObjectIdentifier(child) }
}
