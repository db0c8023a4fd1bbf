import SessionModel

/// Scans a JSON text that comes through a ``ByteWindow``, one part after another.
struct JSONStream {
    private let window: ByteWindow
    private var scanner: JSONScanner

    /// Begins behind a byte order mark, if there is one.
    init(_ window: ByteWindow) {
        self.window = window
        let start = window.bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        scanner = JSONScanner(window.bytes, in: start..<window.bytes.count)
    }

    /// What `read` makes of the next part of the text, such as a key or a value.
    ///
    /// The part is held in memory as a whole: where it runs into the end of the window, `read` is called once more,
    /// from the same place, with more behind it. So it may change nothing but its scanner, and what it returns must not
    /// point into the text. Throws ``TraceError``.
    mutating func part<Part>(_ read: (inout JSONScanner) throws(JSONError) -> Part) throws -> Part {
        while true {
            var attempt = scanner
            do throws(JSONError) {
                let part = try read(&attempt)
                // A number that ends with the window may go on behind it.
                if window.hasEnd || attempt.position < attempt.end {
                    scanner = attempt
                    return part
                }
            } catch {
                guard error.isCutShort, !window.hasEnd else {
                    let problem = traceError(error)
                    try window.checkRest()
                    throw problem
                }
            }
            try window.advance(to: scanner.position)
            scanner.move(to: window.bytes)
        }
    }

    /// The next `count` bytes, or all where there are fewer; valid until the next part.
    mutating func lookAhead(_ count: Int) throws -> UnsafeRawBufferPointer {
        while !window.hasEnd, window.bytes.count - scanner.position < count {
            try window.advance(to: scanner.position)
            scanner.move(to: window.bytes)
        }
        return UnsafeRawBufferPointer(rebasing: window.bytes[scanner.position...].prefix(count))
    }

    /// An error at the place where the scanner stands.
    func error(_ message: String) -> TraceError {
        TraceError(file: window.path, at: .byte(window.offset + scanner.position), message)
    }

    private func traceError(_ error: JSONError) -> TraceError {
        let (line, column) = window.lineAndColumn(of: error.offset)
        let remedy = error.isCutShort ? "; the file is cut short, record or copy it again" : ""
        return TraceError(
            file: window.path, at: .byte(window.offset + error.offset),
            "line \(line), column \(column): \(error.message)\(remedy)")
    }
}
