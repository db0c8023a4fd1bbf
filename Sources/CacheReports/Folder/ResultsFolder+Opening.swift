import Basics
import Foundation
import ReplayEngine

extension ResultsFolder {
    /// Makes the folder ready for a run and writes its `run.json`.
    ///
    /// Without `resume`, earlier cells, CSVs and charts in it are removed: rows of two runs in one file would mislead.
    /// With `resume`, cells are kept, except those of a trace whose SHA-256 is another now, and all of them when
    /// another version of cachereplay wrote them.
    /// - Throws: ``ResultsError``: `cannotCreate`, `ioError`, or `badData` for a broken cell.
    public static func begin(at path: String, _ description: RunDescription, resume: Bool) throws -> ResultsFolder {
        try makeFolder(path)
        try makeFolder("\(path)/cells")
        try removeUnfinished(in: path)
        try removeScratch(in: path)
        var kept: [String: RunResult] = [:]
        if resume {
            kept = try cells(in: path)
            let earlier = try earlierDescription(in: path)
            for (name, result) in kept where !isReusable(result, earlier, description) {
                kept[name] = nil
                try remove("\(path)/cells/\(name)")
            }
        } else {
            try refuseStrangers(in: path)
            try removeResults(in: path)
        }
        let folder = ResultsFolder(path: path, state: State(description: description, cells: kept))
        try folder.state.withLock { try folder.writeDescription($0) }
        return folder
    }

    /// Opens a folder to read, or to draw its charts again.
    /// - Throws: ``ResultsError``: `notFound`, `ioError`, or `badData` when it holds no cells or a broken one.
    public static func open(_ path: String) throws -> ResultsFolder {
        guard isFolder(path) else {
            throw ResultsError(
                .notFound, file: path, "no such folder; name one that `cachereplay replay --output` wrote")
        }
        let found = try cells(in: path)
        guard !found.isEmpty else {
            throw ResultsError(
                .badData, file: path,
                "has no finished runs in cells/; a whole results folder is needed, the CSV files alone do not do")
        }
        return ResultsFolder(path: path, state: State(description: try earlierDescription(in: path), cells: found))
    }

    /// Whether a folder holds the runs of a replay.
    public static func holdsResults(_ path: String) -> Bool { isFolder("\(path)/cells") }

    /// The finished runs of a folder, by file name; none when there is no `cells/`.
    static func cells(in path: String) throws -> [String: RunResult] {
        let folder = "\(path)/cells"
        guard isFolder(folder) else { return [:] }
        var cells: [String: RunResult] = [:]
        for name in try list(folder) where name.hasSuffix(".json") && !name.hasPrefix(AtomicFile.temporaryPrefix) {
            let file = "\(folder)/\(name)"
            let result = try JSONFile.read(
                RunResult.self, at: file, remedy: "remove the file and replay with --resume")
            guard cellName(result.identity) == name else {
                throw ResultsError(
                    .badData, file: file,
                    "holds the run that belongs in \(cellName(result.identity)); rename it, or remove it")
            }
            cells[name] = result
        }
        return cells
    }

    static func earlierDescription(in path: String) throws -> RunDescription? {
        let file = "\(path)/run.json"
        guard FileManager.default.fileExists(atPath: file) else { return nil }
        return try JSONFile.read(RunDescription.self, at: file, remedy: "remove the file, or replay without --resume")
    }

    private static func isReusable(_ result: RunResult, _ earlier: RunDescription?, _ now: RunDescription) -> Bool {
        guard let earlier, earlier.versions["cachereplay"] == now.versions["cachereplay"] else { return false }
        func hash(_ description: RunDescription) -> String? {
            description.traces.first { $0.name == result.identity.trace }?.sha256
        }
        // A trace that is not replayed now keeps its cells: a run may be widened trace by trace.
        guard let new = hash(now) else { return true }
        return hash(earlier) == new
    }

    /// What a killed run was writing.
    private static func removeUnfinished(in path: String) throws {
        for folder in [path, "\(path)/cells"] {
            for name in try list(folder) where name.hasPrefix(AtomicFile.temporaryPrefix) {
                try remove("\(folder)/\(name)")
            }
        }
    }

    /// The disk tiers that a killed run left: `.cell-PROCESS-NUMBER`. Those of a process that still runs are its own.
    private static func removeScratch(in path: String) throws {
        for name in try list(path) where name.hasPrefix(".cell-") {
            let parts = name.split(separator: "-")
            guard parts.count == 3, let process = pid_t(parts[1]), Int(parts[2]) != nil else { continue }
            guard kill(process, 0) != 0, errno == ESRCH else { continue }
            try? FileManager.default.removeItem(atPath: "\(path)/\(name)")
        }
    }

    private static let fileNames = ["summary.csv", "latency.csv", "timeline.csv", "run.json", "report.html"]

    /// Files of our names that no replay wrote are somebody's: they are not ours to remove.
    private static func refuseStrangers(in path: String) throws {
        guard let name = fileNames.first(where: { FileManager.default.fileExists(atPath: "\(path)/\($0)") }) else {
            return
        }
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
        for name in try list("\(path)/cells") where name.hasSuffix(".json") { try remove("\(path)/cells/\(name)") }
        for name in fileNames { try remove("\(path)/\(name)") }
        guard isFolder("\(path)/charts") else { return }
        for name in try list("\(path)/charts") where ChartFile.isOurs(name) { try remove("\(path)/charts/\(name)") }
    }
}
