import SessionModel

/// Scans a JSON text in a ``ByteWindow``, one part after the other.
struct JSONStream {
    private let window: ByteWindow
    private var scanner: JSONScanner

    /// Creates a stream that begins after a byte order mark, if there is one.
    init(_ window: ByteWindow) {
        self.window = window
        let start = window.bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        scanner = JSONScanner(window.bytes, in: start..<window.bytes.count)
    }

    /// Reads the next part of the text, such as a key or a value.
    ///
    /// The whole part is in memory: if it reaches the end of the window, `read` is called again from the same place,
    /// with more bytes. It must therefore change only its scanner, and its result must not point into the text.
    ///
    /// - Throws: `TraceError`.
    mutating func part<Part>(_ read: (inout JSONScanner) throws(JSONError) -> Part) throws -> Part {
        while true {
            var attempt = scanner
            do throws(JSONError) {
                let part = try read(&attempt)
                // A number that ends with the window may continue after it.
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

    /// Returns the next `count` bytes, or all if there are fewer. They are valid until the next part.
    mutating func lookAhead(_ count: Int) throws -> UnsafeRawBufferPointer {
        while !window.hasEnd, window.bytes.count - scanner.position < count {
            try window.advance(to: scanner.position)
            scanner.move(to: window.bytes)
        }
        return UnsafeRawBufferPointer(rebasing: window.bytes[scanner.position...].prefix(count))
    }

    /// Returns an error at the current position.
    func error(_ message: String) -> TraceError {
        TraceError(file: window.path, at: .byte(window.offset + scanner.position), message)
    }

    private func traceError(_ error: JSONError) -> TraceError {
        let place = window.lineAndColumn(of: error.offset).map { "line \($0.line), column \($0.column): " } ?? ""
        let remedy = error.isCutShort ? "; the file is incomplete, record or copy it again" : ""
        return TraceError(
            file: window.path, at: .byte(window.offset + error.offset),
            "\(place)\(error.message)\(remedy)")
    }
}
