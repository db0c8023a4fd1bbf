import Basics
import Foundation

/// The folder of a simulation's results: `miss_ratio.csv`, `miss_ratio_over_time.csv`, `curve.csv`, `least_misses.csv`,
/// `hits/`, `run.json`, `charts/` and `report.html`.
public typealias SimulationStore = Store<SimulationRows>

/// The results of a simulation, which are read from its CSV files.
public struct SimulationRows: StoreKind {
    public static let command = "simulate"
    public static let files = OwnFiles(
        [
            "miss_ratio.csv", "miss_ratio_over_time.csv", "curve.csv", "least_misses.csv", "run.json", "report.html",
        ],
        folders: [RequestHits.folder: [RequestHits.ending]], shownBy: "run.json", of: "an earlier simulation"
    ) { SimulationStore.isOwn($0) }
    public static let marks = ["miss_ratio.csv", "curve.csv", "least_misses.csv"]
    public static let emptiness = """
        has no rows in miss_ratio.csv, and neither curve.csv nor least_misses.csv; name a folder that \
        `simulate --output` wrote
        """
    public static let remedy = "it is not of a simulation; name another folder with --output"

    var rows = StoredTable<MissRatioFile>()
    var parts = StoredTable<MissRatioOverTimeFile>()
    var curves = StoredTable<CurveFile>()
    var bounds = StoredTable<LeastMissesFile>()

    public init(in folder: String) {}

    public var count: Int { rows.rows.count + curves.rows.count + bounds.rows.count }

    private init(readFrom folder: String, _ style: CSVStyle) throws {
        rows = try StoredTable(in: folder, style)
        parts = try StoredTable(in: folder, style)
        curves = try StoredTable(in: folder, style)
        bounds = try StoredTable(in: folder, style)
    }
}

extension Store<SimulationRows> {
    public var rows: [MissRatioRow] { state.withLock { $0.results.rows.ordered } }

    /// The parts of the rows, in the order of the plan.
    public var parts: [MissRatioPart] { state.withLock { $0.results.parts.ordered } }

    public var curves: [CurvePoint] { state.withLock { $0.results.curves.rows } }

    /// The fewest misses, in the order of the plan.
    public var bounds: [LeastMissesRow] { state.withLock { $0.results.bounds.ordered } }

    public func finished(_ identity: MissRatioRow.Identity) -> Bool {
        state.withLock { $0.results.rows.contains(identity) }
    }

    /// Places rows behind those planned before, in this order.
    public func plan(_ identities: [MissRatioRow.Identity]) {
        state.withLock { state in
            state.results.rows.plan(identities)
            state.results.parts.plan(identities)
        }
    }

    /// Places rows of the fewest misses behind those planned before, in this order.
    public func plan(_ identities: [LeastMissesRow.Identity]) { state.withLock { $0.results.bounds.plan(identities) } }

    /// Keeps a finished row.
    /// - Throws: ``ResultsError``: `cannotCreate` or `ioError`.
    public func add(_ row: MissRatioRow) throws { try state.withLock { try $0.add([row], to: \.rows) } }

    /// Keeps the parts of a row, in place of earlier ones. They are kept before the row, so that a row that is not
    /// simulated again has its parts.
    /// - Throws: ``ResultsError``: `cannotCreate` or `ioError`.
    public func add(_ parts: [MissRatioPart]) throws { try state.withLock { try $0.add(parts, to: \.parts) } }

    /// Keeps a finished row of the fewest misses.
    /// - Throws: ``ResultsError``: `cannotCreate` or `ioError`.
    public func add(_ row: LeastMissesRow) throws { try state.withLock { try $0.add([row], to: \.bounds) } }

    /// Keeps the curve of a trace, in place of an earlier one.
    /// - Throws: ``ResultsError``: `cannotCreate` or `ioError`.
    public func add(_ curve: [CurvePoint]) throws { try state.withLock { try $0.add(curve, to: \.curves) } }
}

extension Store.State where Kind == SimulationRows {
    /// Keeps rows, and appends them to their file.
    fileprivate mutating func add<File: RowFile>(
        _ rows: [File.Row], to table: WritableKeyPath<SimulationRows, StoredTable<File>>
    ) throws {
        guard !rows.isEmpty else { return }
        if results[keyPath: table].insert(rows) {
            let lines = CSVText.rows(results[keyPath: table].columns, rows, style)
            if try files.append(lines, to: File.name) != nil { return }
        }
        try write(results[keyPath: table])
    }

    /// Writes a file whole, with its rows in order. A file without rows is removed.
    fileprivate mutating func write<File: RowFile>(_ table: StoredTable<File>) throws {
        guard !table.rows.isEmpty else { return try ResultFile.remove("\(path)/\(File.name)") }
        try files.write(File.csv(table.ordered, style), to: File.name)
    }
}

// MARK: Opening and ordering

extension SimulationRows {
    public static func resume(
        _ state: inout SimulationStore.State, after earlier: Manifest<SimulationFacts>?
    ) throws -> [InputChange] {
        guard let earlier, let manifest = state.manifest else {
            try files.refuseForeign(in: state.path)
            return []
        }
        try check(earlier, manifest, state.path)
        let found = try SimulationRows(readFrom: state.path, CSVStyle(isSafe: earlier.csvSafe == true))
        let traces = Set(
            found.rows.rows.map(\.trace) + found.curves.rows.map(\.trace) + found.bounds.rows.map(\.trace))
        // A file that could not be read has no rows.
        let unread = (earlier.traces + manifest.traces).filter(\.sha256.isEmpty).map(\.name)
        if let name = unread.first(where: traces.contains) {
            throw refusal(
                state.path, "holds results of \(name), whose content cannot be compared: it is a pipe, or unreadable")
        }
        if let change = RunInputs.change(from: earlier.inputs, to: manifest.inputs) {
            // Before run.json has the present inputs: it would say that the earlier rows are theirs.
            try writeTables(&state)
            return Array(repeating: change, count: found.rows.rows.count + found.bounds.rows.count)
        }
        state.results = found
        return []
    }

    /// One of the files with results is enough, except of a shard.
    public static func read(_ state: inout SimulationStore.State, asShard: Bool) throws {
        if asShard {
            let manifest = try SimulationStore.manifest(
                in: state.path, remedy: "make the shard again with `simulate --shard`")
            guard manifest?.end == nil || manifest?.rows != nil else {
                throw ResultsError(
                    .badData, file: state.path,
                    "run.json does not say how many rows it has, so a missing one would not show; simulate the shard "
                        + "again with this version")
            }
            state.manifest = manifest
        } else {
            state.manifest = try? SimulationStore.manifest(in: state.path)
        }
        state.results = try SimulationRows(readFrom: state.path, state.style)
        // The last row of a file that lacks its last byte is dropped as torn.
        guard let manifest = state.manifest, manifest.end != nil else { return }
        for (name, count, stated) in [
            (MissRatioFile.name, state.results.rows.rows.count, manifest.rows),
            (MissRatioOverTimeFile.name, state.results.parts.rows.count, manifest.parts),
            (CurveFile.name, state.results.curves.rows.count, manifest.curvePoints),
            (LeastMissesFile.name, state.results.bounds.rows.count, manifest.leastMisses),
        ] {
            guard let stated, stated != count else { continue }
            throw ResultsError(
                .badData, file: "\(state.path)/\(name)",
                """
                has \(count) whole rows, and run.json says that it had \(stated): the file is not whole; simulate \
                again with --resume
                """)
        }
    }

    /// Files have no torn last line then, so that rows can be appended.
    public static func writeTables(_ state: inout SimulationStore.State) throws {
        try state.write(state.results.rows)
        try state.write(state.results.parts)
        try state.write(state.results.curves)
        try state.write(state.results.bounds)
    }

    public static func orderRows(_ state: inout SimulationStore.State) throws {
        let rows = state.results.rows.rows
        state.results.bounds.update { $0.know(rows) }
        try state.write(state.results.rows)
        try state.write(state.results.parts)
        try state.write(state.results.bounds)
    }

    public static func finish(_ state: inout SimulationStore.State) throws {
        try orderRows(&state)
        state.manifest?.rows = state.results.rows.rows.count
        state.manifest?.parts = state.results.parts.rows.isEmpty ? nil : state.results.parts.rows.count
        state.manifest?.curvePoints = state.results.curves.rows.count
        state.manifest?.leastMisses = state.results.bounds.rows.isEmpty ? nil : state.results.bounds.rows.count
    }

    /// Throws if earlier rows and the rows of a simulation do not belong together.
    private static func check(
        _ earlier: Manifest<SimulationFacts>, _ now: Manifest<SimulationFacts>, _ path: String
    ) throws {
        guard earlier.versions["cachereplay"] == now.versions["cachereplay"] else {
            throw refusal(path, "holds results of another version")
        }
        for (name, value) in now.settings.sorted(by: { $0.key < $1.key }) where earlier.settings[name] != value {
            throw refusal(path, "holds results with \(name) \(earlier.settings[name] ?? "unknown"), not \(value)")
        }
        for (name, value) in earlier.settings.sorted(by: { $0.key < $1.key }) where now.settings[name] == nil {
            throw refusal(path, "holds results with \(name) \(value), which this simulation lacks")
        }
        let hashes = Dictionary(earlier.traces.map { ($0.name, $0.sha256) }) { first, _ in first }
        var isKnown = earlier.traces.isEmpty
        for trace in now.traces {
            guard let hash = hashes[trace.name] else { continue }
            // Of a file that could not be read, then or now, there is nothing to compare.
            guard hash == trace.sha256 || hash.isEmpty || trace.sha256.isEmpty else {
                throw refusal(path, "holds results of another \(trace.name): the file's content has changed")
            }
            isKnown = true
        }
        guard isKnown else {
            throw refusal(path, "holds results of \(earlier.traces.map(\.name).joined(separator: ", "))")
        }
    }

    private static func refusal(_ path: String, _ reason: String) -> ResultsError {
        ResultsError(
            .cannotCreate, file: path, "\(reason); name another folder with --output, or start again without --resume")
    }
}

// MARK: Shards

extension SimulationRows {
    /// Returns whether a simulation wrote the `run.json` of a folder, also if it is damaged.
    public static func isShard(_ path: String) -> Bool {
        struct Mark: Decodable { var kind: String }
        return (try? JSONFile.read(Mark.self, at: "\(path)/run.json", remedy: ""))?.kind == Facts.kind
    }

    /// The numbers of rows were compared when the shard was read.
    public static func isComplete(_ state: SimulationStore.State) -> Bool { true }

    public static func join(
        _ shards: [SimulationStore], _ joined: inout Manifest<SimulationFacts>, traces: Int
    ) throws {
        let leftOut = shards.flatMap { $0.manifest?.leftOut ?? [] }.unique()
        joined.leftOut = leftOut.isEmpty ? nil : leftOut
    }

    /// Adds the results of all shards to a folder, in the order of the whole simulation.
    public static func join(_ shards: [SimulationStore], into target: SimulationStore, progress: () -> Void) throws {
        let all = shards.map { shard in shard.state.withLock { $0.results } }
        // Once for all traces, so that the work follows the rows.
        let rowsByTrace = all.map { Dictionary(grouping: $0.rows.rows, by: \.trace) }
        let partsByTrace = all.map { Dictionary(grouping: $0.parts.rows, by: \.trace) }
        let curvesByTrace = all.map { Dictionary(grouping: $0.curves.rows, by: \.trace) }
        let boundsByTrace = all.map { Dictionary(grouping: $0.bounds.rows, by: \.trace) }
        for (number, trace) in (target.manifest?.traces ?? []).enumerated() {
            guard let rows = inOrder(rowsByTrace.map { $0[trace.name] ?? [] }, ofTrace: number),
                let bounds = inOrder(boundsByTrace.map { $0[trace.name] ?? [] }, ofTrace: number)
            else {
                throw ResultsError(
                    .badData, file: shards[0].path,
                    "the shards have rows of \(trace.name) that do not follow each other; simulate all shards again")
            }
            target.plan(rows.map(\.identity))
            for parts in partsByTrace { try target.add(parts[trace.name] ?? []) }
            for row in rows { try target.add(row) }
            for curves in curvesByTrace { try target.add(curves[trace.name] ?? []) }
            target.plan(bounds.map(\.identity))
            for row in bounds { try target.add(row) }
        }
        let joined = target.state.withLock { $0.results }
        let (rows, curves) = (joined.rows.rows.count + joined.bounds.rows.count, joined.curves.rows.count)
        for shard in shards { try target.copyHits(of: shard) }
        let allRows = all.reduce(0) { $0 + $1.rows.rows.count + $1.bounds.rows.count }
        let allPoints = all.reduce(0) { $0 + $1.curves.rows.count }
        guard rows == allRows, curves == allPoints else {
            throw ResultsError(
                .badData, file: target.path,
                """
                has \(rows) of the \(allRows) rows and \(curves) of the \(allPoints) points of curves of the shards, \
                because some are of no trace of run.json, or in several shards; simulate all shards again
                """)
        }
        for _ in shards { progress() }
    }

    /// Returns the rows of all shards of a trace in the order of the whole simulation; nil if one is missing.
    ///
    /// A row is in the shard of its place; see `--shard`.
    private static func inOrder<Row>(_ parts: [[Row]], ofTrace number: Int) -> [Row]? {
        var next = [Int](repeating: 0, count: parts.count)
        var rows: [Row] = []
        for place in 0..<parts.reduce(0, { $0 + $1.count }) {
            let shard = (place + number) % parts.count
            guard next[shard] < parts[shard].count else { return nil }
            rows.append(parts[shard][next[shard]])
            next[shard] += 1
        }
        return rows
    }
}
