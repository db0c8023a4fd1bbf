import CArchive

/// The compressions that are undone while reading, by libarchive.
///
/// The magic numbers are checked here, before libarchive is asked: its own guess also takes plain text for uuencode,
/// and it fails on an empty file.
public enum Compression: String, Sendable, CaseIterable {
    case gzip, bzip2, xz, zstd

    var magic: [UInt8] {
        switch self {
        case .gzip: [0x1F, 0x8B, 0x08]  // RFC 1952
        case .bzip2: [0x42, 0x5A, 0x68]
        case .xz: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]
        case .zstd: [0x28, 0xB5, 0x2F, 0xFD]  // RFC 8878
        }
    }

    var fileEndings: [String] {
        switch self {
        case .gzip: [".gz"]
        case .bzip2: [".bz2"]
        case .xz: [".xz"]
        case .zstd: [".zst", ".zstd"]
        }
    }

    init?(magic bytes: UnsafeRawBufferPointer) {
        guard let match = Self.allCases.first(where: { bytes.starts(with: $0.magic) }) else { return nil }
        self = match
    }
}

extension TraceInput {
    /// The decompressed content of `raw`. A stream that breaks off is an error, never a short trace.
    static func decompress(_ raw: ByteBuffer, path: String) throws -> ByteBuffer {
        let archive = archive_read_new()
        defer { archive_read_free(archive) }
        archive_read_support_filter_gzip(archive)
        archive_read_support_filter_bzip2(archive)
        archive_read_support_filter_xz(archive)
        archive_read_support_filter_zstd(archive)
        archive_read_support_format_raw(archive)
        archive_read_support_format_empty(archive)  // raw does not take a compressed empty file.

        let output = ByteBuffer()
        func failure() -> TraceError {
            let reason = archive_error_string(archive).map { " (\(String(cString: $0)))" } ?? ""
            return TraceError(
                file: path, at: .byte(output.count), "the compressed stream is damaged or cut short here\(reason); copy the file again")
        }
        var entry: OpaquePointer?
        guard archive_read_open_memory(archive, raw.bytes.baseAddress, raw.bytes.count) == ARCHIVE_OK else { throw failure() }
        // A stream that is cut within its header is not taken for compressed: its bytes would come back as they are.
        guard archive_filter_code(archive, 0) != ARCHIVE_FILTER_NONE else { throw failure() }
        switch archive_read_next_header(archive, &entry) {
        case ARCHIVE_OK, ARCHIVE_WARN: break
        case ARCHIVE_EOF: return output  // A compressed empty file.
        default: throw failure()
        }
        let room = 1 << 20
        while true {
            let got = output.append(room: room) { Int(archive_read_data(archive, $0, room)) }
            if got == 0 { break }
            if got < 0 && got != Int(ARCHIVE_RETRY) { throw failure() }
        }
        if Compression(magic: raw.bytes) == .gzip, isDamagedGzip(raw.bytes, output: output.bytes) { throw failure() }
        withExtendedLifetime(raw) {}
        return output
    }

    /// libarchive does not look at the length and checksum that end a gzip member; a flipped bit in a digit would be a wrong trace.
    ///
    /// Where the last member's length is that of the whole output there is one member (others would be empty), and its
    /// checksum must be right. In a file of several members only those that break the stream are found.
    private static func isDamagedGzip(_ raw: UnsafeRawBufferPointer, output: UnsafeRawBufferPointer) -> Bool {
        guard raw.count >= 18 else { return true }
        let checksum = UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: raw.count - 8, as: UInt32.self))
        let length = UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: raw.count - 4, as: UInt32.self))
        return length == UInt32(truncatingIfNeeded: output.count) && checksum != CRC32.checksum(output)
    }
}
