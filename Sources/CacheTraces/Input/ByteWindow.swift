import Foundation
import SessionModel

/// The stretch of a trace that its reader is at, for files too large for memory: it moves on, from front to back.
///
/// Invariant: `bytes` are those of the trace from `offset` on, and stay where they are until ``advance(to:)``.
final class ByteWindow {
    /// For messages.
    let path: String
    private(set) var bytes: UnsafeRawBufferPointer
    /// Of the first byte of `bytes` in the trace.
    private(set) var offset = 0
    /// Whether the trace ends where `bytes` do.
    private(set) var hasEnd: Bool
    private var passed = LineCount()
    private let stream: TraceStream?
    private let input: TraceInput?
    private var memory: UnsafeMutableRawPointer?
    /// How many bytes there is room for: several times what is read at once, where nothing larger comes.
    private(set) var capacity = 0

    /// A window of `capacity` bytes, which grows where a single value needs more. It has room for a byte order mark at
    /// the least.
    init(_ stream: TraceStream, capacity: Int = 4 << 20) throws {
        path = stream.path
        self.stream = stream
        input = nil
        bytes = UnsafeRawBufferPointer(start: nil, count: 0)
        hasEnd = false
        try grow(to: max(capacity, 8))
        try fill(from: 0)
    }

    /// All of `input` at once.
    init(_ input: TraceInput) {
        path = input.path
        self.input = input  // Keeps the bytes.
        stream = nil
        bytes = input.withBytes { $0 }
        hasEnd = true
    }

    deinit { free(memory) }

    /// Lets go of the bytes ahead of `position` in `bytes`, and reads more behind the others.
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

    /// Reads a compressed stream to its end, where its checksum stands: nonsense within is better told as damage. Ends
    /// the window.
    func checkRest() throws {
        guard let stream, stream.compression != nil else { return }
        while !hasEnd { try fill(from: 0) }
    }

    /// Line and column of a place in `bytes`, both from 1; columns count bytes.
    func lineAndColumn(of position: Int) -> (line: Int, column: Int) {
        var lines = passed
        lines.add(UnsafeRawBufferPointer(rebasing: bytes[..<position]))
        return (lines.line, lines.column)
    }

    private func grow(to wanted: Int) throws {
        guard let grown = realloc(memory, wanted) else {
            throw TraceError(
                .unreadable, file: path, at: .byte(offset),
                "there is no memory for the \(wanted) bytes of a single value here")
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

/// Where one is in a text.
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
