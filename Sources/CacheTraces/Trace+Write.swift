import Basics
import SessionModel

extension Trace {
    /// Writes the trace to a file, atomically: whoever opens `path` sees the old content or the whole new one. A path
    /// that ends in `.gz`, `.bz2`, `.xz` or `.zst` is written compressed.
    ///
    /// Returns what the format could not hold, in words. Throws ``FileError``, and ``TraceError`` where the trace
    /// cannot be said in that format at all.
    @discardableResult
    public func write(to path: String, format: TraceFormat = .jsonLines) throws -> [String] {
        guard let encode = format.encode else {
            let writable = TraceFormat.all.filter(\.canWrite).map(\.name).joined(separator: ", ")
            throw FileError(.cannotCreate, path, "traces are read from \(format.name), not written; choose one of \(writable)")
        }
        var notes = ReadingNotes()
        var bytes = try encode(self, &notes)
        if let compression = Compression(fileName: path) { bytes = try compression.compress(bytes, file: path) }
        try AtomicFile.write(bytes, to: path)
        return notes.warnings
    }
}
