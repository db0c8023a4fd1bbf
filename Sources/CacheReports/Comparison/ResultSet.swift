import Basics
import ReplayEngine
import Runs
import Statistics

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
    /// Sentences on where the sessions come from: a scripted browser, or a generator.
    var sessionOrigins: [String] = []
    /// Sentences on traces that do not record when cells disappear, on which blank times rest.
    var stayingCells: [String] = []
    /// The causes of the runs that have them, by trace, network and cache.
    var causes: [RunGroup.Key: CauseSums] = [:]
    /// The results folder; nil for other sources.
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
    /// - Throws: `ResultsError`: `ioError` or `badData`.
    public init(_ folder: ReplayStore) throws {
        self.init(try folder.results, source: folder.path)
        if let manifest = folder.manifest { describe(manifest) }
        self.folder = folder.path
    }

    /// Reads `path`: a results folder of a replay or of a simulation, a folder of a gate, of which the candidate's
    /// results count, a folder with a `summary.csv`, or one of the files `summary.csv` and `miss_ratio.csv`.
    /// - Throws: `ResultsError`: `notFound`, `ioError`, or `badData` with the line.
    public static func read(_ path: String) throws -> ResultSet {
        guard ResultFile.isFolder(path) else {
            if path.hasSuffix("miss_ratio.csv") { return ResultSet(try SimulationStore.open(parent(of: path))) }
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

    private static func parent(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }

    /// Takes over the inputs of the runs.
    mutating func describe(_ manifest: Manifest<ReplayFacts>) {
        for trace in manifest.traces { traceHashes[trace.name] = trace.sha256 }
        version = manifest.versions["cachereplay"]
        program = manifest.inputs?.program
        costs = manifest.costs?.sha256 ?? "standard"
        machine = manifest.machine
        relevanceThreshold = manifest.relevanceThreshold ?? .standard
        budgets = manifest.limits
    }

    /// The traces that have runs over several networks.
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
