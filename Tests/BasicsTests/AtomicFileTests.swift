import Basics
import Foundation
import TestSupport
import Testing

@Suite("Files that appear when they are whole") struct AtomicFileTests {
    /// Writes a text at the end of a file.
    private func append(_ text: String, to file: AtomicFile) throws {
        try Array(text.utf8).withUnsafeBytes { try file.write($0) }
    }

    @Test("A head that is known at the end replaces the bytes at the start, and what follows is appended") func head()
        throws
    {
        let folder = try TemporaryFolder()
        let path = folder.path + "/rows"
        let file = try AtomicFile(path)
        try append("0000 rows:", to: file)
        try file.overwriteStart(with: Array("0042".utf8))
        try append(" a", to: file)
        #expect(!FileManager.default.fileExists(atPath: path))
        try file.commit()
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text == "0042 rows: a")
    }

    @Test("A pipe has no start to write over") func pipe() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/pipe"
        #expect(mkfifo(path, 0o600) == 0)
        // A reader, without which a pipe does not open for writing.
        let reader = open(path, O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        let file = try AtomicFile(path)
        let error = #expect(throws: FileError.self) { try file.overwriteStart(with: [1, 2]) }
        #expect(error?.kind == .ioError)
    }
}
