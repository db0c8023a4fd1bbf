import Basics

/// Writes files of results, whole or not at all.
enum ResultFile {
    /// - Throws: ``ResultsError``: `cannotCreate` if the file cannot be made, `ioError` if writing it fails.
    static func write(_ text: String, to path: String) throws(ResultsError) {
        do throws(FileError) { try AtomicFile.write(text, to: path) } catch { throw ResultsError(error) }
    }
}

extension ResultsError {
    init(_ error: FileError) {
        switch error.kind {
        case .cannotCreate: self.init(.cannotCreate, file: error.path, error.reason)
        case .ioError:
            let remedy = error.isFullDisk ? "; a replay goes on with --resume" : "; what was finished before is kept"
            self.init(.ioError, file: error.path, error.reason + remedy)
        }
    }
}
