#if MeasuredReplays
import Basics

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A program that is the memory of a cache. It reads a line for each call from standard input, and answers with a line
/// on standard output. <doc:OwnCaches> describes the lines.
package final class OwnProgram: DrivenStore {
    private let command: String
    private let keys: [String]
    private let process: SpawnedProcess
    private var buffer: [UInt8] = []
    private var start = 0
    package private(set) var heldBytes: Int?
    /// What ended the conversation; nil while the program answers.
    private var lost: DrivenFault?
    /// A defect that did not prevent the last answer.
    private var fault: DrivenFault?
    /// Milliseconds.
    private let longestAnswer: Int32

    /// Starts a program by the shell, and greets it.
    ///
    /// - Parameters:
    ///   - command: The program and its arguments, as for a shell.
    ///   - keys: By object.
    ///   - longestAnswer: The seconds after which the program counts as silent.
    /// - Throws: ``ReplayError`` if the program does not start, or does not know the protocol.
    package init(_ command: String, keys: [String], longestAnswer: Double = 30) throws {
        self.command = command
        self.keys = keys.map(Self.escaped)
        self.longestAnswer = Int32(longestAnswer * 1_000)
        do {
            process = try SpawnedProcess(
                "/bin/sh", ["-c", "exec \(command)"], input: .pipe, output: .pipe, errors: .file(2))
        } catch { throw ReplayError("own: \(command) cannot be started: \(error)") }
        let greeting: String
        do { greeting = try ask("cachereplay\t1") } catch {
            let reason = (error as? DrivenFault)?.text ?? "\(error)"
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
        for _ in 0..<20 where process.isRunning { usleep(10_000) }
        if process.isRunning { process.send(SIGKILL) }
        _ = process.wait()
    }

    package func find(_ key: DrivenKey) throws -> DrivenAnswer {
        let answer = try ask("get\t\(name(key))")
        if answer == "miss" { return .nothing }
        guard answer.hasPrefix("hit\t") else { throw unexpected(answer, "miss, or hit<tab>IMAGE") }
        guard let number = Int(answer.dropFirst(4)), number >= 0, number / 2 < keys.count else { return .unknown }
        return .image(DrivenKey(object: number / 2, isThumbnail: number % 2 == 0))
    }

    package func store(_ image: DrivenKey, under key: DrivenKey, cost: Int) throws {
        try tell("put\t\(name(key))\t\(image.object * 2 + (image.isThumbnail ? 0 : 1))\t\(cost)")
    }

    package func remove(_ key: DrivenKey) throws { try tell("remove\t\(name(key))") }

    package func notice(_ event: SystemEvent) throws {
        switch event {
        case .memoryWarning: try tell("warning")
        case .background: try tell("background")
        case .relaunch: try tell("relaunch")
        }
    }

    package func takeFault() -> (any Error)? {
        defer { fault = nil }
        return fault
    }

    private func name(_ key: DrivenKey) -> String {
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

    private func unexpected(_ answer: String, _ expected: String) -> DrivenFault {
        DrivenFault(kind: .unexpectedAnswer, text: "the answer is \(Self.quoted(answer)); expected is \(expected)")
    }

    /// Sends lines at once, and returns as many answers. Output that nothing asked for is an error.
    ///
    /// - Parameter lines: At most some hundred short ones, which a pipe holds together with their answers.
    package func exchange(_ lines: [String]) throws -> [String] {
        let first = try ask(lines.joined(separator: "\n"))
        let answers = try [first] + lines.dropFirst().map { _ in try nextLine() }
        if let fault = takeFault() as? DrivenFault { throw fault }
        return answers
    }

    /// Sends a line, and returns the next one.
    private func ask(_ line: String) throws -> String {
        if let lost { throw lost }
        if hasOutput(within: 0) { guard fill() else { throw end() } }
        if start < buffer.count {
            let extra = String(decoding: buffer[start...].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
            fault = DrivenFault(kind: .unaskedOutput, text: "it wrote \(Self.quoted(extra)) without a question")
            buffer.removeAll(keepingCapacity: true)
            start = 0
        }
        guard process.write(Array((line + "\n").utf8)) else { throw end() }
        return try nextLine()
    }

    private func nextLine() throws -> String {
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
            guard buffer.count - start < 1 << 20 else {
                process.send(SIGKILL)
                throw lose(DrivenFault(kind: .unexpectedAnswer, text: "it wrote a line of more than 1 MiB"))
            }
            guard hasOutput(within: longestAnswer) else {
                process.send(SIGKILL)
                throw lose(
                    DrivenFault(
                        kind: .silent, text: "no answer for \(longestAnswer / 1_000) s, so the program was ended"))
            }
            guard fill() else { throw end() }
        }
    }

    /// Reads what there is; returns false at the end.
    private func fill() -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 16) { bytes in
            while true {
                let count = read(process.output, bytes.baseAddress, bytes.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                buffer.append(contentsOf: bytes[..<count])
                return true
            }
        }
    }

    private func hasOutput(within milliseconds: Int32) -> Bool {
        var wanted = pollfd(fd: process.output, events: Int16(POLLIN), revents: 0)
        while true {
            let count = poll(&wanted, 1, milliseconds)
            if count < 0, errno == EINTR { continue }
            return count > 0
        }
    }

    private func end() -> DrivenFault {
        let how =
            switch process.wait() {
            case .exit(let code): "the program ended with exit code \(code)"
            case .signal(let signal): "the program was ended by signal \(signal)"
            }
        return lose(DrivenFault(kind: .ended, text: how))
    }

    private func lose(_ fault: DrivenFault) -> DrivenFault {
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

    package static func quoted(_ text: String) -> String { "\"\(VisibleText.line(String(text.prefix(80))))\"" }
}
#endif
