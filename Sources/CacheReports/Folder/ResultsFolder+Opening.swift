import Basics
import Foundation
import ReplayEngine

extension ResultsFolder {
    /// Makes the folder ready for a replay, and writes its `run.json`.
    ///
    /// Without `resume`, the runs, CSV files and charts of an earlier replay are removed; if `replaces` is false, they
    /// are an error instead. With `resume`, the earlier
    /// runs are kept, except those whose inputs changed (``repeated``), and the CSV files are made again from them.
    /// `run.json` then also has the inputs of the kept runs that are not made now, and the CSV files stay safe in
    /// spreadsheet programs if they were.
    /// The folder is locked as long as the instance exists.
    /// - Throws: ``ResultsError``: `cannotCreate`, `ioError`, or `badData` for a broken file in `runs/`.
    public static func begin(
        at path: String, _ description: RunDescription, resume: Bool, replaces: Bool = true
    ) throws -> ResultsFolder {
        let lock = try ResultFile.claimFolder(path)
        // The disk tiers of replays that were killed.
        ScratchFolder.removeAbandoned(in: path, prefix: ".run")
        var log = RunLog(path)
        var fleet = FleetTable()
        var changes: [InputChange] = []
        var description = description
        // A folder is complete when ``finish(at:)`` has said so, also if its runs come from complete folders.
        description.end = nil
        if resume {
            let earlier = try earlierDescription(in: path)
            if earlier?.csvSafe == true { description.csvSafe = true }
            if earlier == nil, !ResultFile.exists(RunLog.path(in: path)) { try files.refuseForeign(in: path) }
            let change = RunDescription.change(from: earlier, to: description)
            log = try RunLog.read(path, repairs: true) { result in
                guard let change = change(result.identity.trace) else {
                    fleet.add(result, user: result.user)
                    return true
                }
                changes.append(change)
                try removeRequests(of: result.identity, in: path)
                return false
            }
            if let earlier, log.count > 0 { description = description.keeping(earlier) }
        } else {
            try files.refuseForeign(in: path)
            if !replaces, try holdsRuns(path) { throw ResultsError.existingResults(in: path) }
            try removeResults(in: path)
        }
        let folder = ResultsFolder(
            path: path, state: State(description: description, log: log, fleet: fleet),
            repeated: .counting(changes), lock: lock)
        try folder.state.withLock { state in
            try folder.writeDescription(&state)
            if resume { try folder.writeTables(&state) }
        }
        return folder
    }

    private static func holdsRuns(_ path: String) throws -> Bool {
        let file = RunLog.path(in: path)
        return ResultFile.exists(file) ? try !ResultFile.bytes(at: file).isEmpty : false
    }

    /// Opens a folder to read its results, or to draw its charts again.
    ///
    /// CSV files that an interrupted replay left incomplete are made again, unless a replay is still running there.
    /// With `mayBeEmpty`, a folder without runs can be opened, such as a shard whose traces were all skipped.
    /// - Throws: ``ResultsError``: `notFound`, `ioError`, or `badData` if the folder has no runs or a broken one.
    public static func open(_ path: String, mayBeEmpty: Bool = false) throws -> ResultsFolder {
        guard ResultFile.isFolder(path) else {
            throw ResultsError(
                .notFound, file: path, "no such folder; name one that `cachereplay replay --output` wrote")
        }
        try ResultFile.checkReadable(path)
        var fleet = FleetTable()
        let log = try RunLog.read(path, repairs: false) { result in
            fleet.add(result, user: result.user)
            return true
        }
        guard log.count > 0 || mayBeEmpty else {
            throw ResultsError(
                .badData, file: path,
                "has no finished runs in runs.jsonl; name a whole results folder, because the CSV files are not enough")
        }
        let folder = ResultsFolder(
            path: path,
            state: State(
                description: try earlierDescription(in: path, remedy: "make the results again"), log: log, fleet: fleet)
        )
        // A process that writes to the folder has its lock.
        if folder.description?.end == nil, (try? FolderLock(path)) != nil { try folder.repairTables() }
        return folder
    }

    /// Returns whether a folder holds the runs of a replay.
    public static func holdsResults(_ path: String) -> Bool { ResultFile.exists(RunLog.path(in: path)) }

    static func earlierDescription(
        in path: String, remedy: String = "remove the file, or replay without --resume"
    ) throws -> RunDescription? {
        let file = "\(path)/run.json"
        guard ResultFile.exists(file) else { return nil }
        return try JSONFile.read(RunDescription.self, at: file, remedy: remedy)
    }

    /// Writes the CSV files again if they do not have exactly the rows of the runs.
    private func repairTables() throws {
        let results = try results
        try state.withLock { state in
            let isComplete = ResultFiles.Rows.whole(results, state.style).files.allSatisfy { name, text in
                let lines = (try? ResultFile.text(at: "\(path)/\(name)"))?.split(separator: "\n")
                return lines?.sorted() == text.split(separator: "\n").sorted()
            }
            if !isComplete { try writeTables(&state) }
        }
    }

    private static let files = OwnFiles(
        [
            "summary.csv", "latency.csv", "timeline.csv", "requests.csv", "requests.json", "run.json", "runs.jsonl",
            "details.jsonl", "report.html", "fleet.csv", "fleet-pairs.csv", "fleet-latency.csv",
        ], charts: ChartKind.allCases.map(\.rawValue) + FleetChart.allCases.map(\.rawValue), shownBy: "run.json",
        of: "an earlier replay"
    ) { path in (try? earlierDescription(in: path))?.versions["cachereplay"] != nil }

    private static func removeResults(in path: String) throws {
        try removeRequests(in: path)
        try removeEvents(in: path)
        try files.remove(from: path)
    }
}
