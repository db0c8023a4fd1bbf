import Foundation

/// The bytes of a trace file, decompressed: what every format reads from.
///
/// Whether a file is compressed is seen from its first bytes, never from its name. The content is held in memory
/// as one block, or mapped where it is a large file that is not compressed; offsets in errors count in these decompressed bytes.
public struct TraceInput: Sendable {
    public let path: String
    /// What the file was compressed with; nil where it was not.
    public let compression: Compression?
    private let buffer: ByteBuffer

    /// Reads a file, or what comes through a pipe. Throws ``TraceError`` for a missing or unreadable file and for a
    /// damaged or cut compressed stream.
    public init(path: String) throws {
        let raw = try Self.readAll(path)
        self.path = path
        compression = Compression(magic: raw.bytes)
        buffer = compression == nil ? raw : try Self.decompress(raw, path: path)
    }

    /// Bytes that are already in memory, and not compressed; `path` stands in messages and helps to tell the format.
    public init(bytes: some Collection<UInt8>, path: String) {
        self.path = path
        compression = nil
        buffer = ByteBuffer(bytes)
    }

    /// A file's content that is already in memory, compressed or not.
    public init(contents: some Collection<UInt8>, path: String) throws {
        let raw = ByteBuffer(contents)
        self.path = path
        compression = Compression(magic: raw.bytes)
        buffer = compression == nil ? raw : try Self.decompress(raw, path: path)
    }

    public var count: Int { buffer.count }

    /// Lends the bytes for the length of `body`.
    public func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        defer { withExtendedLifetime(buffer) {} }
        return try body(buffer.bytes)
    }

    /// Where the text begins: behind the UTF-8 byte order mark that some Windows tools write.
    public var textStart: Int {
        withBytes { $0.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0 }
    }

    /// The file's name in lower case, without folder and compression ending: `feed.har` for `/tmp/Feed.har.gz`.
    public var name: String { Self.name(of: path) }

    static func name(of path: String) -> String {
        let name = (path.split(separator: "/").last.map(String.init) ?? path).lowercased()
        for ending in Compression.allCases.flatMap(\.fileEndings) where name.hasSuffix(ending) {
            return String(name.dropLast(ending.count))
        }
        return name
    }

    /// Smaller files are copied: it costs little, and they cannot change underneath.
    private static let mappedFrom = 16 << 20

    private static func readAll(_ path: String) throws -> ByteBuffer {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            let missing = errno == ENOENT || errno == ENOTDIR
            throw TraceError(
                missing ? .notFound : .unreadable, file: path,
                missing ? "no such file" : "cannot be opened: \(String(cString: strerror(errno)))")
        }
        defer { close(file) }
        var status = stat()
        let hint = fstat(file, &status) == 0 && status.st_size > 0 ? Int(status.st_size) : 0
        let isRegular = status.st_mode & S_IFMT == S_IFREG
        if isRegular, hint >= mappedFrom, let map = ByteBuffer(mapping: file, count: hint) { return map }
        let buffer = ByteBuffer()
        while true {
            // One byte more than the file holds, so that its end is seen without growing.
            let room = max(hint + 1 - buffer.count, 1 << 16)
            let got = buffer.append(room: room) { read(file, $0, room) }
            if got == 0 { return buffer }
            if got < 0 && errno != EINTR {
                throw TraceError(
                    .unreadable, file: path,
                    errno == EISDIR ? "is a folder; a trace file is needed" : "cannot be read: \(String(cString: strerror(errno)))")
            }
        }
    }
}
