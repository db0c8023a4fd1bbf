import Basics
import Foundation

/// Parts of files.
enum FileRanges {
    /// Returns a part of a file.
    /// - Throws: ``ResultsError`` of kind `ioError`.
    static func read(_ range: Range<Int>, of path: String) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ResultsError(FileError(.ioError, path, errno)) }
        defer { close(descriptor) }
        return try read(range, descriptor, path)
    }

    /// Writes parts of a file, in the order given, to a file that appears whole or not at all.
    ///
    /// - Returns: The number of bytes written.
    /// - Throws: ``ResultsError``: `cannotCreate` or `ioError`.
    @discardableResult
    static func copy(_ ranges: [Range<Int>], after header: String = "", of source: String, to target: String) throws
        -> Int
    {
        let descriptor = open(source, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ResultsError(FileError(.ioError, source, errno)) }
        defer { close(descriptor) }
        var (pending, written) = (Array(header.utf8), 0)
        do {
            let file = try AtomicFile(target)
            func flush() throws {
                try pending.withUnsafeBytes { bytes in
                    try Result { () throws(FileError) in try file.write(bytes) }.get()
                }
                written += pending.count
                pending.removeAll(keepingCapacity: true)
            }
            var index = 0
            while index < ranges.count {
                var range = ranges[index]
                index += 1
                // Neighbours are read together.
                while index < ranges.count, ranges[index].lowerBound == range.upperBound, range.count < block {
                    range = range.lowerBound..<ranges[index].upperBound
                    index += 1
                }
                pending += try read(range, descriptor, source)
                if pending.count >= block { try flush() }
            }
            try flush()
            try file.commit()
        } catch let error as FileError {
            throw ResultsError(error)
        }
        return written
    }

    private static let block = 1 << 20

    private static func read(_ range: Range<Int>, _ descriptor: Int32, _ path: String) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            while count < range.count {
                let part = pread(
                    descriptor, buffer.baseAddress! + count, range.count - count, off_t(range.lowerBound + count))
                if part < 0, errno == EINTR { continue }
                guard part > 0 else {
                    throw ResultsError(.ioError, file: path, "cannot be read to its end; was it changed meanwhile?")
                }
                count += part
            }
        }
    }
}
