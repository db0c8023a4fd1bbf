import Basics
import Foundation
import Runs

/// The file of a history, locked as long as the instance exists.
///
/// The lock (`flock`) is on the file itself. A process that waited for a file which was replaced meanwhile opens the
/// new one.
struct HistoryFile: ~Copyable {
    /// The path of the file itself, behind symbolic links, so that a replacement keeps them.
    private let path: String
    private let descriptor: Int32
    /// Whether this instance has created the file.
    private let isNew: Bool

    /// Opens a file, or creates an empty one, and waits for its lock.
    /// - Throws: `ResultsError`: `cannotCreate`, `ioError`, or `badData` for a file that is not a regular one.
    init(_ file: String) throws {
        var made = false
        while true {
            // Without O_NONBLOCK, a FIFO waits for another process.
            var opened = open(file, O_RDWR | O_NONBLOCK | O_CLOEXEC)
            if opened < 0, errno == ENOENT {
                opened = open(file, O_RDWR | O_CREAT | O_EXCL | O_NONBLOCK | O_CLOEXEC, 0o644)
                if opened < 0, errno == EEXIST { continue }
                made = opened >= 0
            }
            guard opened >= 0 else { throw ResultsError(.cannotCreate, file: file, "\(SystemError(errno))") }
            do { try Self.checkKind(opened, file) } catch {
                close(opened)
                throw error
            }
            guard flock(opened, LOCK_EX) == 0 else {
                let code = errno
                close(opened)
                throw ResultsError(.ioError, file: file, "\(SystemError(code))")
            }
            var (own, named) = (stat(), stat())
            guard fstat(opened, &own) == 0, stat(file, &named) == 0, own.st_ino == named.st_ino,
                own.st_dev == named.st_dev
            else {
                // Another process has replaced the file.
                close(opened)
                made = false
                continue
            }
            descriptor = opened
            break
        }
        isNew = made
        path = URL(fileURLWithPath: file).resolvingSymlinksInPath().path
    }

    deinit {
        // A file without a figure would be an error for the next reader.
        var status = stat()
        if isNew, fstat(descriptor, &status) == 0, status.st_nlink > 0, status.st_size == 0 { unlink(path) }
        close(descriptor)
    }

    /// Returns the content of the file.
    /// - Throws: `ResultsError`: `ioError`, or `badData` above ``History/largestFile``.
    func text() throws -> String { try Self.text(descriptor, path) }

    /// Replaces the file as a whole.
    /// - Throws: `ResultsError`: `cannotCreate` or `ioError`. The file then has its old content.
    func replace(with text: String) throws {
        guard text.utf8.count <= History.largestFile else { throw Self.tooLarge(path) }
        var status = stat()
        let mode = fstat(descriptor, &status) == 0 ? status.st_mode & 0o7777 : 0o644
        try ResultFile.write(text, to: path)
        // The new file has the permissions of the old one. A failure leaves those of the process.
        _ = chmod(path, mode)
    }

    /// Returns the content of a file that is only read.
    /// - Throws: `ResultsError`: `ioError`, or `badData` for a file that is not a regular one, or too large.
    static func text(at file: String) throws -> String {
        let descriptor = open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw ResultsError(.ioError, file: file, "\(SystemError(errno))") }
        defer { close(descriptor) }
        try checkKind(descriptor, file)
        return try text(descriptor, file)
    }

    private static func checkKind(_ descriptor: Int32, _ file: String) throws {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw ResultsError(.ioError, file: file, "\(SystemError(errno))") }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw ResultsError(
                .badData, file: file,
                "is not a regular file, so it cannot hold a history; name a file such as history.csv")
        }
    }

    private static func text(_ descriptor: Int32, _ file: String) throws -> String {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw ResultsError(.ioError, file: file, "\(SystemError(errno))") }
        guard status.st_size <= History.largestFile else { throw tooLarge(file) }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var length = 0
        try bytes.withUnsafeMutableBytes { buffer in
            while length < buffer.count {
                let count = pread(
                    descriptor, buffer.baseAddress.map { $0 + length }, buffer.count - length, off_t(length))
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw ResultsError(.ioError, file: file, "\(SystemError(errno))") }
                // Another process has cut the file.
                if count == 0 { break }
                length += count
            }
        }
        return String(decoding: bytes[..<length], as: UTF8.self)
    }

    private static func tooLarge(_ file: String) -> ResultsError {
        ResultsError(
            .badData, file: file,
            """
            a history has at most \(History.largestFile >> 20) MiB; move lines of old commits to another file, or name \
            another one
            """)
    }
}

/// The files that Apache Otava reads: one CSV for each trace and cache, and the configuration that names them.
///
/// Source: the documentation of Apache Otava 0.8, "CSV importer" (`type: csv`, `time_column`, `attributes`, `metrics`
/// with `direction` 1 if higher is better and -1 if lower is better).
public enum OtavaFiles {
    /// Writes `otava.yaml` and the CSV files to a folder.
    ///
    /// - Parameters:
    ///   - history: The history.
    ///   - folder: The folder for the files.
    ///   - command: The words of the command that writes, which the file and an error name.
    /// - Returns: The names of the tests.
    /// - Throws: `ResultsError`: `cannotCreate`, also if the folder has such files of others, or `ioError`.
    public static func write(_ history: History, to folder: String, command: String) throws -> [String] {
        try ResultFile.makeFolder(folder)
        let groups = Dictionary(grouping: history.entries) {
            RunGroup.Key(trace: $0.series.trace, cache: $0.series.cache)
        }
        var yaml = "\(beginning)\(command)`.\ntests:\n"
        var names: [String] = []
        var files: [(name: String, text: String)] = []
        for (key, entries) in groups.sorted(by: { ($0.key.trace, $0.key.cache) < ($1.key.trace, $1.key.cache) }) {
            let name = "\(SafeName(key.trace))--\(SafeName(key.cache))"
            names.append(name)
            let metrics = SummaryColumns.metrics.filter { metric in
                entries.contains { $0.series.metric == metric.name }
            }
            var rows: [[String]] = []
            var places: [String: Int] = [:]
            for entry in entries {
                let place = places[entry.commit] ?? rows.count
                if place == rows.count {
                    places[entry.commit] = place
                    rows.append([entry.time.formatted(.iso8601), entry.commit] + metrics.map { _ in "" })
                }
                guard let column = metrics.firstIndex(where: { $0.name == entry.series.metric }) else { continue }
                rows[place][column + 2] = metrics[column].unit == .ratio ? entry.value.fixed(6) : entry.value.fixed(3)
            }
            let text = ([["time", "commit"] + metrics.map(\.name)] + rows).map(CSVText.line).joined()
            files.append(("\(name).csv", text))
            yaml += "  \(name):\n    type: csv\n    file: \(folder)/\(name).csv\n    time_column: time\n"
            yaml += "    attributes: [commit]\n    metrics:\n"
            for metric in metrics {
                let direction = metric.polarity == .higherIsBetter ? 1 : -1
                yaml += "      \(metric.name): {column: \(metric.name), direction: \(direction)}\n"
            }
        }
        let own = OwnFiles(
            [configuration] + files.map(\.name), shownBy: configuration, of: "an earlier `\(command)`"
        ) { folder in
            guard let file = FileHandle(forReadingAtPath: "\(folder)/\(configuration)") else { return false }
            defer { try? file.close() }
            return (try? file.read(upToCount: beginning.utf8.count)) == Data(beginning.utf8)
        }
        try own.refuseForeign(in: folder)
        for file in files { try ResultFile.write(file.text, to: "\(folder)/\(file.name)") }
        try ResultFile.write(yaml, to: "\(folder)/\(configuration)")
        return names
    }

    private static let configuration = "otava.yaml"
    private static let beginning = "# Written by `cachereplay "
}
