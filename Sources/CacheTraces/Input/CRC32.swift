/// The checksum of gzip (RFC 1952, section 8), eight bytes at a time (Kounavis and Berry 2005, "slicing-by-8").
enum CRC32 {
    /// `tables[n * 256 + b]`: what byte b adds when n more bytes follow it in the same step.
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

    static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        tables.withUnsafeBufferPointer { tables in
            var crc = UInt32.max
            var index = 0
            while index + 8 <= bytes.count {
                var word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)) ^ UInt64(crc)
                crc = 0
                for table in stride(from: 7 * 256, through: 0, by: -256) {
                    crc ^= tables[table + Int(word & 0xFF)]
                    word >>= 8
                }
                index += 8
            }
            for byte in bytes[index...] { crc = crc >> 8 ^ tables[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] }
            return ~crc
        }
    }
}
