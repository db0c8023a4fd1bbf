import CArchive
import SessionModel

/// Decompresses a stream incrementally. A stream that is damaged or incomplete is an error, and never a shorter trace.
final class Decompressor {
    private let source: RawSource
    private let compression: Compression
    private let path: String
    private var archive: OpaquePointer?
    /// The memory from which libarchive reads; it stays in place until the next call.
    private let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
    private var framing: ZlibFraming?
    /// The error of the source, which libarchive cannot forward.
    private var sourceError: (any Error)?
    private var checksum: (any Checksum)?
    /// The last eight bytes of the source.
    private var tail: UInt64 = 0
    private var consumed = 0
    private var produced = 0
    private var isDone = false

    init(_ source: RawSource, _ compression: Compression, path: String) throws {
        self.source = source
        self.compression = compression
        self.path = path
        switch compression {
        case .gzip: checksum = CRC32()
        case .zlib:
            checksum = Adler32()
            framing = ZlibFraming()
        case .bzip2, .xz, .zstd: break
        }
        archive = archive_read_new()
        archive_read_support_filter_gzip(archive)
        archive_read_support_filter_bzip2(archive)
        archive_read_support_filter_xz(archive)
        archive_read_support_filter_zstd(archive)
        archive_read_support_format_raw(archive)
        archive_read_support_format_empty(archive)  // The raw format refuses a compressed empty file.
        try begin()
    }

    deinit {
        archive_read_free(archive)
        chunk.deallocate()
    }

    private func begin() throws {
        let opened = archive_read_open(
            archive, Unmanaged.passUnretained(self).toOpaque(), nil,
            { _, decompressor, bytes in
                guard let decompressor, let bytes else { return -1 }
                return Unmanaged<Decompressor>.fromOpaque(decompressor).takeUnretainedValue().readSource(bytes)
            }, nil)
        guard opened == ARCHIVE_OK else { throw failure() }
        // libarchive passes the bytes of a stream that ends within its header through unchanged.
        guard archive_filter_code(archive, 0) != ARCHIVE_FILTER_NONE else { throw failure() }
        var entry: OpaquePointer?
        switch archive_read_next_header(archive, &entry) {
        case ARCHIVE_OK, ARCHIVE_WARN: break
        case ARCHIVE_EOF: isDone = true  // A compressed empty file.
        default: throw failure()
        }
    }

    /// Reads up to `room` decompressed bytes. Returns 0 only at the end.
    func read(into target: UnsafeMutableRawPointer, room: Int) throws -> Int {
        while !isDone {
            let got = Int(archive_read_data(archive, target, room))
            if got > 0 {
                checksum?.add(UnsafeRawBufferPointer(start: target, count: got))
                produced += got
                return got
            }
            if got == 0 {
                isDone = true
                if isDamaged { throw failure() }
            } else if got != Int(ARCHIVE_RETRY) {
                throw failure()
            }
        }
        return 0
    }

    private func readSource(_ bytes: UnsafeMutablePointer<UnsafeRawPointer?>) -> Int {
        guard let base = chunk.baseAddress else { return -1 }
        bytes.pointee = UnsafeRawPointer(base)
        do {
            // The last 16 bytes are for ``ZlibFraming``.
            var count = try source.read(into: base, room: chunk.count - 16)
            for byte in chunk[max(0, count - 8)..<count] { tail = tail << 8 | UInt64(byte) }
            consumed += count
            framing?.convert(chunk, &count)
            return count
        } catch {
            sourceError = error
            return -1
        }
    }

    /// Whether the checksum at the end is wrong. libarchive does not verify the length and checksum of a gzip member,
    /// so a changed bit in a digit would give a wrong trace.
    ///
    /// If the last member's length equals the length of the whole output, there is only one member, and its checksum
    /// must be correct. In a file of several members, only damage that breaks the stream is found.
    private var isDamaged: Bool {
        guard let value = checksum?.value else { return false }
        if compression == .zlib { return consumed < 8 || UInt32(truncatingIfNeeded: tail) != value }
        let length = UInt32(truncatingIfNeeded: tail).byteSwapped
        return consumed < 18
            || length == UInt32(truncatingIfNeeded: produced)
                && UInt32(truncatingIfNeeded: tail >> 32).byteSwapped != value
    }

    private func failure() -> any Error {
        if let sourceError { return sourceError }
        let reason = archive_error_string(archive).map { " (\(String(cString: $0)))" } ?? ""
        // A frame of more than 128 MiB, as `zstd --long` writes it.
        if compression == .zstd, reason.contains("too much memory") {
            return TraceError(
                file: path, at: .byte(produced),
                "the stream looks back further than 128 MiB; decompress it first: zstd -d --long=31 FILE")
        }
        return TraceError(
            file: path, at: .byte(produced),
            "the compressed stream is damaged or incomplete here\(reason); copy the file again")
    }
}
