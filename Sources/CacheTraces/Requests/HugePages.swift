import Foundation

/// Asks the system for huge pages (2 MiB) where it knows them: first writing to, and random reading from, large blocks
/// gets faster.
enum HugePages {
    static let length = 2 << 20

    /// Advice alone: nothing is read or written. `memory` belongs to the caller.
    static func advise(_ memory: UnsafeMutableRawPointer, length: Int) {
        #if os(Linux)
        guard length >= Self.length * 2 else { return }
        let pages = wholePages(of: memory, length: length)
        if pages.count > 0 { madvise(pages.baseAddress, pages.count, Int32(MADV_HUGEPAGE)) }
        #endif
    }

    /// Zeroes that have no pages until they are written to. Given back by ``release(_:length:)`` with the same length.
    static func zeroes(length: Int) -> UnsafeMutableRawPointer {
        // As with ``ByteBuffer``: being out of memory cannot be answered.
        guard let memory = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0),
            memory != MAP_FAILED
        else { abort() }
        advise(memory, length: length)
        return memory
    }

    static func release(_ memory: UnsafeMutableRawPointer, length: Int) { munmap(memory, length) }

    /// Gives back the pages that lie wholly within: their content is lost, their addresses stay.
    static func discard(_ memory: UnsafeMutableRawPointer, length: Int) {
        let pages = wholePages(of: memory, length: length)
        if pages.count > 0 { madvise(pages.baseAddress, pages.count, Int32(MADV_DONTNEED)) }
    }

    private static func wholePages(of memory: UnsafeMutableRawPointer, length: Int) -> UnsafeMutableRawBufferPointer {
        let page = UInt(getpagesize())
        let start = (UInt(bitPattern: memory) + page - 1) & ~(page - 1)
        let end = (UInt(bitPattern: memory) + UInt(length)) & ~(page - 1)
        return UnsafeMutableRawBufferPointer(
            start: UnsafeMutableRawPointer(bitPattern: start), count: start < end ? Int(end - start) : 0)
    }
}
