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
        let match = Self.allCases.first { !$0.magic.isEmpty && head.starts(with: $0.magic) }
        guard let match = match ?? (Decompressor.isZlib(head) ? .zlib : nil) else { return nil }
        self = match
    }
}

extension Compression {
    /// Returns the compression for the ending of a file name, such as gzip for `feed.jsonl.gz`.
    public init?(fileName: String) {
        let name = fileName.lowercased()
        guard let match = Self.allCases.first(where: { $0.fileEndings.contains(where: name.hasSuffix) }) else {
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
        func check(_ code: Int) throws {
            guard code < Int(ARCHIVE_WARN) else { return }
            let reason = archive_error_string(archive).map { ": \(String(cString: $0))" } ?? ""
            throw FileError(.cannotCreate, file, "\(rawValue) compression failed\(reason)")
        }
        switch self {
        case .gzip, .zlib:
            try check(Int(archive_write_add_filter_gzip(archive)))
            try check(Int(archive_write_set_filter_option(archive, "gzip", "timestamp", nil)))
        case .bzip2: try check(Int(archive_write_add_filter_bzip2(archive)))
        case .xz: try check(Int(archive_write_add_filter_xz(archive)))
        case .zstd:  // Without a checksum, which libarchive does not offer.
            try check(Int(archive_write_add_filter_zstd(archive)))
        }
        try check(Int(archive_write_set_format_raw(archive)))
        try check(Int(archive_write_set_bytes_in_last_block(archive, 1)))  // No padding after the stream.

        // Incompressible content grows by less than this in every compression.
        var output = [UInt8](repeating: 0, count: bytes.count + bytes.count / 16 + 65_536)
        var used = 0
        try output.withUnsafeMutableBytes { output in
            try check(Int(archive_write_open_memory(archive, output.baseAddress, output.count, &used)))
            let entry = archive_entry_new()
            defer { archive_entry_free(entry) }
            archive_entry_set_filetype(entry, 0o100000)  // A regular file.
            try check(Int(archive_write_header(archive, entry)))
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
