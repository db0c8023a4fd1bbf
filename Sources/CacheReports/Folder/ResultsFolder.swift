import Foundation
import ReplayEngine
import Synchronization

/// The folder of one run's results: the only writer of result files.
///
///     let folder = try ResultsFolder.begin(at: path, description, resume: false)
///     if folder.finished(identity) == nil { try folder.add(run(identity)) }    // after each run, in any order
///     try folder.finish(at: Date())
///     let charts = try folder.drawCharts([.svg, .png])
///
/// Each run is one file in `cells/`, written whole or not at all, and the CSVs are written again from all cells after
/// each: an interrupted run keeps what it has. Rows stand in the order of the command line, not of completion.
/// Safe to use from several tasks.
public final class ResultsFolder: Sendable {
    public let path: String
    let state: Mutex<State>

    struct State {
        var description: RunDescription?
        /// By file name.
        var cells: [String: RunResult]
        /// The rows of each cell as they stand in the CSVs: with many and long runs, rendering all of them again
        /// after each run would take longer than the runs.
        var rows: [String: ResultFiles.Rows] = [:]
    }

    init(path: String, state: State) {
        self.path = path
        self.state = Mutex(state)
    }

    /// Everything finished so far, in the order of the rows.
    public var results: [RunResult] { state.withLock { $0.ordered } }

    /// nil for a folder without `run.json`.
    public var description: RunDescription? { state.withLock { $0.description } }

    /// The result of exactly this run, if the folder has it: what `--resume` need not do again.
    public func finished(_ identity: RunIdentity) -> RunResult? {
        state.withLock { $0.cells[Self.cellName(identity)] }.flatMap { $0.identity == identity ? $0 : nil }
    }

    /// Keeps one finished run, and brings the CSVs up to date.
    /// - Throws: ``ResultsError``: `cannotCreate` or `ioError`. Each file is then as it was before, or whole.
    public func add(_ result: RunResult) throws {
        try state.withLock { state in
            let name = Self.cellName(result.identity)
            let file = "\(path)/cells/\(name)"
            try ResultFile.write(try JSONFile.text(result, indented: false, file: file), to: file)
            state.cells[name] = result
            state.rows[name] = nil
            try writeTables(&state)
        }
    }

    /// Notes the end of the run, and brings the CSVs up to date.
    public func finish(at end: Date) throws {
        try state.withLock { state in
            state.description?.end = end
            try writeDescription(state)
            try writeTables(&state)
        }
    }

    func writeDescription(_ state: borrowing State) throws {
        guard let description = state.description else { return }
        let file = "\(path)/run.json"
        try ResultFile.write(try JSONFile.text(description, indented: true, file: file), to: file)
    }

    private func writeTables(_ state: inout State) throws {
        var whole = ResultFiles.Rows.header
        for result in state.ordered {
            let name = Self.cellName(result.identity)
            let rows = state.rows[name] ?? ResultFiles.Rows(result)
            state.rows[name] = rows
            whole.append(rows)
        }
        try ResultFile.write(whole.latency, to: "\(path)/latency.csv")
        try ResultFile.write(whole.timeline, to: "\(path)/timeline.csv")
        // Last, because most readers look here first: when it is new, the others are too.
        try ResultFile.write(whole.summary, to: "\(path)/summary.csv")
    }

    static func cellName(_ identity: RunIdentity) -> String {
        "\(SafeName.of(identity.trace))--\(SafeName.of(identity.cache))--\(identity.repetition).json"
    }
}

extension ResultsFolder.State {
    /// By trace, cache and repeat, traces and caches as the command gave them; those that it did not give come last.
    var ordered: [RunResult] {
        let traces = ranks(description?.traces.map(\.name))
        let caches = ranks(description?.caches.map(\.name))
        func key(_ identity: RunIdentity) -> (Int, String, Int, String, Int) {
            (
                traces[identity.trace] ?? .max, identity.trace, caches[identity.cache] ?? .max, identity.cache,
                identity.repetition
            )
        }
        return cells.values.sorted { key($0.identity) < key($1.identity) }
    }

    private func ranks(_ names: [String]?) -> [String: Int] {
        Dictionary((names ?? []).enumerated().map { ($1, $0) }, uniquingKeysWith: min)
    }
}
