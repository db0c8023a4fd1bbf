import Foundation

/// Writes whole files or nothing: a temporary file beside the target, flushed to the disk, then renamed over it.
///
/// Whoever finds a file under its own name finds all of it, also after a crash, a full disk or Ctrl-C.
enum AtomicFile {
    /// Names of unfinished files start like this; readers pass over them.
    static let temporaryPrefix = ".unfinished-"

    /// - Throws: ``ResultsError``: `cannotCreate` when the file cannot be made, `ioError` when writing it fails.
    static func write(_ text: String, to path: String) throws {
        let (folder, name) = split(path)
        let temporary = "\(folder)/\(temporaryPrefix)\(getpid())-\(name)"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            let code = errno
            // A full disk can refuse even an empty file.
            throw code == ENOSPC || code == EDQUOT ? writeFailed(path, code) : cannotCreate(path, code)
        }
        do {
            defer { close(descriptor) }
            try write(text, to: descriptor, path: path)
            guard fsync(descriptor) == 0 else { throw writeFailed(path, errno) }
        } catch {
            unlink(temporary)
            throw error
        }
        guard rename(temporary, path) == 0 else {
            let code = errno
            unlink(temporary)
            throw writeFailed(path, code)
        }
        flushFolder(folder)
    }

    /// Writes everything to an open descriptor, however small the steps in which the system takes it.
    static func write(_ text: String, to descriptor: Int32, path: String) throws {
        var text = text
        try text.withUTF8 { bytes in
            var written = 0
            while written < bytes.count {
                let count = systemWrite(
                    descriptor, UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[written...]))
                if count > 0 {
                    written += count
                } else if count == 0 || errno != EINTR {
                    throw writeFailed(path, count == 0 ? EIO : errno)
                }
            }
        }
    }

    private static func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        Foundation.write(descriptor, bytes.baseAddress, bytes.count)
    }

    /// The rename itself survives a power cut only when the folder is flushed too. Some file systems refuse
    /// that; the file is whole either way, so a refusal is no error.
    private static func flushFolder(_ folder: String) {
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    private static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        return (String(path[..<slash]), String(path[path.index(after: slash)...]))
    }

    static func cannotCreate(_ path: String, _ code: Int32) -> ResultsError {
        ResultsError(
            .cannotCreate, file: path,
            "cannot be created: \(String(cString: strerror(code))); name a folder that you may write to")
    }

    private static func writeFailed(_ path: String, _ code: Int32) -> ResultsError {
        let remedy =
            code == ENOSPC || code == EDQUOT
            ? "; free some space and try again; a replay goes on with --resume" : "; what was finished before is kept"
        return ResultsError(.ioError, file: path, "writing failed: \(String(cString: strerror(code)))\(remedy)")
    }
}
