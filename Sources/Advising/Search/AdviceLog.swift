import Basics
import Foundation
import ReplayEngine
import Runs
import Synchronization

/// `replays.jsonl` of an advice folder: the finished replays of a search, so that one that was interrupted continues.
///
/// The first line says what all replays have in common. Each further line has replays of one session.
public final class AdviceLog: Sendable {
    /// The inputs that all replays have in common. With another value of any of them, they are repeated.
    public struct Inputs: Codable, Sendable, Equatable {
        /// The SHA-256 of the program.
        public var program: String
        public var seed: UInt64
        public var network: String
        /// The text of the events that were injected into all traces; nil for none.
        public var injected: String?

        public init(program: String, seed: UInt64, network: String, injected: String? = nil) {
            self.program = program
            self.seed = seed
            self.network = network
            self.injected = injected
        }
    }

    struct Line: Codable, Sendable {
        struct Replay: Codable, Sendable {
            var cache: String
            var run: AdviceRun
        }

        var session: String
        var sha256: String
        var user: String?
        /// In nanoseconds.
        var duration: Int64
        var hosts: [String]
        var cellsStay: Bool
        var runs: [Replay]
    }

    /// The replays of one session.
    struct Kept: Sendable {
        var user: String?
        var duration: Int64
        var hosts: [String]
        var cellsStay: Bool
        /// By ``key(_:)``.
        var runs: [String: AdviceRun]
    }

    private struct Identity: Hashable {
        var session: String
        var sha256: String
    }

    private let kept: [Identity: Kept]
    private let file: Mutex<LineLog<Line>>
    /// Whether the folder had replays that do not count, because an input is another one.
    public let hasOtherInputs: Bool

    /// Opens the log of a folder. If `resumes` is true, the replays in the log count; otherwise it begins anew.
    ///
    /// - Throws: `ResultsError` if the file cannot be read or written.
    public init(in folder: String, _ inputs: Inputs, resumes: Bool) throws {
        var file = LineLog<Line>(
            Self.path(in: folder), damage: "not a line of replays; begin anew with --force in place of --resume")
        let earlier = resumes ? Self.inputs(in: folder) : nil
        if resumes, earlier == nil, ResultFile.exists(file.path), try !ResultFile.bytes(at: file.path).isEmpty {
            throw ResultsError(
                .badData, file: file.path, line: 1,
                "does not say what the replays have in common; begin anew with --force in place of --resume")
        }
        hasOtherInputs = earlier != nil && earlier != inputs
        var kept: [Identity: Kept] = [:]
        if earlier == inputs {
            try file.read(after: 1) { line, _ in
                let identity = Identity(session: line.session, sha256: line.sha256)
                var session =
                    kept[identity]
                    ?? Kept(
                        user: line.user, duration: line.duration, hosts: line.hosts, cellsStay: line.cellsStay,
                        runs: [:])
                for replay in line.runs { session.runs[replay.cache] = replay.run }
                kept[identity] = session
            }
            try file.cut()
        } else {
            try ResultFile.write(try JSONWriter.encoding(inputs, .line).text + "\n", to: file.path)
        }
        self.kept = kept
        self.file = Mutex(file)
    }

    /// Returns the first line of the log of a folder; nil if there is no log.
    package static func inputs(in folder: String) -> Inputs? { LineLog<Line>.header(Inputs.self, of: path(in: folder)) }

    package static func path(in folder: String) -> String { "\(folder)/replays.jsonl" }

    /// Returns the name of a cache in the log: 16 digits of the SHA-256 of all its values.
    static func key(_ cache: CacheConfiguration) throws -> String {
        // Escaped slashes keep the names of logs that exist.
        let text = try JSONWriter.encoding(cache, .line).text.replacing("/", with: "\\/")
        return String(Digest.of(Array(text.utf8), .sha256).hexadecimal.prefix(16))
    }

    func runs(_ session: String, _ sha256: String) -> Kept? { kept[Identity(session: session, sha256: sha256)] }

    func append(_ line: Line) throws {
        let json = try JSONWriter.encoding(line, .line).bytes
        _ = try file.withLock { try $0.append(json) }
    }

    /// Removes the file after the search has come to its end.
    public func remove() throws { try ResultFile.remove(file.withLock { $0.path }) }
}
