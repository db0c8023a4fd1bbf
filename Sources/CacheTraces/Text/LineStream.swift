import Foundation

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
