import Basics
import Foundation
import SessionModel
import Synchronization

/// The stored bytes of a file or pipe, from front to back.
final class RawSource {
    /// The first bytes, from which the compression is recognised. Reading begins with them.
    let head: [UInt8]
    private var position = 0
    private let file: Int32?
    private let path: String
    private let size: Int
    private let isRegular: Bool

    static let headLength = 64 << 10

    /// Opens a file, or standard input for the path `-`.
    ///
    /// - Throws: `TraceError`.
    init(path: String) throws {
        let file = open(path == StandardInput.path ? try StandardInput.file() : path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            let missing = errno == ENOENT || errno == ENOTDIR
            throw TraceError(
                missing ? .notFound : .unreadable, file: path,
                missing ? "no such file" : "cannot be opened: \(String(cString: strerror(errno)))")
        }
        var status = stat()
        size = fstat(file, &status) == 0 && status.st_size > 0 ? Int(status.st_size) : 0
        isRegular = status.st_mode & S_IFMT == S_IFREG
        self.path = path
        do {
            head = try Self.fill(Self.headLength) { try Self.read(file, into: $0, room: $1, path) }
            // /dev/zero and /dev/full have bytes without end, which would fill the memory.
            if status.st_mode & S_IFMT == S_IFCHR, isatty(file) == 0, head.count == Self.headLength {
                throw TraceError(
                    .unreadable, file: path, "is a device whose content has no end; name a file or a pipe")
            }
        } catch {
            close(file)
            throw error
        }
        self.file = file
    }

    init(contents: some Collection<UInt8>, path: String) {
        head = Array(contents)
        size = head.count
        isRegular = false
        file = nil
        self.path = path
    }

    deinit { if let file { close(file) } }

    /// The expected number of bytes; 0 if unknown.
    var countHint: Int { size }

    /// Reads up to `room` bytes. Returns 0 only at the end.
    func read(into target: UnsafeMutableRawPointer, room: Int) throws -> Int {
        if position < head.count {
            let count = min(room, head.count - position)
            UnsafeMutableRawBufferPointer(start: target, count: count).copyBytes(
                from: head[position..<position + count])
            position += count
            return count
        }
        return try file.map { try Self.read($0, into: target, room: room, path) } ?? 0
    }

    /// Maps the whole file if it is large. Smaller files are copied, which costs little and protects from changes while
    /// reading.
    func mapped() -> ByteBuffer? {
        guard let file, isRegular, size >= 16 << 20 else { return nil }
        return ByteBuffer(mapping: file, count: size)
    }

    private static func read(_ file: Int32, into target: UnsafeMutableRawPointer, room: Int, _ path: String) throws
        -> Int
    {
        while true {
            let got = Foundation.read(file, target, room)
            if got >= 0 { return got }
            guard errno == EINTR else {
                throw TraceError(
                    .unreadable, file: path,
                    errno == EISDIR
                        ? PictureFiles.hint(forFolder: path) ?? "is a folder; a trace file is needed"
                        : "cannot be read: \(String(cString: strerror(errno)))")
            }
        }
    }

    /// Returns `count` bytes, or all if there are fewer. A pipe delivers them in small parts.
    static func fill(_ count: Int, from read: (UnsafeMutableRawPointer, Int) throws -> Int) throws -> [UInt8] {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        defer { memory.deallocate() }
        guard let base = memory.baseAddress else { return [] }
        var used = 0
        while used < count {
            let got = try read(base + used, count - used)
            if got == 0 { break }
            used += got
        }
        return Array(memory[..<used])
    }
}

/// The trace that the path `-` names: standard input.
///
/// A command reads a trace several times: to recognise its format, to fingerprint it, and to replay it. A pipe can be
/// read once. The first reader therefore copies standard input to a temporary file, which is removed when the process
/// ends.
public enum StandardInput {
    /// The path that stands for standard input.
    public static let path = "-"

    /// The folder of the copy; nil before the first reader.
    private static let copy = Mutex<ScratchFolder?>(nil)

    /// Returns the path of a file with the bytes of standard input.
    ///
    /// - Throws: `TraceError` of kind `unreadable` if standard input is a terminal or cannot be read, or if the copy
    ///   cannot be written; `FileError` without a folder for temporary files.
    public static func file() throws -> String { try file(reading: STDIN_FILENO) }

    /// Returns the path of a file with the bytes of a descriptor, which is read by the first call only.
    static func file(reading input: Int32) throws -> String {
        try copy.withLock { copy in
            if let copy { return Self.content(of: copy) }
            guard isatty(input) == 0 else {
                throw TraceError(
                    .unreadable, file: path, "standard input is a terminal; pipe a trace into it, or name a file")
            }
            let scratch = try ScratchFolder(prefix: "cachereplay-input")
            do { try Self.spool(input, to: Self.content(of: scratch)) } catch {
                scratch.remove()
                throw error
            }
            copy = scratch
            // An instance in a static variable is not released.
            atexit { StandardInput.remove() }
            return Self.content(of: scratch)
        }
    }

    static func remove() {
        copy.withLock { copy in
            copy?.remove()
            copy = nil
        }
    }

    private static func content(of folder: ScratchFolder) -> String { "\(folder.path)/stdin" }

    private static func spool(_ input: Int32, to file: String) throws {
        let output = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard output >= 0 else { throw failure("standard input cannot be copied to \(file)") }
        defer { close(output) }
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { chunk.deallocate() }
        while true {
            let count = read(input, chunk.baseAddress, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure("standard input cannot be read") }
            if count == 0 { return }
            let bytes = UnsafeRawBufferPointer(rebasing: chunk[..<count])
            do throws(FileError) { try AtomicFile.write(bytes, to: output, path: file) } catch {
                throw TraceError(
                    .unreadable, file: path,
                    "\(error); free space there, set TMPDIR to another folder, or name a file instead of standard input"
                )
            }
        }
    }

    private static func failure(_ what: String) -> TraceError {
        TraceError(.unreadable, file: path, "\(what): \(SystemError(errno))")
    }
}
