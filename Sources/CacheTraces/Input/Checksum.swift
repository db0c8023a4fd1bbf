/// The checksum at the end of a compressed stream, computed incrementally.
protocol Checksum {
    mutating func add(_ bytes: UnsafeRawBufferPointer)
    var value: UInt32 { get }
}

/// The checksum of gzip (RFC 1952, section 8), eight bytes at a time (Kounavis and Berry 2005, "slicing-by-8").
struct CRC32: Checksum {
    private var crc = UInt32.max

    var value: UInt32 { ~crc }

    /// `tables[n * 256 + b]` is the contribution of byte b if n more bytes follow it in the same step.
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 8 * 256)
        for byte in 0..<256 {
            tables[byte] = (0..<8).reduce(UInt32(byte)) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        for index in 256..<tables.count {
            let shorter = tables[index - 256]
            tables[index] = shorter >> 8 ^ tables[Int(shorter & 0xFF)]
        }
        return tables
    }()

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        var crc = crc
        Self.tables.withUnsafeBufferPointer { tables in
            var index = 0
            while index + 8 <= bytes.count {
                var word =
                    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)) ^ UInt64(crc)
                crc = 0
                for table in stride(from: 7 * 256, through: 0, by: -256) {
                    crc ^= tables[table + Int(word & 0xFF)]
                    word >>= 8
                }
                index += 8
            }
            for byte in bytes[index...] { crc = crc >> 8 ^ tables[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] }
        }
        self.crc = crc
    }
}

/// The checksum of zlib (RFC 1950, section 8.2).
struct Adler32: Checksum {
    private var sum: UInt32 = 1
    private var sumOfSums: UInt32 = 0

    var value: UInt32 { sumOfSums << 16 | sum }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        while !rest.isEmpty {
            // The number of bytes after which the second sum must be reduced.
            for byte in rest.prefix(5552) {
                sum &+= UInt32(byte)
                sumOfSums &+= sum
            }
            sum %= 65_521
            sumOfSums %= 65_521
            rest = rest.dropFirst(5552)
        }
    }
}
