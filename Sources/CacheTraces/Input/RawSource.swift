import Foundation
import SessionModel

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
