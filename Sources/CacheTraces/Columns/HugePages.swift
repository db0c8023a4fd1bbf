import Basics
import Foundation

/// Requests huge pages (2 MiB) on Linux, which make first writes to large blocks and random reads from them faster.
enum HugePages {
    static let length = 2 << 20

    /// Advises the system to use huge pages for memory of the caller, which is neither read nor written.
    static func advise(_ memory: UnsafeMutableRawPointer, length: Int) {
        #if os(Linux)
        guard length >= Self.length * 2 else { return }
        let pages = wholePages(of: memory, length: length)
        if pages.count > 0 { madvise(pages.baseAddress, pages.count, Int32(MADV_HUGEPAGE)) }
        #endif
    }

    /// Returns zeroed memory, whose pages exist once they are written. ``release(_:length:)`` frees it.
    static func zeroes(length: Int) -> UnsafeMutableRawPointer {
        // The loops that number objects cannot throw.
        guard let memory = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0),
            memory != MAP_FAILED
        else { Memory.exhausted(length) }
        advise(memory, length: length)
        return memory
    }

    static func release(_ memory: UnsafeMutableRawPointer, length: Int) { munmap(memory, length) }

    /// Releases the pages that lie wholly within a block. Their content is lost; their addresses stay valid.
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
