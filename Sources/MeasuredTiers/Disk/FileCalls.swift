import CacheTiers

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The system calls of a disk tier on its files and folders. All of them are here, so that tests can let any of them
/// fail, write less, or be the last one before a crash.
///
/// The results and `errno` come from the system's functions. Calls are repeated by callers, not here.
struct FileCalls: Sendable {
    /// nil: each call is made as it is. Only tests set this.
    var faults: (any FileFaults)?

    func makeFolder(_ folder: Int32, _ path: UnsafePointer<CChar>) -> Int32 {
        guard let faults else { return mkdirat(folder, path, 0o777) }
        return Int32(faults.handle(.makeFolder(folder, path)) { Int(mkdirat(folder, path, 0o777)) })
    }

    func open(_ folder: Int32, _ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 {
        guard let faults else { return openat(folder, path, flags, 0o666) }
        return Int32(faults.handle(.open(folder, path, flags)) { Int(openat(folder, path, flags, 0o666)) })
    }

    /// Reads from the present position into two buffers, one after the other.
    func read(
        _ file: Int32, _ first: UnsafeMutableRawBufferPointer, _ second: UnsafeMutableRawBufferPointer
    ) -> Int {
        guard let faults else { return transfer(readv, file, UnsafeRawBufferPointer(first), .init(second)) }
        return faults.handle(.read(file)) { transfer(readv, file, UnsafeRawBufferPointer(first), .init(second)) }
    }

    /// Reads from an offset. Returns the number of bytes; -1 with `errno` for a failure.
    func read(_ file: Int32, at offset: Int, _ bytes: UnsafeMutableRawBufferPointer) -> Int {
        guard let faults else { return pread(file, bytes.baseAddress, bytes.count, .init(offset)) }
        return faults.handle(.read(file)) { pread(file, bytes.baseAddress, bytes.count, .init(offset)) }
    }

    /// Writes two buffers, one after the other, at the present position. Can write less.
    func write(_ file: Int32, _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Int {
        guard let faults else { return transfer(writev, file, first, second) }
        return faults.handle(.write(file, first, second)) { transfer(writev, file, first, second) }
    }

    /// Writes all the bytes. Returns an error number, 0 for success.
    func writeAll(_ file: Int32, _ bytes: [UInt8]) -> Int32 {
        bytes.withUnsafeBytes { writeAll(file, $0, UnsafeRawBufferPointer(start: nil, count: 0)) }
    }

    /// Writes two buffers, one after the other, at the present position. Returns an error number, 0 for success.
    func writeAll(_ file: Int32, _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Int32 {
        var (rest, end) = (first, second)
        while rest.count + end.count > 0 {
            let count = write(file, rest, end)
            if count < 0 {
                if errno == EINTR { continue }
                return errno
            }
            if count == 0 { return ENOSPC }
            let ofFirst = min(count, rest.count)
            rest = UnsafeRawBufferPointer(rebasing: rest[ofFirst...])
            end = UnsafeRawBufferPointer(rebasing: end[(count - ofFirst)...])
        }
        return 0
    }

    /// Waits until the file is on the disk.
    func synchronize(_ file: Int32) -> Int32 {
        guard let faults else { return fsync(file) }
        return Int32(faults.handle(.synchronize(file)) { Int(fsync(file)) })
    }

    /// Sets the dates of the last access and of the last modification.
    func setDates(_ file: Int32, accessed: timespec, modified: timespec) -> Int32 {
        var times = (accessed, modified)
        return withUnsafePointer(to: &times) { times in
            times.withMemoryRebound(to: timespec.self, capacity: 2) { times in
                guard let faults else { return futimens(file, times) }
                return Int32(faults.handle(.setDates(file, modified: modified)) { Int(futimens(file, times)) })
            }
        }
    }

    func close(_ file: Int32) -> Int32 {
        guard let faults else { return systemClose(file) }
        return Int32(faults.handle(.close(file)) { Int(systemClose(file)) })
    }

    func rename(_ folder: Int32, _ path: UnsafePointer<CChar>, to new: UnsafePointer<CChar>) -> Int32 {
        guard let faults else { return renameat(folder, path, folder, new) }
        return Int32(faults.handle(.rename(folder, path, to: new)) { Int(renameat(folder, path, folder, new)) })
    }

    func remove(_ folder: Int32, _ path: UnsafePointer<CChar>) -> Int32 {
        guard let faults else { return unlinkat(folder, path, 0) }
        return Int32(faults.handle(.remove(folder, path)) { Int(unlinkat(folder, path, 0)) })
    }

    /// Opens a folder to list it. Returns nil with `errno` if that fails.
    func list(_ folder: Int32, _ path: UnsafePointer<CChar>) -> (stream: FolderStream, descriptor: Int32)? {
        let opened = open(folder, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { return nil }
        guard let stream = fdopendir(opened) else {
            let code = errno
            _ = systemClose(opened)
            errno = code
            return nil
        }
        return (stream, opened)
    }

    private func transfer(
        _ call: (Int32, UnsafePointer<iovec>, Int32) -> Int, _ file: Int32, _ first: UnsafeRawBufferPointer,
        _ second: UnsafeRawBufferPointer
    ) -> Int {
        // Mutable only because writev takes the same structure as readv.
        var parts = (
            iovec(iov_base: UnsafeMutableRawPointer(mutating: first.baseAddress), iov_len: .init(first.count)),
            iovec(iov_base: UnsafeMutableRawPointer(mutating: second.baseAddress), iov_len: .init(second.count))
        )
        return withUnsafePointer(to: &parts) {
            $0.withMemoryRebound(to: iovec.self, capacity: 2) { call(file, $0, 2) }
        }
    }
}

/// One call, before it is made. Folders are descriptors, or `AT_FDCWD` for a path of its own.
enum FileCall {
    case makeFolder(Int32, UnsafePointer<CChar>)
    case open(Int32, UnsafePointer<CChar>, Int32)
    case read(Int32)
    case write(Int32, UnsafeRawBufferPointer, UnsafeRawBufferPointer)
    case synchronize(Int32)
    case setDates(Int32, modified: timespec)
    case close(Int32)
    case rename(Int32, UnsafePointer<CChar>, to: UnsafePointer<CChar>)
    case remove(Int32, UnsafePointer<CChar>)
}

/// The faults of calls in place of their success. Safe under concurrent use.
protocol FileFaults: Sendable {
    /// Returns the result of the call. `make` makes the real call and returns its result. For a failure, returns -1 and
    /// sets `errno`.
    func handle(_ call: FileCall, _ make: () -> Int) -> Int
}

private func systemClose(_ file: Int32) -> Int32 { close(file) }
