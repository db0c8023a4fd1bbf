import Basics
import Foundation
import ReplayEngine
import Synchronization

/// The folder of one replay's results: the only writer of its files.
///
///     let folder = try ResultsFolder.begin(at: path, description, resume: false)
///     if folder.finished(identity) == nil { try folder.add(run(identity)) }    // after each run, in any order
///     try folder.finish(at: Date())
///     let charts = try folder.drawCharts([.svg, .png])
///
/// Each finished run is one file in `runs/`, written whole or not at all. The run's rows are appended to the CSV files,
/// so that the bytes written grow linearly with the number of runs. ``finish(at:)`` writes the CSV files again with the
/// rows in the order of the command line; they are then the same for any order in which the runs finished. The CSV
/// files can always be made again from `runs/`, and ``begin(at:_:resume:)`` and ``open(_:)`` do that after an
/// interruption.
///
/// Safe to use from several tasks.
public final class ResultsFolder: Sendable {
    public let path: String
    /// The earlier results that `--resume` does not reuse, by the input that changed.
    public let repeated: [RepeatedResults]
    let state: Mutex<State>
    /// Present while results are written.
    private let lock: FolderLock?

    struct State {
        var description: RunDescription?
        /// The finished runs, by file name.
        var runs: [String: RunResult]
        /// Whether the CSV files have exactly the rows of ``runs``, in any order.
        var tablesAreComplete = false
        /// The bytes that were handed to the file system: the measure of the cost of keeping results.
        var bytesWritten = 0
    }

    init(path: String, state: consuming State, repeated: [RepeatedResults] = [], lock: FolderLock? = nil) {
        self.path = path
        self.lock = lock
        self.repeated = repeated
        self.state = Mutex(state)
    }

    /// Every finished run, in the order of the rows.
    public var results: [RunResult] { state.withLock { $0.ordered } }

    /// The content of `run.json`, or nil for a folder without it.
    public var description: RunDescription? { state.withLock { $0.description } }

    /// Returns the result of exactly this run, or nil if the folder does not have it.
    public func finished(_ identity: RunIdentity) -> RunResult? {
        state.withLock { $0.runs[Self.runName(identity)] }.flatMap { $0.identity == identity ? $0 : nil }
    }

    /// Keeps one finished run, and appends its rows to the CSV files.
    /// - Throws: ``ResultsError``: `cannotCreate` or `ioError`. A run whose file was written is kept in any case.
    public func add(_ result: RunResult) throws {
        try state.withLock { state in
            let name = Self.runName(result.identity)
            let file = "\(path)/runs/\(name)"
            try state.write(try JSONFile.text(result, indented: false, file: file), to: file)
            let isNew = state.runs.updateValue(result, forKey: name) == nil
            guard isNew, state.tablesAreComplete else { return try writeTables(&state) }
            // A failed append leaves files that differ: the next run writes them whole.
            state.tablesAreComplete = false
            for (name, rows) in ResultFiles.Rows(result, state.style).files {
                guard try state.append(rows, to: "\(path)/\(name)") else { return try writeTables(&state) }
            }
            state.tablesAreComplete = true
        }
    }

    /// Records the end of the replay, and puts the rows of the CSV files in order.
    /// - Throws: ``ResultsError``: `cannotCreate` or `ioError`.
    public func finish(at end: Date) throws {
        try state.withLock { state in
            state.description?.end = end
            try writeDescription(&state)
            try writeTables(&state)
        }
    }

    /// Puts the rows of the CSV files in the order of the command line, after an interruption.
    /// - Throws: ``ResultsError``: `cannotCreate` or `ioError`.
    public func orderRows() throws {
        try state.withLock { if !$0.runs.isEmpty { try writeTables(&$0) } }
    }

    func writeDescription(_ state: inout State) throws {
        guard let description = state.description else { return }
        let file = "\(path)/run.json"
        try state.write(try JSONFile.text(description, indented: true, file: file), to: file)
    }

    /// Writes the CSV files whole, from all runs.
    func writeTables(_ state: inout State) throws {
        state.tablesAreComplete = false
        for (name, text) in ResultFiles.Rows.whole(state.ordered, state.style).files {
            try state.write(text, to: "\(path)/\(name)")
        }
        state.tablesAreComplete = true
    }

    /// The number of bytes that this folder wrote.
    var bytesWritten: Int { state.withLock { $0.bytesWritten } }

    /// Returns the name of a run's file in `runs/`.
    static func runName(_ identity: RunIdentity) -> String {
        "\(SafeName.of(identity.trace))--\(SafeName.of(identity.cache))--\(identity.repetition).json"
    }
}

extension ResultsFolder.State {
    /// The style of the CSV files.
    var style: CSVStyle { CSVStyle(isSafe: description?.csvSafe == true) }

    init(description: RunDescription?, runs: [String: RunResult]) {
        self.description = description
        self.runs = runs
    }

    mutating func write(_ text: String, to path: String) throws {
        bytesWritten += text.utf8.count
        try ResultFile.write(text, to: path)
    }

    mutating func append(_ text: String, to path: String) throws -> Bool {
        bytesWritten += text.utf8.count
        return try ResultFile.append(text, to: path)
    }

    /// The runs by trace, cache and repeat. Traces and caches are in the order of the command line; others come last.
    var ordered: [RunResult] {
        let traces = ranks(description?.traces.map(\.name))
        let caches = ranks(description?.caches.map(\.name))
        func key(_ identity: RunIdentity) -> (Int, String, Int, String, Int) {
            (
                traces[identity.trace] ?? .max, identity.trace, caches[identity.cache] ?? .max, identity.cache,
                identity.repetition
            )
        }
        return runs.values.sorted { key($0.identity) < key($1.identity) }
    }

    private func ranks(_ names: [String]?) -> [String: Int] {
        Dictionary((names ?? []).enumerated().map { ($1, $0) }, uniquingKeysWith: min)
    }
}
