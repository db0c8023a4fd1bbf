import Basics
import CArchive

/// The compressions that are decoded while reading and that files can be written with, by libarchive.
///
/// The signatures are checked here, because libarchive would also take plain text for uuencode, and fails on an empty
/// file.
public enum Compression: String, Sendable, CaseIterable {
    case gzip, bzip2, xz, zstd, zlib

    /// The signature; empty for zlib, whose two bytes are not specific: see ``Decompressor/isZlib(_:)``.
    private var magic: [UInt8] {
        switch self {
        case .gzip: [0x1F, 0x8B, 0x08]  // RFC 1952
        case .bzip2: [0x42, 0x5A, 0x68]
        case .xz: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]
        case .zstd: [0x28, 0xB5, 0x2F, 0xFD]  // RFC 8878
        case .zlib: []
        }
    }

    var fileEndings: [String] {
        switch self {
        case .gzip: [".gz"]
        case .bzip2: [".bz2"]
        case .xz: [".xz"]
        case .zstd: [".zst", ".zstd"]
        case .zlib: [".zlib", ".zz"]
        }
    }

    /// Recognises the compression of a file by its first bytes; nil if it is not compressed.
    init?(head: [UInt8]) {
        // A stream of zstd can begin with a frame that is skipped (RFC 8878, section 3.1.2): pzstd writes one.
        let isSkippable = head.count > 3 && head[0] & 0xF0 == 0x50 && head[1...3].elementsEqual([0x2A, 0x4D, 0x18])
        let match = isSkippable ? .zstd : Self.allCases.first { !$0.magic.isEmpty && head.starts(with: $0.magic) }
        guard let match = match ?? (Decompressor.isZlib(head) ? .zlib : nil) else { return nil }
        self = match
    }
}

extension Compression {
    /// Returns the compression for the ending of a file name, such as gzip for `feed.jsonl.gz`.
    public init?(fileName: String) {
        guard let match = Self.allCases.first(where: { $0.fileEndings.contains(where: fileName.hasEnding) }) else {
            return nil
        }
        self = match
    }

    /// Compresses `bytes` into one stream. The same bytes give the same stream, because it contains no time stamp.
    ///
    /// - Throws: `FileError` with the path `file`.
    public func compress(_ bytes: [UInt8], file: String) throws -> [UInt8] {
        let archive = archive_write_new()
        defer { archive_write_free(archive) }
        func check(_ code: Int) throws { try self.check(code, archive, file: file) }
        try prepare(archive, file: file)
        // Incompressible content grows by less than this in every compression.
        var output = [UInt8](repeating: 0, count: bytes.count + bytes.count / 16 + 65_536)
        var used = 0
        try output.withUnsafeMutableBytes { output in
            try check(Int(archive_write_open_memory(archive, output.baseAddress, output.count, &used)))
            try writeHeader(archive, file: file)
            try bytes.withUnsafeBytes { bytes in
                guard !bytes.isEmpty else { return }
                let written = archive_write_data(archive, bytes.baseAddress, bytes.count)
                try check(Int(written))
            }
            try check(Int(archive_write_close(archive)))
        }
        return self == .zlib ? ZlibFraming.zlib(fromGzip: output.prefix(used), of: bytes) : Array(output.prefix(used))
    }
}

extension Compression {
    /// Sets the filter and the format of an archive that is not yet open.
    ///
    /// - Throws: `FileError` with the path `file`.
    func prepare(_ archive: OpaquePointer?, file: String) throws {
        func check(_ code: Int32) throws { try self.check(Int(code), archive, file: file) }
        switch self {
        case .gzip, .zlib:
            try check(archive_write_add_filter_gzip(archive))
            try check(archive_write_set_filter_option(archive, "gzip", "timestamp", nil))
        case .bzip2: try check(archive_write_add_filter_bzip2(archive))
        case .xz: try check(archive_write_add_filter_xz(archive))
        case .zstd:  // Without a checksum, which libarchive does not offer.
            try check(archive_write_add_filter_zstd(archive))
        }
        try check(archive_write_set_format_raw(archive))
        try check(archive_write_set_bytes_in_last_block(archive, 1))  // No padding after the stream.
    }

    /// Begins the only entry of an open archive, which has no header of its own in the file.
    ///
    /// - Throws: `FileError` with the path `file`.
    func writeHeader(_ archive: OpaquePointer?, file: String) throws {
        let entry = archive_entry_new()
        defer { archive_entry_free(entry) }
        archive_entry_set_filetype(entry, 0o100000)  // A regular file.
        try check(Int(archive_write_header(archive, entry)), archive, file: file)
    }

    func check(_ code: Int, _ archive: OpaquePointer?, file: String) throws {
        guard code < Int(ARCHIVE_WARN) else { return }
        let reason = archive_error_string(archive).map { ": \(String(cString: $0))" } ?? ""
        throw FileError(.cannotCreate, file, "\(rawValue) compression failed\(reason)")
    }
}

/// Converts between the framings of zlib and gzip, which both contain a deflate stream (RFC 1951). libarchive supports
/// only gzip.
struct ZlibFraming {
    private var hasBegun = false
    private var hasEnded = false

    private static let zlibHeader = 2
    private static let gzipHeader: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]

    /// Replaces the zlib header by a gzip header, and extends the trailer. libarchive only counts the bytes of the
    /// trailer.
    ///
    /// `bytes` has room for 16 bytes more than `count`. A count of 0 means the end. The first call has more than two
    /// bytes.
    mutating func convert(_ bytes: UnsafeMutableRawBufferPointer, _ count: inout Int) {
        if !hasBegun {
            hasBegun = true
            guard count > Self.zlibHeader, let base = bytes.baseAddress else { return }
            let grown = Self.gzipHeader.count - Self.zlibHeader
            (base + Self.gzipHeader.count).copyMemory(from: base + Self.zlibHeader, byteCount: count - Self.zlibHeader)
            bytes.copyBytes(from: Self.gzipHeader)
            count += grown
        } else if count == 0, !hasEnded {
            hasEnded = true
            // zlib ends in 4 bytes of checksum, gzip in 4 of checksum and 4 of length.
            bytes.copyBytes(from: [0, 0, 0, 0])
            count = 4
        }
    }

    /// Converts gzip, as libarchive compresses `bytes`, to zlib. The gzip header has ten bytes, the trailer eight.
    static func zlib(fromGzip gzip: ArraySlice<UInt8>, of bytes: [UInt8]) -> [UInt8] {
        var checksum = Adler32()
        bytes.withUnsafeBytes { checksum.add($0) }
        return [0x78, 0x9C] + gzip.dropFirst(gzipHeader.count).dropLast(8)
            + withUnsafeBytes(of: checksum.value.bigEndian, Array.init)
    }
}

extension Decompressor {
    /// Returns whether `head` begins a zlib stream (RFC 1950). Text and numbers may begin with the two bytes of its
    /// header, so the start is decompressed as a test.
    static func isZlib(_ head: [UInt8]) -> Bool {
        guard head.count >= 8, head[0] == 0x78, (Int(head[0]) << 8 | Int(head[1])) % 31 == 0, head[1] & 0x20 == 0 else {
            return false
        }
        do {
            let decompressor = try Decompressor(RawSource(contents: head, path: ""), .zlib, path: "")
            _ = try RawSource.fill(1) { try decompressor.read(into: $0, room: $1) }
            return true
        } catch {
            // The start is valid but truncated. "x^" may also begin a text.
            return head[1] != UInt8(ascii: "^") && "\(error)".contains("truncated")
        }
    }
}
