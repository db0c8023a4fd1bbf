import Foundation
import SessionModel

/// A part of a trace that moves from front to back, for files larger than memory.
///
/// Invariant: `bytes` are those of the trace from `offset` on, and stay in place until ``advance(to:)``.
final class ByteWindow {
    /// The path for messages.
    let path: String
    private(set) var bytes: UnsafeRawBufferPointer
    /// The offset in the trace of the first byte of `bytes`.
    private(set) var offset = 0
    /// Whether the trace ends where `bytes` do.
    private(set) var hasEnd: Bool
    private var passed = LineCount()
    private let stream: TraceStream?
    private let input: TraceInput?
    private var memory: UnsafeMutableRawPointer?
    /// The number of bytes that fit in the window.
    private(set) var capacity = 0

    /// Creates a window of `capacity` bytes, which grows if a single value needs more. It has room for at least a byte
    /// order mark.
    init(_ stream: TraceStream, capacity: Int = 4 << 20) throws {
        path = stream.path
        self.stream = stream
        input = nil
        bytes = UnsafeRawBufferPointer(start: nil, count: 0)
        hasEnd = false
        try grow(to: max(capacity, 8))
        try fill(from: 0)
    }

    /// Creates a window of all bytes of `input`.
    init(_ input: TraceInput) {
        path = input.path
        self.input = input  // Keeps the bytes.
        stream = nil
        bytes = input.withBytes { $0 }
        hasEnd = true
    }

    deinit { free(memory) }

    /// Discards the bytes before `position` in `bytes`, and reads more after the remaining ones.
    func advance(to position: Int) throws {
        guard let memory, !hasEnd else { return }
        passed.add(UnsafeRawBufferPointer(rebasing: bytes[..<position]))
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

    /// Returns the line and column of a place in `bytes`, both from 1. Columns count bytes.
    func lineAndColumn(of position: Int) -> (line: Int, column: Int) {
        var lines = passed
        lines.add(UnsafeRawBufferPointer(rebasing: bytes[..<position]))
        return (lines.line, lines.column)
    }

    private func grow(to wanted: Int) throws {
        guard let grown = realloc(memory, wanted) else {
            throw TraceError(
                .unreadable, file: path, at: .byte(offset),
                "there is not enough memory for a single value of more than \(capacity) bytes")
        }
        memory = grown
        capacity = wanted
    }

    /// Reads until the window is full or the stream ends.
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

/// A position in a text.
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
