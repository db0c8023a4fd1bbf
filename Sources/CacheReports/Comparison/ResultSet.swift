import ReplayEngine

/// The runs of one result as figures by column name: the values behind the table, the JSON and the comparison.
///
/// The figures come from `RunResult` values. Only when the source is a `summary.csv` are they read from text; they
/// then have the precision of the file.
public struct ResultSet: Sendable {
    /// The figures of one run.
    public struct Run: Sendable {
        var trace: String
        var cache: String
        var repetition: Int
        /// The columns of ``ResultSet/settings``, as the CSV writes them.
        var settings: [String: String]
        /// The metrics that have a figure, by column name.
        var metrics: [String: Double]
    }

    /// The file or folder of the results.
    public var source: String
    public var runs: [Run]
    /// Whether the figures were read from a CSV file, which rounds them to the places of their unit.
    var isRounded = false
    /// The SHA-256 of each trace by its name, if there is a `run.json`.
    var traceHashes: [String: String] = [:]
    /// The notes that a reader of the figures needs, each once.
    var notes: [ResultNote] = []
    /// Sentences on where the sessions come from: a scripted browser, or a generator.
    var sessionOrigins: [String] = []
    /// The causes of the runs that have them, by trace and cache.
    var causes: [RunGroup.Key: CauseSums] = [:]
    /// The results folder; nil for other sources.
    var folder: String?

    /// Creates the set of finished runs.
    public init(_ results: [RunResult], source: String) {
        self.source = source
        runs = results.map(Run.init)
        for result in results {
            guard let totals = result.causes else { continue }
            let key = RunGroup.Key(trace: result.identity.trace, cache: result.identity.cache)
            causes[key, default: CauseSums()].add(totals, of: result.identity.repetition)
        }
        notes = ResultNotes.notes(results)
        sessionOrigins = ResultNotes.sessionOrigins(results)
    }

    /// Reads `path`: a results folder, a folder with a `summary.csv`, or a `summary.csv`.
    /// - Throws: ``ResultsError``: `notFound`, `ioError`, or `badData` with the line.
    public static func read(_ path: String) throws -> ResultSet {
        guard ResultsFolder.isFolder(path) else {
            return try ResultSet(csv: try ResultFile.text(at: path), file: path)
        }
        let log = try RunLog.read(path, repairs: false)
        let description = try ResultsFolder.earlierDescription(in: path)
        var set: ResultSet
        if log.count == 0 {
            let file = "\(path)/summary.csv"
            guard try ResultsFolder.list(path).contains("summary.csv") else {
                throw ResultsError(
                    .notFound, file: file, "no results here, neither runs.jsonl nor summary.csv; name a results folder")
            }
            set = try ResultSet(csv: try ResultFile.text(at: file), file: file)
        } else {
            let folder = ResultsFolder(
                path: path, state: ResultsFolder.State(description: description, log: log, fleet: FleetTable()))
            set = ResultSet(try folder.results, source: path)
        }
        set.folder = path
        for trace in description?.traces ?? [] { set.traceHashes[trace.name] = trace.sha256 }
        return set
    }

    /// The runs grouped by trace and cache, in the order in which the groups first occur.
    var groups: [RunGroup] {
        var groups: [RunGroup] = []
        var positions: [RunGroup.Key: Int] = [:]
        for run in runs {
            let key = RunGroup.Key(trace: run.trace, cache: run.cache)
            if let position = positions[key] {
                groups[position].runs.append(run)
            } else {
                positions[key] = groups.count
                groups.append(RunGroup(key: key, runs: [run]))
            }
        }
        return groups
    }
}

extension ResultSet.Run {
    init(_ result: RunResult) {
        trace = result.identity.trace
        cache = result.identity.cache
        repetition = result.identity.repetition
        let columns = SummaryColumns.identity.filter { ResultSet.settings.contains($0.name) }
        settings = Dictionary(uniqueKeysWithValues: columns.map { ($0.name, $0.written(result)) })
        metrics = [:]
        for column in SummaryColumns.metrics { metrics[column.name] = column.value(result).number }
    }
}

/// The repeats of one trace through one cache: the unit of the table and of the comparison.
struct RunGroup: Sendable {
    struct Key: Hashable, Sendable {
        var trace: String
        var cache: String
    }

    var key: Key
    var runs: [ResultSet.Run]

    /// Returns the median over the repeats that have a figure. Of an even number, it is the mean of the middle two.
    func median(_ metric: String) -> Double? {
        let sorted = runs.compactMap { $0.metrics[metric] }.sorted()
        guard !sorted.isEmpty else { return nil }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    /// Returns the distance between the least and the largest figure of the repeats.
    func spread(_ metric: String) -> Double {
        let values = runs.compactMap { $0.metrics[metric] }
        guard let least = values.min(), let most = values.max() else { return 0 }
        return most - least
    }

    /// Whether the figures of every run are a function of the input alone: with `modelled` and `instant` timing, with
    /// or without `+decode`.
    var isExact: Bool {
        runs.allSatisfy { run in
            ["modelled", "instant"].contains { run.settings["timing"]?.hasPrefix($0) == true }
        }
    }

    func settings(_ name: String) -> Set<String> { Set(runs.compactMap { $0.settings[name] }) }
}

// MARK: CSV

extension ResultSet {
    private static let keys = ["trace", "cache", "repeat"]
    static let settings = [
        "seed", "clock", "timing", "network", "holds", "base_cache", "swept", "swept_value",
    ]

    /// Reads a `summary.csv`.
    ///
    /// Columns are found by name. Unknown columns are ignored and missing metrics have no figure, so that a baseline of
    /// another version can be compared.
    /// - Throws: ``ResultsError`` of kind `badData`, with the line.
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
            guard seen.insert(Self.keys.map { record.fields[columns[$0] ?? 0] }).inserted else {
                throw ResultsError(
                    .badData, file: file, line: record.line,
                    "the same trace, cache and repeat a second time; remove one of the two rows")
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
            // Without its run.json, a file does not state its style. Exact texts that look safe are very rare.
            trace: CSVStyle.safe.read(field("trace")), cache: CSVStyle.safe.read(field("cache")),
            repetition: repetition, settings: settings, metrics: metrics)
    }
}
