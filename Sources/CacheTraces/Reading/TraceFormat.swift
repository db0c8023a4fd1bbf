import Basics
import SessionModel

/// A file format of traces: its name, and how it is recognised, read and written.
///
/// Each format is one file in `Formats/` and one line in ``all``. <doc:FileFormats> lists and specifies the formats.
public struct TraceFormat: Sendable {
    /// The name for `--format`.
    public let name: String
    /// The description of the format in `cachereplay list formats`.
    public let summary: String
    /// The endings of file names, without those of compressions, such as `.har`.
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
    var dense: (@Sendable (TraceInput, _ usesSizes: Bool, DenseTrace.Columns, inout ReadingNotes) throws -> DenseTrace)?
    /// Reads the file from front to back, for formats that do not need all of it in memory.
    var stream: (@Sendable (TraceStream, inout ReadingNotes) throws -> Trace)?
    /// Reads requests in windows from front to back, for formats of sessions that put their requests in order first.
    var windows: (@Sendable (TraceStream, RequestWindows, inout ReadingNotes) throws -> Void)?

    /// Appends the requests to a file, and adds warnings about what the format cannot store.
    typealias RequestEncoder =
        @Sendable (RequestTransfer, inout BlockWriter, inout ReadingNotes) throws -> Void

    /// Returns the format with a writer of requests, which writes the same bytes as `encode` for a session of them.
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
    public static let all: [TraceFormat] = [
        .compiled,
        .jsonLines,
        .har,
        .sessionReplay,
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
        .w3cLog,
        .elbLog,
        .squidLog,
        .wikimediaLog,
        .s3Log,
        .haproxyLog,
        .commonLog,
        .jsonLog,
        .csv,
        .plainText,
    ]

    /// Whether traces can be written in the format.
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
        return all.first { $0.canWrite && ($0.fileEndings.contains(where: name.hasSuffix)) }
    }
}

/// The name of a format that does not exist.
public struct UnknownFormat: Error, Sendable, CustomStringConvertible {
    /// The unknown name.
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

    /// Returns all formats as a JSON array.
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
    ).transferring { requests, output, _ in try requests.encodeJSONLines(&output) }
}
