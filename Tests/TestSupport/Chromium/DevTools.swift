import Foundation
import Synchronization

/// A headless Chromium, controlled over the DevTools protocol by a pair of pipes (`--remote-debugging-pipe`): messages
/// are JSON, each ended by a zero byte.
package final class DevTools: Sendable {
    package static let executable: String? = [
        "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome",
    ]
    .first(where: FileManager.default.isExecutableFile)

    package struct Failure: Error, CustomStringConvertible {
        package var description: String

        package init(_ description: String) { self.description = description }
    }

    private struct State {
        var number = 0
        var answers: [Int: Data] = [:]
        /// The messages that answer no command.
        var events: [Data] = []
        var isOver = false
    }

    // Only init and deinit use `Process`.
    private nonisolated(unsafe) let process = Process()
    private let folder: TemporaryFolder
    private let commands: FileHandle
    private let replies: FileHandle
    private let state = Mutex(State())
    private let answered = NSCondition()

    package init() throws {
        guard let executable = Self.executable else { throw Failure("Chromium is not installed") }
        let folder = try TemporaryFolder()
        self.folder = folder
        let pipes = ["commands", "replies"].map { folder.url($0).path }
        // Opening a named pipe for both directions does not wait for the other side.
        let handles = try pipes.map { path in
            guard mkfifo(path, 0o600) == 0, let handle = FileHandle(forUpdatingAtPath: path) else {
                throw Failure("no pipe at \(path)")
            }
            return handle
        }
        (commands, replies) = (handles[0], handles[1])
        let arguments =
            [
                "--headless=new", "--remote-debugging-pipe", "--user-data-dir=\(folder.path)/profile", "--no-first-run",
                "--disable-gpu",
                "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update",
                "--hide-scrollbars", "--mute-audio",
            ] + (geteuid() == 0 ? ["--no-sandbox"] : [])
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", #"exec "$0" "$@" 3<"$COMMANDS" 4>"$REPLIES""#, executable] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["COMMANDS": pipes[0], "REPLIES": pipes[1]]) {
            $1
        }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        Thread.detachNewThread { [weak self, replies] in
            var rest = Data()
            while case let piece = replies.availableData, !piece.isEmpty {
                rest.append(piece)
                while let end = rest.firstIndex(of: 0) {
                    let message = Data(rest[rest.startIndex..<end])
                    rest = Data(rest[rest.index(after: end)...])
                    if message.isEmpty { return }  // Our own word that it is over.
                    self?.take(message)
                }
            }
        }
    }

    deinit {
        process.terminate()
        process.waitUntilExit()
        try? replies.write(contentsOf: Data([0]))
    }

    /// Sends a command and waits for its answer.
    @discardableResult
    package func send(_ method: String, _ parameters: [String: Any] = [:], session: String? = nil) throws -> [String:
        Any]
    {
        let number = state.withLock { state in
            state.number += 1
            return state.number
        }
        var message: [String: Any] = ["id": number, "method": method, "params": parameters]
        if let session { message["sessionId"] = session }
        let bytes = try JSONSerialization.data(withJSONObject: message) + [0]
        try answered.withLock { try commands.write(contentsOf: bytes) }
        let limit = Date(timeIntervalSinceNow: 60)
        answered.lock()
        defer { answered.unlock() }
        while true {
            if let answer = state.withLock({ $0.answers.removeValue(forKey: number) }) {
                let object = try JSONSerialization.jsonObject(with: answer) as? [String: Any] ?? [:]
                if let error = object["error"] as? [String: Any] {
                    throw Failure("\(method): \(error["message"] ?? error)")
                }
                return object["result"] as? [String: Any] ?? [:]
            }
            guard answered.wait(until: limit) else {
                throw Failure("\(method): Chromium did not answer within a minute")
            }
        }
    }

    /// Returns what Chromium has told about a session by a method, such as `Runtime.exceptionThrown`, as JSON.
    package func events(_ method: String, session: String) -> [String] {
        state.withLock(\.events).compactMap { message in
            guard let object = try? JSONSerialization.jsonObject(with: message) as? [String: Any],
                object["method"] as? String == method, object["sessionId"] as? String == session
            else { return nil }
            return String(decoding: message, as: UTF8.self)
        }
    }

    private func take(_ message: Data) {
        guard let object = try? JSONSerialization.jsonObject(with: message) as? [String: Any],
            let number = object["id"] as? Int
        else { return state.withLock { $0.events.append(message) } }
        answered.withLock {
            state.withLock { $0.answers[number] = message }
            answered.broadcast()
        }
    }
}
