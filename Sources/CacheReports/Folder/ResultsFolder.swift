import Basics
import Foundation
import ReplayEngine
import Synchronization

/// The folder of one replay's results: the only writer of its files.
///
///     let folder = try ResultsFolder.begin(at: path, description, resume: false)
///     if !folder.isFinished(identity) { try folder.add(run(identity)) }    // after each run, in any order
///     try folder.finish(at: Date())
///     let charts = try folder.drawCharts([.svg, .png])
///
/// Each finished run is one line of `runs.jsonl` (`RunLog`). Its rows are appended to the CSV files, so that the
/// bytes written grow linearly with the number of runs. ``finish(at:)`` puts lines and rows in the order of the command
/// line, so the files do not depend on the order in which the runs finished. The CSV files can always be made again
/// from `runs.jsonl`, and ``begin(at:_:resume:replaces:)`` and ``open(_:mayBeEmpty:)`` do that after an interruption.
///
/// Safe to use from several threads.
public final class ResultsFolder: Sendable {
    public let path: String
    /// The earlier results that `--resume` does not reuse, by the input that changed.
    public let repeated: [RepeatedResults]
    let state: Mutex<State>
    /// Present while results are written.
    private let lock: FolderLock?

    struct State {
        var description: RunDescription?
        var log: RunLog
        /// The figures of all sessions. It is made again from ``log`` if it has not as many runs.
        var fleet: FleetTable
        /// What ``fleet`` says; nil before it is needed.
        var statistics: FleetStatistics?
        /// Whether the CSV files have exactly the rows of ``log``, in any order.
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
    /// - Throws: ``ResultsError``: `ioError` or `badData`.
    public var results: [RunResult] {
        get throws {
            var results: [RunResult] = []
            try forEachResult { results.append($0) }
            return results
        }
    }

    /// Calls `body` with every finished run, in the order of the rows. At most `RunLog.mostInMemory` results are in
    /// memory at a time.
    ///
    /// `body` must not call this folder. With `traces`, only the runs of the traces of these names are read.
    public func forEachResult(of traces: Set<String>? = nil, _ body: (RunResult) throws -> Void) throws {
        try state.withLock { state in
            try state.log.forEach(traces: state.traceNames, caches: state.cacheNames, of: traces, body)
        }
    }

    /// The number of finished runs.
    public var count: Int { state.withLock { $0.log.count } }

    /// The content of `run.json`, or nil for a folder without it.
    public var description: RunDescription? { state.withLock { $0.description } }

    /// Changes what `run.json` says, which ``finish(at:)`` writes. `change` must not call this folder.
    public func describe(_ change: (inout RunDescription) -> Void) {
        state.withLock { state in
            guard var description = state.description else { return }
            change(&description)
            state.description = description
        }
    }

    /// Returns whether the folder has the result of exactly this run.
    public func isFinished(_ identity: RunIdentity) -> Bool { state.withLock { $0.log.contains(identity) } }

    /// Returns the result of exactly this run, or nil if the folder does not have it.
    public func finished(_ identity: RunIdentity) -> RunResult? { state.withLock { try? $0.log.result(identity) } }

    /// Keeps one finished run, and appends its rows to the CSV files.
    /// - Throws: ``ResultsError``: `cannotCreate` or `ioError`. A run whose line was written is kept in any case.
    public func add(_ result: RunResult) throws {
        // Outside of the lock: threads that finish runs make their rows at the same time.
        let json = try RunRecord.json(result, file: "\(path)/runs.jsonl")
        let rows = ResultFiles.Rows(result, state.withLock { $0.style })
        try state.withLock { state in
            state.bytesWritten += json.count + 1
            let isNew = try state.log.append(result, json: json)
            state.fleet.add(result, user: result.user)
            state.statistics = nil
            guard isNew, state.tablesAreComplete else { return try writeTables(&state) }
            // A failed append leaves files that differ: the next run writes them whole.
            state.tablesAreComplete = false
            var places: [Range<Int>] = []
            for (name, text) in rows.files {
                state.bytesWritten += text.utf8.count
                guard let start = try ResultFile.append(Array(text.utf8), to: "\(path)/\(name)") else {
                    return try writeTables(&state)
                }
                places.append(start..<start + text.utf8.count)
            }
            state.log.setRows(places, of: result.identity)
            state.tablesAreComplete = true
        }
    }

    /// Records the end of the replay, and puts the runs and the rows of the CSV files in order.
    /// - Throws: ``ResultsError``: `cannotCreate` or `ioError`.
    public func finish(at end: Date) throws {
        try state.withLock { state in
            state.description?.end = end
            try writeDescription(&state)
            try orderTables(&state)
            try writeFleet(&state)
            state.bytesWritten += try state.log.seal(traces: state.traceNames, caches: state.cacheNames)
        }
    }

    /// Puts the rows of the CSV files in the order of the command line, after an interruption.
    /// - Throws: ``ResultsError``: `cannotCreate` or `ioError`.
    public func orderRows() throws {
        try state.withLock { if $0.log.count > 0 { try orderTables(&$0) } }
    }

    func writeDescription(_ state: inout State) throws {
        guard let description = state.description else { return }
        let file = "\(path)/run.json"
        try state.write(try JSONFile.text(description, file: file), to: file)
    }

    /// Writes the CSV files whole, from all runs.
    func writeTables(_ state: inout State) throws {
        state.tablesAreComplete = false
        let style = state.style
        let paths = ResultFiles.Rows.header.files.map { "\(path)/\($0.name)" }
        var places: [(RunIdentity, [Range<Int>])] = []
        do {
            let files = try paths.map { try AtomicFile($0) }
            var ends = [0, 0, 0]
            func append(_ rows: ResultFiles.Rows) throws -> [Range<Int>] {
                try rows.files.enumerated().map { index, file in
                    try files[index].write(text: file.text)
                    defer { ends[index] += file.text.utf8.count }
                    return ends[index]..<ends[index] + file.text.utf8.count
                }
            }
            _ = try append(.header)
            try state.log.forEach(traces: state.traceNames, caches: state.cacheNames) { result in
                places.append((result.identity, try append(ResultFiles.Rows(result, style))))
            }
            for file in files { try file.commit() }
            state.bytesWritten += ends.reduce(0, +)
        } catch let error as FileError {
            throw ResultsError(error)
        }
        for (identity, rows) in places { state.log.setRows(rows, of: identity) }
        state.tablesAreComplete = true
    }

    /// Puts the rows of the CSV files in order.
    private func orderTables(_ state: inout State) throws {
        guard state.tablesAreComplete else { return try writeTables(&state) }
        let places = state.log.orderedPlaces(traces: state.traceNames, caches: state.cacheNames)
        guard places.allSatisfy({ $0.rows.count == 3 }) else { return try writeTables(&state) }
        for (index, file) in ResultFiles.Rows.header.files.enumerated() {
            let rows = places.map { $0.rows[index] }
            let isInOrder = zip(rows, rows.dropFirst()).allSatisfy { $0.lowerBound <= $1.lowerBound }
            guard !isInOrder else { continue }
            // The places are those of the old order until all files are written.
            state.tablesAreComplete = false
            let target = "\(path)/\(file.name)"
            state.bytesWritten += try FileRanges.copy(rows, after: file.text, of: target, to: target)
        }
        guard !state.tablesAreComplete else { return }
        state.log.moveRows(headers: ResultFiles.Rows.header.files.map { $0.text.utf8.count }, places)
        state.tablesAreComplete = true
    }

    /// The number of bytes that this folder wrote.
    var bytesWritten: Int { state.withLock { $0.bytesWritten } }

    /// Returns the name of a run in file names.
    static func runName(_ identity: RunIdentity) -> String {
        "\(SafeName(identity.trace))--\(SafeName(identity.cache))--\(identity.repetition)"
    }
}

extension AtomicFile {
    fileprivate func write(text: String) throws(FileError) {
        let bytes = Array(text.utf8)
        try bytes.withUnsafeBytes { bytes in Result { () throws(FileError) in try write(bytes) } }.get()
    }
}

extension ResultsFolder.State {
    /// The style of the CSV files.
    var style: CSVStyle { CSVStyle(isSafe: description?.csvSafe == true) }

    /// The names of the traces and caches, in the order of the command line.
    var traceNames: [String] { description?.traces.map(\.name) ?? [] }
    var cacheNames: [String] { description?.caches.map(\.name) ?? [] }

    init(description: RunDescription?, log: RunLog, fleet: FleetTable) {
        self.description = description
        self.log = log
        self.fleet = fleet
    }

    mutating func write(_ text: String, to path: String) throws {
        bytesWritten += text.utf8.count
        try ResultFile.write(text, to: path)
    }
}
