/// The bytes of a trace file, decompressed: what every format reads from.
///
/// The content is held in memory as one block, or mapped where it is a large file that is not compressed; offsets in
/// errors count in these decompressed bytes. A reader that can do with less takes a ``ByteWindow`` of a ``TraceStream``
/// instead.
public struct TraceInput: Sendable {
    public let path: String
    /// What the file was compressed with; nil where it was not.
    public let compression: Compression?
    private let buffer: ByteBuffer

    /// Reads a file, or what comes through a pipe. Throws ``TraceError`` for a missing or unreadable file and for a
    /// damaged or cut compressed stream.
    public init(path: String) throws {
        try self.init(TraceStream(path: path))
    }

    /// The whole of a file that was opened.
    public init(_ stream: TraceStream) throws {
        path = stream.path
        compression = stream.compression
        buffer = try stream.block()
    }

    /// Bytes that are already in memory, and not compressed; `path` stands in messages and helps to tell the format.
    public init(bytes: some Collection<UInt8>, path: String) {
        self.path = path
        compression = nil
        buffer = ByteBuffer(bytes)
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
}
