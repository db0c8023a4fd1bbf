import Basics
import Foundation
import SessionModel

/// A part of a trace that moves from front to back, for files larger than memory.
///
/// `@unchecked Sendable`: one reader uses it, on the thread that reads.
/// Invariant: `bytes` are the trace's bytes from `offset` on, and stay in place until ``advance(to:)``.
final class ByteWindow: @unchecked Sendable {
    /// The path for messages.
    let path: String
    private(set) var bytes: UnsafeRawBufferPointer
    /// The offset in the trace of the first byte of `bytes`.
    private(set) var offset = 0
    /// Whether the trace ends where `bytes` do.
    private(set) var hasEnd: Bool
    /// The position of `bytes` in the text; nil if lines are not counted.
    private var passed: LineCount?
    private let stream: TraceStream?
    private let input: TraceInput?
    private var memory: UnsafeMutableRawPointer?
    /// The number of bytes that fit in the window.
    private(set) var capacity = 0

    /// Creates a window of `capacity` bytes, which grows if a single value needs more. It has room for at least a byte
    /// order mark.
    ///
    /// - Parameter countsLines: Whether ``lineAndColumn(of:)`` is needed. Counting takes as long as a part of reading.
    init(_ stream: TraceStream, capacity: Int = 4 << 20, countsLines: Bool = true) throws {
        path = stream.path
        passed = countsLines ? LineCount() : nil
        self.stream = stream
        input = nil
        bytes = UnsafeRawBufferPointer(start: nil, count: 0)
        hasEnd = false
        try grow(to: max(capacity, 8))
        try fill(from: 0)
    }

    init(_ input: TraceInput) {
        path = input.path
        passed = LineCount()
        self.input = input  // Keeps the bytes.
        stream = nil
        bytes = input.withBytes { $0 }
        hasEnd = true
    }

    /// Creates a window for a reader of requests, which counts lines itself. The window fits in the second-level cache.
    static func ofRequests(_ stream: TraceStream) throws -> ByteWindow {
        try ByteWindow(stream, capacity: 1 << 20, countsLines: false)
    }

    deinit { free(memory) }

    /// Discards the bytes before `position` in `bytes`, and reads more after the remaining ones.
    func advance(to position: Int) throws {
        guard let memory, !hasEnd else { return }
        passed?.add(UnsafeRawBufferPointer(rebasing: bytes[..<position]))
        offset += position
        let kept = bytes.count - position
        memmove(memory, memory + position, kept)
        // A value that fills half of the window is likely to need more than all of it.
        if kept > capacity / 2 { try grow(to: capacity * 2) }
        try fill(from: kept)
    }

    /// Reads a compressed stream to its end, where its checksum is, so that an error in damaged content is reported as
    /// damage. Ends the window.
    func checkRest() throws {
        guard let stream, stream.compression != nil else { return }
        while !hasEnd { try fill(from: 0) }
    }

    /// Returns the line and column of a place in `bytes`, both from 1, or nil if lines are not counted. Columns count
    /// bytes.
    func lineAndColumn(of position: Int) -> (line: Int, column: Int)? {
        guard var lines = passed else { return nil }
        lines.add(UnsafeRawBufferPointer(rebasing: bytes[..<position]))
        return (lines.line, lines.column)
    }

    private func grow(to wanted: Int) throws {
        guard let grown = realloc(memory, wanted) else {
            throw TraceError(
                .noRoom, file: path, at: .byte(offset),
                "there is not enough memory for a single value of more than \(capacity) bytes")
        }
        memory = grown
        capacity = wanted
    }

    private func fill(from start: Int) throws {
        guard let memory, let stream else { return }
        var count = start
        while count < capacity {
            let got = try stream.read(into: memory + count, room: capacity - count)
            if got == 0 {
                hasEnd = true
                break
            }
            count += got
        }
        bytes = UnsafeRawBufferPointer(start: memory, count: count)
    }
}

private struct LineCount {
    var line = 1
    var column = 1

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        var start = 0
        while start < bytes.count, let base = bytes.baseAddress,
            let found = memchr(base + start, 0x0A, bytes.count - start)
        {
            start = UnsafeRawPointer(found) - base + 1
            line += 1
            column = 1
        }
        column += bytes.count - start
    }
}

/// A growing block of memory into which `read` writes without a copy, or a mapped file.
///
/// `@unchecked Sendable`: only its creator writes to it. Once a ``TraceInput`` holds it, it is only read and freed.
final class ByteBuffer: @unchecked Sendable {
    private var base: UnsafeMutableRawPointer?
    private var capacity = 0
    private(set) var count = 0
    private(set) var isMapped = false

    init() {}

    /// Maps `count` bytes of an open file for reading, without a copy; nil if that is not possible.
    ///
    /// If another process shortens the file while it is read, the system ends this process (SIGBUS). Recorders only
    /// append to their files.
    init?(mapping file: Int32, count: Int) {
        guard count > 0, let address = mmap(nil, count, PROT_READ, MAP_PRIVATE, file, 0), address != MAP_FAILED else {
            return nil
        }
        madvise(address, count, Int32(MADV_WILLNEED))
        base = address
        self.count = count
        isMapped = true
    }

    init(_ bytes: some Collection<UInt8>) {
        let size = bytes.count
        guard reserve(size), let base else { Memory.exhausted(size) }
        UnsafeMutableRawBufferPointer(start: base, count: size).copyBytes(from: bytes)
        count = size
    }

    deinit {
        if isMapped, let base { munmap(base, count) } else { free(base) }
    }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

    /// Releases the pages of a mapped file that a reader has passed. Their bytes stay readable. Other memory stays.
    func release(_ range: Range<Int>) {
        guard isMapped, let base, range.upperBound <= count else { return }
        HugePages.discard(base + range.lowerBound, length: range.count)
    }

    /// Reserves memory for at least `extra` more bytes, doubling so that appending takes linear time. Returns false if
    /// there is not enough.
    private func reserve(_ extra: Int) -> Bool {
        guard capacity - count < extra || base == nil else { return true }
        let wanted = max(count + extra, capacity * 2, 1)
        guard let grown = realloc(base, wanted) else { return false }
        base = grown
        capacity = wanted
        return true
    }

    /// Lets `source` write up to `room` bytes at the end. It returns the number of bytes, or a negative number for a
    /// failure. Returns nil if there is not enough memory.
    func append(room: Int, from source: (UnsafeMutableRawPointer) -> Int) -> Int? {
        guard !isMapped else { return 0 }
        guard reserve(room), let base else { return nil }
        let written = source(base + count)
        if written > 0 { count += written }
        return written
    }
}
