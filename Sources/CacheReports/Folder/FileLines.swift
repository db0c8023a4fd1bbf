import Basics
import Foundation

/// The lines of a file, read block by block, so that memory follows the longest line and not the file.
///
/// A last line without a line break, as a killed process leaves it, is no line.
struct FileLines: ~Copyable {
    /// The most bytes of a line. The longest lines are results with a timeline: some 100 bytes for each second in which
    /// something changes.
    static let longest = 128 << 20

    private static let block = 1 << 20

    private let path: String
    private let longest: Int
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    /// The place in the buffer of the next line.
    private var start = 0
    /// The place in the file of the next line: the length of all lines so far.
    private(set) var end = 0
    /// The number of the next line, from 1.
    private(set) var number = 1

    /// - Throws: ``ResultsError`` of kind `ioError`.
    init(_ path: String, longest: Int = FileLines.longest) throws {
        self.path = path
        self.longest = longest
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw ResultsError(.ioError, file: path, "cannot be read; check that you may read it")
        }
    }

    deinit { close(descriptor) }

    /// Returns the next line without its line break, and its place in the file with it; nil after the last one.
    ///
    /// - Throws: ``ResultsError``: `ioError`, or `badData` for a line that is too long.
    mutating func next() throws -> (bytes: [UInt8], place: Range<Int>)? {
        var searched = start
        while true {
            if let lineBreak = lineBreak(from: searched) {
                let line = Array(buffer[start..<lineBreak])
                let place = end..<end + line.count + 1
                start = lineBreak + 1
                end = place.upperBound
                number += 1
                return (line, place)
            }
            guard buffer.count - start <= longest else {
                throw ResultsError(
                    .badData, file: path, line: number,
                    """
                    longer than \(longest >> 20) MB, which no line is that cachereplay writes; the file is damaged, \
                    make the results again
                    """)
            }
            if start > 0 { buffer.removeFirst(start) }
            start = 0
            searched = buffer.count
            guard try fill() else { return nil }
        }
    }

    /// Returns the place in the buffer of the first line break from a place on.
    private func lineBreak(from place: Int) -> Int? {
        buffer.withUnsafeBytes { bytes in
            guard place < bytes.count, let base = bytes.baseAddress else { return nil }
            return memchr(base + place, 0x0A, bytes.count - place).map { UnsafeRawPointer($0) - base }
        }
    }

    /// Appends a block to the buffer. Returns false at the end of the file.
    private mutating func fill() throws -> Bool {
        let (path, descriptor) = (path, descriptor)
        let block = try [UInt8](unsafeUninitializedCapacity: Self.block) { bytes, count in
            var found: Int
            repeat { found = read(descriptor, bytes.baseAddress, bytes.count) } while found < 0 && errno == EINTR
            guard found >= 0 else { throw ResultsError(FileError(.ioError, path, errno)) }
            count = found
        }
        buffer += block
        return !block.isEmpty
    }
}

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
