/// The requests of a file whose known size differs from their object's size: 16 bytes each, of which only a window is
/// in memory.
final class OtherSizes {
    /// Of each request the position and the size, as their lower and upper halves.
    private let words: SpooledColumn

    init(path: String, window: Int) { words = SpooledColumn(path: path, window: 4 * window) }

    var isEmpty: Bool { words.count == 0 }

    /// Appends a request behind those before.
    ///
    /// - Throws: `TraceError` if the disk is full; `FileError` without a folder for temporary files.
    func append(position: Int, bytes: Int) throws {
        for number in [position, bytes] {
            try words.append(UInt32(truncatingIfNeeded: number))
            try words.append(UInt32(truncatingIfNeeded: number >> 32))
        }
    }

    /// The sizes, for requests that are visited in order.
    struct Reader {
        private var words: SpooledColumn.Reader
        /// The number of requests that are not read yet.
        private var left: Int
        private var next: (position: Int, bytes: Int)?

        /// - Throws: `TraceError` if the temporary file cannot be read.
        init(_ sizes: OtherSizes) throws {
            words = SpooledColumn.Reader(sizes.words)
            left = sizes.words.count / 4
            try advance()
        }

        /// Returns the size of the request at a position; nil if it equals its object's size. Positions rise from call
        /// to call.
        ///
        /// - Throws: `TraceError` if the temporary file cannot be read.
        @inline(__always)
        mutating func bytes(ofRequest position: Int) throws -> Int? {
            guard let found = next, found.position == position else { return nil }
            try advance()
            return found.bytes
        }

        private mutating func advance() throws {
            guard left > 0 else { return next = nil }
            left -= 1
            next = (try number(), try number())
        }

        private mutating func number() throws -> Int { Int(try words.next()) | Int(try words.next()) << 32 }
    }
}
