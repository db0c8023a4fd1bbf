extension TraceError {
    /// A JSON error in a file of which each line is a text of its own.
    package init(_ error: JSONError, file: String, line: Int, lineStart: Int) {
        self.init(file: file, at: .line(line), "column \(error.offset - lineStart + 1): \(error.message)")
    }
}
