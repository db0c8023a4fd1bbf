import Basics

/// The format of compiled traces (`.crtrace`): a header, a table, and columns that a simulation maps into memory.
/// Numbers are little-endian, and checksums are XXH64 with seed 0. `CompiledLayout` writes header and table,
/// `CompiledSession` the columns, and `SessionBytes` the column of the session.
public enum CompiledFormat {
    static let magic: [UInt8] = [0x89, 0x43, 0x52, 0x54, 0x0D, 0x0A, 0x1A, 0x0A]
    static let version: UInt32 = 4
    static let headerLength = 64
    static let entryLength = 32
    static let alignment = 64

    /// The columns, with their numbers in the file.
    enum Column: UInt32, CaseIterable {
        case objects = 1
        case ticks, epochs, sizes, variants, next, exceptions, outcomes, assumed, keyEnds, keyText, session,
            requestSizes

        /// Bytes per element.
        var width: Int {
            switch self {
            case .variants, .outcomes, .assumed, .keyText, .session: 1
            case .objects, .ticks, .next: 4
            case .sizes, .keyEnds, .requestSizes: 8
            case .epochs: 16
            case .exceptions: 24
            }
        }

        /// Whether the column has one element per access.
        var isByAccess: Bool { [.objects, .ticks, .next, .requestSizes].contains(self) }
        /// Whether the column has one element per object.
        var isByObject: Bool { [.sizes, .variants, .assumed, .keyEnds].contains(self) }

        var isRequired: Bool {
            [.objects, .ticks, .next, .epochs, .sizes, .keyEnds, .keyText].contains(self)
        }
    }
}

extension TraceFormat {
    public static let compiled = TraceFormat(
        name: "compiled", summary: "columns that simulate maps without parsing; see trace compile",
        fileEndings: [".crtrace"],
        sniff: { $0.bytes.starts(with: CompiledFormat.magic) ? .certain : $0.hasEnding([".crtrace"]) ? .byName : .no },
        read: { input, notes in try CompiledFile(input).trace(&notes) },
        encode: { trace, _ in try CompiledTrace(trace).bytes(file: "the compiled trace") }
    ).withColumns { input, options, notes in try CompiledFile(input).dense(options, &notes) }

    private func withColumns(_ read: @escaping ColumnReader) -> TraceFormat {
        var format = self
        format.dense = read
        return format
    }

    /// Returns the format with a reader of requests if it is the compiled format, and the file holds no session.
    ///
    /// - Throws: `TraceError` if a compiled file is damaged.
    func readingRequests(of input: TraceInput) throws -> TraceFormat {
        guard dense != nil, try !CompiledFile(input).holdsSession else { return self }
        var format = self
        format.requests = { input, _ in try CompiledFile(input).requests() }
        return format
    }
}

/// A part of a compiled file, such as a column: a block of memory, or blocks that are made one after the other.
struct CompiledPart {
    /// Receives the bytes of a block, which are valid within the call.
    typealias Body = (UnsafeRawBufferPointer) throws -> Void

    let count: Int
    private let lend: (@escaping Body) throws -> Void

    /// Creates a part of `count` bytes, which `lend` passes on in blocks. It is called several times.
    init(count: Int, _ lend: @escaping (@escaping Body) throws -> Void) {
        self.count = count
        self.lend = lend
    }

    /// Creates a part that `write` makes by the element. It is called several times.
    init(count: Int, writing write: @escaping (inout BlockWriter) throws -> Void) {
        self.init(count: count) { body in
            var writer = BlockWriter(body)
            try write(&writer)
            try writer.flush()
        }
    }

    /// Creates a part of elements that lie in one block.
    init<Element: BitwiseCopyable>(_ elements: some RandomAccessCollection<Element>) {
        count = elements.count * MemoryLayout<Element>.stride
        lend = { body in try elements.withContiguousStorageIfAvailable { try body(UnsafeRawBufferPointer($0)) } }
    }

    /// Calls `body` with one block after the other.
    func forEachBlock(_ body: @escaping Body) throws { try lend(body) }
}

/// The places of the columns in a file, and its header.
struct CompiledLayout {
    /// The parts of the file, from front to back.
    let parts: [CompiledPart]

    /// - Parameters:
    ///   - counts: The numbers of accesses, objects, and bytes of all requests.
    ///   - start: The time 0 of the trace on the clock of its source, in microseconds.
    init(
        columns: [(column: CompiledFormat.Column, part: CompiledPart)],
        counts: (accesses: Int, objects: Int, requestBytes: Int), start: Int64
    ) throws {
        var table: [UInt8] = []
        var body: [CompiledPart] = []
        var end = CompiledFormat.headerLength + columns.count * CompiledFormat.entryLength
        for (column, part) in columns {
            let offset = (end + CompiledFormat.alignment - 1) / CompiledFormat.alignment * CompiledFormat.alignment
            if offset > end { body.append(CompiledPart([UInt8](repeating: 0, count: offset - end))) }
            body.append(part)
            end = offset + part.count
            var checksum = XXHash64.Stream()
            try part.forEachBlock { checksum.add($0) }
            table.append(little: column.rawValue)
            table.append(little: UInt32(column.width))
            table.append(little: UInt64(offset))
            table.append(little: UInt64(part.count / column.width))
            table.append(little: checksum.value)
        }
        var header = CompiledFormat.magic
        header.append(little: CompiledFormat.version)
        header.append(little: UInt32(columns.count))
        for number in [end, counts.accesses, counts.objects, counts.requestBytes] {
            header.append(little: UInt64(number))
        }
        header.append(little: UInt64(0))
        header.append(little: start)
        let checksum = (header + table).withUnsafeBytes(CompiledFormat.headerChecksum)
        header.replaceSubrange(
            CompiledFormat.checksumPlace, with: withUnsafeBytes(of: checksum.littleEndian, Array.init))
        parts = [CompiledPart(header + table)] + body
    }
}

extension CompiledFormat {
    /// The place of the header's checksum.
    static let checksumPlace = 48..<56

    /// Returns the checksum of a header and its table, computed with 0 in its own place.
    static func headerChecksum(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var copy = [UInt8](bytes)
        for place in checksumPlace { copy[place] = 0 }
        return copy.withUnsafeBytes(XXHash64.checksum)
    }
}

extension [UInt8] {
    fileprivate mutating func append(little value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}
