import Basics
import Foundation
import ReplayEngine
import Synchronization

/// `replays.jsonl` of an advice folder: the finished replays of a search, so that one that was interrupted continues.
///
/// The first line says what all replays have in common. Each further line has replays of one session. A process that is
/// killed leaves whole lines, and at most one torn line at the end, which the next reader drops.
public final class AdviceLog: Sendable {
    /// What all replays have in common; with another value of any of them, they are repeated.
    public struct Inputs: Codable, Sendable, Equatable {
        /// The SHA-256 of the program.
        public var program: String
        public var seed: UInt64
        public var network: String

        public init(program: String, seed: UInt64, network: String) {
            self.program = program
            self.seed = seed
            self.network = network
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
    private let file: Mutex<FileHandle>
    private let path: String
    /// Whether the folder had replays that do not count, because the program, the seed or the network is another one.
    public let hasOtherInputs: Bool

    /// Opens the log of a folder. If `resumes` is true, the replays in the log count; otherwise it begins anew.
    ///
    /// - Throws: ``ResultsError`` if the file cannot be read or written.
    public init(in folder: String, _ inputs: Inputs, resumes: Bool) throws {
        path = Self.path(in: folder)
        var lines = ""
        var kept: [Identity: Kept] = [:]
        var hasOtherInputs = false
        if resumes, ResultFile.exists(path) {
            let decoder = JSONDecoder()
            // A torn line at the end has no line break.
            let whole = try ResultFile.text(at: path).split(separator: "\n", omittingEmptySubsequences: false)
                .dropLast()
            if let first = whole.first, let own = try? decoder.decode(Inputs.self, from: Data(first.utf8)) {
                hasOtherInputs = own != inputs
            }
            if !hasOtherInputs {
                for (number, text) in whole.enumerated().dropFirst() {
                    guard let line = try? decoder.decode(Line.self, from: Data(text.utf8)) else {
                        throw ResultsError(
                            .badData, file: path, line: number + 1,
                            "not a line of replays; begin anew with --force in place of --resume")
                    }
                    let identity = Identity(session: line.session, sha256: line.sha256)
                    var session =
                        kept[identity]
                        ?? Kept(
                            user: line.user, duration: line.duration, hosts: line.hosts, cellsStay: line.cellsStay,
                            runs: [:])
                    for replay in line.runs { session.runs[replay.cache] = replay.run }
                    kept[identity] = session
                }
                lines = whole.dropFirst().map { $0 + "\n" }.joined()
            }
        }
        self.kept = kept
        self.hasOtherInputs = hasOtherInputs
        let header = try JSONWriter.encoding(inputs, .line).text + "\n"
        try ResultFile.write(header + lines, to: path)
        guard let handle = FileHandle(forWritingAtPath: path) else {
            throw ResultsError(.ioError, file: path, "cannot be written; check the permissions of the folder")
        }
        try handle.seekToEnd()
        file = Mutex(handle)
    }

    /// Returns whether a file begins with the first line of a log.
    static func isLog(_ path: String) -> Bool {
        guard var lines = try? FileLines(path, longest: 1 << 16), let first = try? lines.next() else { return false }
        return (try? JSONDecoder().decode(Inputs.self, from: Data(first.bytes))) != nil
    }

    static func path(in folder: String) -> String { "\(folder)/replays.jsonl" }

    /// Returns the name of a cache in the log: 16 digits of the SHA-256 of all its values.
    static func key(_ cache: CacheConfiguration) throws -> String {
        // Escaped slashes keep the names of logs that exist.
        let text = try JSONWriter.encoding(cache, .line).text.replacing("/", with: "\\/")
        return String(Digest.of(Array(text.utf8), .sha256).hexadecimal.prefix(16))
    }

    func runs(_ session: String, _ sha256: String) -> Kept? { kept[Identity(session: session, sha256: sha256)] }

    func append(_ line: Line) throws {
        let data = Data(try JSONWriter.encoding(line, .line).bytes + [UInt8(ascii: "\n")])
        do { try file.withLock { try $0.write(contentsOf: data) } } catch {
            throw ResultsError(.ioError, file: path, "cannot be written: \(error.localizedDescription)")
        }
    }

    /// Removes the file after the search has come to its end.
    public func remove() throws {
        try file.withLock { try $0.close() }
        try? FileManager.default.removeItem(atPath: path)
    }
}
