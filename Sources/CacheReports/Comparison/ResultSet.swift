import Basics
import ReplayEngine
import Runs
import Statistics

/// The runs of one result as figures by column name: the values behind the table, the JSON and the comparison.
///
/// The figures come from `RunResult` values. Only when the source is a `summary.csv` are they read from text; they
/// then have the precision of the file.
public struct ResultSet: Sendable {
    public struct Run: Sendable {
        var trace: String
        var cache: String
        var repetition: Int
        /// The columns of ``ResultSet/settings``, as the CSV writes them.
        var settings: [String: String]
        /// The metrics that have a figure, by column name.
        var metrics: [String: Double]

        var network: String { settings["network"] ?? "" }
    }

    /// The file or folder of the results.
    public var source: String
    public var runs: [Run]
    /// Whether the figures were read from a CSV file, which rounds them to the places of their unit.
    var isRounded = false
    /// The SHA-256 of each trace by its name, if there is a `run.json`.
    var traceHashes: [String: String] = [:]
    /// The notes that a reader of the figures needs, each once.
    package internal(set) var notes: [ResultNote] = []
    /// Sentences on the origin of the sessions: a scripted browser, or a generator.
    var sessionOrigins: [String] = []
    /// Sentences on traces that do not record when cells disappear, on which blank times rest.
    var stayingCells: [String] = []
    /// The causes of the runs that have them, by trace, network and cache.
    var causes: [RunGroup.Key: CauseSums] = [:]
    var folder: String?
    /// The version of `cachereplay` that made the results, if there is a `run.json`.
    var version: String?
    /// The SHA-256 of the program that made the results, if there is a `run.json`.
    var program: String?
    /// The SHA-256 of the costs of modelled timing, `standard` for the standard ones; nil without a `run.json`.
    var costs: String?
    /// The machine that made the results, if there is a `run.json`.
    var machine: MachineDescription?
    /// The smallest difference that counts in conclusions and marks.
    var relevanceThreshold = Tolerance.standard
    /// The limits that the answer of the conclusions keeps.
    var budgets: [FigureBudget] = []

    /// Creates the set of finished runs.
    ///
    /// - Parameters:
    ///   - results: The finished runs.
    ///   - source: Where the results are, for messages.
    ///   - facts: What conclusions are judged by; nil for the standard tolerance, and no limits.
    public init(_ results: [RunResult], source: String, judgedBy facts: ReplayFacts? = nil) {
        self.source = source
        relevanceThreshold = facts?.relevanceThreshold ?? .standard
        budgets = facts?.limits ?? []
        runs = results.map(Run.init)
        let several = overSeveralNetworks
        for result in results {
            guard let totals = result.causes else { continue }
            let identity = result.identity
            // A comparison with results over several networks asks for the network.
            for network in several.contains(identity.trace) ? [identity.network] : [identity.network, nil] {
                let key = RunGroup.Key(trace: identity.trace, network: network, cache: identity.cache)
                causes[key, default: CauseSums()].add(totals, of: identity.repetition)
            }
        }
        notes = ResultNotes.notes(results)
        sessionOrigins = ResultNotes.sessionOrigins(results)
        stayingCells = ResultNotes.stayingCells(results)
    }

    /// Creates the set of the finished runs of a folder.
    ///
    /// - Throws: `ResultsError`: `ioError` or `badData`.
    public init(_ folder: ReplayStore) throws {
        self.init(try folder.results, source: folder.path)
        if let manifest = folder.manifest { describe(manifest) }
        self.folder = folder.path
    }

    /// Reads `path`: a results folder of a replay or of a simulation, a folder of a gate, whose candidate's results
    /// count, a folder with a `summary.csv`, or one of the files `summary.csv` and `miss_ratio.csv`.
    /// - Throws: `ResultsError`: `notFound`, `ioError`, or `badData` with the line.
    public static func read(_ path: String) throws -> ResultSet {
        guard ResultFile.isFolder(path) else {
            if path.hasEnding("miss_ratio.csv") {
                return ResultSet(try SimulationStore.open(path.splitPath.folder))
            }
            return try ResultSet(csv: try ResultFile.text(at: path), file: path)
        }
        if ResultFile.exists("\(path)/miss_ratio.csv"), !ReplayStore.holdsResults(path) {
            return ResultSet(try SimulationStore.open(path))
        }
        if !ReplayStore.holdsResults(path), VerdictFiles.isOwn(path) {
            return try read("\(path)/\(VerdictFiles.sides[1])")
        }
        let (results, manifest) = try ReplayStore.read(path)
        var set: ResultSet
        if results.isEmpty {
            let file = "\(path)/summary.csv"
            guard try ResultFile.list(path).contains("summary.csv") else {
                throw ResultsError(
                    .notFound, file: file, "no results here, neither runs.jsonl nor summary.csv; name a results folder")
            }
            set = try ResultSet(csv: try ResultFile.text(at: file), file: file)
        } else {
            set = ResultSet(results, source: path)
        }
        set.folder = path
        if let manifest { set.describe(manifest) }
        return set
    }

    mutating func describe(_ manifest: Manifest<ReplayFacts>) {
        for trace in manifest.traces { traceHashes[trace.name] = trace.sha256 }
        version = manifest.versions["cachereplay"]
        program = manifest.inputs.program
        costs = manifest.costs?.sha256 ?? "standard"
        machine = manifest.machine
        relevanceThreshold = manifest.relevanceThreshold ?? .standard
        budgets = manifest.limits
    }

    var overSeveralNetworks: Set<String> { runs.tracesOverSeveralNetworks { ($0.trace, $0.network) } }

    /// The runs grouped by trace, network and cache, in the order in which the groups first occur.
    var groups: [RunGroup] { groups(naming: overSeveralNetworks) }

    /// - Parameter traces: The traces whose groups name their networks: those over several ones.
    func groups(naming traces: Set<String>) -> [RunGroup] {
        var groups: [RunGroup] = []
        var positions: [RunGroup.Key: Int] = [:]
        for run in runs {
            let network = traces.contains(run.trace) ? run.network : nil
            let key = RunGroup.Key(trace: run.trace, network: network, cache: run.cache)
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

extension ResultSet {
    /// Creates the set of the rows of a simulation: one run per trace, policy and capacity.
    ///
    /// A simulation has no tiers, so that its hits are both `hit_ratio` and `memory_hit_ratio`.
    init(_ folder: SimulationStore) {
        source = folder.path
        runs = folder.rows.map { row in
            let hits = Double(row.requests - row.misses)
            var metrics: [String: Double] = ["requests": Double(row.requests), "memory_hits": hits]
            if row.requests > 0 {
                metrics["hit_ratio"] = hits / Double(row.requests)
                metrics["memory_hit_ratio"] = metrics["hit_ratio"]
            }
            if let all = row.requestBytes, let missed = row.missBytes, all > 0 {
                metrics["byte_hit_ratio"] = Double(all - missed) / Double(all)
            }
            let cache = row.capacity.map { "\(row.policy) at \($0.size)" } ?? row.policy
            let settings = ["timing": row.sampleRate.map { "simulated, sample of \($0)" } ?? "simulated"]
            return Run(trace: row.trace, cache: cache, repetition: 1, settings: settings, metrics: metrics)
        }
        if let manifest = folder.manifest {
            for trace in manifest.traces { traceHashes[trace.name] = trace.sha256 }
            version = manifest.versions["cachereplay"]
        }
    }
}

/// The repeats of one trace over one network through one cache: the unit of the table and of the comparison.
struct RunGroup: Sendable {
    typealias Key = RepeatedRun

    var key: Key
    var runs: [ResultSet.Run]

    /// Returns the median over the repeats that have a figure. Of an even number, it is the mean of the middle two.
    func median(_ metric: String) -> Double? {
        let values = values(metric)
        return values.isEmpty ? nil : Median.ofSorted(values.sorted())
    }

    /// The figures of the repeats that have the metric.
    func values(_ metric: String) -> [Double] { runs.compactMap { $0.metrics[metric] } }

    /// The events that were injected into the trace; nil for none.
    var injected: String? {
        let texts = settings("injected").filter { !$0.isEmpty }.map(VisibleText.printable)
        return texts.isEmpty ? nil : texts.sorted().joined(separator: "/")
    }

    var firstSeed: String? { runs.min { $0.repetition < $1.repetition }?.settings["seed"] }

    /// Whether the figures of every run are a function of the input alone: with `modelled` and `instant` timing, with
    /// or without `+decode`, and in simulations.
    var isExact: Bool {
        runs.allSatisfy { run in
            ["modelled", "instant", "simulated"].contains { run.settings["timing"]?.hasPrefix($0) == true }
        }
    }

    func settings(_ name: String) -> Set<String> { Set(runs.compactMap { $0.settings[name] }) }
}

extension ResultSet {
    private static let keys = ["trace", "cache", "repeat"]
    static let settings = [
        "seed", "timing", "network", "holds", "injected", "base_cache", "swept", "swept_value",
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
