import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The files of a disk tier: writes, reads and removes them, and knows nothing of what they are for.
final class DiskFolder: Sendable {
    let path: String
    /// Of the folder, so that each file is found by a short relative path.
    let descriptor: Int32
    /// Nanoseconds from 1970 to time 0 of the tier.
    let epoch: Int64
    private let temporaryNumber: Atomic<UInt64>

    /// Makes the folder and its 256 subfolders where they are missing.
    init(_ path: String, epoch: Int64) throws {
        self.path = path
        self.epoch = epoch
        temporaryNumber = Atomic(UInt64.random(in: 0...UInt64.max))
        try Self.makeFolders(path)
        // From here on all is set, and deinit closes it.
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw DiskTierError(errno, "open the folder", path) }
        for number in 0..<256 {
            let name = Self.subfolder(UInt8(number))
            guard mkdirat(descriptor, name, 0o777) == 0 || errno == EEXIST else {
                throw DiskTierError(errno, "make the subfolder \(name)", path)
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
                throw DiskTierError(errno, "make the folder", made)
            }
        }
    }

    static func subfolder(_ number: UInt8) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return digits.count == 1 ? "0" + digits : digits
    }

    /// The payload of a file; nil where the file is missing, has another length, or is damaged. With a `date`, the file's
    /// modification date is set to it.
    func read(_ file: DiskFile, settingDate: Bool) throws -> Payload? {
        let opened = file.name.withPath { path in
            let opened = openat(descriptor, path, openForReading)
            // Only the owner of a file may read it without a note of the access.
            return opened < 0 && errno == EPERM ? openat(descriptor, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : opened
        }
        guard opened >= 0 else {
            if errno == ENOENT || errno == ELOOP { return nil }
            throw DiskTierError(errno, "open a file", path)
        }
        defer { close(opened) }
        if settingDate { setDate(opened, file.date) }
        var count = 0
        var expected: DiskTrailer?
        // One call, into the payload's final place. One byte more than there should be tells a longer file.
        let payload = withUnsafeTemporaryAllocation(byteCount: DiskTrailer.size + 1, alignment: 8) { trailer in
            let payload = Payload(count: file.size) { bytes in
                count = transfer(readv, opened, bytes, trailer)
            }
            if count == file.size + DiskTrailer.size { expected = DiskTrailer(UnsafeRawBufferPointer(trailer)) }
            return payload
        }
        guard count >= 0 else { throw DiskTierError(errno, "read a file", path) }
        return expected == DiskTrailer(of: payload.bytes, named: file.name) ? payload : nil
    }

    /// Writes a file whole or not at all: under a temporary name first, in the same subfolder.
    func write(_ file: DiskFile, _ payload: Payload) throws {
        var code: Int32 = 0
        withTemporaryPath(file.name.folder) { temporary in
            let opened = openat(descriptor, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            guard opened >= 0 else { return code = errno }
            code = write(file, payload, to: opened)
            if code == 0 { setDate(opened, file.date) }
            // Some file systems tell only now that there was no room.
            if close(opened) != 0, code == 0 { code = errno }
            if code == 0 {
                let renamed = file.name.withPath { renameat(descriptor, temporary, descriptor, $0) }
                if renamed != 0 { code = errno }
            }
            if code != 0 { unlinkat(descriptor, temporary, 0) }
        }
        guard code == 0 else { throw DiskTierError(code, "store an object of \(payload.count) bytes", path) }
    }

    /// A file that is not there is removed already.
    func remove(_ name: DiskName) throws {
        let removed = name.withPath { unlinkat(descriptor, $0, 0) }
        guard removed == 0 || errno == ENOENT else { throw DiskTierError(errno, "remove a file", path) }
    }

    /// Returns an error code, 0 for none.
    private func write(_ file: DiskFile, _ payload: Payload, to opened: Int32) -> Int32 {
        withUnsafeTemporaryAllocation(byteCount: DiskTrailer.size, alignment: 8) { trailer in
            DiskTrailer(of: payload.bytes, named: file.name).write(to: trailer)
            // Never written to: writev takes the same structure as readv.
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

    private func withTemporaryPath(_ folder: UInt8, _ body: (UnsafePointer<CChar>) -> Void) {
        let number = temporaryNumber.wrappingAdd(1, ordering: .relaxed).newValue
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { path in
            path[0] = DiskName.digit(UInt64(folder) >> 4)
            path[1] = DiskName.digit(UInt64(folder))
            path[2] = CChar(UInt8(ascii: "/"))
            for (position, character) in Self.temporaryPrefix.utf8.enumerated() { path[3 + position] = CChar(character) }
            for position in 0..<16 { path[8 + position] = DiskName.digit(number >> (60 - 4 * UInt64(position))) }
            path[24] = 0
            body(UnsafePointer(path.baseAddress!))  // 32 is not 0: there is an address.
        }
    }
}
