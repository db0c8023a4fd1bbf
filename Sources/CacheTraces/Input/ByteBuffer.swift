import Basics
import Foundation

/// A growing block of memory into which `read` writes without a copy, or a mapped file.
///
/// `@unchecked Sendable`: only its creator writes to it. Once a ``TraceInput`` holds it, it is only read and freed.
final class ByteBuffer: @unchecked Sendable {
    private var base: UnsafeMutableRawPointer?
    private var capacity = 0
    private(set) var count = 0
    private var isMapped = false

    init() {}

    /// Maps `count` bytes of an open file for reading, without a copy; nil if that is not possible.
    ///
    /// If another process shortens the file while it is read, the system ends this process (SIGBUS). Recorders only
    /// append to their files.
    init?(mapping file: Int32, count: Int) {
        guard count > 0, let address = mmap(nil, count, PROT_READ, MAP_PRIVATE, file, 0), address != MAP_FAILED else {
            return nil
        }
        madvise(address, count, Int32(MADV_WILLNEED))
        base = address
        self.count = count
        isMapped = true
    }

    init(_ bytes: some Collection<UInt8>) {
        let size = bytes.count
        guard reserve(size), let base else { Memory.exhausted(size) }
        UnsafeMutableRawBufferPointer(start: base, count: size).copyBytes(from: bytes)
        count = size
    }

    deinit {
        if isMapped, let base { munmap(base, count) } else { free(base) }
    }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

    /// Reserves memory for at least `extra` more bytes, doubling so that appending takes linear time. Returns false if
    /// there is not enough.
    private func reserve(_ extra: Int) -> Bool {
        guard capacity - count < extra || base == nil else { return true }
        let wanted = max(count + extra, capacity * 2, 1)
        guard let grown = realloc(base, wanted) else { return false }
        base = grown
        capacity = wanted
        return true
    }

    /// Lets `source` write up to `room` bytes at the end. It returns the number of bytes, or a negative number for a
    /// failure. Returns nil if there is not enough memory.
    func append(room: Int, from source: (UnsafeMutableRawPointer) -> Int) -> Int? {
        guard !isMapped else { return 0 }
        guard reserve(room), let base else { return nil }
        let written = source(base + count)
        if written > 0 { count += written }
        return written
    }
}
