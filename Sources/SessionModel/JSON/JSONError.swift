/// Text that is not the JSON it should be. Readers turn it into a ``TraceError`` with the file's name.
package struct JSONError: Error, Sendable {
    /// Counted from 0, in the scanner's bytes.
    package var offset: Int
    package var message: String
    /// Whether the text simply ends too early, as a file does whose writer was killed.
    package var isCutShort: Bool

    package init(offset: Int, message: String, isCutShort: Bool) {
        self.offset = offset
        self.message = message
        self.isCutShort = isCutShort
    }
}
