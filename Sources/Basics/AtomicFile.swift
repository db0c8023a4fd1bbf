#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A file that appears under its name when it is complete, or not at all.
///
/// The content goes to a temporary file beside the target. ``commit()`` flushes that file to the disk and renames it
/// over the target. A reader therefore finds the old content or all of the new one, also after a crash, a full disk or
/// Ctrl-C. A device or a pipe, such as `/dev/stdout`, cannot be replaced, and is written in place.
///
/// An instance belongs to one thread.
public final class AtomicFile {
    /// Names of temporary files begin with this text. Readers of a folder pass over them.
    public static let temporaryPrefix = ".unfinished-"

    public let path: String
    private let temporary: String
    private let isSpecial: Bool
    private var descriptor: Int32

    /// The folders from which this process has removed abandoned files.
    private static let cleanedFolders = Locked<Set<String>>([])

    /// Creates the temporary file. The first one in a folder removes those that processes have left which no longer
    /// run.
    public init(_ path: String) throws(FileError) {
        var status = stat()
        let exists = stat(path, &status) == 0
        if exists, status.st_mode & S_IFMT == S_IFDIR { throw FileError(.cannotCreate, path, EISDIR) }
        isSpecial = exists && status.st_mode & S_IFMT != S_IFREG
        self.path = path
        let (folder, name) = path.splitPath
        if !isSpecial, Self.cleanedFolders.withLock({ $0.insert(folder).inserted }) {
            Self.removeAbandoned(in: folder)
        }
        let number = UInt32.random(in: 0 ... .max)
        temporary = isSpecial ? path : "\(folder)/\(Self.temporaryPrefix)\(getpid())-\(number)-\(name)"
        let flags = isSpecial ? O_WRONLY | O_CLOEXEC : O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
        if isSpecial {
            // A pipe waits here for its reader.
            descriptor = open(path, flags)
        } else {
            let temporary = temporary
            var opened: Int32 = -1
            var code: Int32 = 0
            TemporaryPaths.create(temporary) {
                opened = open(temporary, flags, 0o666)
                code = errno
                return opened >= 0 ? -1 : nil
            }
            descriptor = opened
            errno = code
        }
        // A full disk can refuse even an empty file.
        guard descriptor >= 0 else { throw FileError(errno.isFullDisk ? .ioError : .cannotCreate, path, errno) }
    }

    deinit { discard() }

    /// Removes the temporary files and folders of processes that no longer run.
    public static func removeAbandoned(in folder: String) {
        ScratchFolder.removeEntries(of: folder) { name in
            guard let parts = name.dropping(start: temporaryPrefix)?.parts(between: "-") else { return false }
            return parts.count > 1 && ScratchFolder.isGone(parts[0])
        }
    }

    public func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
        try Self.write(bytes, to: descriptor, path: path)
    }

    /// Writes bytes over those at the start of the file, for a head with figures that are known at the end. A pipe has
    /// no start to go back to.
    public func overwriteStart(with bytes: [UInt8]) throws(FileError) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { bytes in
                pwrite(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done, off_t(done))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw FileError(.ioError, path, count == 0 ? EIO : errno) }
            done += count
        }
    }

    /// Flushes the file to the disk, and renames it to its own name.
    public func commit() throws(FileError) {
        // Devices and pipes cannot be flushed to a disk.
        guard isSpecial || fsync(descriptor) == 0 else { throw FileError(.ioError, path, errno) }
        let code = close(descriptor) == 0 ? 0 : errno
        descriptor = -1
        guard !isSpecial else { return }
        guard code == 0, rename(temporary, path) == 0 else {
            let code = code == 0 ? errno : code
            removeTemporary()
            throw FileError(code == EISDIR || code == EACCES ? .cannotCreate : .ioError, path, code)
        }
        TemporaryPaths.forget(temporary)
        Self.flushFolder(path.splitPath.folder)
    }

    /// Removes the temporary file. After ``commit()``, nothing happens.
    public func discard() {
        guard descriptor >= 0 else { return }
        close(descriptor)
        descriptor = -1
        if !isSpecial { removeTemporary() }
    }

    private func removeTemporary() {
        unlink(temporary)
        TemporaryPaths.forget(temporary)
    }

    public static func write(_ text: String, to path: String) throws(FileError) {
        try write(Array(text.utf8), to: path)
    }

    public static func write(_ bytes: [UInt8], to path: String) throws(FileError) {
        let file = try AtomicFile(path)
        try bytes.withUnsafeBytes { bytes in Result { () throws(FileError) in try file.write(bytes) } }.get()
        try file.commit()
    }

    /// Writes all bytes to an open descriptor, in as many steps as the system takes.
    public static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, path: String) throws(FileError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest))
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count == 0 || errno != EINTR {
                throw FileError(.ioError, path, count == 0 ? EIO : errno)
            }
        }
    }

    /// A power failure can undo the rename until the folder is flushed. Some file systems refuse to flush a folder. The
    /// file is complete in either case, so a refusal is not an error.
    private static func flushFolder(_ folder: String) {
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}

/// The reason why a file could not be written.
public struct FileError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Kind: Sendable {
        case cannotCreate
        /// Writing failed midway, as on a full disk.
        case ioError
    }

    public let kind: Kind
    public let path: String
    /// The reason and the remedy, without the path.
    public let reason: String
    public let isFullDisk: Bool

    public init(_ kind: Kind, _ path: String, _ reason: String) {
        self.kind = kind
        self.path = path
        self.reason = reason
        isFullDisk = false
    }

    /// Creates an error from the system's error number.
    public init(_ kind: Kind, _ path: String, _ code: Int32) {
        self.kind = kind
        self.path = path
        isFullDisk = code.isFullDisk
        let cause = SystemError(code).description
        switch (kind, code) {
        case (_, EISDIR): reason = "cannot be written: it is a folder; give a file name"
        case (.cannotCreate, _): reason = "cannot be created: \(cause); name a file that you may write to"
        case (.ioError, _): reason = "writing failed: \(cause)\(isFullDisk ? "; free some space and try again" : "")"
        }
    }

    public var description: String { "\(VisibleText.line(path)): \(reason)" }
}

extension Int32 {
    /// Whether an error number means that the disk, or the user's share of it, is full.
    public var isFullDisk: Bool { self == ENOSPC || self == EDQUOT }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
