import Basics
import ReplayEngine
import Runs
import Statistics

extension ResultSet {
    private static let keys = ["trace", "cache", "repeat"]
    static let settings = [
        "seed", "clock", "timing", "network", "holds", "injected", "base_cache", "swept", "swept_value",
    ]

    /// Reads a `summary.csv`.
    ///
    /// Columns are found by name. Unknown columns are ignored and missing metrics have no figure, so that a baseline of
    /// another version can be compared.
    /// - Throws: `ResultsError` of kind `badData`, with the line.
    init(csv text: String, file: String) throws {
        source = file
        runs = []
        isRounded = true
        let records = try CSVReader.records(of: text, file: file)
        guard let header = records.first else {
            throw ResultsError(
                .badData, file: file, "empty; a header row that starts with trace,cache,repeat is expected")
        }
        let columns = Dictionary(header.fields.enumerated().map { ($1, $0) }, uniquingKeysWith: min)
        for key in Self.keys where columns[key] == nil {
            throw ResultsError(
                .badData, file: file, line: header.line,
                "the column \"\(key)\" is missing; name a summary.csv as cachereplay writes it")
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
            let key = (Self.keys + ["network"]).map { name in columns[name].map { record.fields[$0] } ?? "" }
            guard seen.insert(key).inserted else {
                throw ResultsError(
                    .badData, file: file, line: record.line,
                    "the same trace, network, cache and repeat a second time; remove one of the two rows")
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
            // "nan" and "inf" parse as numbers. Without an error, a gate would ignore the figure.
            guard number.isFinite else {
                throw ResultsError(
                    .badData, file: file, line: record.line,
                    "\(name) is \"\(field(name))\"; a finite number is expected, so replay again")
            }
            metrics[name] = number
        }
        let settings = Dictionary(uniqueKeysWithValues: settings.map { ($0, field($0)) })
        return Run(
            // Without its run.json, a file does not state its style. Exact texts that look safe are very rare.
            trace: CSVStyle.safe.read(field("trace")), cache: CSVStyle.safe.read(field("cache")),
            repetition: repetition, settings: settings, metrics: metrics)
    }
}
