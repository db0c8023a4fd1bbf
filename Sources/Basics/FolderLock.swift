#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The right of one process to write to a folder (`flock`), as long as one of its locks of that folder exists.
///
/// The system releases the lock when the process ends, however it ends. It leaves no file behind. A file system without
/// locks does not protect the folder.
public final class FolderLock: Sendable {
    /// Another process has the lock.
    public struct Taken: Error {}

    private struct Folder: Hashable {
        var device: UInt64
        var number: UInt64
    }

    private struct Held {
        var descriptor: Int32
        var count: Int
    }

    /// The folders that this process has locked.
    private static let held = Locked<[Folder: Held]>([:])
    private let folder: Folder

    /// - Throws: ``Taken``, or ``SystemError`` for a folder that cannot be opened.
    public init(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError(errno) }
        var facts = stat()
        fstat(descriptor, &facts)
        let folder = Folder(device: UInt64(truncatingIfNeeded: facts.st_dev), number: UInt64(facts.st_ino))
        self.folder = folder
        let isTaken = Self.held.withLock { held in
            if held[folder] != nil {
                held[folder]?.count += 1
                close(descriptor)
                return false
            }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
                close(descriptor)
                return true
            }
            held[folder] = Held(descriptor: descriptor, count: 1)
            return false
        }
        if isTaken { throw Taken() }
    }

    deinit {
        Self.held.withLock { [folder] held in
            guard let lock = held[folder] else { return }
            held[folder]?.count -= 1
            guard lock.count == 1 else { return }
            // A child process that has not started its program yet has a copy of the descriptor, which would keep the
            // lock.
            flock(lock.descriptor, LOCK_UN)
            close(lock.descriptor)
            held[folder] = nil
        }
    }
}
