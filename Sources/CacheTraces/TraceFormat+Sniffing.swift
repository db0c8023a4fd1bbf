import SessionModel

/// How sure a format is that a file is its own.
enum Likelihood: Int, Comparable {
    case no
    /// The file's ending says so, or nothing speaks against it.
    case byName
    /// The content looks like it.
    case byContent
    /// The content names the format.
    case certain

    static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// What a format may look at to recognise a file.
struct TraceHead {
    /// In lower case, without compression ending.
    let name: String
    /// The first bytes, behind a byte order mark.
    let bytes: ArraySlice<UInt8>
    /// Of the whole file, decompressed.
    let count: Int

    init(_ input: TraceInput) {
        name = input.name
        count = input.count
        let start = input.textStart
        bytes = input.withBytes { [UInt8]($0[start..<min($0.count, start + 64 * 1024)]) }[...]
    }

    /// Of a file that was only opened: `count` is that of the head.
    fileprivate init(_ stream: TraceStream) {
        name = TraceInput.name(of: stream.path)
        count = stream.head.count
        bytes = stream.head.dropFirst(stream.head.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
    }

    func hasEnding(_ endings: [String]) -> Bool { endings.contains(where: name.hasSuffix) }

    /// The first byte that is not white space.
    var firstVisible: UInt8? { bytes.first { $0 > 0x20 } }

    var firstLine: ArraySlice<UInt8> { bytes.prefix { $0 != 0x0A } }

    /// Whether `text` stands somewhere in the head.
    func contains(_ text: StaticString, in range: ArraySlice<UInt8>? = nil) -> Bool {
        let wanted = Array(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
        var rest = range ?? bytes
        while let index = rest.firstIndex(of: wanted[0]) {
            rest = rest[index...]
            if rest.starts(with: wanted) { return true }
            rest = rest.dropFirst()
        }
        return false
    }
}

extension TraceFormat {
    /// The format that the first bytes alone name for certain, if it is one that is read from front to back.
    static func sniffed(_ stream: TraceStream) -> TraceFormat? {
        let head = TraceHead(stream)
        return all.first { $0.stream != nil && $0.sniff(head) == .certain }
    }

    /// The format that `input` is most likely in, by its first bytes and its name.
    public static func sniffed(_ input: TraceInput) throws -> TraceFormat {
        guard input.count > 0 else { throw TraceError(file: input.path, "the file is empty; a trace was expected") }
        let head = TraceHead(input)
        if head.bytes.starts(with: [0xFF, 0xFE]) || head.bytes.starts(with: [0xFE, 0xFF]) {
            throw TraceError(file: input.path, "this is UTF-16 text; save it as UTF-8")
        }
        let ranked = all.map { (format: $0, likelihood: $0.sniff(head)) }
        // The first of equals: `max` would take the last.
        if let best = ranked.map(\.likelihood).max(), best > .no,
            let match = ranked.first(where: { $0.likelihood == best })
        {
            return match.format
        }
        throw TraceError(
            file: input.path,
            "the format is not recognised by content or file ending; tried \(all.map(\.name).joined(separator: ", ")). "
                + "Name it with --format, see `cachereplay formats`")
    }
}
