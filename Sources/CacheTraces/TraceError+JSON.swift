extension TraceError {
    /// A JSON error in a file of which each line is a text of its own.
    init(_ error: JSONError, file: String, line: Int, lineStart: Int) {
        self.init(file: file, at: .line(line), "column \(error.offset - lineStart + 1): \(error.message)")
    }

    /// A JSON error in a file that is one JSON text; the line and column are for those who open it in an editor.
    init(_ error: JSONError, file: String, in bytes: UnsafeRawBufferPointer) {
        let before = bytes[..<error.offset]
        let line = before.reduce(1) { $1 == 0x0A ? $0 + 1 : $0 }
        let column = error.offset - (before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0) + 1
        self.init(file: file, at: .byte(error.offset), "line \(line), column \(column): \(error.message)")
    }
}
