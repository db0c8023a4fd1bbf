import Basics
import SessionModel

/// A file format that traces come in: what it is called, how it is recognised, how it is read and, for some, written.
///
/// A format is one file in `Formats/`, whose head is the format's specification, and one line in ``all``.
public struct TraceFormat: Sendable {
    /// The name that `--format` takes.
    public let name: String
    /// One line for `cachereplay formats`.
    public let summary: String
    /// Without compression endings: `.har`.
    public let fileEndings: [String]
    let sniff: @Sendable (TraceHead) -> Likelihood
    let read: @Sendable (TraceInput, inout ReadingNotes) throws -> Trace
    let encode: (@Sendable (Trace, inout ReadingNotes) throws -> [UInt8])?
    /// Of formats that know requests alone: the way to a ``DenseTrace`` that makes no keys and no events.
    var requests: (@Sendable (TraceInput, inout ReadingNotes) throws -> Requests)?
    /// Of formats that hold the columns themselves.
    var dense: (@Sendable (TraceInput, _ usesSizes: Bool, inout ReadingNotes) throws -> DenseTrace)?
    /// Of formats that need not hold the file in memory: the same as `read`, from front to back.
    var stream: (@Sendable (TraceStream, inout ReadingNotes) throws -> Trace)?

    init(
        name: String, summary: String, fileEndings: [String],
        sniff: @escaping @Sendable (TraceHead) -> Likelihood,
        read: @escaping @Sendable (TraceInput, inout ReadingNotes) throws -> Trace,
        dense: (@Sendable (TraceInput, Bool, inout ReadingNotes) throws -> DenseTrace)? = nil,
        encode: (@Sendable (Trace, inout ReadingNotes) throws -> [UInt8])? = nil
    ) {
        self.name = name
        self.summary = summary
        self.fileEndings = fileEndings
        self.sniff = sniff
        self.read = read
        self.dense = dense
        self.encode = encode
    }

    /// Every format that is known, in the order in which they are tried.
    public static let all: [TraceFormat] = [
        .compiled,
        .jsonLines,
        .har,
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
        .commonLog,
        .jsonLog,
        .csv,
        .plainText,
    ]

    public var canWrite: Bool { encode != nil }

    /// The format called `name`; an error that lists the formats where there is none.
    public static func named(_ name: String) throws -> TraceFormat {
        if let format = all.first(where: { $0.name.lowercased() == name.lowercased() }) { return format }
        throw UnknownFormat(name: name)
    }

    /// The format to write that the name of a file speaks for: jsonl for `feed.jsonl.gz`.
    public static func toWrite(_ path: String) -> TraceFormat? {
        let name = TraceInput.name(of: path)
        return all.first { $0.canWrite && ($0.fileEndings.contains(where: name.hasSuffix)) }
    }
}

/// A format name that nothing answers to.
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
