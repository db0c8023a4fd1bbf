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
    static let traits = DiskStoreTraits(
        writesEachAccess: false, datesAccessesInSeconds: false, keepsStoringOrder: false)

    let path: String
    let format: DiskFormat
    let datesAccesses: Bool
    /// The folder's descriptor, so that each file has a short relative path.
    let descriptor: Int32
    /// Nanoseconds from 1970 to time 0 of the tier.
    let epoch: Int64
    /// Part of every checksum, so that a file that another layout has written counts as damaged. 0 for `md5-fanout`,
    /// the oldest layout.
    private let seed: UInt64
    private let temporaryNumber: Atomic<UInt64>

    convenience init(at path: String, format: DiskFormat, epoch: Int64) throws {
        try self.init(path, format: format, epoch: epoch * 1000, claimedFor: format.layout)
    }

    /// Creates the folder and its subfolders where they are missing. `layout` is the layout that the folder's marker
    /// names; nil for a folder within one that has a marker.
    init(_ path: String, format: DiskFormat, epoch: Int64, claimedFor layout: DiskLayout?) throws {
        self.path = path
        self.format = format
        datesAccesses = DiskDates(format).datesAccesses
        self.epoch = epoch
        seed = format.layout == .md5Fanout ? 0 : DiskName(text: format.layout.rawValue.utf8, variant: 1).hash
        temporaryNumber = Atomic(UInt64.random(in: 0...UInt64.max))
        try Self.makeFolders(path)
        // From here on all properties are set, and deinit closes the descriptor.
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw DiskTierError(errno, "open the folder", path) }
        if let layout { try DiskMarker.claim(layout, descriptor, path) }
        for name in format.layout.subfolders {
            guard mkdirat(descriptor, name, 0o777) == 0 || errno == EEXIST else {
                throw DiskTierError(errno, "create the subfolder \(name)", path)
            }
        }
        guard faccessat(descriptor, ".", W_OK, 0) == 0 else {
            throw DiskTierError(errno, "write to the folder", path)
        }
    }

    deinit { close(descriptor) }

    private static func makeFolders(_ path: String) throws {
        var made = path.hasPrefix("/") ? "/" : ""
        for part in path.split(separator: "/") {
            made += made.isEmpty || made.hasSuffix("/") ? part : "/" + part
            guard mkdir(made, 0o777) == 0 || errno == EEXIST || errno == EISDIR || errno == EROFS else {
                throw DiskTierError(errno, "create the folder", made)
            }
        }
    }

    static func subfolder(_ number: UInt8) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return digits.count == 1 ? "0" + digits : digits
    }

    func read(_ file: DiskFile, settingDates: Bool) throws -> Payload? {
        let opened = file.name.withPath { path in
            let opened = openat(descriptor, path, openForReading)
            // Only the owner of a file may open it with O_NOATIME.
            return opened < 0 && errno == EPERM ? openat(descriptor, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : opened
        }
        guard opened >= 0 else {
            if errno == ENOENT || errno == ELOOP { return nil }
            throw DiskTierError(errno, "open a file", path)
        }
        defer { close(opened) }
        var count = 0
        var expected: DiskTrailer?
        // One call, directly into the payload. The extra byte detects a file that is too long.
        let payload = withUnsafeTemporaryAllocation(byteCount: DiskTrailer.size + 1, alignment: 8) { trailer in
            let payload = Payload(count: file.size) { bytes in
                count = transfer(readv, opened, bytes, trailer)
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
        let opened = file.name.withPath { openat(descriptor, $0, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) }
        guard opened >= 0 else {
            if errno == ENOENT || errno == ELOOP { return }
            throw DiskTierError(errno, "open a file to set its dates", path)
        }
        defer { close(opened) }
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
                let opened = openat(descriptor, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
                guard opened >= 0 else { return code = errno }
                code = writeAndClose(file, payload, opened)
                if code == 0, renameat(descriptor, temporary, descriptor, name) != 0 { code = errno }
                if code != 0 { unlinkat(descriptor, temporary, 0) }
            }
        }
        return code
    }

    private func writeInPlace(_ file: DiskFile, _ payload: Payload) -> Int32 {
        file.name.withPath { name in
            // O_NONBLOCK: opening a named pipe in place of the file does not wait for a reader.
            let mode = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
            var opened = openat(descriptor, name, mode, 0o666)
            if opened < 0, errno == ELOOP, unlinkat(descriptor, name, 0) == 0 {
                opened = openat(descriptor, name, mode, 0o666)
            }
            return opened < 0 ? errno : writeAndClose(file, payload, opened)
        }
    }

    private func writeAndClose(_ file: DiskFile, _ payload: Payload, _ opened: Int32) -> Int32 {
        var code = write(file, payload, to: opened)
        if code == 0 { setDates(opened, file) }
        // Some file systems report a full disk only here.
        if close(opened) != 0, code == 0 { code = errno }
        return code
    }

    func remove(_ name: DiskName) throws {
        let removed = name.withPath { unlinkat(descriptor, $0, 0) }
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
            // Mutable only because writev takes the same structure as readv.
            var rest = UnsafeMutableRawBufferPointer(mutating: payload.bytes)
            var end = trailer
            while rest.count + end.count > 0 {
                let count = transfer(writev, opened, rest, end)
                if count < 0 {
                    if errno == EINTR { continue }
                    return errno
                }
                let ofPayload = min(count, rest.count)
                rest = UnsafeMutableRawBufferPointer(rebasing: rest[ofPayload...])
                end = UnsafeMutableRawBufferPointer(rebasing: end[(count - ofPayload)...])
            }
            return 0
        }
    }

    private func transfer(
        _ call: (Int32, UnsafePointer<iovec>, Int32) -> Int, _ opened: Int32, _ first: UnsafeMutableRawBufferPointer,
        _ second: UnsafeMutableRawBufferPointer
    ) -> Int {
        var parts = (
            iovec(iov_base: first.baseAddress, iov_len: .init(first.count)),
            iovec(iov_base: second.baseAddress, iov_len: .init(second.count))
        )
        return withUnsafePointer(to: &parts) {
            $0.withMemoryRebound(to: iovec.self, capacity: 2) { call(opened, $0, 2) }
        }
    }

    /// Followed by 16 hex digits.
    static let temporaryPrefix = ".new-"

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
