import Basics
import SessionModel

/// A file format of traces: its name, and how it is recognised, read and written.
///
/// Each format is one file in `Formats/` and one line in ``all``, or a row of a table of formats. <doc:FileFormats>
/// lists and specifies the formats.
public struct TraceFormat: Sendable {
    /// The name for `--format`.
    public let name: String
    /// The description of the format in `cachereplay list formats`.
    public let summary: String
    /// The endings of file names, such as `.har`, without endings of compressions.
    public let fileEndings: [String]
    let sniff: @Sendable (TraceHead) -> Likelihood
    let read: @Sendable (TraceInput, inout ReadingNotes) throws -> Trace
    let encode: (@Sendable (Trace, inout ReadingNotes) throws -> [UInt8])?
    /// Writes requests without an event for each in memory; nil for formats that are only read, and for compiled
    /// traces.
    var encodeRequests: RequestEncoder?
    /// Reads columns without keys and events, for formats that hold only requests.
    var requests: (@Sendable (TraceInput, inout ReadingNotes) throws -> Requests)?
    /// Whether ``requests`` reads a text from front to back, so that not all of it needs to be in memory.
    var readsText = false
    /// Reads columns that the file itself contains.
    var dense: ColumnReader?
    /// Reads the file from front to back, for formats that do not need all of it in memory.
    var stream: (@Sendable (TraceStream, inout ReadingNotes) throws -> Trace)?
    /// Reads requests in windows from front to back, for formats of sessions that put their requests in order first.
    var windows: (@Sendable (TraceStream, RequestWindows, inout ReadingNotes) throws -> Void)?

    typealias ColumnReader = @Sendable (TraceInput, DenseTrace.Options, inout ReadingNotes) throws -> DenseTrace

    /// Appends the requests to a file, and adds warnings about what the format cannot store.
    typealias RequestEncoder =
        @Sendable (RequestTransfer, inout BlockWriter, inout ReadingNotes) throws -> Void

    /// Returns the format with a writer of requests. It writes the same bytes as `encode` for a session of them, if
    /// that has the times of the source, and no object has several sizes.
    func transferring(_ encode: @escaping RequestEncoder) -> TraceFormat {
        var format = self
        format.encodeRequests = encode
        return format
    }

    init(
        name: String, summary: String, fileEndings: [String],
        sniff: @escaping @Sendable (TraceHead) -> Likelihood,
        read: @escaping @Sendable (TraceInput, inout ReadingNotes) throws -> Trace,
        encode: (@Sendable (Trace, inout ReadingNotes) throws -> [UInt8])? = nil
    ) {
        self.name = name
        self.summary = summary
        self.fileEndings = fileEndings
        self.sniff = sniff
        self.read = read
        self.encode = encode
    }

    /// All formats, in the order in which they are tried.
    public static let all: [TraceFormat] =
        [
            .compiled,
            .jsonLines,
            .har,
            .charles,
            .oracleGeneralOpNS,
            .oracleGeneral,
            .vscsi,
            .lcs,
            .twr,
            .twrNS,
            .twitterCSV,
            .metaKeyValue,
            .metaBlock,
            .lirs,
            .arc,
            .webCacheSim,
            .address,
            .cache2k,
            .corda,
        ] + TableFormat.all.map { .table($0) } + LogDialect.all.map { .accessLog($0) } + [
            .csv,
            .plainText,
        ]

    public var canWrite: Bool { encode != nil }

    /// Returns the format with a name, in any case.
    ///
    /// - Throws: ``UnknownFormat``, which lists the formats.
    public static func named(_ name: String) throws -> TraceFormat {
        if let format = all.first(where: { $0.name.lowercased() == name.lowercased() }) { return format }
        throw UnknownFormat(name: name)
    }

    /// Returns the writable format for the ending of a file name, such as jsonl for `feed.jsonl.gz`.
    public static func writable(for path: String) -> TraceFormat? {
        let name = TraceInput.name(of: path)
        return all.first { $0.canWrite && ($0.fileEndings.contains(where: name.hasEnding)) }
    }
}

/// The name of a format that does not exist.
public struct UnknownFormat: Error, Sendable, CustomStringConvertible {
    public var name: String

    public var description: String {
        let names = TraceFormat.all.map(\.name)
        let guess = nearestName(to: name, among: names).map { " Did you mean '\($0)'?" } ?? ""
        return "no trace format is called '\(name)'.\(guess) Formats: \(names.joined(separator: ", "))"
    }
}

extension TraceFormat: CustomStringConvertible {
    public var description: String { name }
}

extension TraceFormat {
    /// Returns a table of all formats: name, use, file endings and summary.
    public static func catalogue() -> String {
        TextGrid.lines(
            [["format", "use", "endings", "what it is"]]
                + all.map {
                    [$0.name, $0.canWrite ? "read, write" : "read", $0.fileEndings.joined(separator: " "), $0.summary]
                }
        ).joined(separator: "\n")
    }

    public static func catalogueJSON() -> String {
        var writer = JSONWriter()
        writer.array(all) { writer, format in
            writer.object {
                $0.member("name", format.name)
                $0.member("summary", format.summary)
                $0.member("file_endings", format.fileEndings)
                $0.member("can_write", format.canWrite)
            }
        }
        return writer.text
    }
}

extension TraceError {
    /// The error of formats that store only requests, for a trace without any.
    static var noRequests: TraceError {
        TraceError(
            file: "the trace",
            "has no requests, and this format stores nothing else; write it as JSON Lines (.jsonl)")
    }
}

extension Trace {
    /// Writes the trace to a file atomically: the file under its final name is always complete. A path that ends in
    /// `.gz`, `.bz2`, `.xz` or `.zst` is written compressed.
    ///
    /// - Returns: Warnings about the content that the format cannot store.
    /// - Throws: `FileError`; `TraceError` if the format cannot store the trace at all.
    @discardableResult
    public func write(to path: String, format: TraceFormat = .jsonLines) throws -> [String] {
        guard let encode = format.encode else {
            let writable = TraceFormat.all.filter(\.canWrite).map(\.name).joined(separator: ", ")
            throw FileError(
                .cannotCreate, path, "the format \(format.name) can only be read; choose one of \(writable)")
        }
        var notes = ReadingNotes()
        var bytes = try encode(self, &notes)
        if let compression = Compression(fileName: path) { bytes = try compression.compress(bytes, file: path) }
        try AtomicFile.write(bytes, to: path)
        return notes.warnings
    }
}

extension TraceFormat {
    public static let jsonLines = TraceFormat(
        name: "jsonl", summary: "CacheReplay's own: JSON Lines, every event of a session",
        fileEndings: [".jsonl", ".ndjson"],
        sniff: { head in
            if head.firstVisible == UInt8(ascii: "{"), head.contains("\"cachereplay_trace\"", in: head.firstLine) {
                return .certain
            }
            return head.hasEnding([".jsonl", ".ndjson"]) ? .byName : .no
        },
        read: { input, notes in
            let (trace, warnings) = try input.withBytes { bytes in
                try JSONLinesReader.read(bytes, file: input.path) { try notes.report($0) }
            }
            notes.warnings += warnings
            return trace
        },
        encode: { trace, _ in
            var encoder = JSONLinesEncoder()
            encoder.append(trace)
            return encoder.bytes
        }
    ).transferring { requests, output, notes in try requests.encodeJSONLines(&output, &notes) }
}

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
    /// The number of lines in which logs look for a record.
    private(set) var lineLimit = 20
    /// All bytes that were read, of which ``bytes`` are the first 64 kB.
    private let all: ArraySlice<UInt8>

    init(_ input: TraceInput) {
        let start = input.textStart
        let all = input.withBytes { [UInt8]($0[start..<min($0.count, start + TraceStream.headLength)]) }[...]
        self.init(name: input.name, count: input.count, all)
    }

    private init(name: String, count: Int, _ all: ArraySlice<UInt8>, whole: Bool = false) {
        (self.name, self.count, self.all) = (name, count, all)
        bytes = whole ? all : all.prefix(64 << 10)
        lineLimit = whole ? 500 : 20
    }

    /// The head with more lines, for logs that begin with messages of the server.
    var withMoreLines: TraceHead { TraceHead(name: name, count: count, all, whole: true) }

    /// Creates the head of a file that was only opened. `count` is the size of the head if the file's is unknown.
    fileprivate init(_ stream: TraceStream, count: Int? = nil) {
        self.init(
            name: TraceInput.name(of: stream.path), count: count ?? max(stream.head.count, stream.knownCount ?? 0),
            stream.head.dropFirst(stream.head.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0))
    }

    func hasEnding(_ endings: [String]) -> Bool { endings.contains(where: name.hasEnding) }

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
    /// `DenseTrace.forEachWindow`. A compiled trace needs no windows.
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

    /// Returns the most likely format of a file; nil if none fits, or for a session replay.
    private static func ranked(_ head: TraceHead) -> (format: TraceFormat, likelihood: Likelihood)? {
        guard head.foreignKind == nil else { return nil }
        var best: (format: TraceFormat, likelihood: Likelihood)?
        // The first of several equals. Nothing is more likely than a format that the content names.
        for format in all where best?.likelihood != .certain {
            let likelihood = format.sniff(head)
            if likelihood > best?.likelihood ?? .no { best = (format, likelihood) }
        }
        if best?.likelihood ?? .no < .byContent, !head.bytes.contains(0) {
            let more = head.withMoreLines
            if let log = LogDialect.all.first(where: { AccessLogReader.sniff(more, $0) > .byName }) {
                return (.accessLog(log), .byContent)
            }
        }
        return best?.likelihood ?? .no < .byContent && head.isSessionReplay ? nil : best
    }

    /// Returns the most likely format of `input`, by its first bytes and its name.
    ///
    /// - Throws: `TraceError` if no format fits.
    public static func sniffed(_ input: TraceInput) throws -> TraceFormat {
        guard input.count > 0 else { throw TraceError(file: input.path, "the file is empty; expected a trace") }
        let head = TraceHead(input)
        if let kind = head.foreignKind { throw TraceError(.unrecognised, file: input.path, kind) }
        if let match = ranked(head) { return match.format }
        if head.isSessionReplay {
            throw TraceError(
                .unrecognised, file: input.path,
                """
                the file is a session replay of rrweb, PostHog, Datadog or Sentry, not a trace; \
                `scripts/convert-replay FILE --output TRACE.jsonl` converts it
                """)
        }
        let candidates = candidates(for: head).map(\.name)
        guard candidates.isEmpty else {
            throw TraceError(
                .unrecognised, file: input.path,
                """
                the format is not recognised by content or file ending; the size of the file and its first records fit \
                \(candidates.joined(separator: ", ")). Name the format, for example with --format \(candidates[0])
                """)
        }
        let fields = CSVColumns.names(in: head.firstLine.filter { $0 != 0x0D }, delimiter: 0x2C)
        let advice = (AccessLogReader.advice(head) ?? TableFormat.advice(fields)).map { "; \($0)" } ?? ""
        throw TraceError(
            .unrecognised, file: input.path,
            "the format is not recognised by content or file ending; tried \(all.map(\.name).joined(separator: ", ")). "
                + "Name it with --format, see `cachereplay list formats`" + advice)
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

    /// Whether some keys repeat or follow one another. Random bytes and most other files have neither.
    private static func areKeys(_ keys: [Int64]) -> Bool {
        guard keys.count >= 16, keys.count(where: { $0 == 0 }) * 4 < keys.count else { return false }
        let distinct = Set(keys).count
        guard distinct * 8 > keys.count else { return false }
        let neighbours = zip(keys, keys.dropFirst()).count { ($1 &- $0).magnitude <= 64 }
        return keys.count - distinct >= keys.count / 50 + 1 || neighbours * 2 > keys.count
    }
}
