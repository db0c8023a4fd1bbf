import Crypto

/// The name of an object's file: the MD5 of its key in upper-case hex, within the folder named by its first two digits.
/// A thumbnail's ends in `-0`, so that both variants of a key can lie side by side.
struct DiskName: Hashable, Comparable {
    /// The digest, its first byte uppermost: names and numbers sort alike.
    private let high: UInt64
    private let low: UInt64
    let variant: UInt8

    init(key: String, variant: UInt8) {
        var key = key
        let digest = key.withUTF8 { bytes in
            var hash = Insecure.MD5()
            hash.update(bufferPointer: UnsafeRawBufferPointer(bytes))
            return hash.finalize()
        }
        (high, low) = digest.withUnsafeBytes { bytes in
            (
                UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
        self.variant = variant
    }

    /// Reads a name back; nil where the file is none of ours.
    init?(file: UnsafePointer<CChar>, inFolder folder: UInt8) {
        var words: (UInt64, UInt64) = (0, 0)
        for position in 0..<32 {
            // A short name ends here at its zero byte.
            guard let digit = Self.value(file[position]) else { return nil }
            if position < 16 { words.0 = words.0 << 4 | digit } else { words.1 = words.1 << 4 | digit }
        }
        switch (file[32], file[32] == 0 ? 0 : file[33], file[32] == 0 || file[33] == 0 ? 0 : file[34]) {
        case (0, _, _): variant = 1
        case (CChar(UInt8(ascii: "-")), CChar(UInt8(ascii: "0")), 0): variant = 0
        default: return nil
        }
        (high, low) = words
        guard self.folder == folder else { return nil }
    }

    /// 0 to 255.
    var folder: UInt8 { UInt8(high >> 56) }

    var seed: UInt64 { high ^ low &+ UInt64(variant) }

    /// Spreads names evenly over a few locks.
    var stripe: Int { Int(low & 0xFF) }

    static func < (one: DiskName, other: DiskName) -> Bool {
        (one.high, one.low, other.variant) < (other.high, other.low, one.variant)
    }

    /// The path below the tier's folder, for a system call.
    func withPath<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 40) { path in
            path[0] = Self.digit(high >> 60)
            path[1] = Self.digit(high >> 56)
            path[2] = CChar(UInt8(ascii: "/"))
            for position in 0..<16 {
                path[3 + position] = Self.digit(high >> (60 - 4 * UInt64(position)))
                path[19 + position] = Self.digit(low >> (60 - 4 * UInt64(position)))
            }
            path[35] = 0
            if variant == 0 {
                path[35] = CChar(UInt8(ascii: "-"))
                path[36] = CChar(UInt8(ascii: "0"))
                path[37] = 0
            }
            return body(UnsafePointer(path.baseAddress!))  // 40 is not 0: there is an address.
        }
    }

    static func digit(_ value: UInt64) -> CChar {
        let nibble = UInt8(truncatingIfNeeded: value & 15)
        return CChar(nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "A") + nibble - 10)
    }

    private static func value(_ digit: CChar) -> UInt64? {
        switch UInt8(bitPattern: digit) {
        case let digit where (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit): UInt64(digit - UInt8(ascii: "0"))
        case let digit where (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(digit): UInt64(digit - UInt8(ascii: "A")) + 10
        default: nil
        }
    }
}
