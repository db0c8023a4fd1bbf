import Basics
import Foundation
import SessionModel

/// An opened trace file, whose decompressed bytes are read from front to back on demand.
///
/// The compression is recognised from the first bytes, never from the name. A stream is not `Sendable`, because one
/// reader reads it once.
public final class TraceStream {
    /// The path for messages and for the recognition of the format.
    public let path: String
    /// The compression of the file; nil if it is not compressed.
    public let compression: Compression?
    private let source: RawSource
    private let decompressor: Decompressor?
    /// The first bytes, from which the format is recognised. Reading begins with them.
    let head: [UInt8]
    /// The length of ``head``, which many messages of a server's start fill.
    static let headLength = 256 << 10
    private var position = 0

    /// - Throws: `TraceError` if the file is missing or unreadable, or if its compressed stream is damaged at the
    ///   start.
    public convenience init(path: String) throws {
        try self.init(RawSource(path: path), path: path)
    }

    /// Creates a stream of the content of a file in memory, compressed or not.
    public convenience init(contents: some Collection<UInt8>, path: String) throws {
        try self.init(RawSource(contents: contents, path: path), path: path)
    }

    private init(_ source: RawSource, path: String) throws {
        self.source = source
        self.path = path
        compression = Compression(head: source.head)
        let decompressor = try compression.map { try Decompressor(source, $0, path: path) }
        self.decompressor = decompressor
        head = try RawSource.fill(Self.headLength) { try Self.read(source, decompressor, into: $0, room: $1) }
    }

    /// Reads up to `room` bytes. Returns 0 only at the end.
    ///
    /// - Throws: `TraceError` if the compressed stream is damaged or incomplete.
    func read(into target: UnsafeMutableRawPointer, room: Int) throws -> Int {
        guard position < head.count else { return try Self.read(source, decompressor, into: target, room: room) }
        let count = min(room, head.count - position)
        UnsafeMutableRawBufferPointer(start: target, count: count).copyBytes(from: head[position..<position + count])
        position += count
        return count
    }

    private static func read(
        _ source: RawSource, _ decompressor: Decompressor?, into target: UnsafeMutableRawPointer, room: Int
    ) throws -> Int {
        try decompressor.map { try $0.read(into: target, room: room) } ?? source.read(into: target, room: room)
    }

    /// The number of bytes of the file; nil if it is compressed or a pipe.
    var knownCount: Int? { compression == nil && source.countHint > 0 ? source.countHint : nil }

    /// Returns all content as a mapped file: the file itself, or a decompressed copy.
    func mappedBlock() throws -> ByteBuffer {
        if compression == nil, let map = source.mapped() { return map }
        let scratch = try ScratchFolder(prefix: "cachereplay-trace")
        // The map keeps the content until it is freed.
        defer { scratch.remove() }
        func failure(_ what: String) -> TraceError {
            TraceError(
                .noRoom, file: path,
                """
                its content cannot be \(what) a temporary file in \(scratch.path): \
                \(String(cString: strerror(errno))). \
                Free space there, set TMPDIR to another folder, or decompress the file
                """)
        }
        let copy = open("\(scratch.path)/content", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard copy >= 0 else { throw failure("copied to") }
        defer { close(copy) }
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { chunk.deallocate() }
        guard let base = chunk.baseAddress else { return ByteBuffer() }
        var length = 0
        while true {
            let count = try read(into: base, room: chunk.count)
            if count == 0 { break }
            var done = 0
            while done < count {
                let written = write(copy, base + done, count - done)
                if written < 0, errno == EINTR { continue }
                guard written > 0 else { throw failure("written to") }
                done += written
            }
            length += count
        }
        guard length > 0 else { return ByteBuffer() }
        guard let map = ByteBuffer(mapping: copy, count: length) else { throw failure("mapped from") }
        return map
    }

    /// Returns the unread rest as one block.
    func block() throws -> ByteBuffer {
        if compression == nil, position == 0, let map = source.mapped() { return map }
        let buffer = ByteBuffer()
        var failure: (any Error)?
        while failure == nil {
            // One byte more than the file has, so that its end is found without growing.
            let room = max(compression == nil ? source.countHint + 1 - buffer.count : 1 << 20, 1 << 16)
            let got = buffer.append(room: room) { target in
                do { return try read(into: target, room: room) } catch {
                    failure = error
                    return -1
                }
            }
            guard let got else {
                throw TraceError(
                    .noRoom, file: path,
                    """
                    there is not enough memory for its content, of which \(buffer.count / 1_000_000) MB are read. \
                    Allow \
                    more memory, or simulate it with --stream, which reads it in windows
                    """)
            }
            if got == 0 { break }
        }
        if let failure { throw failure }
        return buffer
    }
}
