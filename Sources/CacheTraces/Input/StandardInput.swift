import Basics
import Foundation
import SessionModel
import Synchronization

/// The trace that the path `-` names: standard input.
///
/// A command reads a trace several times: to recognise its format, to fingerprint it, and to replay it. A pipe can be
/// read once. The first reader therefore copies standard input to a temporary file, which is removed when the process
/// ends.
public enum StandardInput {
    /// The path that stands for standard input.
    public static let path = "-"

    /// The folder of the copy; nil before the first reader.
    private static let copy = Mutex<ScratchFolder?>(nil)

    /// Returns the path of a file with the bytes of standard input.
    ///
    /// - Throws: `TraceError` of kind `unreadable` if standard input is a terminal or cannot be read, or if the copy
    ///   cannot be written; `FileError` without a folder for temporary files.
    public static func file() throws -> String { try file(reading: STDIN_FILENO) }

    /// Returns the path of a file with the bytes of a descriptor, which is read by the first call only.
    static func file(reading input: Int32) throws -> String {
        try copy.withLock { copy in
            if let copy { return Self.content(of: copy) }
            guard isatty(input) == 0 else {
                throw TraceError(
                    .unreadable, file: path, "standard input is a terminal; pipe a trace into it, or name a file")
            }
            let scratch = try ScratchFolder(prefix: "cachereplay-input")
            do { try Self.spool(input, to: Self.content(of: scratch)) } catch {
                scratch.remove()
                throw error
            }
            copy = scratch
            // An instance in a static variable is not released.
            atexit { StandardInput.remove() }
            return Self.content(of: scratch)
        }
    }

    /// Removes the copy.
    static func remove() {
        copy.withLock { copy in
            copy?.remove()
            copy = nil
        }
    }

    private static func content(of folder: ScratchFolder) -> String { "\(folder.path)/stdin" }

    private static func spool(_ input: Int32, to file: String) throws {
        let output = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard output >= 0 else { throw failure("standard input cannot be copied to \(file)") }
        defer { close(output) }
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { chunk.deallocate() }
        while true {
            let count = read(input, chunk.baseAddress, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure("standard input cannot be read") }
            if count == 0 { return }
            let bytes = UnsafeRawBufferPointer(rebasing: chunk[..<count])
            do throws(FileError) { try AtomicFile.write(bytes, to: output, path: file) } catch {
                throw TraceError(
                    .unreadable, file: path,
                    "\(error); free space there, set TMPDIR to another folder, or name a file instead of standard input"
                )
            }
        }
    }

    private static func failure(_ what: String) -> TraceError {
        TraceError(.unreadable, file: path, "\(what): \(SystemError(errno))")
    }
}
