#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension Double {
    /// Returns the number with so many digits after the point, at most 9, and without an exponent. The text equals the
    /// one of C's `printf` in the C locale: the decimal number nearest to the exact value, and the even one of two.
    public func fixed(_ places: Int) -> String {
        guard let scaled = scaled(places) else { return printed(places) }
        return String(unsafeUninitializedCapacity: 24) { text in
            // From the last digit to the first one.
            var digits = scaled
            var start = text.count
            var count = 0
            while digits > 0 || count <= places {
                if count == places, places > 0 {
                    start -= 1
                    text[start] = UInt8(ascii: ".")
                }
                start -= 1
                text[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digits % 10)
                digits /= 10
                count += 1
            }
            if sign == .minus {
                start -= 1
                text[start] = UInt8(ascii: "-")
            }
            let length = text.count - start
            for index in 0..<length { text[index] = text[start + index] }
            return length
        }
    }

    /// The magnitude times 10 to the power of `places` as the nearest whole number; nil above 2^63, and for values
    /// that are not numbers.
    private func scaled(_ places: Int) -> UInt64? {
        guard isFinite, magnitude < 0x1p62, (0..<Self.powersOfTen.count).contains(places) else { return nil }
        // The magnitude is significand · 2^exponent, with a whole significand of 53 bits.
        let significand = UInt64((magnitude.significand * 0x1p52).rounded())
        let exponent = isZero ? 0 : Int(magnitude.exponent) - 52
        let (high, low) = significand.multipliedFullWidth(by: Self.powersOfTen[places])
        if exponent >= 0 { return high == 0 && low >> UInt64(63 - exponent) == 0 ? low << UInt64(exponent) : nil }
        let shift = -exponent
        // The product has at most 83 bits.
        guard shift < 127 else { return 0 }
        let (whole, rest, half): (UInt64, (UInt64, UInt64), (UInt64, UInt64))
        if shift >= 64 {
            whole = shift == 64 ? high : high >> UInt64(shift - 64)
            rest = (shift == 64 ? 0 : high & (1 << UInt64(shift - 64) - 1), low)
            half = shift == 64 ? (0, 1 << 63) : (1 << UInt64(shift - 65), 0)
        } else {
            guard high >> UInt64(shift - 1) == 0 else { return nil }
            whole = high << UInt64(64 - shift) | low >> UInt64(shift)
            rest = (0, low & (1 << UInt64(shift) - 1))
            half = (0, 1 << UInt64(shift - 1))
        }
        return rest > half || rest == half && whole & 1 == 1 ? whole + 1 : whole
    }

    private static let powersOfTen: [UInt64] = [
        1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
    ]

    private func printed(_ places: Int) -> String {
        // The largest number has 309 digits before the point.
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 320 + places) { text in
            guard let start = text.baseAddress else { return "" }
            let length = withVaList([Int32(places), self]) { vsnprintf(start, text.count, "%.*f", $0) }
            let bytes = UnsafeRawBufferPointer(start: start, count: max(0, min(Int(length), text.count - 1)))
            return String(decoding: bytes, as: UTF8.self)
        }
    }
}
