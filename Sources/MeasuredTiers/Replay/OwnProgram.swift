import Basics
import ReplayEngine

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A program that is the memory of a cache. It reads a line for each call from standard input, and answers with a line
/// on standard output. <doc:OwnCaches> describes the lines.
///
/// An answer has one deadline, which begins before the question is written. A program that does not keep it, that
/// closes a stream, or that ends is over: its process group is ended, and each later call throws the same
/// ``OwnCacheFault``.
final class OwnProgram: OwnCacheStore {
    private let command: String
    private let keys: [String]
    private let process: SpawnedProcess
    private var buffer: [UInt8] = []
    private var start = 0
    private(set) var heldBytes: Int?
    /// The fault that ended the conversation; nil while the program answers.
    private var lost: OwnCacheFault?
    /// A defect that did not prevent the last answer.
    private var fault: OwnCacheFault?
    /// The seconds after which the program counts as silent.
    var longestAnswer = 30.0

    /// Starts a program by the shell, and greets it.
    ///
    /// - Parameters:
    ///   - command: The program and its arguments, as for a shell.
    ///   - keys: By object.
    /// - Throws: `ReplayError` if the program does not start, or does not know the protocol.
    init(_ command: String, keys: [String]) throws {
        self.command = command
        self.keys = keys.map(Self.escaped)
        do {
            process = try SpawnedProcess(
                "/bin/sh", ["-c", "exec \(command)"], in: .init(leadsGroup: true), input: .pipe, output: .pipe,
                errors: .file(2))
        } catch { throw ReplayError("own: \(command) cannot be started: \(error)") }
        // A full pipe must not hold the replay: the program may never read.
        _ = fcntl(process.input, F_SETFL, O_NONBLOCK)
        let greeting: String
        do { greeting = try ask("cachereplay\t1") } catch {
            let reason = (error as? OwnCacheFault)?.text ?? "\(error)"
            throw ReplayError(
                """
                own: \(command) did not answer the first line, "cachereplay<tab>1", with "ok": \(reason). Is it \
                a program of the protocol for caches?
                """)
        }
        guard greeting == "ok" || greeting.hasPrefix("ok\t") else {
            throw ReplayError(
                """
                own: \(command) answered the first line, "cachereplay<tab>1", with \(Self.quoted(greeting)); \
                expected is "ok". Is it a program of the protocol for caches?
                """)
        }
        try noteHeld(greeting)
    }

    deinit {
        // A program ends when its input does.
        process.closeInput()
        for _ in 0..<20 where !process.hasEnded { usleep(10_000) }
        process.endGroup()
        _ = process.wait()
    }

    func find(_ key: OwnCacheKey) throws -> OwnCacheAnswer {
        let answer = try ask("get\t\(name(key))")
        if answer == "miss" { return .nothing }
        guard answer.hasPrefix("hit\t") else { throw unexpected(answer, "miss, or hit<tab>IMAGE") }
        guard let number = Int(answer.dropFirst(4)), number >= 0, number / 2 < keys.count else { return .unknown }
        return .image(OwnCacheKey(object: number / 2, isThumbnail: number % 2 == 0))
    }

    func store(_ image: OwnCacheKey, under key: OwnCacheKey, cost: Int) throws {
        try tell("put\t\(name(key))\t\(image.object * 2 + (image.isThumbnail ? 0 : 1))\t\(cost)")
    }

    func remove(_ key: OwnCacheKey) throws { try tell("remove\t\(name(key))") }

    func notice(_ event: SystemEvent) throws {
        switch event {
        case .memoryWarning: try tell("warning")
        case .background: try tell("background")
        case .relaunch: try tell("relaunch")
        }
    }

    func takeFault() -> (any Error)? {
        defer { fault = nil }
        return fault
    }

    private func name(_ key: OwnCacheKey) -> String {
        key.isThumbnail ? keys[key.object] + "#thumbnail" : keys[key.object]
    }

    private func tell(_ line: String) throws {
        let answer = try ask(line)
        guard answer == "ok" || answer.hasPrefix("ok\t") else { throw unexpected(answer, "ok, or ok<tab>BYTES") }
        try noteHeld(answer)
    }

    private func noteHeld(_ answer: String) throws {
        guard answer.hasPrefix("ok\t") else { return }
        guard let bytes = Int(answer.dropFirst(3)), bytes >= 0 else { throw unexpected(answer, "ok, or ok<tab>BYTES") }
        heldBytes = bytes
    }

    private func unexpected(_ answer: String, _ expected: String) -> OwnCacheFault {
        OwnCacheFault(kind: .unexpectedAnswer, text: "the answer is \(Self.quoted(answer)); expected is \(expected)")
    }

    /// The moment until which an answer must have come that is asked for now, in nanoseconds of ``MonotonicClock``.
    private var deadline: Int64 { MonotonicClock.now + Int64(longestAnswer * 1e9) }

    /// Sends a line, and returns the next one.
    private func ask(_ line: String) throws -> String {
        if let lost { throw lost }
        let deadline = deadline
        if ready(orInput: false, within: 0) == .output { try fill() }
        if start < buffer.count {
            let extra = String(decoding: buffer[start...].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
            fault = OwnCacheFault(kind: .unaskedOutput, text: "it wrote \(Self.quoted(extra)) without a question")
            buffer.removeAll(keepingCapacity: true)
            start = 0
        }
        try send(Array((line + "\n").utf8), by: deadline)
        return try nextLine(by: deadline)
    }

    /// Writes a question. While the pipe is full, answers are read: the program may not go on before.
    private func send(_ question: [UInt8], by deadline: Int64) throws {
        var rest = question[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(process.input, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count < 0, errno == EAGAIN {
                if try wait(orInput: true, by: deadline) == .output { try fill() }
            } else if count == 0 || errno != EINTR {
                throw end(closed: "input")
            }
        }
    }

    private func nextLine(by deadline: Int64) throws -> String {
        while true {
            if let end = buffer[start...].firstIndex(of: UInt8(ascii: "\n")) {
                var line = buffer[start..<end]
                if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
                let text = String(decoding: line, as: UTF8.self)
                start = end + 1
                if start == buffer.count {
                    buffer.removeAll(keepingCapacity: true)
                    start = 0
                }
                return text
            }
            try wait(by: deadline)
            try fill()
        }
    }

    /// Reads what there is.
    ///
    /// - Throws: ``OwnCacheFault`` at the end of the output, and if the program has written too much that is not read.
    private func fill() throws {
        let count = withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 16) { bytes in
            while true {
                let count = read(process.output, bytes.baseAddress, bytes.count)
                if count < 0, errno == EINTR { continue }
                if count > 0 { buffer.append(contentsOf: bytes[..<count]) }
                return count
            }
        }
        guard count > 0 else { throw end(closed: "output") }
        guard buffer.count - start < 1 << 20 else {
            throw lose(OwnCacheFault(kind: .ended, text: "it wrote a line of more than 1 MiB, so it was ended"))
        }
    }

    private enum Ready { case nothing, output, input }

    /// Waits until there is output or, with `orInput`, until the input takes more bytes.
    ///
    /// - Returns: `output` if there is output, which must be read first.
    /// - Throws: ``OwnCacheFault`` after the deadline, and if the program ends without output.
    @discardableResult
    private func wait(orInput: Bool = false, by deadline: Int64) throws -> Ready {
        while true {
            let left = (deadline - MonotonicClock.now + 999_999) / 1_000_000
            guard left > 0 else {
                throw lose(
                    OwnCacheFault(kind: .silent, text: "no answer for \(longestAnswer) s, so the program was ended"))
            }
            var found = ready(orInput: orInput, within: Int32(min(left, Self.longestPause)))
            // A process that the program has started can hold the output open when the program ends.
            if found == .nothing, process.hasEnded {
                found = ready(orInput: false, within: 0)
                if found == .nothing { throw end(closed: "output") }
            }
            if found != .nothing { return found }
        }
    }

    /// The milliseconds after which a program that is silent is looked after.
    private static let longestPause: Int64 = 50

    /// Returns the first event within so many milliseconds. A signal ends the wait.
    private func ready(orInput: Bool, within milliseconds: Int32) -> Ready {
        withUnsafeTemporaryAllocation(of: pollfd.self, capacity: 2) { wanted in
            wanted.initializeElement(at: 0, to: pollfd(fd: process.output, events: Int16(POLLIN), revents: 0))
            // A negative descriptor is ignored.
            let input = orInput ? process.input : -1
            wanted.initializeElement(at: 1, to: pollfd(fd: input, events: Int16(POLLOUT), revents: 0))
            guard poll(wanted.baseAddress, 2, milliseconds) > 0 else { return .nothing }
            return wanted[0].revents != 0 ? .output : .input
        }
    }

    /// The program is over: it has ended, or closed a stream, without which it cannot answer.
    private func end(closed stream: String) -> OwnCacheFault {
        // A process that ends closes its streams first.
        for _ in 0..<20 where !process.hasEnded { usleep(5_000) }
        guard process.hasEnded else {
            return lose(
                OwnCacheFault(kind: .ended, text: "the program closed its standard \(stream), so it was ended"))
        }
        process.endGroup()
        return lose(OwnCacheFault(kind: .ended, text: "the program ended with \(process.wait())"))
    }

    private func lose(_ fault: OwnCacheFault) -> OwnCacheFault {
        process.endGroup()
        lost = fault
        return fault
    }

    /// A key without characters that end a field or a line.
    private static func escaped(_ key: String) -> String {
        guard key.utf8.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\\") }) else { return key }
        return key.unicodeScalars.map { scalar in
            switch scalar {
            case "\\": "\\\\"
            case "\t": "\\t"
            case "\n": "\\n"
            case "\r": "\\r"
            default: String(scalar)
            }
        }.joined()
    }

    private static func quoted(_ text: String) -> String { "\"\(VisibleText.line(String(text.prefix(80))))\"" }
}
