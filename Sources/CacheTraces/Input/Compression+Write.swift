import Basics
import CArchive

extension Compression {
    /// The compression that a file's name asks for: gzip for `feed.jsonl.gz`.
    public init?(fileName: String) {
        let name = fileName.lowercased()
        guard let match = Self.allCases.first(where: { $0.fileEndings.contains(where: name.hasSuffix) }) else {
            return nil
        }
        self = match
    }

    /// Compresses `bytes` into one stream. The same bytes give the same stream: no time stamp is written into it.
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
        case .zstd:  // Without a checksum, which libarchive cannot ask for.
            try check(Int(archive_write_add_filter_zstd(archive)))
        }
        try check(Int(archive_write_set_format_raw(archive)))
        try check(Int(archive_write_set_bytes_in_last_block(archive, 1)))  // No padding behind the stream.

        // What cannot be compressed grows by less than this in each of them.
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
