import Basics
import CArchive

/// Compresses a file while it is written, so that neither its content nor the compressed bytes are in memory as a
/// whole.
///
/// An instance belongs to one thread. For every compression but zlib, whose trailer libarchive does not write.
final class CompressedOutput {
    /// Receives the compressed bytes. It outlives the archive, which may write when it is freed.
    private final class Sink {
        let write: (UnsafeRawBufferPointer) throws -> Void
        var failure: (any Error)?

        init(_ write: @escaping (UnsafeRawBufferPointer) throws -> Void) { self.write = write }

        /// Returns the number of bytes that were written; -1 after a failure, which is kept.
        func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
            guard failure == nil else { return -1 }
            do {
                try write(bytes)
                return bytes.count
            } catch {
                failure = error
                return -1
            }
        }
    }

    private let archive = archive_write_new()
    private let sink: Sink
    private let compression: Compression
    private let file: String

    /// - Throws: `FileError` with the path `file`.
    init(
        _ compression: Compression, file: String, _ write: @escaping (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        sink = Sink(write)
        (self.compression, self.file) = (compression, file)
        try compression.prepare(archive, file: file)
        let context = Unmanaged.passUnretained(sink).toOpaque()
        try check(
            Int(
                archive_write_open(
                    archive, context, nil,
                    { _, context, bytes, count in
                        guard let context else { return -1 }
                        let sink = Unmanaged<Sink>.fromOpaque(context).takeUnretainedValue()
                        return sink.receive(UnsafeRawBufferPointer(start: bytes, count: count))
                    }, nil)))
        try compression.writeHeader(archive, file: file)
    }

    deinit { archive_write_free(archive) }

    /// Appends content.
    ///
    /// - Throws: The error of the receiver; `FileError`.
    func append(_ bytes: UnsafeRawBufferPointer) throws {
        guard bytes.count > 0 else { return }
        try check(Int(archive_write_data(archive, bytes.baseAddress, bytes.count)))
    }

    /// Ends the compressed stream.
    ///
    /// - Throws: The error of the receiver; `FileError`.
    func finish() throws { try check(Int(archive_write_close(archive))) }

    private func check(_ code: Int) throws {
        if let failure = sink.failure { throw failure }
        try compression.check(code, archive, file: file)
    }
}
