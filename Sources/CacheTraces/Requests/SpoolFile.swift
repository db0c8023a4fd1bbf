import Basics
import Foundation
import SessionModel

/// A temporary file for requests of a trace that do not stay in memory. Its content ends with the last reference.
///
/// The file is created by the first write, and has no name from then on, so that a process that is killed leaves
/// nothing behind. On Linux it never has a name, where the file system allows that.
final class SpoolFile {
    /// The path of the trace, for messages.
    private let path: String
    /// The folder in which the file was created, for messages.
    private var folder = ""
    private var file: Int32 = -1

    init(path: String) { self.path = path }

    deinit {
        if file >= 0 { close(file) }
    }

    /// Writes bytes at an offset.
    ///
    /// - Throws: `TraceError` if the disk is full; `FileError` without a folder for temporary files.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
        if file < 0 { try create() }
        var done = 0
        while done < bytes.count {
            let written = pwrite(
                file, bytes.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset + done))
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw failure("written to") }
            done += written
        }
    }

    private func create() throws {
        #if os(Linux)
        folder = ScratchFolder.systemFolder
        // O_TMPFILE, which Swift does not import.
        file = open(folder, 0o20_000_000 | O_DIRECTORY | O_RDWR | O_CLOEXEC, 0o600)
        if file >= 0 { return }
        #endif
        let scratch = try ScratchFolder(prefix: "cachereplay-trace")
        defer { scratch.remove() }
        folder = scratch.path
        file = open("\(scratch.path)/requests", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure("written to") }
    }

    /// Fills memory with the bytes at an offset, which have been written before.
    ///
    /// - Throws: `TraceError`.
    func read(into target: UnsafeMutableRawBufferPointer, at offset: Int) throws {
        var done = 0
        while done < target.count {
            let got = pread(file, target.baseAddress.map { $0 + done }, target.count - done, off_t(offset + done))
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { throw failure("read from") }
            done += got
        }
    }

    private func failure(_ what: String) -> TraceError {
        TraceError(
            .noRoom, file: path,
            """
            its requests cannot be \(what) a temporary file in \(folder): \
            \(String(cString: strerror(errno))). Free space there, or set TMPDIR to another folder
            """)
    }
}
