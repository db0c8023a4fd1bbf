import Basics
import CacheTraces
import Foundation
import ReplayEngine
import Runs
import SessionModel

/// A file that was extracted from an archive. It exists as long as one of these values, or until the folder is removed.
struct ExtractedFile: Hashable, Sendable {
    let folder: ScratchFolder
    private let name: String

    init(_ name: String, in folder: ScratchFolder) { (self.name, self.folder) = (name, folder) }

    var path: String { "\(folder.path)/\(name)" }

    static func == (one: Self, other: Self) -> Bool { one.path == other.path }

    func hash(into hasher: inout Hasher) { hasher.combine(path) }
}

/// A trace as the user names it.
struct TraceFile: Hashable {
    var path: String
    /// Whether the user names the file by itself, so that it must be readable. A file of a folder, an archive, a
    /// pattern or a list can be skipped.
    var isNamed = true
    /// A format's name; nil: recognised by its content.
    var format: String?
    /// The folder that was named, if the trace was found in one.
    var folder: String?
    /// The file with the trace's bytes if the trace is in an archive; nil if it is at ``path``.
    var extracted: ExtractedFile?
    /// The name that the user gives the trace, as in `feed=Traces/2024-06.csv`; nil for the name of the file.
    var givenName: String?
    /// The path of the copy of standard input, if the trace comes from there.
    var copy: String?

    /// The path of the file with the trace's bytes.
    var place: String { extracted?.path ?? copy ?? path }

    /// The path below the folder or the archive that the trace was found in; the name of another file.
    var pathBelow: String { folder.flatMap { path.dropping(start: "\($0)/") } ?? path.fileName }

    /// The name that the user gives the trace, or else the file's name without folders, and without the endings of
    /// compression and format: `page.2` of `page.2.har.gz`. The name of a file that was found in a folder or an archive
    /// has the folders below that one: `anna/monday`.
    var name: String {
        if let givenName { return givenName }
        if path == StandardInput.path { return "stdin" }
        let short = Self.without(Self.formatEndings, Self.without([".gz", ".bz2", ".xz", ".zst"], pathBelow))
        return Self.without([".bin", ".json", ".txt"], short)
    }

    /// The size of the file in bytes; 0 if it cannot be read.
    var size: Int {
        var status = stat()
        return stat(place, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Checks that a command can read the trace more than once, such as for its checksum and for its events.
    /// - Throws: ``CommandFailure`` for a pipe or a device.
    func checkRereadable() throws {
        guard isRereadable else {
            throw CommandFailure(
                isNamed ? .usage : .badData,
                "\(path): the trace is read more than once, so it must be a file, not a pipe or a device.")
        }
    }

    /// Whether the trace can be read more than once: it is no pipe, no device, and no stream of this process, which has
    /// a place of its own. A file that does not exist counts as one that can.
    var isRereadable: Bool {
        var status = stat()
        guard stat(place, &status) == 0 else { return true }
        let type = status.st_mode & S_IFMT
        return (type == S_IFREG || type == S_IFDIR) && !place.isStream
    }

    func read() throws -> TraceReading {
        do { return try TraceReading(contentsOf: place, format: try format.map(TraceFormat.named)) } catch {
            throw named(error)
        }
    }

    /// The size of a regular file in bytes; nil for a pipe, a device, and a file that does not exist.
    var regularSize: Int? {
        var status = stat()
        return stat(place, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
    }

    /// Returns the SHA-256 of the file's bytes.
    /// - Throws: `TraceError`.
    func sha256() throws -> String {
        do { return try Fingerprint.sha256(place) } catch {
            throw TraceError(.unreadable, file: path, "cannot be read: \(error)")
        }
    }

    /// Returns the trace of the file with events that it lacks.
    ///
    /// - Throws: ``CommandFailure`` for an event that has no place in the trace. No command skips the trace then.
    func injecting(_ events: InjectedEvents, into trace: Trace) throws -> Trace {
        do { return try events.apply(to: trace) } catch { throw CommandFailure(.usage, "\(path): \(error).") }
    }

    /// Makes the trace of the file ready for replays.
    ///
    /// - Parameter choice: The meaning of recorded transfer times.
    /// - Throws: ``CommandFailure`` for a trace that cannot be replayed, or not over this network or with these events.
    func prepared(
        _ trace: Trace, _ choice: ReplayPlan.NetworkChoice, injecting events: InjectedEvents = InjectedEvents()
    ) throws -> (trace: PreparedTrace, network: ReplayJob.Network) {
        let network = try ReplayPlan.network(of: trace, self, choice)
        let trace = try injecting(events, into: trace)
        return (
            try naming { try PreparedTrace(trace, network: network, registry: CacheReplay.policies) }, network
        )
    }

    /// Returns what `body` returns, and names the file in the error of a trace that cannot be replayed.
    func naming<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let error as ReplayError {
            throw CommandFailure(.badData, "\(path): \(error)")
        }
    }

    /// Returns an error with the trace's path in place of the path of its bytes. The error of an archive says why the
    /// archive was not extracted, instead of what is wrong with it as a trace.
    func named(_ error: any Error) -> any Error {
        guard var error = error as? TraceError, error.file == place else { return error }
        error.file = path
        if !isNamed, TraceArchive.isArchive(path), [.badData, .unrecognised].contains(error.kind) {
            return TraceError(
                .unrecognised, file: path,
                "an archive that is in a folder or matches a pattern is not read; name it by itself")
        }
        return error
    }

    /// Returns the file with the reason why a command skips it after an error.
    ///
    /// - Throws: The error, if the file is named by itself, if the command is strict, or if the file is not at fault.
    func skipped(after error: any Error, isStrict: Bool) throws -> SkippedSource {
        let error = named(error)
        let isOfFile =
            switch error {
            case let error as TraceError: error.kind != .noRoom
            case let error as ReplayError: error.kind == .badTrace
            case let error as CommandFailure: [.badData, .noInput].contains(error.status)
            default: false
            }
        guard isOfFile, !isNamed, !isStrict else { throw error }
        return SkippedSource(path: path, reason: "\(error)")
    }

    private static let formatEndings = TraceFormat.all.flatMap(\.fileEndings).sorted { $0.utf8.count > $1.utf8.count }

    private static func without(_ endings: [String], _ name: String) -> String {
        endings.lazy.compactMap { name.dropping(ending: $0, anyCase: true) }.first { !$0.isEmpty } ?? name
    }
}
