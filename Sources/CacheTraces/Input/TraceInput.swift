import Basics
import SessionModel

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
    /// The receiver of the requests of the file in windows; nil if the reader keeps all.
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
        let name = path.fileName.lowercased()
        return Compression.allCases.lazy.flatMap(\.fileEndings).compactMap { name.dropping(ending: $0) }.first ?? name
    }
}

extension TraceInput {
    /// Opens a file whose requests are to be read, with as little of it in memory as its format allows, and recognises
    /// its format.
    ///
    /// A text, and a compressed file whose first bytes identify it, are read from front to back. Other files are mapped
    /// or read as a whole.
    ///
    /// - Parameter mapsRecords: Whether a large binary file is mapped. Its pages are faster, and count as memory of the
    ///   process until the system takes them; otherwise it is read from front to back.
    /// - Returns: The input, and its format with the options applied. Only formats of requests can read the input; for
    ///   other formats it has all of the content.
    /// - Throws: `TraceError`.
    static func ofRequests(
        _ stream: TraceStream, _ format: TraceFormat?, _ options: ReadingOptions, mapsRecords: Bool = true
    ) throws -> (input: TraceInput, format: TraceFormat) {
        // A file that ends within the head is small.
        if stream.knownCount == nil, stream.head.count >= TraceStream.headLength,
            let found = try (format ?? .sniffedStart(stream))?.applying(options, file: stream.path),
            found.requests != nil
        {
            return (TraceInput(headOf: stream, try ByteWindow.ofRequests(stream)), found)
        }
        var input = try TraceInput(stream)
        let found = try (format ?? .sniffed(input)).applying(options, file: stream.path).readingRequests(of: input)
        // The map is not touched again.
        if input.isMapped, found.requests != nil, found.dense == nil, found.readsText || !mapsRecords {
            input.content = try ByteWindow.ofRequests(stream)
        }
        return (input, found)
    }
}
