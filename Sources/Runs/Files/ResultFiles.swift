import Basics
import Foundation
import ReplayEngine
import ResultColumns

/// The CSV files of a results folder, each a pure function of its runs.
enum ResultFiles {
    static func summary(_ results: [RunResult]) -> String { Rows.whole(results).summary }

    static func latency(_ results: [RunResult]) -> String { Rows.whole(results).latency }

    static func timeline(_ results: [RunResult]) -> String { Rows.whole(results).timeline }

    struct Rows: Sendable {
        var summary: String
        var latency: String
        var timeline: String

        static let header = Rows(
            summary: CSVText.header(SummaryColumns.all), latency: CSVText.header(LatencyColumns.all),
            timeline: CSVText.header(TimelineColumns.all))

        init(_ result: RunResult, _ style: CSVStyle) {
            summary = CSVText.rows(SummaryColumns.all, [result], style)
            latency = CSVText.rows(LatencyColumns.all, LatencyColumns.rows(result), style)
            timeline = CSVText.rows(TimelineColumns.all, TimelineColumns.rows(result), style)
        }

        private init(summary: String, latency: String, timeline: String) {
            (self.summary, self.latency, self.timeline) = (summary, latency, timeline)
        }

        static func whole(_ results: [RunResult], _ style: CSVStyle = .exact) -> Rows {
            results.reduce(into: header) { whole, result in
                let rows = Rows(result, style)
                whole.summary += rows.summary
                whole.latency += rows.latency
                whole.timeline += rows.timeline
            }
        }

        /// The files by name. `summary.csv` is last: when a reader finds a run there, the other files have it too.
        var files: [(name: String, text: String)] {
            [("latency.csv", latency), ("timeline.csv", timeline), ("summary.csv", summary)]
        }
    }
}

/// The JSON of runs in `runs.jsonl`.
enum RunRecord {
    /// The types whose members have the order of their declaration. Members of others are sorted by their keys.
    private static let ordered: [any Any.Type] = [
        RunResult.self, RunIdentity.self, OutcomeCounts.self, LatencySummary.self, TierFigures.self,
        PrefetchFigures.self, BlankFigures.self, MainLaneFigures.self, FrameDelays.self, RestFigures.self,
        RevalidationFigures.self,
    ]

    /// Returns the JSON of a result in one line, without a line break.
    /// - Throws: ``ResultsError`` of kind `badData` if a number is not finite.
    static func json(_ result: RunResult, file: String) throws(ResultsError) -> [UInt8] {
        do { return try JSONWriter.encoding(result, .line, ordered: ordered).bytes } catch {
            throw ResultsError(notFinite: file)
        }
    }
}

/// Reads and writes the files of results.
package enum ResultFile {
    /// Writes a whole file: under its name is the old content or all of the new one.
    /// - Throws: ``ResultsError``: `cannotCreate` if the file cannot be created, `ioError` if writing it fails.
    package static func write(_ text: String, to path: String) throws(ResultsError) {
        try refusePipe(path)
        do throws(FileError) { try AtomicFile.write(text, to: path) } catch { throw ResultsError(error) }
    }

    /// Writes a whole file in parts, as ``write(_:to:)`` does. `body` writes them.
    /// - Throws: ``ResultsError``: `cannotCreate` or `ioError`, and what `body` throws.
    package static func write(to path: String, _ body: (AtomicFile) throws -> Void) throws {
        try refusePipe(path)
        do {
            let file = try AtomicFile(path)
            try body(file)
            try file.commit()
        } catch let error as FileError {
            throw ResultsError(error)
        }
    }

    /// Appends whole lines to a file, with one call of the system if it takes them all.
    ///
    /// When writing fails, the file is cut back to its old length. When the process is killed, the last line can be
    /// torn.
    /// - Parameter creating: Whether a file that does not exist is created.
    /// - Returns: The length of the file before; nil if there is no such file.
    /// - Throws: ``ResultsError``: `ioError`, or `cannotCreate`.
    static func append(_ bytes: [UInt8], to path: String, creating: Bool = false) throws(ResultsError) -> Int? {
        let flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK | (creating ? O_CREAT : 0)
        let descriptor = systemOpen(path, flags, 0o666)
        guard descriptor >= 0 else {
            guard errno != ENXIO else { throw notRegular(path) }  // A pipe without a reader.
            guard errno == ENOENT, !creating else {
                throw ResultsError(FileError(creating && !errno.isFullDisk ? .cannotCreate : .ioError, path, errno))
            }
            return nil
        }
        defer { close(descriptor) }
        guard isRegular(descriptor) else { throw notRegular(path) }
        let length = lseek(descriptor, 0, SEEK_END)
        do throws(FileError) {
            try bytes.withUnsafeBytes { bytes in
                Result { () throws(FileError) in try AtomicFile.write(bytes, to: descriptor, path: path) }
            }.get()
        } catch {
            _ = ftruncate(descriptor, length)
            throw ResultsError(error)
        }
        return Int(length)
    }

    /// Returns the content of a UTF-8 file.
    /// - Throws: ``ResultsError``: `notFound`, `ioError` or `badData`.
    package static func text(at path: String) throws -> String {
        guard let text = String(data: try bytes(at: path), encoding: .utf8) else {
            throw ResultsError(.badData, file: path, "not UTF-8 text; expected a file that cachereplay wrote")
        }
        return text
    }

    /// Returns the bytes of a file.
    /// - Throws: ``ResultsError``: `notFound` or `ioError`.
    package static func bytes(at path: String) throws -> Data {
        let file = try ResultFile.handle(path)
        do { return try file.readToEnd() ?? Data() } catch { throw unreadable(path, EIO) }
    }

    /// Opens a file for reading. A named pipe in its place would let the reader wait for another process.
    ///
    /// - Returns: A descriptor, which the caller closes.
    /// - Throws: ``ResultsError``: `notFound`, or `ioError`, also for what is neither a regular file nor a stream of
    ///   this process.
    package static func open(_ path: String) throws(ResultsError) -> Int32 {
        let descriptor = systemOpen(path, O_RDONLY | O_CLOEXEC | (path.isStream ? 0 : O_NONBLOCK))
        guard descriptor >= 0 else {
            let code = errno
            guard code != ENOENT, code != ENOTDIR else {
                throw ResultsError(.notFound, file: path, "no such file; check the path")
            }
            throw unreadable(path, code)
        }
        guard path.isStream || isRegular(descriptor) else {
            close(descriptor)
            throw notRegular(path)
        }
        return descriptor
    }

    /// Returns the error for a file that the system does not open or read.
    private static func unreadable(_ path: String, _ code: Int32) -> ResultsError {
        let remedy = code == EACCES ? "; check that you may read it" : ""
        return ResultsError(.ioError, file: path, "cannot be read: \(SystemError(code))\(remedy)")
    }

    /// Opens a file for reading, as ``open(_:)`` does. It is closed with the last reference.
    package static func handle(_ path: String) throws(ResultsError) -> FileHandle {
        FileHandle(fileDescriptor: try open(path), closeOnDealloc: true)
    }

    private static func isRegular(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    private static func notRegular(_ path: String) -> ResultsError {
        ResultsError(.ioError, file: path, "is not a regular file; remove it, or name another")
    }

    /// Throws for a named pipe, whose writer would wait for a reader.
    static func refusePipe(_ path: String) throws(ResultsError) {
        var status = stat()
        guard !path.isStream, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { return }
        throw notRegular(path)
    }

    package static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }
}

extension ResultsError {
    /// The error of a file that would contain a number without a JSON text, such as infinity.
    init(notFinite file: String) {
        self.init(
            .badData, file: file,
            "cannot be written as JSON: a figure is not a finite number; report this as an error of cachereplay")
    }

    package init(_ error: FileError) {
        switch error.kind {
        case .cannotCreate: self.init(.cannotCreate, file: error.path, error.reason)
        case .ioError:
            let remedy = error.isFullDisk ? "; --resume continues the replay" : "; finished results are kept"
            self.init(.ioError, file: error.path, error.reason + remedy)
        }
    }
}

// MARK: Folders

extension ResultFile {
    package static func isFolder(_ path: String) -> Bool {
        var isDirectory: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory.boolValue
    }

    /// Creates a folder, with those above it, and checks that files can be created in it.
    /// - Throws: ``ResultsError`` of kind `cannotCreate`.
    package static func makeFolder(_ path: String) throws {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw ResultsError(
                .cannotCreate, file: path,
                "the folder cannot be created; choose a place that you may write to")
        }
        guard access(path, W_OK | X_OK) == 0 else {
            throw ResultsError(
                .cannotCreate, file: path,
                "the folder cannot be written to; check its permissions, or choose another")
        }
    }

    /// Checks that the files of a folder can be read.
    /// - Throws: ``ResultsError`` of kind `ioError`.
    package static func checkReadable(_ path: String) throws {
        for folder in [path, "\(path)/runs"] where isFolder(folder) {
            guard access(folder, R_OK | X_OK) == 0 else {
                throw ResultsError(.ioError, file: folder, "the folder cannot be read; check its permissions")
            }
        }
    }

    /// Creates a folder, takes the right to write to it, and removes the temporary files of processes that were killed.
    ///
    /// - Throws: ``ResultsError`` of kind `cannotCreate` if it cannot be created, or if another process has the right.
    package static func claimFolder(_ path: String) throws -> FolderLock {
        try makeFolder(path)
        do {
            let lock = try FolderLock(path)
            for folder in [path, "\(path)/charts"] { AtomicFile.removeAbandoned(in: folder) }
            return lock
        } catch is FolderLock.Taken {
            throw ResultsError(
                .cannotCreate, file: path,
                "another cachereplay is writing its results there; wait for it, or name another folder with --output")
        } catch {
            throw ResultsError(.ioError, file: path, "the folder cannot be opened: \(error)")
        }
    }

    /// Returns the names in a folder, sorted.
    /// - Throws: ``ResultsError`` of kind `ioError`.
    package static func list(_ path: String) throws -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        } catch {
            // Foundation does not say why.
            let stream = opendir(path)
            let code = stream == nil ? errno : 0
            if let stream { closedir(stream) }
            let reason = code == 0 ? "" : ": \(SystemError(code))"
            throw ResultsError(.ioError, file: path, "the folder cannot be listed\(reason); check that you may read it")
        }
    }

    /// Gives a file another name if it exists.
    /// - Throws: ``ResultsError`` of kind `ioError`.
    static func move(_ path: String, to target: String) throws {
        guard rename(path, target) == 0 || errno == ENOENT else {
            throw ResultsError(
                .ioError, file: path, "cannot be renamed: \(SystemError(errno)); check the permissions of its folder")
        }
    }

    /// Removes a file if it exists.
    /// - Throws: ``ResultsError`` of kind `ioError`.
    package static func remove(_ path: String) throws {
        guard unlink(path) == 0 || errno == ENOENT else {
            throw ResultsError(
                .ioError, file: path, "cannot be removed: \(String(cString: strerror(errno))); check its permissions")
        }
    }
}

/// `open` of the system, which `ResultFile.open` hides.
private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t = 0) -> Int32 { open(path, flags, mode) }

/// The reason why results cannot be written, read or drawn: the file, the expectation and the remedy.
public struct ResultsError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure. It decides the exit code of the command.
    public enum Kind: Sendable, Equatable {
        /// The folder or file cannot be created. Exit code 73.
        case cannotCreate
        /// Reading or writing failed midway, as on a full disk. Exit code 74.
        case ioError
        /// The content is not what is expected. Exit code 65.
        case badData
        /// There is no such file or folder. Exit code 66.
        case notFound
        /// A required program is not installed. Exit code 69.
        case missingTool
    }

    public var kind: Kind
    public var file: String
    /// The line, counted from 1, or nil when the message is about the whole file.
    public var line: Int?
    public var message: String

    public init(_ kind: Kind, file: String, line: Int? = nil, _ message: String) {
        self.kind = kind
        self.file = file
        self.line = line
        self.message = message
    }

    public var description: String {
        let file = VisibleText.line(file)
        return line.map { "\(file):\($0): \(message)" } ?? "\(file): \(message)"
    }
}
