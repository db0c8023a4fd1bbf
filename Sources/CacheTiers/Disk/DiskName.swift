import Basics

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The name of an object's file: an MD5, which is stored as a number, or a text. Objects with the same name share a
/// file.
package struct DiskName: Hashable, Comparable, Sendable {
    /// The MD5 of the key or of the text, most significant byte first, so that numbers sort like names.
    private let high: UInt64
    private let low: UInt64
    /// The path below the tier's folder (for a row of a database: the key) and a zero byte; nil if the MD5 is the name.
    private let text: ContiguousArray<UInt8>?
    package let variant: UInt8
    /// Whether the name is in lower-case hex and without a subfolder.
    private let isFlat: Bool

    /// Creates the name from the MD5 of a key: in upper-case hex, in the subfolder named by its first two digits; or,
    /// if `isFlat`, in lower-case hex without a subfolder.
    package init(key: String, variant: UInt8, isFlat: Bool = false) {
        var key = key
        (high, low) = key.withUTF8 { Self.digest(UnsafeRawBufferPointer($0)) }
        text = nil
        self.variant = variant
        self.isFlat = isFlat
    }

    package init(text: some Collection<UInt8>, variant: UInt8) {
        var terminated = ContiguousArray<UInt8>()
        terminated.reserveCapacity(text.count + 1)
        terminated.append(contentsOf: text)
        (high, low) = terminated.withUnsafeBytes(Self.digest)
        terminated.append(0)
        self.text = terminated
        self.variant = variant
        isFlat = true
    }

    /// Parses the name of a file in the subfolder of its first two digits, or in the tier's folder if `folder` is nil.
    /// Returns nil if the tier does not write such names.
    package init?(file: UnsafePointer<CChar>, inFolder folder: UInt8?) {
        let ten = UInt8(ascii: folder == nil ? "a" : "A")
        var words: (UInt64, UInt64) = (0, 0)
        for position in 0..<32 {
            // A short name ends here at its zero byte.
            guard let digit = Self.value(file[position], ten: ten) else { return nil }
            if position < 16 { words.0 = words.0 << 4 | digit } else { words.1 = words.1 << 4 | digit }
        }
        switch (file[32], file[32] == 0 ? 0 : file[33], file[32] == 0 || file[33] == 0 ? 0 : file[34]) {
        case (0, _, _): variant = 1
        case (CChar(UInt8(ascii: "-")), CChar(UInt8(ascii: "0")), 0): variant = 0
        default: return nil
        }
        (high, low) = words
        text = nil
        isFlat = folder == nil
        if let folder { guard self.folder == folder else { return nil } }
    }

    private init(high: UInt64, low: UInt64, variant: UInt8) {
        self.high = high
        self.low = low
        self.variant = variant
        text = nil
        isFlat = true
    }

    /// Creates what stands for a name of ``NumberedNames`` in an index without files.
    init(number: Int32) { self.init(high: 0, low: UInt64(number), variant: UInt8(number % 2)) }

    /// The name of the file with a row's payload: the MD5 of the row's key.
    package var ofValue: DiskName { DiskName(high: high, low: low, variant: variant) }

    /// 0 to 255.
    package var folder: UInt8 { UInt8(high >> 56) }

    package var seed: UInt64 { high ^ low &+ UInt64(variant) }

    /// Spreads names evenly over a few locks.
    package var stripe: Int { Int(low & 0xFF) }

    /// The same in every process.
    package var hash: UInt64 { low }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(low)
        hasher.combine(variant)
    }

    package static func < (one: DiskName, other: DiskName) -> Bool {
        guard let text = one.text, let otherText = other.text else {
            return (one.high, one.low, other.variant) < (other.high, other.low, one.variant)
        }
        // The zero byte at the end sorts a name before longer names that begin with it.
        let order = text.withUnsafeBytes { text in
            otherText.withUnsafeBytes { other in
                // Not nil: each has at least the zero byte.
                memcmp(text.baseAddress!, other.baseAddress!, min(text.count, other.count))
            }
        }
        return order != 0 ? order < 0 : (text.count, other.variant) < (otherText.count, one.variant)
    }

    /// Calls the body with the bytes of the text, or with no bytes if the MD5 is the name.
    package func withText<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
        guard let text else { return try body(UnsafeBufferPointer(start: nil, count: 0)) }
        return try text.withUnsafeBufferPointer { try body(UnsafeBufferPointer(rebasing: $0.dropLast())) }
    }

    /// Calls the body with the path below the tier's folder, for a system call.
    package func withPath<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        if let text {
            // Not nil: at least a zero byte.
            return text.withUnsafeBytes { body($0.baseAddress!.assumingMemoryBound(to: CChar.self)) }
        }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 40) { path in
            var end = 0
            if !isFlat {
                path[0] = Self.digit(high >> 60)
                path[1] = Self.digit(high >> 56)
                path[2] = CChar(UInt8(ascii: "/"))
                end = 3
            }
            // Bit 5 turns upper case into lower case, and is already set in the digits 0 to 9.
            let small: CChar = isFlat ? 0x20 : 0
            for position in 0..<16 {
                path[end + position] = Self.digit(high >> (60 - 4 * UInt64(position))) | small
                path[end + 16 + position] = Self.digit(low >> (60 - 4 * UInt64(position))) | small
            }
            end += 32
            if variant == 0 {
                path[end] = CChar(UInt8(ascii: "-"))
                path[end + 1] = CChar(UInt8(ascii: "0"))
                end += 2
            }
            path[end] = 0
            return body(UnsafePointer(path.baseAddress!))  // Not nil: the capacity is not 0.
        }
    }

    /// The last hexadecimal digit of a number, in upper case.
    package static func digit(_ value: UInt64) -> CChar {
        let nibble = UInt8(truncatingIfNeeded: value & 15)
        return CChar(nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "A") + nibble - 10)
    }

    private static func value(_ digit: CChar, ten: UInt8) -> UInt64? {
        switch UInt8(bitPattern: digit) {
        case let digit where (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit): UInt64(digit - UInt8(ascii: "0"))
        case let digit where (ten...ten + 5).contains(digit): UInt64(digit - ten) + 10
        default: nil
        }
    }

    private static func digest(_ bytes: UnsafeRawBufferPointer) -> (high: UInt64, low: UInt64) {
        Digest.md5Words(of: bytes)
    }
}
