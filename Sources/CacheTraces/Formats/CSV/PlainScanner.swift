import CIntrinsics

/// Reads fields of plain rows. It refuses every other field, whether or not it is valid.
///
/// Invariant: `base` has `limit + slack` bytes, and every place that is passed is at most ``limit``. A number and the
/// two bytes after it can therefore be loaded eight bytes at a time, and a text 64 bytes at a time.
struct PlainScanner {
    let base: UnsafeRawPointer
    let delimiter: UInt8
    let limit: Int

    init(_ base: UnsafeRawPointer, count: Int, delimiter: UInt8) {
        self.base = base
        self.delimiter = delimiter
        limit = count - Self.slack
    }

    @inline(__always)
    func byte(_ place: Int) -> UInt8 { base.load(fromByteOffset: place, as: UInt8.self) }

    /// Returns the value and the end of a field of at most 18 digits, possibly empty.
    @inline(__always)
    func number(at place: Int) -> (value: UInt64, end: Int)? {
        var (value, digits) = eight(place)
        if digits == 8 {
            let (middle, more) = eight(place &+ 8)
            value = value &* Self.power(more & 7) &+ middle
            digits = 8 &+ more
            if more == 8 {
                let (tail, rest) = eight(place &+ 16)
                guard rest <= 2 else { return nil }
                // Above, `more & 7` was 0, and `power` was 1, although eight digits followed.
                value = ((value &- middle) &* 100_000_000 &+ middle) &* Self.power(rest) &+ tail
                digits = 16 &+ rest
            }
        }
        return isEndOfField(place &+ digits) ? (value, place &+ digits) : nil
    }

    /// Returns a text without inner quotes, whether it is ASCII, and the end of its field.
    @inline(__always)
    func text(at start: Int) -> (text: UnsafeRawBufferPointer, isASCII: Bool, end: Int)? {
        let isQuoted = byte(start) == Self.quote
        let first = isQuoted ? start &+ 1 : start
        var place = first
        var others: UInt64 = 0
        while place < limit {
            // A quoted text may contain delimiters and carriage returns.
            let marks =
                isQuoted
                ? cachereplay_find_marks(base + place, Self.quote, Self.lineFeed, Self.quote, Self.lineFeed)
                : cachereplay_find_marks(base + place, Self.quote, Self.lineFeed, delimiter, Self.carriageReturn)
            others |= marks.others
            guard marks.places != 0 else {
                place &+= 64
                continue
            }
            place &+= marks.places.trailingZeroBitCount
            guard place < limit, isQuoted == (byte(place) == Self.quote) else { return nil }
            let end = isQuoted ? place &+ 1 : place
            guard isEndOfField(end) else { return nil }
            let text = UnsafeRawBufferPointer(start: base + first, count: place &- first)
            // The bytes behind the text count only if they are not ASCII.
            return (text, others == 0 || text.allSatisfy { $0 < 0x80 }, end)
        }
        return nil
    }

    private static let quote: UInt8 = 0x22
    private static let lineFeed: UInt8 = 0x0A
    private static let carriageReturn: UInt8 = 0x0D
    private static let slack = 80

    /// Reads seconds with up to six decimals, for which `Double` would give the same result.
    @inline(never)
    func decimalSeconds(at start: Int) -> (microseconds: Int64, end: Int)? {
        var place = start
        var seconds: Int64 = 0
        while place < limit, place - start < 10, byte(place) &- 0x30 < 10 {
            seconds = seconds * 10 + Int64(byte(place) &- 0x30)
            place += 1
        }
        guard place > start, place < limit, byte(place) == 0x2E, seconds < 4_000_000_000,
            let (value, end) = number(at: place + 1)
        else { return nil }
        let digits = end - place - 1
        guard (1...6).contains(digits) else { return nil }
        return (seconds * 1_000_000 + Int64(value) * [0, 100_000, 10_000, 1_000, 100, 10, 1][digits], end)
    }

    func endOfField(from start: Int) -> Int? {
        var place = start
        while place < limit {
            let byte = byte(place)
            if byte == 0x22 { return nil }
            if byte == delimiter || byte == 0x0A { return place }
            place &+= 1
        }
        return nil
    }

    /// Returns the start of the next line, or nil if a quote precedes it.
    @inline(__always)
    func endOfRow(from start: Int) -> Int? {
        var place = start
        if byte(place) == 0x0A { return place &+ 1 }
        while place < limit &+ 24 {
            let byte = byte(place)
            place &+= 1
            if byte == 0x0A { return place }
            if byte == 0x22 { return nil }
        }
        return nil
    }

    @inline(__always)
    private func isEndOfField(_ place: Int) -> Bool {
        let byte = byte(place)
        return byte == delimiter || byte == 0x0A || (byte == 0x0D && self.byte(place &+ 1) == 0x0A)
    }

    /// Returns the value and the number of the digits at the start of the eight bytes at `place`.
    ///
    /// A byte is a digit if its exclusive or with '0' is below 10. The digits are shifted up behind zeroes, and summed
    /// in pairs by tens, hundreds and ten thousands, with three multiplications (Lemire 2022, "Parsing integers
    /// quickly").
    @inline(__always)
    private func eight(_ place: Int) -> (value: UInt64, digits: Int) {
        let values =
            UInt64(littleEndian: base.loadUnaligned(fromByteOffset: place, as: UInt64.self)) ^ 0x3030_3030_3030_3030
        let others = (((values & 0x7F7F_7F7F_7F7F_7F7F) &+ 0x7676_7676_7676_7676) | values) & 0x8080_8080_8080_8080
        let digits = others.trailingZeroBitCount &>> 3
        // In two shifts, because a shift by 64 bits has no effect.
        let empty = UInt64(truncatingIfNeeded: 8 &- digits) &* 4
        let shifted = (values &<< empty) &<< empty
        let pairs = shifted &* 10 &+ shifted &>> 8
        let sum =
            (pairs & 0x0000_00FF_0000_00FF) &* 0x000F_4240_0000_0064 &+ (pairs &>> 16 & 0x0000_00FF_0000_00FF)
            &* 0x0000_2710_0000_0001
        return (sum &>> 32, digits)
    }

    /// Returns 10 to the power of 0 to 7, by squares instead of a table.
    @inline(__always)
    private static func power(_ exponent: Int) -> UInt64 {
        let one: UInt64 = exponent & 1 == 0 ? 1 : 10
        let two: UInt64 = exponent & 2 == 0 ? 1 : 100
        let four: UInt64 = exponent & 4 == 0 ? 1 : 10_000
        return one &* two &* four
    }
}
