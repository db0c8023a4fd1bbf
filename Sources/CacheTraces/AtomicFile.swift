import Foundation

/// Why a file could not be written.
public struct FileWriteError: Error, Sendable, CustomStringConvertible {
    public var file: String
    public var message: String

    public init(file: String, message: String) {
        self.file = file
        self.message = message
    }

    public var description: String { "\(file): \(message)" }
}

/// Writes a temporary file beside `path` and renames it, so that `path` never holds half of `bytes`.
package func writeFileAtomically(_ bytes: [UInt8], to path: String) throws {
    try writeFileAtomically(to: path) { write in try bytes.withUnsafeBytes(write) }
}

/// The same with content that comes piece by piece: `content` calls `write` with each.
package func writeFileAtomically(
    to path: String, _ content: (_ write: (UnsafeRawBufferPointer) throws -> Void) throws -> Void
) throws {
    func failure(_ what: String) -> FileWriteError {
        FileWriteError(file: path, message: "\(what): \(String(cString: strerror(errno)))")
    }
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
        throw FileWriteError(file: path, message: "cannot be written: is a folder; give a file name")
    }
    // A device or pipe, such as /dev/stdout, cannot be replaced: it is written as it is.
    let isSpecial = stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    let temporary = isSpecial ? path : "\(path).\(getpid())-\(UInt32.random(in: 0 ... .max)).tmp"
    let flags = isSpecial ? O_WRONLY | O_CLOEXEC : O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
    let file = open(temporary, flags, 0o666)
    guard file >= 0 else { throw failure("cannot be written") }
    do {
        try content { try write($0, to: file) { failure("writing failed") } }
    } catch {
        close(file)
        if !isSpecial { unlink(temporary) }
        throw error
    }
    guard close(file) == 0, isSpecial || rename(temporary, path) == 0 else {
        let error = failure("writing failed")
        if !isSpecial { unlink(temporary) }
        throw error
    }
}

private func write(_ bytes: UnsafeRawBufferPointer, to file: Int32, failure: () -> FileWriteError) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
        let written = write(file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if written > 0 {
            rest = rest.dropFirst(written)
        } else if written < 0, errno != EINTR {
            throw failure()
        }
    }
}
