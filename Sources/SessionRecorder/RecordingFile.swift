import Foundation

/// A file to which complete lines are appended, each batch with a single `write` if the system accepts it.
///
/// If the process is killed, the file has complete lines and at most one incomplete line at the end, which readers
/// drop.
package struct RecordingFile {
    package let path: String
    /// Bytes written.
    package private(set) var size = 0
    /// Whether it is not a regular file, and therefore has no size limit.
    package let isEndless: Bool
    private let descriptor: Int32
    /// The rest of a line whose beginning was written before an error. It is written before everything else.
    private var unfinished: [UInt8] = []

    /// Creates a regular file. It gets its name after its header is written. Only its owner can read it.
    package static func create(_ path: String, header: [UInt8]) throws(RecordingProblem) -> RecordingFile {
        let url = URL(fileURLWithPath: path)
        let draft = url.deletingLastPathComponent().appendingPathComponent(".\(url.lastPathComponent).part").path
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .cannotCreate(file: path, code: errno) }
        var file = RecordingFile(path: path, descriptor: descriptor, isEndless: false)
        var problem = file.append(header).problem
        if problem == nil, rename(draft, path) != 0 { problem = .cannotCreate(file: path, code: errno) }
        if let problem {
            file.finish()
            unlink(draft)
            throw problem
        }
        return file
    }

    /// Opens an existing file that is not a regular file, such as a named pipe. Waits until a pipe has a reader.
    ///
    /// On Linux, the process receives SIGPIPE if the reader closes the pipe; a process that records into a pipe ignores
    /// it.
    package static func attach(to path: String, header: [UInt8]) throws(RecordingProblem) -> RecordingFile {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .cannotCreate(file: path, code: errno) }
        #if canImport(Darwin)
        // A reader that closes the pipe does not end the app.
        _ = fcntl(descriptor, F_SETNOSIGPIPE, 1)
        #endif
        var file = RecordingFile(path: path, descriptor: descriptor, isEndless: true)
        if let problem = file.append(header).problem {
            file.finish()
            throw problem
        }
        return file
    }

    /// Whether a file exists that is not a regular file.
    package static func isSpecial(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    }

    private init(path: String, descriptor: Int32, isEndless: Bool) {
        self.path = path
        self.isEndless = isEndless
        self.descriptor = descriptor
    }

    /// Appends lines, each with a line feed at its end. Returns the number of bytes that are or will be written: the
    /// next call completes a line whose beginning was written. `problem` is the reason if they are not all.
    package mutating func append(_ lines: [UInt8]) -> (accepted: Int, problem: RecordingProblem?) {
        let ahead = unfinished.count
        let bytes = ahead == 0 ? lines : unfinished + lines
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                write(descriptor, $0.baseAddress.map { $0 + written }, bytes.count - written)
            }
            if count > 0 {
                written += count
                size += count
            } else if count == 0 || errno != EINTR {
                let problem = RecordingProblem.cannotWrite(file: path, code: count == 0 ? EIO : errno)
                let lineEnd = Self.endOfBegunLine(bytes, written, isMidLine: written < ahead)
                unfinished = Array(bytes[written..<lineEnd])
                return (max(0, lineEnd - ahead), problem)
            }
        }
        unfinished = []
        return (lines.count, nil)
    }

    /// Appends all lines or none: what was written of them is cut off again. A pipe cannot be cut.
    ///
    /// - Returns: The reason if they are not in the file.
    package mutating func appendWhole(_ lines: [UInt8]) -> RecordingProblem? {
        let (before, pending) = (size, unfinished)
        let (accepted, problem) = append(lines)
        guard let problem, accepted < lines.count || !unfinished.isEmpty else { return problem }
        let end = lseek(descriptor, 0, SEEK_CUR) - off_t(size - before)
        if !isEndless, ftruncate(descriptor, end) == 0, lseek(descriptor, end, SEEK_SET) == end {
            (size, unfinished) = (before, pending)
        }
        return problem
    }

    /// Returns the end of the line whose bytes before `position` are written, or `position` if it is between lines.
    private static func endOfBegunLine(_ bytes: [UInt8], _ position: Int, isMidLine: Bool) -> Int {
        let lineFeed = UInt8(ascii: "\n")
        if !isMidLine, position == 0 || bytes[position - 1] == lineFeed { return position }
        return bytes[position...].firstIndex(of: lineFeed).map { $0 + 1 } ?? bytes.count
    }

    /// Completes an incomplete line if possible, and closes the file.
    package mutating func finish() {
        _ = append([])
        close(descriptor)
    }
}

/// The files of one name: `feed.jsonl`, `feed-2.jsonl`, `feed-3.jsonl` … Numbers only rise, also across launches.
struct FileSeries {
    private let folder: URL
    private let stem: String
    private let suffix: String

    init(_ file: URL) {
        folder = file.deletingLastPathComponent()
        stem = file.deletingPathExtension().lastPathComponent
        suffix = file.pathExtension.isEmpty ? "" : "." + file.pathExtension
    }

    func path(_ number: Int) -> String {
        folder.appendingPathComponent(number == 1 ? stem + suffix : "\(stem)-\(number)\(suffix)").path
    }

    /// The numbers of the files that exist, oldest first.
    var numbers: [Int] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.compactMap(number).sorted()
    }

    /// Deletes the oldest files beyond the limit, and returns the path of the next file.
    func next(keeping limit: Int) -> String {
        let numbers = numbers
        for number in numbers.dropLast(max(0, limit - 1)) { unlink(path(number)) }
        return path((numbers.last ?? 0) + 1)
    }

    private func number(_ name: String) -> Int? {
        // Bytes: a stem that ends with a sign of numbers is one character with the dash behind it.
        let (name, start, end) = (Array(name.utf8), Array("\(stem)-".utf8), Array(suffix.utf8))
        if name == Array((stem + suffix).utf8) { return 1 }
        guard name.count > start.count + end.count, name.starts(with: start), name.suffix(end.count) == end[...] else {
            return nil
        }
        let digits = String(decoding: name[start.count..<(name.count - end.count)], as: UTF8.self)
        guard let number = Int(digits), number > 1, number < Int.max, String(number) == digits else { return nil }
        return number
    }
}
