import Basics
import CacheTiers
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Objects as files of a folder.
final class DiskFolder: DiskStore {
    let path: String
    let format: DiskFormat
    let datesAccesses: Bool
    /// The folder's descriptor, so that each file has a short relative path.
    let descriptor: Int32
    let calls: FileCalls
    /// Nanoseconds from 1970 to time 0 of the tier.
    let epoch: Int64
    /// Part of every checksum, so that a file that another layout has written counts as damaged. 0 for `md5-fanout`,
    /// the oldest layout.
    private let seed: UInt64
    private let temporaryNumber: Atomic<UInt64>

    convenience init(at path: String, format: DiskFormat, epoch: Int64, calls: FileCalls) throws {
        try self.init(path, format: format, epoch: epoch, claimedFor: format.layout, calls: calls)
    }

    /// Creates the folder and its subfolders where they are missing. `layout` is the layout that the folder's marker
    /// names; nil for a folder within one that has a marker.
    init(
        _ path: String, format: DiskFormat, epoch: Int64, claimedFor layout: DiskLayout?, calls: FileCalls
    ) throws {
        self.path = path
        self.calls = calls
        self.format = format
        datesAccesses = DiskDates(format).datesAccesses
        self.epoch = epoch
        seed = format.layout == .md5Fanout ? 0 : DiskName(text: format.layout.rawValue.utf8, variant: 1).hash
        temporaryNumber = Atomic(UInt64.random(in: 0...UInt64.max))
        try TemporaryPaths.delayingExit { try Self.makeFolders(path, calls) }
        // From here on all properties are set, and deinit closes the descriptor.
        descriptor = calls.open(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw DiskTierError(errno, "open the folder", path) }
        if let layout { try DiskMarker.claim(layout, descriptor, path, calls) }
        for name in format.layout.subfolders {
            guard calls.makeFolder(descriptor, name) == 0 || errno == EEXIST else {
                throw DiskTierError(errno, "create the subfolder \(name)", path)
            }
        }
        guard faccessat(descriptor, ".", W_OK, 0) == 0 else {
            throw DiskTierError(errno, "write to the folder", path)
        }
    }

    deinit { _ = calls.close(descriptor) }

    private static func makeFolders(_ path: String, _ calls: FileCalls) throws {
        for made in path.foldersAbove {
            guard calls.makeFolder(AT_FDCWD, made) == 0 || errno == EEXIST || errno == EISDIR || errno == EROFS else {
                throw DiskTierError(errno, "create the folder", made)
            }
        }
    }

    func read(_ file: DiskFile, settingDates: Bool) throws -> Payload? {
        let opened = file.name.withPath { path in
            let opened = calls.open(descriptor, path, openForReading)
            // Only the owner of a file may open it with O_NOATIME.
            return opened < 0 && errno == EPERM
                ? calls.open(descriptor, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : opened
        }
        guard opened >= 0 else {
            if errno == ENOENT || errno == ELOOP { return nil }
            throw DiskTierError(errno, "open a file", path)
        }
        defer { _ = calls.close(opened) }
        var count = 0
        var expected: DiskTrailer?
        // One call, directly into the payload. The extra byte detects a file that is too long.
        let payload = withUnsafeTemporaryAllocation(byteCount: DiskTrailer.size + 1, alignment: 8) { trailer in
            let payload = Payload(count: file.size) { bytes in
                count = calls.read(opened, bytes, trailer)
            }
            if count == file.size + DiskTrailer.size { expected = DiskTrailer(UnsafeRawBufferPointer(trailer)) }
            return payload
        }
        guard count >= 0 else { throw DiskTierError(errno, "read a file", path) }
        // After the read, which may itself have changed the access date.
        if settingDates { setDates(opened, file) }
        return expected == trailer(file.name, payload) ? payload : nil
    }

    func date(_ file: DiskFile) throws {
        let opened = file.name.withPath { calls.open(descriptor, $0, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) }
        guard opened >= 0 else {
            if errno == ENOENT || errno == ELOOP { return }
            throw DiskTierError(errno, "open a file to set its dates", path)
        }
        defer { _ = calls.close(opened) }
        setDates(opened, file)
    }

    func exists(_ name: DiskName) -> Bool {
        var facts = stat()
        return name.withPath { fstatat(descriptor, $0, &facts, AT_SYMLINK_NOFOLLOW) } == 0
            && facts.st_mode & S_IFMT == S_IFREG
    }

    func write(_ file: DiskFile, _ payload: Payload) throws {
        let code = format.atomicWrites ? writeWhole(file, payload) : writeInPlace(file, payload)
        guard code == 0 else { throw DiskTierError(code, "store an object of \(payload.count) bytes", path) }
    }

    /// Writes under a temporary name in the same subfolder, then renames. Returns an error number, 0 for success.
    private func writeWhole(_ file: DiskFile, _ payload: Payload) -> Int32 {
        var code: Int32 = 0
        file.name.withPath { name in
            withTemporaryPath(beside: name) { temporary in
                let opened = calls.open(descriptor, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC)
                guard opened >= 0 else { return code = errno }
                code = writeAndClose(file, payload, opened)
                if code == 0, calls.rename(descriptor, temporary, to: name) != 0 { code = errno }
                if code != 0 { _ = calls.remove(descriptor, temporary) }
            }
        }
        return code
    }

    private func writeInPlace(_ file: DiskFile, _ payload: Payload) -> Int32 {
        file.name.withPath { name in
            // O_NONBLOCK: opening a named pipe in place of the file does not wait for a reader.
            let mode = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
            var opened = calls.open(descriptor, name, mode)
            if opened < 0, errno == ELOOP, calls.remove(descriptor, name) == 0 {
                opened = calls.open(descriptor, name, mode)
            }
            return opened < 0 ? errno : writeAndClose(file, payload, opened)
        }
    }

    private func writeAndClose(_ file: DiskFile, _ payload: Payload, _ opened: Int32) -> Int32 {
        var code = write(file, payload, to: opened)
        if code == 0 { setDates(opened, file) }
        // Some file systems report a full disk only here.
        if calls.close(opened) != 0, code == 0 { code = errno }
        return code
    }

    func remove(_ name: DiskName) throws {
        let removed = name.withPath { calls.remove(descriptor, $0) }
        guard removed == 0 || errno == ENOENT else { throw DiskTierError(errno, "remove a file", path) }
    }

    /// Always returns false: each file stands for itself, so the folder as a whole cannot be damaged.
    func recover(from damage: DiskStoreDamage) throws -> Bool { false }

    var wipes: Int { 0 }

    func removeAll() throws {
        try scan().forEachDespiteErrors { try remove($0.name) }
    }

    private func trailer(_ name: DiskName, _ payload: Payload) -> DiskTrailer {
        DiskTrailer(of: payload.bytes, seed: name.seed &+ seed)
    }

    private func write(_ file: DiskFile, _ payload: Payload, to opened: Int32) -> Int32 {
        withUnsafeTemporaryAllocation(byteCount: DiskTrailer.size, alignment: 8) { trailer in
            self.trailer(file.name, payload).write(to: trailer)
            return calls.writeAll(opened, payload.bytes, UnsafeRawBufferPointer(trailer))
        }
    }

    /// Followed by 16 hex digits.
    static let temporaryPrefix = DiskLayout.temporaryPrefix

    private func withTemporaryPath(beside name: UnsafePointer<CChar>, _ body: (UnsafePointer<CChar>) -> Void) {
        let number = temporaryNumber.wrappingAdd(1, ordering: .relaxed).newValue
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { path in
            // A subfolder's name has one or two characters, and a file in the folder itself has no slash.
            var end = name[0] == 0 || name[1] == 0 ? 0 : name[1] == Self.slash ? 2 : name[2] == Self.slash ? 3 : 0
            for position in 0..<end { path[position] = name[position] }
            for character in Self.temporaryPrefix.utf8 {
                path[end] = CChar(character)
                end += 1
            }
            for position in 0..<16 { path[end + position] = DiskName.digit(number >> (60 - 4 * UInt64(position))) }
            path[end + 16] = 0
            body(UnsafePointer(path.baseAddress!))  // Not nil: the capacity is not 0.
        }
    }

    private static let slash = CChar(UInt8(ascii: "/"))
}
