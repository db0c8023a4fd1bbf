import Foundation

/// Asks the system for huge pages (2 MiB) where it knows them: first writing to, and random reading from, large columns gets faster.
enum HugePages {
    static let length = 2 << 20

    /// Advice alone: nothing is read or written. `memory` belongs to the caller.
    static func advise(_ memory: UnsafeMutableRawPointer, length: Int) {
        #if os(Linux)
        guard length >= Self.length * 2 else { return }
        let start = (UInt(bitPattern: memory) + 4095) & ~4095
        let end = (UInt(bitPattern: memory) + UInt(length)) & ~4095
        if start < end { madvise(UnsafeMutableRawPointer(bitPattern: start), Int(end - start), Int32(MADV_HUGEPAGE)) }
        #endif
    }
}

extension Array where Element: BitwiseCopyable {
    /// Makes room for `count` elements in huge pages.
    mutating func reserveHuge(_ count: Int) {
        reserveCapacity(count)
        let length = capacity * MemoryLayout<Element>.stride
        withUnsafeMutableBufferPointer { buffer in
            if let base = buffer.baseAddress { HugePages.advise(base, length: length) }
        }
    }
}
