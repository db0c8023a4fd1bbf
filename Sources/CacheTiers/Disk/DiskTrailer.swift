import Basics

/// The last 24 bytes of a file, which show whether the payload before them is complete and unchanged:
///
/// | bytes | little-endian words |
/// |---|---|
/// | 8 | the mark `CRfile1\n`; the digit counts versions |
/// | 8 | bytes of payload |
/// | 8 | checksum of layout, name and payload, so that a file under another name counts as damaged |
package struct DiskTrailer: Equatable {
    private let mark: UInt64
    private let length: UInt64
    private let checksum: UInt64

    package static let size = 24
    private static let mark: UInt64 = 0x0A31_656C_6966_5243

    /// Creates the trailer of a payload. `seed` depends on the name and the layout.
    package init(of payload: UnsafeRawBufferPointer, seed: UInt64) {
        mark = Self.mark
        length = UInt64(payload.count)
        checksum = DiskChecksum.of(payload, seed: seed)
    }

    /// Reads a trailer from at least 24 bytes.
    package init(_ bytes: UnsafeRawBufferPointer) {
        mark = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
        length = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        checksum = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
    }

    /// Whether a disk tier has written these bytes, in any version of the file.
    package var isOurs: Bool { mark == Self.mark }

    package func write(to bytes: UnsafeMutableRawBufferPointer) {
        bytes.storeBytes(of: mark.littleEndian, as: UInt64.self)
        bytes.storeBytes(of: length.littleEndian, toByteOffset: 8, as: UInt64.self)
        bytes.storeBytes(of: checksum.littleEndian, toByteOffset: 16, as: UInt64.self)
    }
}

/// A checksum with two running sums per lane, as in Fletcher's checksum (IEEE Transactions on Communications 30, 1982):
/// the first adds the words, the second adds the first after each word and so depends on their order. Eight lanes of 64
/// bits are as fast as memory. Detects damage, not forgery.
package enum DiskChecksum {
    package static func of(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        var sums = SIMD8<UInt64>()
        var ordered = SIMD8<UInt64>()
        let whole = bytes.count & ~63
        if let start = bytes.baseAddress {
            // Stays within the buffer: `whole` is a multiple of 64 and at most its length.
            var position = start
            let end = start + whole
            while position < end {
                sums &+= position.loadUnaligned(as: SIMD8<UInt64>.self)
                ordered &+= sums
                position += 64
            }
        }
        var last = SIMD8<UInt64>()
        withUnsafeMutableBytes(of: &last) { $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[whole...])) }
        #if _endian(big)
        #error("Words are added as they lie in memory: little-endian machines only.")
        #endif
        sums &+= last
        ordered &+= sums
        return join(sums: sums, ordered: ordered, seed: seed, count: bytes.count)
    }

    package static func join(
        sums: SIMD8<UInt64>, ordered: SIMD8<UInt64>, seed: UInt64, count: Int
    ) -> UInt64 {
        var joined = seed ^ UInt64(count)
        for lane in 0..<8 {
            joined = SplitMix64.hash(joined ^ sums[lane])
            joined = SplitMix64.hash(joined ^ ordered[lane])
        }
        return joined
    }
}
