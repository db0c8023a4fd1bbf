import ReplayEngine

/// The runs of a results folder or of a `summary.csv` alone, as numbers by metric name.
///
/// Both ways give the same numbers, because runs are read through their rows in `summary.csv`.
public struct ResultSet: Sendable {
    public struct Run: Sendable {
        var trace: String
        var cache: String
        var repetition: Int
        /// `seed`, `clock`, `timing`, as written.
        var settings: [String: String]
        /// Only the metrics that have a figure.
        var metrics: [String: Double]
    }

    /// Where it was read from.
    public var source: String
    public var runs: [Run]
    /// SHA-256 by trace name, when there is a `run.json`.
    var traceHashes: [String: String] = [:]
    /// What a reader of the figures must know, without repetition.
    var notes: [String] = []

    public init(_ results: [RunResult], source: String) throws {
        self = try ResultSet(csv: ResultFiles.summary(results), file: source)
        notes = SharedNotes.notes(results) + Doubts.notes(results)
    }

    /// Reads `path`: a results folder, a folder with a `summary.csv`, or a `summary.csv`.
    /// - Throws: ``ResultsError``: `notFound`, `ioError`, or `badData` with the line.
    public static func read(_ path: String) throws -> ResultSet {
        guard ResultsFolder.isFolder(path) else {
            return try ResultSet(csv: try FileText.read(path), file: path)
        }
        let cells = try ResultsFolder.cells(in: path)
        let description = try ResultsFolder.earlierDescription(in: path)
        var set: ResultSet
        if cells.isEmpty {
            let file = "\(path)/summary.csv"
            guard try ResultsFolder.list(path).contains("summary.csv") else {
                throw ResultsError(
                    .notFound, file: file, "no results here: neither cells/ nor summary.csv; name a results folder")
            }
            set = try ResultSet(csv: try FileText.read(file), file: file)
        } else {
            set = try ResultSet(ResultsFolder.State(description: description, cells: cells).ordered, source: path)
        }
        for trace in description?.traces ?? [] { set.traceHashes[trace.name] = trace.sha256 }
        return set
    }
}

extension ResultSet {
    private static let keys = ["trace", "cache", "repeat"]
    private static let settings = ["seed", "clock", "timing"]

    /// Columns are found by name. Unknown ones are passed over and missing metrics have no figure, so that a
    /// baseline of another version can still be compared.
    init(csv text: String, file: String) throws {
        source = file
        runs = []
        let records = try CSVReader.records(of: text, file: file)
        guard let header = records.first else {
            throw ResultsError(
                .badData, file: file, "empty; a header row that starts with trace,cache,repeat is expected")
        }
        let columns = Dictionary(header.fields.enumerated().map { ($1, $0) }, uniquingKeysWith: min)
        for key in Self.keys where columns[key] == nil {
            throw ResultsError(
                .badData, file: file, line: header.line,
                "the column \"\(key)\" is missing; expected is a summary.csv as cachereplay writes it")
        }
        var seen: Set<[String]> = []
        for record in records.dropFirst() {
            guard record.fields.count == header.fields.count else {
                throw ResultsError(
                    .badData, file: file, line: record.line,
                    """
                    \(record.fields.count) fields where the header has \(header.fields.count); the file may be cut short
                    """
                )
            }
            guard seen.insert(Self.keys.map { record.fields[columns[$0] ?? 0] }).inserted else {
                throw ResultsError(
                    .badData, file: file, line: record.line, "the same trace, cache and repeat a second time")
            }
            runs.append(try Self.run(record, columns, file: file))
        }
    }

    private static func run(_ record: CSVReader.Record, _ columns: [String: Int], file: String) throws -> Run {
        func field(_ name: String) -> String { columns[name].map { record.fields[$0] } ?? "" }
        guard let repetition = Int(field("repeat")) else {
            throw ResultsError(
                .badData, file: file, line: record.line, "repeat is \"\(field("repeat"))\"; a whole number is expected")
        }
        var metrics: [String: Double] = [:]
        for name in SummaryColumns.metrics.map(\.name) where !field(name).isEmpty {
            guard let number = Double(field(name)) else {
                throw ResultsError(
                    .badData, file: file, line: record.line, "\(name) is \"\(field(name))\"; a number is expected")
            }
            // "nan" and "inf" parse as numbers, but are no figures.
            if number.isFinite { metrics[name] = number }
        }
        let settings = Dictionary(uniqueKeysWithValues: settings.map { ($0, field($0)) })
        return Run(
            trace: field("trace"), cache: field("cache"), repetition: repetition, settings: settings, metrics: metrics)
    }
}
