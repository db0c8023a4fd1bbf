#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The right of one process to write to a folder, as long as the lock exists (`flock`).
///
/// The system releases the lock when the process ends, however it ends. It leaves no file behind. A file system without
/// locks does not protect the folder.
public final class FolderLock: Sendable {
    private let descriptor: Int32

    /// Another process has the lock.
    public struct Taken: Error {}

    /// - Throws: ``Taken``, or ``SystemError`` for a folder that cannot be opened.
    public init(_ path: String) throws {
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError(errno) }
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
            close(descriptor)
            throw Taken()
        }
    }

    deinit { close(descriptor) }
}

/// An error of the operating system.
public struct SystemError: Error, Equatable, CustomStringConvertible {
    public var code: Int32

    public init(_ code: Int32) { self.code = code }

    /// The reason and, where there is one, the remedy.
    public var description: String {
        let reason = String(cString: strerror(code))
        switch code {
        case EMFILE: return "too many open files; raise the limit with `ulimit -n`"
        case ENFILE: return "too many open files on this machine"
        case ENOSPC: return "no space left on the file system"
        case EFBIG: return "the file is larger than the limit; raise it with `ulimit -f`"
        default: return reason.isEmpty ? "error \(code)" : reason.prefix(1).lowercased() + reason.dropFirst()
        }
    }
}
