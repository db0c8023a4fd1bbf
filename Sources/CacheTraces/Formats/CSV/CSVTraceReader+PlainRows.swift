import Basics
import Foundation
import SessionModel

extension CSVTraceReader {
    /// Reads plain rows: time and size in digits, the key without quotes or in quotes without doubled quotes. Stops at
    /// the first other row, or near the end of the bytes, where the general reader takes over.
    ///
    /// Large files consist of plain rows. Digits are converted eight at a time, and keys that are numbers are never
    /// compared as text.
    static func readPlainRows(
        behind reader: CSVRows, _ columns: CSVColumns, _ unit: CSVFormat.TimeUnit?, _ requests: inout Requests,
        _ keys: inout CSVKeys
    ) -> (end: Int, rows: Int) {
        let (bytes, start, delimiter) = (reader.bytes, reader.position, reader.delimiter)
        guard let timeColumn = columns.time, delimiter &- 0x30 >= 10, delimiter != 0x2E, unit != .nanoseconds else {
            return (start, 0)
        }
        // A column that is used twice is left to the general reader.
        guard columns.key != timeColumn, columns.key != columns.size, timeColumn != columns.size else {
            return (start, 0)
        }
        guard let base = bytes.baseAddress else { return (start, 0) }
        let last = max(columns.key, timeColumn, columns.size ?? -1)
        let sizeColumn = columns.size ?? -1
        let scanner = PlainScanner(base, count: bytes.count, delimiter: delimiter)
        var batch = NumberedBatch()
        var texts = TextBatch()
        var position = start
        var rows = 0
        reading: while true {
            var place = position
            var key = PlainScanner.Key.number(0)
            var time: Int64 = 0
            var size = Requests.unknownSize
            var column = 0
            while true {
                guard place <= scanner.limit else { break reading }
                if column != columns.key, column != timeColumn, column != sizeColumn {
                    guard let end = scanner.endOfField(from: place) else { break reading }
                    place = end
                } else if let (value, end) = scanner.number(at: place) {
                    if column == columns.key {
                        key = .number(value)
                        // A number that is not in canonical form is a text.
                        if end == place || (scanner.byte(place) == 0x30 && end != place &+ 1) {
                            guard let (text, end) = scanner.text(at: place) else { break reading }
                            key = .text(text)
                            place = end
                        } else {
                            place = end
                        }
                    } else if column == timeColumn {
                        guard end > place, let found = PlainScanner.microseconds(value, unit) else { break reading }
                        time = found
                        place = end
                    } else {
                        guard value <= UInt64(TraceLimits.bytes) else { break reading }
                        size = end == place ? Requests.unknownSize : Int(value)
                        place = end
                    }
                } else if column == columns.key {
                    guard let (text, end) = scanner.text(at: place) else { break reading }
                    key = .text(text)
                    place = end
                } else {
                    guard column == timeColumn, unit == nil || unit == .seconds,
                        let (found, end) = scanner.decimalSeconds(at: place)
                    else { break reading }
                    time = found
                    place = end
                }
                if column == last { break }
                guard scanner.byte(place) == delimiter else {
                    // Sizes may be missing. A row without another needed column is left to the general reader.
                    guard column >= columns.key, column >= timeColumn else { break reading }
                    break
                }
                place &+= 1
                column &+= 1
            }
            guard let end = scanner.endOfRow(from: place) else { break }
            // Objects are numbered in order of appearance, so one of the two batches is empty.
            switch key {
            case .number(let id):
                keys.append(&texts, to: &requests)
                batch.append(id, at: time, bytes: size)
                if batch.isFull { requests.append(&batch, numbering: &keys.numbers) }
            case .text(let text) where text.isASCII:
                requests.append(&batch, numbering: &keys.numbers)
                texts.append(text.bytes, hash: text.hash, at: time, bytes: size)
                if texts.isFull { keys.append(&texts, to: &requests) }
            case .text(let text):
                requests.append(&batch, numbering: &keys.numbers)
                keys.append(&texts, to: &requests)
                guard let object = keys.number(ofText: text.bytes, next: requests.next) else { break reading }
                requests.append(object, at: time, bytes: size)
            }
            rows &+= 1
            position = end
        }
        requests.append(&batch, numbering: &keys.numbers)
        keys.append(&texts, to: &requests)
        return (position, rows)
    }
}

/// Reads fields of plain rows. It refuses every other field, whether or not it is valid.
///
/// Invariant: `base` has `limit + 32` bytes, and every place that is passed is at most ``limit``. A number and the two
/// bytes after it can therefore be loaded eight bytes at a time.
private struct PlainScanner {
    enum Key {
        case number(UInt64)
        case text(Text)
    }

    /// A key that is not a number.
    struct Text {
        var bytes: UnsafeRawBufferPointer
        /// As ``TextHash``, if the text is ASCII.
        var hash: UInt64
        var isASCII: Bool
    }

    let base: UnsafeRawPointer
    let delimiter: UInt8
    /// The delimiter in each of eight bytes.
    private let delimiters: UInt64
    let limit: Int

    init(_ base: UnsafeRawPointer, count: Int, delimiter: UInt8) {
        self.base = base
        self.delimiter = delimiter
        delimiters = UInt64(delimiter) &* 0x0101_0101_0101_0101
        limit = count - 32
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
                // Above, `power` was that of 0 although eight digits followed.
                value = ((value &- middle) &* 100_000_000 &+ middle) &* Self.power(rest) &+ tail
                digits = 16 &+ rest
            }
        }
        return isEndOfField(place &+ digits) ? (value, place &+ digits) : nil
    }

    /// Returns a text without inner quotes, and the end of its field.
    ///
    /// Eight bytes at a time are searched for the end of the field, and added to the hash.
    @inline(__always)
    func text(at start: Int) -> (text: Text, end: Int)? {
        let isQuoted = byte(start) == 0x22
        let first = isQuoted ? start + 1 : start
        // A quoted text may contain delimiters and carriage returns.
        let (comma, carriageReturn) = isQuoted ? (Self.quotes, Self.quotes) : (delimiters, Self.carriageReturns)
        var place = first
        var hash = TextHash()
        var bits: UInt64 = 0
        while place < limit {
            let word = UInt64(littleEndian: base.loadUnaligned(fromByteOffset: place, as: UInt64.self))
            let ends =
                Self.zeroes(word ^ Self.quotes) | Self.zeroes(word ^ Self.lineFeeds) | Self.zeroes(word ^ comma)
                | Self.zeroes(word ^ carriageReturn)
            guard ends != 0 else {
                hash.add(word)
                bits |= word
                place &+= 8
                continue
            }
            let rest = ends.trailingZeroBitCount &>> 3
            place &+= rest
            let tail = word & ~(UInt64.max &<< UInt64(8 &* rest))
            bits |= tail
            guard place < limit, isQuoted == (byte(place) == 0x22) else { return nil }
            let end = isQuoted ? place + 1 : place
            guard isEndOfField(end) else { return nil }
            let count = place - first
            let text = Text(
                bytes: UnsafeRawBufferPointer(start: base + first, count: count),
                hash: hash.finish(tail, count: count), isASCII: bits & Self.highBits == 0)
            return (text, end)
        }
        return nil
    }

    private static let quotes: UInt64 = 0x2222_2222_2222_2222
    private static let lineFeeds: UInt64 = 0x0A0A_0A0A_0A0A_0A0A
    private static let carriageReturns: UInt64 = 0x0D0D_0D0D_0D0D_0D0D
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// Returns a word whose lowest set bit is the highest bit of the first byte that is 0; 0 if no byte is 0. Bytes
    /// behind that one may be marked too.
    @inline(__always)
    private static func zeroes(_ word: UInt64) -> UInt64 { (word &- 0x0101_0101_0101_0101) & ~word & highBits }

    /// Converts a time to microseconds. Without a unit, the magnitude determines it, as in the general reader.
    @inline(__always)
    static func microseconds(_ value: UInt64, _ unit: CSVFormat.TimeUnit?) -> Int64? {
        guard value < 100_000_000_000_000_000 else { return nil }
        let time = Int64(truncatingIfNeeded: value)
        if time < TraceLimits.time / 1_000_000, unit == nil || unit == .seconds { return time &* 1_000_000 }
        let factor: Int64 =
            switch unit {
            case .seconds: 1_000_000
            case .milliseconds: 1_000
            case .microseconds: 1
            default: time < 100_000_000_000 ? 1_000_000 : time < 100_000_000_000_000 ? 1_000 : 1
            }
        return time <= TraceLimits.time / factor ? time &* factor : nil
    }

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
