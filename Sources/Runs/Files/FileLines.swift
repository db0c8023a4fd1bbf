import Basics
import Foundation
import Synchronization

/// The lines of a file, read block by block, so that memory follows the longest line and not the file.
///
/// A last line without a line break, as a killed process leaves it, is no line.
package struct FileLines: ~Copyable {
    /// The most bytes of a line. The longest lines are results with a timeline: some 100 bytes for each second in which
    /// something changes.
    package static let longest = 128 << 20

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

    /// - Throws: ``ResultsError``: `notFound` or `ioError`.
    package init(_ path: String, longest: Int = FileLines.longest) throws {
        self.path = path
        self.longest = longest
        descriptor = try ResultFile.open(path)
    }

    deinit { close(descriptor) }

    /// Returns the next line without its line break, and its place in the file with it; nil after the last one.
    ///
    /// - Throws: ``ResultsError``: `ioError`, or `badData` for a line that is too long.
    package mutating func next() throws -> (bytes: [UInt8], place: Range<Int>)? {
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

/// A file of JSON lines that grows line by line: `runs.jsonl`, `details.jsonl` and `replays.jsonl`.
///
/// A line is appended with one call of the system. A process that is killed therefore leaves whole lines, and at most
/// one torn line at the end, which the next reader drops.
package struct LineLog<Line: Decodable & Sendable>: Sendable {
    package let path: String
    /// The fault of a line that is no `Line`, and the remedy.
    let damage: String
    /// The length of the file up to the end of the last whole line.
    private(set) var length = 0
    private var lastFlush = ContinuousClock.now

    /// The most lines, and about the most bytes, that are decoded at a time.
    private static var mostAtOnce: (lines: Int, bytes: Int) { (256, 32 << 20) }

    package init(_ path: String, damage: String) { (self.path, self.damage) = (path, damage) }

    /// Returns the value of the first line of a file, if it is a whole line of this type.
    package static func header<Header: Decodable>(_ type: Header.Type, of path: String) -> Header? {
        guard var lines = try? FileLines(path, longest: 1 << 16), let first = try? lines.next() else { return nil }
        return try? JSONDecoder().decode(type, from: Data(first.bytes))
    }

    /// Decodes all whole lines, several threads at a time, and calls `body` in the order of the file.
    ///
    /// - Parameter skipped: The number of lines at the beginning that are no `Line`.
    /// - Throws: ``ResultsError``: `ioError`, or `badData` with the line.
    package mutating func read(after skipped: Int = 0, _ body: (Line, Range<Int>) throws -> Void) throws {
        guard ResultFile.exists(path) else { return }
        var lines = try FileLines(path)
        for _ in 0..<skipped { _ = try lines.next() }
        while true {
            let first = lines.number
            var batch: [(bytes: [UInt8], place: Range<Int>)] = []
            var bytes = 0
            while batch.count < Self.mostAtOnce.lines, bytes < Self.mostAtOnce.bytes, let line = try lines.next() {
                batch.append(line)
                bytes += line.bytes.count
            }
            length = lines.end
            guard !batch.isEmpty else { return }
            let decoded = Mutex([Result<Line, any Error>?](repeating: nil, count: batch.count))
            DispatchQueue.concurrentPerform(iterations: batch.count) { [batch, self] index in
                let result = Result { try decode(batch[index].bytes, line: first + index) }
                decoded.withLock { $0[index] = result }
            }
            for (line, result) in zip(batch, decoded.withLock { $0 }) {
                if let result { try body(try result.get(), line.place) }
            }
        }
    }

    func line(at place: Range<Int>) throws -> Line { try decode(try FileRanges.read(place, of: path), line: nil) }

    private func decode(_ bytes: [UInt8], line: Int?) throws -> Line {
        do { return try JSONDecoder().decode(Line.self, from: Data(bytes)) } catch {
            throw ResultsError(.badData, file: path, line: line, damage)
        }
    }

    /// Appends a line. The file is created if it does not exist.
    ///
    /// - Returns: The place of the line, with its line break.
    package mutating func append(_ json: [UInt8]) throws -> Range<Int> {
        let start = try ResultFile.append(json + [0x0A], to: path, creating: true) ?? 0
        length = max(length, start + json.count + 1)
        // A crash of the machine, unlike the end of a process, loses what the file system has not written.
        if ContinuousClock.now - lastFlush > .seconds(1) { flush() }
        return start..<start + json.count + 1
    }

    /// Writes the file again with the lines of these places, in this order. ``take(length:)`` follows.
    ///
    /// - Returns: The number of bytes written.
    func write(_ lines: [Range<Int>]) throws -> Int { try FileRanges.copy(lines, of: path, to: path) }

    /// Notes the length of a file that was written again.
    mutating func take(length: Int) { self.length = length }

    package func cut() throws {
        guard truncate(path, off_t(length)) == 0 || errno == ENOENT else {
            throw ResultsError(FileError(.ioError, path, errno))
        }
    }

    mutating func flush() {
        lastFlush = ContinuousClock.now
        guard let descriptor = try? ResultFile.open(path) else { return }
        fsync(descriptor)
        close(descriptor)
    }
}

enum FileRanges {
    /// Returns a part of a file.
    ///
    /// - Throws: ``ResultsError`` of kind `ioError`.
    static func read(_ range: Range<Int>, of path: String) throws -> [UInt8] {
        let descriptor = try ResultFile.open(path)
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
        let descriptor = try ResultFile.open(source)
        defer { close(descriptor) }
        var (pending, written) = (Array(header.utf8), 0)
        do {
            try ResultFile.refusePipe(target)
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

    /// Copies a file, which appears whole or not at all.
    ///
    /// - Throws: ``ResultsError``: `cannotCreate` or `ioError`, also for what is not a regular file.
    static func copy(_ source: String, to target: String) throws {
        var status = stat()
        guard stat(source, &status) == 0 else { throw ResultsError(FileError(.ioError, source, errno)) }
        let size = Int(status.st_size)
        try copy(stride(from: 0, to: size, by: block).map { $0..<min($0 + block, size) }, of: source, to: target)
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
