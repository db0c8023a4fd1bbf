/// A trace file as it is opened: its bytes, decompressed, from front to back and as far as somebody asks for them.
///
/// Whether a file is compressed is seen from its first bytes, never from its name. Not `Sendable`: one reader goes
/// through it, once.
public final class TraceStream {
    public let path: String
    /// What the file is compressed with; nil where it is not.
    public let compression: Compression?
    private let source: RawSource
    private let decompressor: Decompressor?
    /// Read ahead to recognise the format; reading begins with it.
    let head: [UInt8]
    private var position = 0

    /// Opens a file. Throws ``TraceError`` for a missing or unreadable one, and where a compressed stream is damaged in
    /// its beginning.
    public convenience init(path: String) throws {
        try self.init(RawSource(path: path), path: path)
    }

    /// A file's content that is in memory, compressed or not.
    public convenience init(contents: some Collection<UInt8>, path: String) throws {
        try self.init(RawSource(contents: contents, path: path), path: path)
    }

    private init(_ source: RawSource, path: String) throws {
        self.source = source
        self.path = path
        compression = Compression(head: source.head)
        let decompressor = try compression.map { try Decompressor(source, $0, path: path) }
        self.decompressor = decompressor
        head = try RawSource.fill(RawSource.headLength) { try Self.read(source, decompressor, into: $0, room: $1) }
    }

    /// Reads up to `room` bytes; 0 at the end alone. Throws ``TraceError`` where the compressed stream is damaged or
    /// cut.
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

    /// Everything that was not read yet, as one block.
    func block() throws -> ByteBuffer {
        if compression == nil, position == 0, let map = source.mapped() { return map }
        let buffer = ByteBuffer()
        var failure: (any Error)?
        while failure == nil {
            // One byte more than the file holds, so that its end is seen without growing.
            let room = max(compression == nil ? source.countHint + 1 - buffer.count : 1 << 20, 1 << 16)
            let got = buffer.append(room: room) { target in
                do { return try read(into: target, room: room) } catch {
                    failure = error
                    return -1
                }
            }
            if got == 0 { break }
        }
        if let failure { throw failure }
        return buffer
    }
}
