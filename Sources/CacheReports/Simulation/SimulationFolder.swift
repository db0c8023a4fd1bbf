import Basics
import Foundation
import Synchronization

/// The folder of a simulation's results: `miss_ratio.csv`, `curve.csv`, `sample_error.csv`, `run.json`, `charts/` and
/// `report.html`.
///
/// Each finished row is appended to its file, so that the bytes written grow linearly with the number of rows.
/// ``finish(at:)`` writes `miss_ratio.csv` again with the rows in the order of the plan. A process that is killed
/// leaves at most a torn last line, which ``begin(at:_:resume:replaces:)`` and ``open(_:)`` drop.
///
/// Safe to use from several threads.
public final class SimulationFolder: Sendable {
    public let path: String
    /// The earlier rows that `--resume` does not reuse, by the input that changed.
    public let repeated: [RepeatedResults]
    let state: Mutex<State>
    /// Present while results are written.
    private let lock: FolderLock?

    struct State {
        var description: SimulationDescription?
        /// The place of each planned row. Rows of earlier simulations that are not planned now come last.
        var order: [MissRatioRow.Identity: Int] = [:]
        private(set) var rows: [MissRatioRow] = []
        private var places: [MissRatioRow.Identity: Int] = [:]
        private(set) var curves: [CurvePoint] = []
        /// The traces that have a curve.
        private var curveTraces: Set<String> = []
        var errors: [SampleError] = []
        /// The names of the files that have exactly the values above, so that rows can be appended.
        private var completeFiles: Set<String> = []
        /// The bytes that were handed to the file system: the measure of the cost of keeping results.
        var bytesWritten = 0

        init(description: SimulationDescription? = nil) { self.description = description }

        func contains(_ identity: MissRatioRow.Identity) -> Bool { places[identity] != nil }

        /// Adds a row in place of an earlier one. Returns whether there was none.
        mutating func insert(_ row: MissRatioRow) -> Bool {
            if let place = places[row.identity] {
                rows[place] = row
                return false
            }
            places[row.identity] = rows.count
            rows.append(row)
            return true
        }

        /// Adds the curve of a trace in place of an earlier one. Returns whether there was none.
        mutating func insert(_ curve: [CurvePoint], of trace: String) -> Bool {
            let isNew = curveTraces.insert(trace).inserted
            if !isNew { curves.removeAll { $0.trace == trace } }
            curves += curve
            return isNew
        }

        /// Takes the curves of a file.
        mutating func setCurves(_ points: [CurvePoint]) {
            curves = points
            curveTraces = Set(points.map(\.trace))
        }

        /// Appends rows to a file, or writes the whole file if that is not possible.
        mutating func append(_ rows: String, to file: String, in path: String, whole: (Self) -> String) throws {
            // A failed append leaves a file that differs: the next one writes it whole.
            if completeFiles.remove(file) != nil {
                bytesWritten += rows.utf8.count
                if try ResultFile.append(Array(rows.utf8), to: "\(path)/\(file)") != nil {
                    completeFiles.insert(file)
                    return
                }
            }
            try write(whole(self), to: file, in: path)
        }

        mutating func write(_ text: String, to file: String, in path: String) throws {
            completeFiles.remove(file)
            bytesWritten += text.utf8.count
            try ResultFile.write(text, to: "\(path)/\(file)")
            completeFiles.insert(file)
        }
    }

    init(path: String, state: consuming State, repeated: [RepeatedResults] = [], lock: FolderLock? = nil) {
        self.path = path
        self.lock = lock
        self.repeated = repeated
        self.state = Mutex(state)
    }

    /// The finished rows, in the order of the plan.
    public var rows: [MissRatioRow] { state.withLock { $0.ordered } }

    public var curves: [CurvePoint] { state.withLock { $0.curves } }

    public var description: SimulationDescription? { state.withLock { $0.description } }

    /// Returns whether the folder has a row.
    public func finished(_ identity: MissRatioRow.Identity) -> Bool { state.withLock { $0.contains(identity) } }

    /// Places rows behind those planned before, in this order.
    public func plan(_ identities: [MissRatioRow.Identity]) {
        state.withLock { state in
            for identity in identities where state.order[identity] == nil { state.order[identity] = state.order.count }
        }
    }

    /// Keeps a finished row.
    /// - Throws: ``ResultsError``: `cannotCreate` or `ioError`.
    public func add(_ row: MissRatioRow) throws {
        try state.withLock { state in
            let hadSamples = state.rows.last?.sampleRate != nil
            let isNew = state.insert(row)
            let canAppend = isNew && hadSamples == (row.sampleRate != nil)
            guard canAppend else { return try writeRows(&state) }
            try state.append(MissRatioFile.csvRows([row], state.style), to: "miss_ratio.csv", in: path) {
                MissRatioFile.csv($0.ordered, $0.style)
            }
        }
    }

    /// Keeps the curve of a trace, in place of an earlier one.
    /// - Throws: ``ResultsError``: `cannotCreate` or `ioError`.
    public func add(_ curve: [CurvePoint]) throws {
        guard let trace = curve.first?.trace else { return }
        try state.withLock { state in
            let isNew = state.insert(curve, of: trace)
            guard isNew else { return try state.writeCurves(in: path) }
            try state.append(CSVText.rows(CurveFile.columns, curve, state.style), to: "curve.csv", in: path) {
                CurveFile.csv($0.curves, $0.style)
            }
        }
    }

    /// Keeps the errors of samples, in place of earlier ones of the same trace and policy.
    /// - Throws: ``ResultsError``: `cannotCreate` or `ioError`.
    public func add(_ errors: [SampleError]) throws {
        guard !errors.isEmpty else { return }
        try state.withLock { state in
            func isReplaced(_ old: SampleError) -> Bool {
                errors.contains { $0.trace == old.trace && $0.policy == old.policy }
            }
            let isNew = !state.errors.contains(where: isReplaced)
            state.errors.removeAll(where: isReplaced)
            state.errors += errors
            guard isNew else { return try state.writeErrors(in: path) }
            let rows = CSVText.rows(SampleErrorFile.columns, errors, state.style)
            try state.append(rows, to: "sample_error.csv", in: path) { SampleErrorFile.csv($0.errors, $0.style) }
        }
    }

    /// Records the end of the simulation, and puts the rows in order.
    /// - Throws: ``ResultsError``: `cannotCreate` or `ioError`.
    public func finish(at end: Date) throws {
        try orderRows()
        try state.withLock { state in
            state.description?.end = end
            state.description?.rows = state.rows.count
            state.description?.curvePoints = state.curves.count
            try writeDescription(&state)
        }
    }

    /// Puts the rows of `miss_ratio.csv` in the order of the plan.
    /// - Throws: ``ResultsError``: `cannotCreate` or `ioError`.
    public func orderRows() throws {
        try state.withLock { if !$0.rows.isEmpty { try writeRows(&$0) } }
    }

    /// The number of bytes that this folder wrote.
    var bytesWritten: Int { state.withLock { $0.bytesWritten } }

    private func writeRows(_ state: inout State) throws {
        try state.writeRows(in: path)
    }

    private func writeDescription(_ state: inout State) throws {
        guard let description = state.description else { return }
        try state.write(
            try JSONFile.text(description, file: "\(path)/run.json"), to: "run.json", in: path)
    }
}

extension SimulationFolder.State {
    /// The style of the CSV files.
    var style: CSVStyle { CSVStyle(isSafe: description?.csvSafe == true) }

    mutating func writeRows(in path: String) throws {
        try write(MissRatioFile.csv(ordered, style), to: "miss_ratio.csv", in: path)
    }

    mutating func writeCurves(in path: String) throws {
        try write(CurveFile.csv(curves, style), to: "curve.csv", in: path)
    }

    mutating func writeErrors(in path: String) throws {
        try write(SampleErrorFile.csv(errors, style), to: "sample_error.csv", in: path)
    }

    var ordered: [MissRatioRow] {
        rows.enumerated().sorted {
            let (one, other) = (order[$0.element.identity] ?? .max, order[$1.element.identity] ?? .max)
            return one == other ? $0.offset < $1.offset : one < other
        }.map(\.element)
    }
}

// MARK: Opening

extension SimulationFolder {
    private static let files = OwnFiles(
        ["miss_ratio.csv", "curve.csv", "sample_error.csv", "run.json", "report.html"],
        charts: SimulationChart.allCases.map(\.rawValue), shownBy: "run.json", of: "an earlier simulation"
    ) { path in (try? earlierDescription(in: path))?.versions["cachereplay"] != nil }

    /// Makes the folder ready, and writes its `run.json`.
    ///
    /// With `resume`, the results of an earlier simulation are kept, unless the program or a plugin changed
    /// (``repeated``). A folder with results of other traces, settings or another version is refused. `run.json` then
    /// also has the inputs of the kept rows that are not simulated now, and the CSV files stay safe in spreadsheet
    /// programs if they were. Without `resume`, earlier results are removed with `replaces`, and are an error
    /// otherwise.
    /// - Throws: ``ResultsError``: `cannotCreate`, `ioError`, or `badData` for a broken file.
    public static func begin(
        at path: String, _ description: SimulationDescription, resume: Bool, replaces: Bool = true
    ) throws -> SimulationFolder {
        let lock = try ResultFile.claimFolder(path)
        var state = State(description: description)
        var repeated: [RepeatedResults] = []
        let earlier = resume ? try earlierDescription(in: path) : nil
        if let earlier {
            try check(earlier, description, path)
            let style = CSVStyle(isSafe: earlier.csvSafe == true)
            let found = try results(in: path, style)
            if earlier.csvSafe == true { state.description?.csvSafe = true }
            if let change = RunInputs.change(from: earlier.inputs, to: description.inputs) {
                repeated = .counting(found.rows.map { _ in change })
                try removeTables(in: path)
            } else {
                let description = state.description?.keeping(earlier)
                state = found
                state.description = description
                // Without a torn last line, so that rows can be appended.
                if !state.rows.isEmpty { try state.writeRows(in: path) }
                if state.style != style {
                    if !state.curves.isEmpty { try state.writeCurves(in: path) }
                    if !state.errors.isEmpty { try state.writeErrors(in: path) }
                }
            }
        } else {
            try files.refuseForeign(in: path)
            if !resume, !replaces, holdsResults(path) { throw ResultsError.existingResults(in: path) }
            if !resume { try files.remove(from: path) }
        }
        let folder = SimulationFolder(path: path, state: state, repeated: repeated, lock: lock)
        try folder.state.withLock { try folder.writeDescription(&$0) }
        return folder
    }

    /// Returns whether a folder holds the results of a simulation.
    public static func holdsResults(_ path: String) -> Bool {
        ResultFile.exists("\(path)/miss_ratio.csv") || ResultFile.exists("\(path)/curve.csv")
    }

    /// Opens a folder to draw its charts again. A `miss_ratio.csv` or a `curve.csv` is enough.
    /// - Throws: ``ResultsError``: `ioError`, or `badData` if there are no results, a broken file, or other numbers of
    ///   rows than `run.json` has.
    public static func open(_ path: String) throws -> SimulationFolder { try open(path, mayBeEmpty: false) }

    /// - Parameter mayBeEmpty: Whether a folder without rows can be opened, such as a shard that has none.
    static func open(_ path: String, mayBeEmpty: Bool) throws -> SimulationFolder {
        let description = try? earlierDescription(in: path)
        var state = try results(in: path, CSVStyle(isSafe: description?.csvSafe == true))
        state.description = description
        try checkNumbers(state, in: path)
        guard !state.rows.isEmpty || !state.curves.isEmpty || mayBeEmpty else {
            throw ResultsError(
                .badData, file: path,
                "has no rows in miss_ratio.csv and no curve.csv; name a folder that `simulate --output` wrote")
        }
        return SimulationFolder(path: path, state: state)
    }

    /// Throws if a finished simulation has other numbers of rows than at its end: the last row of a file that lacks its
    /// last byte is dropped as torn.
    private static func checkNumbers(_ state: State, in path: String) throws {
        guard let description = state.description, description.end != nil else { return }
        for (name, count, stated) in [
            ("miss_ratio.csv", state.rows.count, description.rows),
            ("curve.csv", state.curves.count, description.curvePoints),
        ] {
            guard let stated, stated != count else { continue }
            throw ResultsError(
                .badData, file: "\(path)/\(name)",
                """
                has \(count) whole rows, and run.json says that it had \(stated): the file is not whole; simulate \
                again \
                with --resume
                """)
        }
    }

    /// Returns the values of the CSV files.
    private static func results(in path: String, _ style: CSVStyle) throws -> State {
        func read<Value>(_ name: String, _ parse: (String, String, CSVStyle) throws -> [Value]) throws -> [Value] {
            let file = "\(path)/\(name)"
            return ResultFile.exists(file) ? try parse(try ResultFile.text(at: file), file, style) : []
        }
        var state = State()
        for row in try read("miss_ratio.csv", MissRatioFile.rows) { _ = state.insert(row) }
        state.setCurves(try read("curve.csv", CurveFile.points))
        state.errors = try read("sample_error.csv", SampleErrorFile.errors)
        return state
    }

    static func earlierDescription(
        in path: String, remedy: String = "it is not of a simulation; name another folder with --output"
    ) throws -> SimulationDescription? {
        let file = "\(path)/run.json"
        guard ResultFile.exists(file) else { return nil }
        return try JSONFile.read(SimulationDescription.self, at: file, remedy: remedy)
    }

    private static func check(_ earlier: SimulationDescription, _ now: SimulationDescription, _ path: String) throws {
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

    private static func removeTables(in path: String) throws {
        for name in files.names where name.hasSuffix(".csv") { try ResultFile.remove("\(path)/\(name)") }
    }
}
