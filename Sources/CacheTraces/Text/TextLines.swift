import Foundation

/// Iterates over the lines of a text without copying. A `\r` at the end of a line is removed.
///
/// Invariant: `position` is within `0...bytes.count`. The bytes outlive the lines.
struct TextLines {
    let bytes: UnsafeRawBufferPointer
    private(set) var position: Int
    /// The number of the last line that was returned, from 1.
    private(set) var number = 0

    init(_ bytes: UnsafeRawBufferPointer, from start: Int = 0) {
        self.bytes = bytes
        position = min(start, bytes.count)
    }

    /// Returns the next line, or nil at the end.
    @inline(__always)
    mutating func next() -> UnsafeRawBufferPointer? {
        guard position < bytes.count, let base = bytes.baseAddress else { return nil }
        let start = base + position
        number += 1
        var length = bytes.count - position
        if let end = memchr(start, 0x0A, length) { length = UnsafeRawPointer(end) - start }
        position += length + 1
        if position > bytes.count { position = bytes.count }
        if length > 0, start.load(fromByteOffset: length - 1, as: UInt8.self) == 0x0D { length -= 1 }
        return UnsafeRawBufferPointer(start: start, count: length)
    }
}

/// Splits a line from left to right.
///
/// Invariant: `position` is within `0...bytes.count`.
struct LineScanner {
    let bytes: UnsafeRawBufferPointer
    private(set) var position = 0

    init(_ line: UnsafeRawBufferPointer) { bytes = line }

    var isAtEnd: Bool { position == bytes.count }

    var rest: UnsafeRawBufferPointer { .init(rebasing: bytes[position...]) }

    var next: UInt8? { isAtEnd ? nil : bytes[position] }

    mutating func skipBlanks() {
        while position < bytes.count, bytes[position] == 0x20 || bytes[position] == 0x09 { position += 1 }
    }

    mutating func skip(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        position += 1
        return true
    }

    /// Returns the bytes up to the next `separator` or the end, and skips the separator.
    mutating func field(until separator: UInt8) -> UnsafeRawBufferPointer {
        let start = position
        while position < bytes.count, bytes[position] != separator { position += 1 }
        let field = UnsafeRawBufferPointer(rebasing: bytes[start..<position])
        if position < bytes.count { position += 1 }
        return field
    }

    /// Returns the next word between blanks; empty at the end.
    mutating func word() -> UnsafeRawBufferPointer {
        skipBlanks()
        let start = position
        while position < bytes.count, bytes[position] != 0x20, bytes[position] != 0x09 { position += 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<position])
    }

    /// Returns the value of the next word; nil unless it consists of digits.
    mutating func number() -> UInt64? { word().unsignedNumber }
}

extension UnsafeRawBufferPointer {
    /// The value of digits; nil for any other text and for numbers above 64 bits.
    var unsignedNumber: UInt64? {
        guard !isEmpty, count <= 20 else { return nil }
        var value: UInt64 = 0
        // Nineteen digits are below 2^64.
        if count < 20 {
            for byte in self {
                let digit = byte &- 0x30
                guard digit < 10 else { return nil }
                value = value &* 10 &+ UInt64(digit)
            }
            return value
        }
        for byte in self {
            let digit = byte &- 0x30
            guard digit < 10 else { return nil }
            let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflow2) = tens.addingReportingOverflow(UInt64(digit))
            guard !overflow, !overflow2 else { return nil }
            value = sum
        }
        return value
    }

    /// The text, in which bytes that are not UTF-8 are written as `%XX`, so that different keys stay different.
    var string: String {
        if let text = String(validating: self, as: UTF8.self) { return text }
        let digits = Array("0123456789ABCDEF".utf8)
        var ascii: [UInt8] = []
        for byte in self {
            if byte < 0x80 {
                ascii.append(byte)
            } else {
                ascii += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: ascii, as: UTF8.self)
    }

    /// The start of the text for error messages, with control characters and characters beyond ASCII as `?`.
    var excerpt: String {
        let head = String(decoding: prefix(40).map { (0x20..<0x7F).contains($0) ? $0 : 0x3F }, as: UTF8.self)
        return count > 40 ? "'\(head)…'" : "'\(head)'"
    }

    func equals(_ text: StaticString) -> Bool {
        count == text.utf8CodeUnitCount && elementsEqual(UnsafeRawBufferPointer(start: text.utf8Start, count: count))
    }
}

/// Iterates over the lines of a ``ByteWindow``, which moves along. A `\r` at the end of a line is removed.
struct LineStream {
    private let window: ByteWindow
    private var lines: TextLines
    /// The lines in the windows before.
    private var passed = 0

    /// Creates a stream that begins after a byte order mark, if there is one.
    init(_ window: ByteWindow) {
        self.window = window
        lines = Self.completeLines(of: window, from: window.bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
    }

    /// The number of the last line that was returned, from 1.
    var number: Int { passed + lines.number }

    /// Returns the next line, or nil at the end. It is valid until the next call.
    ///
    /// - Throws: `TraceError` if the file cannot be read on.
    mutating func next() throws -> UnsafeRawBufferPointer? {
        while true {
            if let line = lines.next() { return line }
            guard !window.hasEnd else { return nil }
            passed += lines.number
            try window.advance(to: lines.position)
            lines = Self.completeLines(of: window, from: 0)
        }
    }

    /// Returns the lines up to the last one that ends in the window.
    private static func completeLines(of window: ByteWindow, from start: Int) -> TextLines {
        let bytes = window.bytes
        guard !window.hasEnd else { return TextLines(bytes, from: start) }
        let end = bytes.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        return TextLines(UnsafeRawBufferPointer(rebasing: bytes[..<max(start, end)]), from: start)
    }
}
