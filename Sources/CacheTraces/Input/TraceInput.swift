/// The decompressed bytes of a trace file, from which formats read.
///
/// The content is one block of memory, or a mapped file if it is large and not compressed. Offsets in errors count in
/// the decompressed bytes.
public struct TraceInput: Sendable {
    /// The path for messages and for the recognition of the format.
    public let path: String
    /// The compression of the file; nil if it was not compressed.
    public let compression: Compression?
    private let buffer: ByteBuffer
    /// Whether the buffer has only the first bytes, and ``content`` has all.
    private let isHead: Bool
    /// What receives the requests of the file in windows; nil if the reader keeps all.
    var windows: RequestWindows?
    /// Whether a reader of requests keeps their times.
    var keepsTimes = true
    /// The content from front to back, for a reader of requests; nil if the buffer has all of it and the reader uses
    /// that.
    var content: ByteWindow?

    /// Reads a file or a pipe.
    ///
    /// - Throws: `TraceError` if the file is missing or unreadable, or if its compressed stream is damaged or
    ///   incomplete.
    public init(path: String) throws {
        try self.init(TraceStream(path: path))
    }

    /// Reads all of an opened file.
    public init(_ stream: TraceStream) throws {
        path = stream.path
        compression = stream.compression
        buffer = try stream.block()
        isHead = false
    }

    /// Opens a file whose content is mapped and never copied to memory as a whole. Compressed content is decompressed
    /// into a temporary file first, whose space is free again with the end of the input.
    ///
    /// - Throws: `TraceError`, also if the disk is full; `FileError` without a folder for temporary files.
    init(mapping stream: TraceStream) throws {
        path = stream.path
        compression = stream.compression
        buffer = try stream.mappedBlock()
        isHead = false
    }

    /// Creates an input of the first bytes of a file of requests, all of which its reader takes from ``content``.
    init(headOf stream: TraceStream, _ content: ByteWindow) {
        path = stream.path
        compression = stream.compression
        buffer = ByteBuffer(stream.head)
        isHead = true
        self.content = content
    }

    /// Creates an input from uncompressed bytes in memory. `path` is used in messages and for the recognition of the
    /// format.
    public init(bytes: some Collection<UInt8>, path: String) {
        self.path = path
        compression = nil
        buffer = ByteBuffer(bytes)
        isHead = false
    }

    /// The number of decompressed bytes; of a head, one more than it has.
    public var count: Int { buffer.count + (isHead ? 1 : 0) }

    /// Calls `body` with the bytes, which are valid during the call.
    public func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        defer { withExtendedLifetime(buffer) {} }
        return try body(buffer.bytes)
    }

    /// Whether the content is a mapped file.
    var isMapped: Bool { buffer.isMapped }

    /// Releases the memory of bytes that a reader has passed, as far as the file can be read there again.
    func release(_ range: Range<Int>) { buffer.release(range) }

    /// The offset at which the text begins, after a UTF-8 byte order mark.
    public var textStart: Int {
        withBytes { $0.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0 }
    }

    /// The name of the file in lower case, without its folder and the ending of a compression, such as `feed.har` for
    /// `/tmp/Feed.har.gz`.
    public var name: String { Self.name(of: path) }

    static func name(of path: String) -> String {
        let name = (path.split(separator: "/").last.map(String.init) ?? path).lowercased()
        for ending in Compression.allCases.flatMap(\.fileEndings) where name.hasSuffix(ending) {
            return String(name.dropLast(ending.count))
        }
        return name
    }
}
