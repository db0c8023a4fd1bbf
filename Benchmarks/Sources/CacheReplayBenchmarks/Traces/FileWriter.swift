import Foundation

/// Writes a file of any length through a buffer.
struct FileWriter {
    private let file: FileHandle
    private var buffer: [UInt8] = []
    private var error: (any Error)?

    init(_ path: String) throws {
        guard FileManager.default.createFile(atPath: path, contents: nil), let file = FileHandle(forWritingAtPath: path)
        else { throw BenchmarkError(description: "\(path) cannot be written.") }
        self.file = file
        buffer.reserveCapacity(2 << 20)
    }

    mutating func append(_ text: String) {
        buffer.append(contentsOf: text.utf8)
        writeIfLong()
    }

    mutating func append(_ bytes: [UInt8]) {
        buffer.append(contentsOf: bytes)
        writeIfLong()
    }

    mutating func append(little value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { buffer.append(contentsOf: $0) }
        writeIfLong()
    }

    mutating func finish() throws {
        write()
        try file.close()
        if let error { throw error }
    }

    private mutating func writeIfLong() { if buffer.count >= 1 << 20 { write() } }

    private mutating func write() {
        do { try file.write(contentsOf: Data(buffer)) } catch { self.error = error }
        buffer.removeAll(keepingCapacity: true)
    }
}
