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
        _ = append(room: size) { target in
            UnsafeMutableRawBufferPointer(start: target, count: size).copyBytes(from: bytes)
            return size
        }
    }

    deinit {
        if isMapped, let base { munmap(base, count) } else { free(base) }
    }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

    /// Reserves memory for at least `extra` more bytes, doubling so that appending takes linear time.
    private func reserve(_ extra: Int) {
        guard capacity - count < extra else { return }
        let wanted = max(count + extra, capacity * 2)
        // The program cannot continue without memory: a nil base with a count would be read.
        guard let grown = realloc(base, wanted) else { abort() }
        base = grown
        capacity = wanted
    }

    /// Lets `source` write up to `room` bytes at the end. It returns the number of bytes, or a negative number for a
    /// failure.
    func append(room: Int, from source: (UnsafeMutableRawPointer) -> Int) -> Int {
        guard !isMapped else { return 0 }
        reserve(room)
        guard let base else { return 0 }
        let written = source(base + count)
        if written > 0 { count += written }
        return written
    }
}
