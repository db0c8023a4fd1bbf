#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A new, empty folder for temporary files, named `PREFIX-PID-NUMBER`. Only its owner may read it.
///
/// The folder is removed by ``remove()``, or with the last reference to the instance. Swift can release an instance
/// after its last use, so code that uses only ``path`` defers the removal:
/// ```swift
/// let scratch = try ScratchFolder(prefix: "example")
/// defer { scratch.remove() }
/// ```
/// A signal that ends the process removes its folders (``TemporaryPaths``). A process that is killed leaves them
/// behind. The process id in their names lets a later process find and
/// remove them: see ``removeAbandoned(in:prefix:)``.
public final class ScratchFolder: Sendable {
    public let path: String

    private static let nextNumber = Locked(0)

    /// Creates the folder below the given folder, which is created too where it is missing.
    public init(in folder: String, prefix: String) throws(FileError) {
        func attempt() -> (path: String, error: Int32) {
            let path = "\(folder)/\(prefix)-\(getpid())-\(Self.takeNumber())"
            var error: Int32 = 0
            TemporaryPaths.create(path) {
                guard mkdir(path, 0o700) == 0 else {
                    error = errno
                    return nil
                }
                let reserve = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
                guard reserve < 0 else { return reserve }
                error = errno
                rmdir(path)
                return nil
            }
            return (path, error)
        }
        var made = attempt()
        if made.error == ENOENT {
            try Self.createParents(folder)
            made = attempt()
        }
        // An earlier process with the same id can have left a folder of that name.
        while made.error == EEXIST { made = attempt() }
        guard made.error == 0 else { throw Self.failure(made.path, made.error) }
        path = made.path
    }

    /// Creates the folder below the system's folder for temporary files.
    public convenience init(prefix: String) throws(FileError) {
        try self.init(in: Self.systemFolder, prefix: prefix)
    }

    deinit { remove() }

    /// Removes the folder with all that it contains. A second call has no effect. What cannot be removed stays.
    public func remove() {
        let reserve = TemporaryPaths.takeReserve(path)
        if reserve >= 0 { close(reserve) }
        Self.removeTree(path)
        TemporaryPaths.forget(path)
    }

    /// Removes the scratch folders with this prefix whose processes no longer run.
    ///
    /// Processes are looked up by their ids on this machine. A folder that machines or containers share needs a prefix
    /// for each of them.
    public static func removeAbandoned(in folder: String, prefix: String) {
        removeEntries(of: folder) { name in
            guard let parts = name.dropping(start: "\(prefix)-")?.parts(between: "-") else { return false }
            return parts.count == 2 && Int(parts[1]) != nil && isGone(parts[0])
        }
    }

    /// Whether a text is the id of a process that does not run.
    static func isGone(_ text: String) -> Bool {
        guard let process = pid_t(text), process > 0 else { return false }
        return kill(process, 0) != 0 && errno == ESRCH
    }

    /// Removes the selected files and folders of a folder. What cannot be removed stays.
    static func removeEntries(of folder: String, where isSelected: (String) -> Bool) {
        guard let stream = opendir(folder) else { return }
        defer { closedir(stream) }
        for name in names(in: stream) where isSelected(name) { removeTree(name, in: dirfd(stream)) }
    }

    /// The system's folder for temporary files: the value of `TMPDIR`, or `/tmp`.
    package static var systemFolder: String {
        guard let value = getenv("TMPDIR").map({ String(cString: $0) }), !value.isEmpty else { return "/tmp" }
        return value.dropping(ending: "/") ?? value
    }

    private static func takeNumber() -> Int {
        nextNumber.withLock { number in
            defer { number += 1 }
            return number
        }
    }

    private static func createParents(_ folder: String) throws(FileError) {
        for made in folder.foldersAbove {
            guard mkdir(made, 0o777) == 0 || errno == EEXIST || errno == EISDIR || errno == EROFS else {
                throw failure(made, errno)
            }
        }
    }

    private static func failure(_ path: String, _ code: Int32) -> FileError {
        if code == ENOSPC || code == EDQUOT { return FileError(.ioError, path, code) }
        let cause = SystemError(code).description
        return FileError(
            .cannotCreate, path, "the folder cannot be created: \(cause); choose a folder that you may write to")
    }

    /// Removes a file, or a folder of this user with all that it contains. What cannot be removed stays.
    static func removeTree(_ path: String) {
        guard !removeTree(path, in: AT_FDCWD) else { return }
        // That needs a descriptor for each level of the tree. With one alone, the removal goes by paths: only this
        // user can replace them by links. Other threads can take that one too, until they close it.
        for _ in 0..<100 {
            guard !removePaths(path) else { return }
            usleep(10_000)
        }
    }

    /// Does not follow symbolic links. Returns false if a part of the tree stays because there was no free descriptor.
    @discardableResult
    private static func removeTree(_ name: String, in parent: Int32) -> Bool {
        let opened = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard opened >= 0 else {
            guard !isLackOfDescriptors(errno) else { return false }
            unlinkat(parent, name, 0)
            return true
        }
        guard let stream = fdopendir(opened) else {
            close(opened)
            return true
        }
        var isComplete = true
        for name in names(in: stream) { isComplete = removeTree(name, in: opened) && isComplete }
        closedir(stream)  // Closes `opened` too.
        unlinkat(parent, name, AT_REMOVEDIR)
        return isComplete
    }

    private static func isLackOfDescriptors(_ code: Int32) -> Bool { code == EMFILE || code == ENFILE }

    /// Removes a folder with at most one descriptor at a time. Returns false if there was none.
    private static func removePaths(_ path: String) -> Bool {
        guard let stream = opendir(path) else { return !isLackOfDescriptors(errno) }
        let names = names(in: stream)
        closedir(stream)
        var isComplete = true
        for name in names {
            let path = "\(path)/\(name)"
            // A folder is an error of unlink.
            if unlink(path) != 0, errno == EISDIR || errno == EPERM { isComplete = removePaths(path) && isComplete }
        }
        rmdir(path)
        return isComplete
    }

    #if canImport(Darwin)
    private typealias Stream = UnsafeMutablePointer<DIR>
    #else
    private typealias Stream = OpaquePointer
    #endif

    private static func names(in stream: Stream) -> [String] {
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: tuple.pointee)) {
                    String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
