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
        try makeFolder("\(path)/runs")
        try removeUnfinished(in: path)
        try removeScratch(in: path)
        var kept: [String: RunResult] = [:]
        var changes: [InputChange] = []
        var description = description
        if resume {
            let earlier = try earlierDescription(in: path)
            if earlier?.csvSafe == true { description.csvSafe = true }
            let found = try runs(in: path)
            if earlier == nil, found.isEmpty { try refuseForeignFiles(in: path) }
            for (name, result) in found.sorted(by: { $0.key < $1.key }) {
                if let change = RunDescription.change(from: earlier, to: description, trace: result.identity.trace) {
                    changes.append(change)
                    try remove("\(path)/runs/\(name)")
                    try removeRequests(of: name, in: path)
                } else {
                    kept[name] = result
                }
            }
            if let earlier, !kept.isEmpty { description = description.keeping(earlier) }
        } else {
            try refuseForeignFiles(in: path)
            if !replaces, isFolder("\(path)/runs"), try list("\(path)/runs").contains(where: { $0.hasSuffix(".json") })
            {
                throw existingResults(path)
            }
            try removeResults(in: path)
        }
        let folder = ResultsFolder(
            path: path, state: State(description: description, runs: kept), repeated: .counting(changes), lock: lock)
        try folder.state.withLock { state in
            try folder.writeDescription(&state)
            if resume { try folder.writeTables(&state) }
        }
        return folder
    }

    /// The error for a folder whose results would be lost.
    static func existingResults(_ path: String) -> ResultsError {
        ResultsError(
            .cannotCreate, file: path,
            "holds results already; keep them with --resume, replace them with --force, or name another folder")
    }

    /// Opens a folder to read its results, or to draw its charts again.
    ///
    /// CSV files that an interrupted replay left incomplete are made again, unless a replay is still running there.
    /// - Throws: ``ResultsError``: `notFound`, `ioError`, or `badData` if the folder has no runs or a broken one.
    public static func open(_ path: String) throws -> ResultsFolder {
        guard isFolder(path) else {
            throw ResultsError(
                .notFound, file: path, "no such folder; name one that `cachereplay replay --output` wrote")
        }
        try checkReadable(path)
        let found = try runs(in: path)
        guard !found.isEmpty else {
            throw ResultsError(
                .badData, file: path,
                "has no finished runs in runs/; name a whole results folder, because the CSV files are not enough")
        }
        let folder = ResultsFolder(
            path: path, state: State(description: try earlierDescription(in: path), runs: found))
        if folder.description?.end == nil, try !isInUse(path) { try folder.repairTables() }
        return folder
    }

    /// Returns whether a folder holds the runs of a replay.
    public static func holdsResults(_ path: String) -> Bool { isFolder("\(path)/runs") }

    /// Returns the finished runs of a folder by file name, or none when there is no `runs/`.
    static func runs(in path: String) throws -> [String: RunResult] {
        let folder = "\(path)/runs"
        guard isFolder(folder) else { return [:] }
        var runs: [String: RunResult] = [:]
        for name in try list(folder) where name.hasSuffix(".json") && !name.hasPrefix(AtomicFile.temporaryPrefix) {
            let file = "\(folder)/\(name)"
            let result = try JSONFile.read(
                RunResult.self, at: file, remedy: "remove the file and replay with --resume")
            guard runName(result.identity) == name else {
                throw ResultsError(
                    .badData, file: file,
                    "holds the run that belongs in \(runName(result.identity)); rename it, or remove it")
            }
            runs[name] = result
        }
        return runs
    }

    static func earlierDescription(in path: String) throws -> RunDescription? {
        let file = "\(path)/run.json"
        guard ResultFile.exists(file) else { return nil }
        return try JSONFile.read(RunDescription.self, at: file, remedy: "remove the file, or replay without --resume")
    }

    /// Writes the CSV files again if they do not have exactly the rows of the runs.
    private func repairTables() throws {
        try state.withLock { state in
            let isComplete = ResultFiles.Rows.whole(state.ordered, state.style).files.allSatisfy { name, text in
                let lines = (try? ResultFile.text(at: "\(path)/\(name)"))?.split(separator: "\n")
                return lines?.sorted() == text.split(separator: "\n").sorted()
            }
            if !isComplete { try writeTables(&state) }
        }
    }

    /// Removes the temporary files of processes that were killed. Charts can be drawn in another process.
    private static func removeUnfinished(in path: String) throws {
        for folder in [path, "\(path)/runs"] {
            for name in try list(folder) where name.hasPrefix(AtomicFile.temporaryPrefix) {
                try remove("\(folder)/\(name)")
            }
        }
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

    private static let fileNames = [
        "summary.csv", "latency.csv", "timeline.csv", "requests.csv", "requests.json", "run.json", "report.html",
    ]

    /// Throws if the folder has a file under a name of a result file, but no `run.json` of an earlier replay: such a
    /// file belongs to the user and is not overwritten.
    private static func refuseForeignFiles(in path: String) throws {
        guard let name = fileNames.first(where: { ResultFile.exists("\(path)/\($0)") }) else { return }
        guard let description = try? earlierDescription(in: path), description.versions["cachereplay"] != nil else {
            throw ResultsError(
                .cannotCreate, file: path,
                """
                holds a \(name), but no run.json of an earlier replay; name another folder with --output, or remove \
                the file
                """
            )
        }
    }

    private static func removeResults(in path: String) throws {
        for name in try list("\(path)/runs") where name.hasSuffix(".json") {
            try remove("\(path)/runs/\(name)")
            try removeRequests(of: name, in: path)
        }
        for name in fileNames { try remove("\(path)/\(name)") }
        guard isFolder("\(path)/charts") else { return }
        for name in try list("\(path)/charts") where Chart.isFile(name, of: ChartKind.allCases) {
            if ChartFiles.isEdited(file: "\(path)/charts/\(name)") { continue }
            try remove("\(path)/charts/\(name)")
        }
    }
}
