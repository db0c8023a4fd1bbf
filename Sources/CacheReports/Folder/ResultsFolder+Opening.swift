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
        try makeFolder(path)
        let lock = try lock(path)
        try removeUnfinished(in: path)
        try removeScratch(in: path)
        var log = RunLog(path)
        var fleet = FleetTable()
        var changes: [InputChange] = []
        var description = description
        // A folder is complete when ``finish(at:)`` has said so, also if its runs come from complete folders.
        description.end = nil
        if resume {
            let earlier = try earlierDescription(in: path)
            if earlier?.csvSafe == true { description.csvSafe = true }
            if earlier == nil, !ResultFile.exists(log.path) { try files.refuseForeign(in: path) }
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
            if !replaces, try holdsRuns(path) { throw existingResults(path) }
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
        let file = RunLog(path).path
        return ResultFile.exists(file) ? try !ResultFile.bytes(at: file).isEmpty : false
    }

    /// The error for a folder whose results would be lost.
    ///
    /// - Parameter resumes: Whether the command can keep them.
    static func existingResults(_ path: String, resumes: Bool = true) -> ResultsError {
        ResultsError(
            .cannotCreate, file: path,
            "holds results already; \(resumes ? "keep them with --resume, " : "")replace them with --force, or name "
                + "another folder")
    }

    /// Opens a folder to read its results, or to draw its charts again.
    ///
    /// CSV files that an interrupted replay left incomplete are made again, unless a replay is still running there.
    /// With `mayBeEmpty`, a folder without runs can be opened, such as a shard whose traces were all skipped.
    /// - Throws: ``ResultsError``: `notFound`, `ioError`, or `badData` if the folder has no runs or a broken one.
    public static func open(_ path: String, mayBeEmpty: Bool = false) throws -> ResultsFolder {
        guard isFolder(path) else {
            throw ResultsError(
                .notFound, file: path, "no such folder; name one that `cachereplay replay --output` wrote")
        }
        try checkReadable(path)
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
        if folder.description?.end == nil, try !isInUse(path) { try folder.repairTables() }
        return folder
    }

    /// Returns whether a folder holds the runs of a replay.
    public static func holdsResults(_ path: String) -> Bool { ResultFile.exists(RunLog(path).path) }

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

    /// Removes the temporary files of processes that were killed. Charts can be drawn in another process.
    private static func removeUnfinished(in path: String) throws {
        for name in try list(path) where name.hasPrefix(AtomicFile.temporaryPrefix) { try remove("\(path)/\(name)") }
        AtomicFile.removeAbandoned(in: "\(path)/charts")
    }

    /// The scratch folders of runs, `.run-PROCESS-NUMBER`, with whether their process is running.
    private static func scratchFolders(in path: String) throws -> [(name: String, isInUse: Bool)] {
        try list(path).compactMap { name in
            let parts = name.split(separator: "-")
            guard name.hasPrefix(".run-"), parts.count == 3, let process = pid_t(parts[1]), Int(parts[2]) != nil else {
                return nil
            }
            return (name, kill(process, 0) == 0 || errno != ESRCH)
        }
    }

    private static func isInUse(_ path: String) throws -> Bool {
        try scratchFolders(in: path).contains { $0.isInUse }
    }

    /// Removes the disk tiers of replays that were killed.
    private static func removeScratch(in path: String) throws {
        for folder in try scratchFolders(in: path) where !folder.isInUse {
            try? FileManager.default.removeItem(atPath: "\(path)/\(folder.name)")
        }
    }

    private static let files = OwnFiles(
        [
            "summary.csv", "latency.csv", "timeline.csv", "requests.csv", "requests.json", "run.json", "runs.jsonl",
            "details.jsonl", "report.html", "fleet.csv", "fleet-pairs.csv", "fleet-latency.csv",
        ], shownBy: "run.json", of: "an earlier replay"
    ) { path in (try? earlierDescription(in: path))?.versions["cachereplay"] != nil }

    private static func removeResults(in path: String) throws {
        try removeRequests(in: path)
        try removeEvents(in: path)
        try files.remove(from: path)
        try Chart.remove(ChartKind.allCases, from: "\(path)/charts")
        try Chart.remove(FleetChart.allCases, from: "\(path)/charts")
    }
}
