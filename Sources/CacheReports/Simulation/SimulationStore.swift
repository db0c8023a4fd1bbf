import Basics
import Foundation

/// The folder of a simulation's results: `miss_ratio.csv`, `curve.csv`, `sample_error.csv`, `run.json`, `charts/` and
/// `report.html`.
public typealias SimulationStore = Store<SimulationRows>

/// The results of a simulation, which are read from its CSV files.
public struct SimulationRows: StoreKind {
    public static let command = "simulate"
    public static let files = OwnFiles(
        ["miss_ratio.csv", "curve.csv", "sample_error.csv", "run.json", "report.html"],
        charts: SimulationChart.allCases.map(\.rawValue), shownBy: "run.json", of: "an earlier simulation"
    ) { SimulationStore.isOwn($0) }
    public static let marks = ["miss_ratio.csv", "curve.csv"]
    public static let emptiness =
        "has no rows in miss_ratio.csv and no curve.csv; name a folder that `simulate --output` wrote"
    public static let remedy = "it is not of a simulation; name another folder with --output"

    /// The place of each planned row. Rows of earlier simulations that are not planned now come last.
    var order: [MissRatioRow.Identity: Int] = [:]
    private(set) var rows: [MissRatioRow] = []
    private var places: [MissRatioRow.Identity: Int] = [:]
    private(set) var curves: [CurvePoint] = []
    /// The traces that have a curve.
    private var curveTraces: Set<String> = []
    private(set) var errors: [SampleError] = []

    public init(in folder: String) {}

    public var count: Int { rows.count + curves.count }

    /// The rows in the order of the plan.
    var ordered: [MissRatioRow] {
        rows.enumerated().sorted {
            let (one, other) = (order[$0.element.identity] ?? .max, order[$1.element.identity] ?? .max)
            return one == other ? $0.offset < $1.offset : one < other
        }.map(\.element)
    }

    func contains(_ identity: MissRatioRow.Identity) -> Bool { places[identity] != nil }

    /// Adds a row in place of an earlier one. Returns whether there was none.
    fileprivate mutating func insert(_ row: MissRatioRow) -> Bool {
        if let place = places[row.identity] {
            rows[place] = row
            return false
        }
        places[row.identity] = rows.count
        rows.append(row)
        return true
    }

    /// Adds the curve of a trace in place of an earlier one. Returns whether there was none.
    fileprivate mutating func insert(_ curve: [CurvePoint], of trace: String) -> Bool {
        let isNew = curveTraces.insert(trace).inserted
        if !isNew { curves.removeAll { $0.trace == trace } }
        curves += curve
        return isNew
    }

    /// Adds the errors of samples, in place of earlier ones of the same trace and policy. Returns whether there were
    /// none.
    fileprivate mutating func insert(_ new: [SampleError]) -> Bool {
        let count = errors.count
        errors.removeAll { old in new.contains { $0.trace == old.trace && $0.policy == old.policy } }
        defer { errors += new }
        return errors.count == count
    }

    /// Reads the CSV files of a folder.
    private init(readFrom folder: String, _ style: CSVStyle) throws {
        func read<Value>(_ name: String, _ parse: (String, String, CSVStyle) throws -> [Value]) throws -> [Value] {
            let file = "\(folder)/\(name)"
            return ResultFile.exists(file) ? try parse(try ResultFile.text(at: file), file, style) : []
        }
        for row in try read("miss_ratio.csv", MissRatioFile.rows) { _ = insert(row) }
        curves = try read("curve.csv", CurveFile.points)
        curveTraces = Set(curves.map(\.trace))
        errors = try read("sample_error.csv", SampleErrorFile.errors)
    }
}

extension Store<SimulationRows> {
    /// The finished rows, in the order of the plan.
    public var rows: [MissRatioRow] { state.withLock { $0.results.ordered } }

    public var curves: [CurvePoint] { state.withLock { $0.results.curves } }

    /// Returns whether the store has a row.
    public func finished(_ identity: MissRatioRow.Identity) -> Bool {
        state.withLock { $0.results.contains(identity) }
    }

    /// Places rows behind those planned before, in this order.
    public func plan(_ identities: [MissRatioRow.Identity]) {
        state.withLock { state in
            for identity in identities where state.results.order[identity] == nil {
                state.results.order[identity] = state.results.order.count
            }
        }
    }

    /// Keeps a finished row.
    /// - Throws: ``ResultsError``: `cannotCreate` or `ioError`.
    public func add(_ row: MissRatioRow) throws {
        try state.withLock { state in
            // The header has a column more if there is a sample.
            let hadSamples = state.results.rows.last?.sampleRate != nil
            let canAppend = state.results.insert(row) && hadSamples == (row.sampleRate != nil)
            try state.add(
                MissRatioFile.csvRows([row], state.style), to: "miss_ratio.csv", isNew: canAppend
            ) { MissRatioFile.csv($0.ordered, $1) }
        }
    }

    /// Keeps the curve of a trace, in place of an earlier one.
    /// - Throws: ``ResultsError``: `cannotCreate` or `ioError`.
    public func add(_ curve: [CurvePoint]) throws {
        guard let trace = curve.first?.trace else { return }
        try state.withLock { state in
            let isNew = state.results.insert(curve, of: trace)
            try state.add(CSVText.rows(CurveFile.columns, curve, state.style), to: "curve.csv", isNew: isNew) {
                CurveFile.csv($0.curves, $1)
            }
        }
    }

    /// Keeps the errors of samples, in place of earlier ones of the same trace and policy.
    /// - Throws: ``ResultsError``: `cannotCreate` or `ioError`.
    public func add(_ errors: [SampleError]) throws {
        guard !errors.isEmpty else { return }
        try state.withLock { state in
            let isNew = state.results.insert(errors)
            let rows = CSVText.rows(SampleErrorFile.columns, errors, state.style)
            try state.add(rows, to: "sample_error.csv", isNew: isNew) { SampleErrorFile.csv($0.errors, $1) }
        }
    }

    /// Writes `charts/`: for each chart the script, its data and the pictures. With SVG among the formats, it also
    /// writes `report.html`.
    ///
    /// Scripts and data are written first, and remain when gnuplot is missing. A script that a user has edited is kept,
    /// and draws the chart.
    /// - Returns: The paths of the pictures. There are none if no row has a capacity above 0.
    /// - Throws: ``ResultsError``: `missingTool` without gnuplot, `cannotCreate`, `ioError`.
    @discardableResult
    public func drawCharts(_ formats: [ChartFormat] = [.svg, .png]) throws -> DrawnCharts {
        let charts = SimulationChart.charts(rows, curves, formats: formats)
        guard !charts.isEmpty else { return DrawnCharts(pictures: [], keptScripts: []) }
        return try Chart.draw(
            charts, formats, in: path, page: "report.html",
            html: { Document(rows, manifest, pictures: $0).html() })
    }
}

extension Store.State where Kind == SimulationRows {
    /// Appends rows to a file, or writes the whole file.
    fileprivate mutating func add(
        _ rows: String, to file: String, isNew: Bool, whole: (SimulationRows, CSVStyle) -> String
    ) throws {
        if isNew, try files.append(rows, to: file) != nil { return }
        try files.write(whole(results, style), to: file)
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
        if let change = RunInputs.change(from: earlier.inputs, to: manifest.inputs) {
            return found.rows.map { _ in change }
        }
        state.results = found
        return []
    }

    /// A `miss_ratio.csv` or a `curve.csv` is enough, except of a shard.
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
            ("miss_ratio.csv", state.results.rows.count, manifest.rows),
            ("curve.csv", state.results.curves.count, manifest.curvePoints),
        ] {
            guard let stated, stated != count else { continue }
            throw ResultsError(
                .badData, file: "\(state.path)/\(name)",
                """
                has \(count) whole rows, and run.json says that it had \(stated): the file is not whole; simulate \
                again \
                with --resume
                """)
        }
    }

    /// Without a torn last line, so that rows can be appended. A file without rows is removed.
    public static func writeTables(_ state: inout SimulationStore.State) throws {
        let (results, style) = (state.results, state.style)
        for (name, isEmpty, text) in [
            ("miss_ratio.csv", results.rows.isEmpty, MissRatioFile.csv(results.ordered, style)),
            ("curve.csv", results.curves.isEmpty, CurveFile.csv(results.curves, style)),
            ("sample_error.csv", results.errors.isEmpty, SampleErrorFile.csv(results.errors, style)),
        ] {
            if isEmpty {
                try ResultFile.remove("\(state.path)/\(name)")
            } else {
                try state.files.write(text, to: name)
            }
        }
    }

    public static func orderRows(_ state: inout SimulationStore.State) throws {
        guard !state.results.rows.isEmpty else { return }
        try state.files.write(MissRatioFile.csv(state.results.ordered, state.style), to: "miss_ratio.csv")
    }

    public static func finish(_ state: inout SimulationStore.State) throws {
        state.manifest?.rows = state.results.rows.count
        state.manifest?.curvePoints = state.results.curves.count
    }

    /// Throws if earlier rows and those of a simulation do not belong together.
    private static func check(
        _ earlier: Manifest<SimulationFacts>, _ now: Manifest<SimulationFacts>, _ path: String
    ) throws {
        func refusal(_ reason: String) -> ResultsError {
            ResultsError(
                .cannotCreate, file: path,
                "\(reason); name another folder with --output, or start again without --resume")
        }
        guard earlier.versions["cachereplay"] == now.versions["cachereplay"] else {
            throw refusal("holds results of another version")
        }
        for (name, value) in now.settings.sorted(by: { $0.key < $1.key }) where earlier.settings[name] != value {
            throw refusal("holds results with \(name) \(earlier.settings[name] ?? "unknown"), not \(value)")
        }
        var isKnown = earlier.traces.isEmpty
        for trace in now.traces {
            guard let same = earlier.traces.first(where: { $0.name == trace.name }) else { continue }
            guard same.sha256 == trace.sha256 else {
                throw refusal("holds results of another \(trace.name): the file's content has changed")
            }
            guard !trace.sha256.isEmpty else {
                throw refusal("holds results of \(trace.name), which is not a file: its content cannot be compared")
            }
            isKnown = true
        }
        guard isKnown else { throw refusal("holds results of \(earlier.traces.map(\.name).joined(separator: ", "))") }
    }
}

// MARK: Shards

extension SimulationRows {
    /// Returns whether the `run.json` of a folder is that of a simulation, also if it is damaged.
    public static func isShard(_ path: String) -> Bool {
        struct Mark: Decodable { var kind: String }
        return (try? JSONFile.read(Mark.self, at: "\(path)/run.json", remedy: ""))?.kind == Facts.kind
    }

    /// The numbers of rows were compared when the shard was read.
    public static func isComplete(_ state: SimulationStore.State) -> Bool { true }

    public static func join(
        _ shards: [SimulationStore], _ joined: inout Manifest<SimulationFacts>, traces: Int
    ) throws {}

    /// Adds the results of all shards to a folder, in the order of the whole simulation.
    public static func join(_ shards: [SimulationStore], into target: SimulationStore, progress: () -> Void) throws {
        let all = shards.map { shard in shard.state.withLock { $0.results } }
        // Once for all traces, so that the work follows the rows.
        let rowsByTrace = all.map { Dictionary(grouping: $0.rows, by: \.trace) }
        let curvesByTrace = all.map { Dictionary(grouping: $0.curves, by: \.trace) }
        for (number, trace) in (target.manifest?.traces ?? []).enumerated() {
            let parts = rowsByTrace.map { $0[trace.name] ?? [] }
            var next = [Int](repeating: 0, count: parts.count)
            let count = parts.reduce(0) { $0 + $1.count }
            var rows: [MissRatioRow] = []
            // A row is in the shard of its place; see `--shard`.
            for place in 0..<count {
                let shard = (place + number) % parts.count
                guard next[shard] < parts[shard].count else { continue }
                rows.append(parts[shard][next[shard]])
                next[shard] += 1
            }
            guard rows.count == count else {
                throw ResultsError(
                    .badData, file: shards[0].path,
                    "the shards have rows of \(trace.name) that do not follow each other; simulate all shards again")
            }
            target.plan(rows.map(\.identity))
            for row in rows { try target.add(row) }
            for curves in curvesByTrace { try target.add(curves[trace.name] ?? []) }
        }
        let joined = target.state.withLock { $0.results }
        let (rows, points) = all.reduce((0, 0)) { ($0.0 + $1.rows.count, $0.1 + $1.curves.count) }
        guard joined.rows.count == rows, joined.curves.count == points else {
            throw ResultsError(
                .badData, file: target.path,
                """
                has \(joined.rows.count) of the \(rows) rows and \(joined.curves.count) of the \(points) points of \
                curves \
                of the shards, because some are of no trace of run.json, or in several shards; simulate all shards again
                """)
        }
        for _ in shards { progress() }
    }
}
