import SessionModel

/// How likely a file has a format.
enum Likelihood: Int, Comparable {
    case no
    /// The ending of the file name fits, or nothing excludes the format.
    case byName
    /// The content looks like it.
    case byContent
    /// The content names the format.
    case certain

    static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// The start and the name of a file, from which formats recognise it.
struct TraceHead {
    /// The name in lower case, without the ending of a compression.
    let name: String
    /// The first bytes, after a byte order mark.
    let bytes: ArraySlice<UInt8>
    /// The size of the whole file, decompressed.
    let count: Int

    init(_ input: TraceInput) {
        name = input.name
        count = input.count
        let start = input.textStart
        bytes = input.withBytes { [UInt8]($0[start..<min($0.count, start + 64 * 1024)]) }[...]
    }

    /// Creates the head of a file that was only opened. `count` is the size of the head if the file's is unknown.
    fileprivate init(_ stream: TraceStream, count: Int? = nil) {
        name = TraceInput.name(of: stream.path)
        self.count = count ?? max(stream.head.count, stream.knownCount ?? 0)
        bytes = stream.head.dropFirst(stream.head.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
    }

    func hasEnding(_ endings: [String]) -> Bool { endings.contains(where: name.hasSuffix) }

    /// The first byte that is not white space.
    var firstVisible: UInt8? { bytes.first { $0 > 0x20 } }

    var firstLine: ArraySlice<UInt8> { bytes.prefix { $0 != 0x0A } }

    /// Returns whether the head, or a range of it, contains `text`.
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
    /// Returns the format that the first bytes identify, if it can be read from front to back.
    static func sniffed(_ stream: TraceStream) -> TraceFormat? {
        let head = TraceHead(stream)
        guard let (format, likelihood) = ranked(head), format.stream != nil else { return nil }
        // Formats of binary records also fit the size of the file, which is not known yet if it is compressed.
        let isText = !head.bytes.contains(0)
        return likelihood == .certain || likelihood == .byContent && isText ? format : nil
    }

    /// Returns the format of requests in lines of text that the first bytes and the name identify. Bytes of zero, which
    /// binary records have, exclude all of them.
    static func sniffedText(_ stream: TraceStream) -> TraceFormat? {
        let head = TraceHead(stream)
        guard !head.bytes.isEmpty, !head.bytes.contains(0), let format = ranked(head)?.format else { return nil }
        return format.readsText ? format : nil
    }

    /// Returns the format of requests that the first bytes and the name identify, whatever follows. The size of the
    /// file, to which formats of binary records must fit, is not known.
    static func sniffedStart(_ stream: TraceStream) -> TraceFormat? {
        // One byte more than the head, whose last line is then known to be cut.
        let head = TraceHead(stream, count: stream.head.count + 1)
        guard let (format, likelihood) = ranked(head), format.requests != nil else { return nil }
        return likelihood == .certain || format.readsText && !head.bytes.contains(0) ? format : nil
    }

    /// Returns whether a file can be read in windows, as far as its first bytes and its name tell: see
    /// `DenseTrace.forEachWindow`. A compiled trace needs no
    /// windows.
    ///
    /// - Throws: `TraceError` if the file cannot be opened.
    public static func canReadInWindows(path: String, format: TraceFormat? = nil) throws -> Bool {
        guard let format = try format ?? ranked(TraceHead(try TraceStream(path: path)))?.format else { return false }
        return format.requests != nil || format.windows != nil
    }

    /// Returns whether a file holds requests alone, each with its size, as far as its first bytes and its name tell.
    /// Such a file has the same content in windows as in a whole. If in doubt, the answer is no.
    ///
    /// - Throws: `TraceError` if the file cannot be opened.
    package static func statesEverySize(path: String, format: TraceFormat? = nil) throws -> Bool {
        let sized = [oracleGeneral, oracleGeneralOpNS, vscsi].map(\.name)
        if let format { return sized.contains(format.name) }
        let stream = try TraceStream(path: path)
        guard let (format, likelihood) = ranked(TraceHead(stream)) else { return false }
        return sized.contains(format.name) && (likelihood == .certain || stream.compression == nil)
    }

    /// Returns whether a file can be a trace, as far as its first bytes and its name tell.
    ///
    /// - Throws: `TraceError` if the file cannot be opened.
    package static func isRecognised(path: String) throws -> Bool {
        ranked(TraceHead(try TraceStream(path: path))) != nil
    }

    /// Returns the most likely format of a file; nil if none fits.
    private static func ranked(_ head: TraceHead) -> (format: TraceFormat, likelihood: Likelihood)? {
        var best: (format: TraceFormat, likelihood: Likelihood)?
        // The first of several equals. Nothing is more likely than a format that the content names.
        for format in all where best?.likelihood != .certain {
            let likelihood = format.sniff(head)
            if likelihood > best?.likelihood ?? .no { best = (format, likelihood) }
        }
        return best
    }

    /// Returns the most likely format of `input`, by its first bytes and its name.
    ///
    /// - Throws: `TraceError` if no format fits.
    public static func sniffed(_ input: TraceInput) throws -> TraceFormat {
        guard input.count > 0 else { throw TraceError(file: input.path, "the file is empty; expected a trace") }
        let head = TraceHead(input)
        if head.bytes.starts(with: [0xFF, 0xFE]) || head.bytes.starts(with: [0xFE, 0xFF]) {
            throw TraceError(file: input.path, "the file is UTF-16 text; save it as UTF-8")
        }
        if PictureFiles.isPicture(head.bytes) {
            throw TraceError(
                .unrecognised, file: input.path,
                """
                the file is a picture, not a recorded session; `cachereplay record gallery` records one with a folder \
                of pictures
                """)
        }
        if let match = ranked(head) { return match.format }
        let candidates = candidates(for: head).map(\.name)
        guard candidates.isEmpty else {
            throw TraceError(
                .unrecognised, file: input.path,
                """
                the format is not recognised by content or file ending; the size of the file and its first records fit \
                \(candidates.joined(separator: ", ")). Name the format, for example with --format \(candidates[0])
                """)
        }
        throw TraceError(
            .unrecognised, file: input.path,
            "the format is not recognised by content or file ending; tried \(all.map(\.name).joined(separator: ", ")). "
                + "Name it with --format, see `cachereplay list formats`")
    }
}

/// A binary format without a signature, which a file may have.
private struct BinaryCandidate {
    var format: TraceFormat
    var recordLength: Int
    /// Returns whether the records that begin at the offsets are plausible.
    var isPlausible: @Sendable (UnsafeRawBufferPointer, [Int]) -> Bool
}

extension TraceFormat {
    /// Returns the binary formats that a file may have although nothing names them: the length of their records divides
    /// the file, and the first 256 records hold plausible values.
    static func candidates(for head: TraceHead) -> [TraceFormat] {
        guard head.isBinary else { return [] }
        return head.bytes.withUnsafeBytes { bytes in
            binaryCandidates.filter { candidate in
                let length = candidate.recordLength
                guard head.count % length == 0, bytes.count >= 2 * length else { return false }
                let offsets = Array(stride(from: 0, through: bytes.count - length, by: length).prefix(256))
                return candidate.isPlausible(bytes, offsets)
            }.map(\.format)
        }
    }

    /// From the most specific to the least.
    private static let binaryCandidates = [
        BinaryCandidate(format: .twrNS, recordLength: 22, isPlausible: areTwitterRecords),
        BinaryCandidate(format: .twr, recordLength: 20, isPlausible: areTwitterRecords),
        BinaryCandidate(format: .oracleGeneralOpNS, recordLength: 27) { areOracleRecords($0, $1, next: 19) },
        BinaryCandidate(format: .oracleGeneral, recordLength: 24) { areOracleRecords($0, $1, next: 16) },
        BinaryCandidate(format: .corda, recordLength: 8) { bytes, offsets in
            areKeys(offsets.map { bytes.big($0, as: Int64.self) })
        },
        BinaryCandidate(format: .cache2k, recordLength: 4) { bytes, offsets in
            areKeys(offsets.map { Int64(bytes.big($0, as: Int32.self)) })
        },
    ]

    /// Seconds that do not fall, and operations of memcached.
    private static func areTwitterRecords(_ bytes: UnsafeRawBufferPointer, _ offsets: [Int]) -> Bool {
        haveRisingSeconds(bytes, offsets)
            && offsets.allSatisfy {
                MemcachedOperation(rawValue: UInt8(bytes.little($0 + 16, as: UInt32.self) >> 24)) != nil
            }
    }

    /// Returns whether all sizes are below 2 GiB, and each next request is absent or the number of a request. The times
    /// need not rise.
    private static func areOracleRecords(_ bytes: UnsafeRawBufferPointer, _ offsets: [Int], next: Int) -> Bool {
        offsets.allSatisfy { offset in
            let ordinal = bytes.little(offset + next, as: Int64.self)
            return bytes.little(offset + 12, as: UInt32.self) <= UInt32(Int32.max)
                && (ordinal == -1 || ordinal == .max || (1..<1 << 40).contains(ordinal))
        }
    }

    private static func haveRisingSeconds(_ bytes: UnsafeRawBufferPointer, _ offsets: [Int]) -> Bool {
        zip(offsets, offsets.dropFirst()).allSatisfy {
            bytes.little($0, as: UInt32.self) <= bytes.little($1, as: UInt32.self)
        }
    }

    /// Keys of which some come again, or that follow one another. Random bytes and most other files do neither.
    private static func areKeys(_ keys: [Int64]) -> Bool {
        guard keys.count >= 16, keys.count(where: { $0 == 0 }) * 4 < keys.count else { return false }
        let distinct = Set(keys).count
        guard distinct * 8 > keys.count else { return false }
        let neighbours = zip(keys, keys.dropFirst()).count { ($1 &- $0).magnitude <= 64 }
        return keys.count - distinct >= keys.count / 50 + 1 || neighbours * 2 > keys.count
    }
}

extension TraceHead {
    /// Whether the head has bytes that no text has.
    var isBinary: Bool { bytes.contains { $0 < 9 || (14..<32).contains($0) && $0 != 27 } }
}
