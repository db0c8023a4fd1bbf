import Foundation

/// A file to which whole lines are appended, each batch by one `write` where the system takes it so.
///
/// A kill leaves whole lines and at most one that breaks off at the end, which readers drop.
package struct TraceFile {
    package let path: String
    /// Bytes written.
    package private(set) var size = 0
    /// No regular file: it does not grow, so no new one is begun.
    package let isEndless: Bool
    private let descriptor: Int32
    /// The rest of a line whose beginning was written before an error; it goes ahead of all that follows.
    private var unfinished: [UInt8] = []

    /// Creates a regular file that is never seen without its header: it gets its name when the header is in it.
    package static func create(_ path: String, header: [UInt8]) throws(RecordingProblem) -> TraceFile {
        let url = URL(fileURLWithPath: path)
        let draft = url.deletingLastPathComponent().appendingPathComponent(".\(url.lastPathComponent).part").path
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .cannotCreate(file: path, code: errno) }
        var file = TraceFile(path: path, descriptor: descriptor, isEndless: false)
        var problem = file.append(header).problem
        if problem == nil, rename(draft, path) != 0 { problem = .cannotCreate(file: path, code: errno) }
        if let problem {
            file.finish()
            unlink(draft)
            throw problem
        }
        return file
    }

    /// Opens what is there and is no regular file, such as a named pipe. Waits until a pipe has a reader.
    /// On Linux a reader that leaves sends SIGPIPE to the app, which should ignore it if it records into a pipe.
    package static func attach(to path: String, header: [UInt8]) throws(RecordingProblem) -> TraceFile {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .cannotCreate(file: path, code: errno) }
        #if canImport(Darwin)
        // A reader that leaves must not end the app.
        _ = fcntl(descriptor, F_SETNOSIGPIPE, 1)
        #endif
        var file = TraceFile(path: path, descriptor: descriptor, isEndless: true)
        if let problem = file.append(header).problem {
            file.finish()
            throw problem
        }
        return file
    }

    /// Whether something is there that is no regular file.
    package static func isSpecial(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    }

    private init(path: String, descriptor: Int32, isEndless: Bool) {
        self.path = path
        self.isEndless = isEndless
        self.descriptor = descriptor
    }

    /// Appends `lines`, which end with a line feed. Returns how many of the bytes are written, or will be: a line that
    /// was begun is finished by the next call. Where that is not all, the problem says why.
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

    /// Where the line ends whose bytes before `position` are written; `position` itself between lines.
    private static func endOfBegunLine(_ bytes: [UInt8], _ position: Int, isMidLine: Bool) -> Int {
        let lineFeed = UInt8(ascii: "\n")
        if !isMidLine, position == 0 || bytes[position - 1] == lineFeed { return position }
        return bytes[position...].firstIndex(of: lineFeed).map { $0 + 1 } ?? bytes.count
    }

    /// Finishes a line that was begun, where that is possible now, and closes the file.
    package mutating func finish() {
        _ = append([])
        close(descriptor)
    }
}
