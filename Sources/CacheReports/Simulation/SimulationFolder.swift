import Basics
import Foundation
import Synchronization

/// The folder of a simulation's results: `miss_ratio.csv`, `curve.csv`, `sample_error.csv`, `run.json`, `charts/` and
/// `report.html`.
///
/// After each cell `miss_ratio.csv` is written anew, whole or not at all, with the finished rows in the order of the
/// plan: an interrupted run keeps what it has. Safe to use from several threads.
public final class SimulationFolder: Sendable {
    public let path: String
    private let state: Mutex<State>

    struct State {
        var description: SimulationDescription?
        /// The order of the rows; those of earlier runs that are not asked for now come last.
        var order: [MissRatioRow.Identity: Int] = [:]
        var rows: [MissRatioRow] = []
        var curves: [CurvePoint] = []
        var errors: [SampleError] = []
    }

    init(path: String, state: State) {
        self.path = path
        self.state = Mutex(state)
    }

    /// Finished rows, in the order of the plan.
    public var rows: [MissRatioRow] { state.withLock { $0.ordered } }

    public var curves: [CurvePoint] { state.withLock { $0.curves } }

    public var description: SimulationDescription? { state.withLock { $0.description } }

    public func finished(_ identity: MissRatioRow.Identity) -> Bool {
        state.withLock { $0.rows.contains { $0.identity == identity } }
    }

    /// Rows stand behind those planned before, in this order.
    public func plan(_ identities: [MissRatioRow.Identity]) {
        state.withLock { state in
            for identity in identities where state.order[identity] == nil { state.order[identity] = state.order.count }
        }
    }

    /// Keeps a finished cell. Throws ``ResultsError``; the file is then as it was before, or whole.
    public func add(_ row: MissRatioRow) throws {
        try state.withLock { state in
            state.rows.removeAll { $0.identity == row.identity }
            state.rows.append(row)
            try ResultFile.write(MissRatioFile.csv(state.ordered), to: "\(path)/miss_ratio.csv")
        }
    }

    /// Keeps the curve of a trace, in place of an earlier one.
    public func add(_ curve: [CurvePoint]) throws {
        guard let first = curve.first else { return }
        try state.withLock { state in
            state.curves.removeAll { $0.trace == first.trace }
            state.curves += curve
            try ResultFile.write(CurveFile.csv(state.curves), to: "\(path)/curve.csv")
        }
    }

    public func add(_ errors: [SampleError]) throws {
        guard !errors.isEmpty else { return }
        try state.withLock { state in
            state.errors += errors
            try ResultFile.write(SampleErrorFile.csv(state.errors), to: "\(path)/sample_error.csv")
        }
    }

    /// Notes the end of the run.
    public func finish(at end: Date) throws {
        try state.withLock { state in
            state.description?.end = end
            try writeDescription(state)
        }
    }

    private func writeDescription(_ state: borrowing State) throws {
        guard let description = state.description else { return }
        let file = "\(path)/run.json"
        try ResultFile.write(try JSONFile.text(description, indented: true, file: file), to: file)
    }
}

extension SimulationFolder.State {
    var ordered: [MissRatioRow] {
        rows.enumerated().sorted {
            let (one, other) = (order[$0.element.identity] ?? .max, order[$1.element.identity] ?? .max)
            return one == other ? $0.offset < $1.offset : one < other
        }.map(\.element)
    }
}

extension SimulationFolder {
    private static let fileNames = ["miss_ratio.csv", "curve.csv", "sample_error.csv", "run.json", "report.html"]

    /// Makes the folder ready and writes its `run.json`.
    ///
    /// Without `resume`, an earlier simulation's results in it are removed. With `resume` they are kept, and a folder
    /// whose results are of other traces, settings or another version is refused.
    /// - Throws: ``ResultsError``: `cannotCreate`, `ioError`, or `badData` for a broken file.
    public static func begin(at path: String, _ description: SimulationDescription, resume: Bool) throws
        -> SimulationFolder
    {
        try ResultsFolder.makeFolder(path)
        for name in try ResultsFolder.list(path) where name.hasPrefix(AtomicFile.temporaryPrefix) {
            try ResultsFolder.remove("\(path)/\(name)")
        }
        var state = State(description: description)
        if resume {
            if let earlier = try earlierDescription(in: path) {
                try check(earlier, description, path)
                state.rows = try rows(in: path)
                state.curves = try curves(in: path)
            } else {
                try refuseStrangers(in: path)
            }
        } else {
            try refuseStrangers(in: path)
            try removeResults(in: path)
        }
        let folder = SimulationFolder(path: path, state: state)
        try folder.state.withLock { try folder.writeDescription($0) }
        return folder
    }

    /// Whether a folder holds a simulation's results, and not a replay's.
    public static func holdsResults(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: "\(path)/miss_ratio.csv")
            || FileManager.default.fileExists(atPath: "\(path)/curve.csv")
    }

    /// Opens a folder to draw its charts again; a `miss_ratio.csv` or a `curve.csv` is enough.
    public static func open(_ path: String) throws -> SimulationFolder {
        var state = State()
        state.description = try? earlierDescription(in: path)
        state.rows = try rows(in: path)
        state.curves = try curves(in: path)
        guard !state.rows.isEmpty || !state.curves.isEmpty else {
            throw ResultsError(.badData, file: path, "has no finished cells in miss_ratio.csv, and no curve.csv")
        }
        return SimulationFolder(path: path, state: state)
    }

    private static func rows(in path: String) throws -> [MissRatioRow] {
        let file = "\(path)/miss_ratio.csv"
        guard FileManager.default.fileExists(atPath: file) else { return [] }
        return try MissRatioFile.rows(try FileText.read(file), file: file)
    }

    private static func curves(in path: String) throws -> [CurvePoint] {
        let file = "\(path)/curve.csv"
        guard FileManager.default.fileExists(atPath: file) else { return [] }
        return try CurveFile.points(try FileText.read(file), file: file)
    }

    private static func earlierDescription(in path: String) throws -> SimulationDescription? {
        let file = "\(path)/run.json"
        guard FileManager.default.fileExists(atPath: file) else { return nil }
        return try JSONFile.read(
            SimulationDescription.self, at: file, remedy: "it is no simulation's; name another folder with --output")
    }

    private static func check(_ earlier: SimulationDescription, _ now: SimulationDescription, _ path: String) throws {
        func refusal(_ reason: String) -> ResultsError {
            ResultsError(
                .cannotCreate, file: path,
                "\(reason); name another folder with --output, or leave --resume out to begin anew")
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
            isKnown = true
        }
        guard isKnown else { throw refusal("holds results of \(earlier.traces.map(\.name).joined(separator: ", "))") }
    }

    /// Files of our names that no simulation wrote are somebody's: they are not ours to remove.
    private static func refuseStrangers(in path: String) throws {
        guard let name = fileNames.first(where: { FileManager.default.fileExists(atPath: "\(path)/\($0)") }) else {
            return
        }
        guard let earlier = try? earlierDescription(in: path), earlier.versions["cachereplay"] != nil else {
            throw ResultsError(
                .cannotCreate, file: path,
                """
                holds a \(name), but no run.json of an earlier simulation; name another folder with --output, or \
                remove the file
                """
            )
        }
    }

    private static func removeResults(in path: String) throws {
        for name in fileNames { try ResultsFolder.remove("\(path)/\(name)") }
        let charts = "\(path)/charts"
        guard ResultsFolder.isFolder(charts) else { return }
        for name in try ResultsFolder.list(charts) where SimulationChart.isOurs(name) {
            try ResultsFolder.remove("\(charts)/\(name)")
        }
    }
}
