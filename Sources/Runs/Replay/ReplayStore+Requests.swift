import Basics
import Foundation
import ReplayEngine

/// The format of the file of all requests.
public enum RequestsFormat: String, Sendable, Codable, CaseIterable {
    case csv, json

    /// Returns the requests of one run as rows of the file.
    public func rows(_ requests: [RequestRow], of identity: RunIdentity) -> String {
        let rows = requests.map { RequestColumns.Row(identity, $0) }
        switch self {
        case .csv: return CSVText.rows(RequestColumns.all, rows)
        case .json:
            var writer = JSONWriter(escapes: .none)
            for row in rows {
                writer.object { object in
                    for column in RequestColumns.all {
                        let value = column.value(row)
                        object.key(column.name)
                        switch value {
                        case .text(let text): object.string(text)
                        case .absent: object.null()
                        case .integer, .real: object.number(column.unit.written(value))
                        }
                    }
                }
                writer.breakLine()
            }
            return writer.text + (rows.isEmpty ? "" : "\n")
        }
    }

    /// Returns a file of the rows of several runs, whose texts are exact.
    func file(_ runs: [String], _ style: CSVStyle) throws -> String {
        switch self {
        case .csv where style == .safe:
            CSVText.header(RequestColumns.all)
                + (try CSVReader.records(of: runs.joined(), file: "requests.csv"))
                .map { CSVText.line($0.fields.map(style.written)) }.joined()
        case .csv: CSVText.header(RequestColumns.all) + runs.joined()
        case .json: "[\n" + runs.filter { !$0.isEmpty }.map { $0.dropLast() }.joined(separator: ",\n") + "\n]\n"
        }
    }
}

extension Store<ReplayRuns> {
    /// Keeps the rows of the requests of one run.
    ///
    /// - Parameters:
    ///   - rows: From ``RequestsFormat/rows(_:of:)``.
    ///   - identity: The run.
    ///   - format: The format of the rows.
    /// - Throws: ``ResultsError``: `cannotCreate` or `ioError`.
    public func addRequests(_ rows: String, of identity: RunIdentity, as format: RequestsFormat) throws {
        try ResultFile.makeFolder("\(path)/requests")
        try ResultFile.write(rows, to: Self.requestsFile(identity, in: path, manifest, format))
    }

    /// Writes `requests.csv` or `requests.json` from the rows of all runs, in the order of the other files.
    ///
    /// - Returns: The name of the file, and the number of runs without rows: a replay without this file made them.
    /// - Throws: ``ResultsError``: `cannotCreate`, `ioError` or `badData`.
    public func finishRequests(as format: RequestsFormat) throws -> (file: String, missing: Int) {
        var runs: [String] = []
        var missing = 0
        let manifest = manifest
        try forEachResult { result in
            let file = Self.requestsFile(result.identity, in: path, manifest, format)
            if ResultFile.exists(file) { runs.append(try ResultFile.text(at: file)) } else { missing += 1 }
        }
        let name = "requests.\(format.rawValue)"
        let style = state.withLock { $0.style }
        try ResultFile.write(try format.file(runs, style), to: "\(path)/\(name)")
        return (name, missing)
    }

    /// Removes the rows of a run's requests.
    ///
    /// - Parameter manifest: That of the replay that made the run.
    static func removeRequests(of run: RunIdentity, in path: String, _ manifest: Manifest<ReplayFacts>?) throws {
        for format in RequestsFormat.allCases { try ResultFile.remove(requestsFile(run, in: path, manifest, format)) }
    }

    /// The folders of the files that each run has by itself, with their endings: its requests and its events.
    static var runFiles: [(folder: String, ending: String)] {
        RequestsFormat.allCases.map { (folder: "requests", ending: $0.rawValue) }
            + [(folder: "events", ending: "json")]
    }

    /// Gives the files of a run the names that they have in other results.
    ///
    /// - Parameters:
    ///   - earlier: The results in which the files were written.
    ///   - manifest: The other results.
    static func renameFiles(
        of run: RunIdentity, in path: String, from earlier: Manifest<ReplayFacts>?, to manifest: Manifest<ReplayFacts>?
    ) throws {
        let (old, new) = (runName(run, earlier), runName(run, manifest))
        guard old != new else { return }
        for (folder, ending) in runFiles {
            try ResultFile.move("\(path)/\(folder)/\(old).\(ending)", to: "\(path)/\(folder)/\(new).\(ending)")
        }
    }

    /// Returns the path of the rows of a run's requests.
    private static func requestsFile(
        _ run: RunIdentity, in path: String, _ manifest: Manifest<ReplayFacts>?, _ format: RequestsFormat
    ) -> String {
        "\(path)/requests/\(runName(run, manifest)).\(format.rawValue)"
    }
}

/// `events/`: the course of each run as a Chrome trace, with `replay --events`, and those of all caches of a trace.
extension Store<ReplayRuns> {
    /// Writes the events of a run.
    ///
    /// - Parameter write: Writes the content of the file.
    /// - Throws: ``ResultsError`` if the file cannot be written.
    public func addEvents(of run: RunIdentity, _ write: (AtomicFile) throws -> Void) throws {
        try ResultFile.makeFolder("\(path)/events")
        try ResultFile.write(to: "\(path)/events/\(Self.runName(run, manifest)).json", write)
    }

    /// Writes, for each trace, network and repeat with several caches, a file with the events of all of them.
    ///
    /// - Parameter join: Writes the content of a file from those of the runs, which are in the order of the rows.
    /// - Returns: The number of runs without events: a replay without them made these runs.
    /// - Throws: ``ResultsError``: `cannotCreate`, `ioError` or `badData`.
    public func finishEvents(_ join: (_ files: [String], AtomicFile) throws -> Void) throws -> Int {
        var groups: [String: [String]] = [:]
        var missing = 0
        let manifest = manifest
        try forEachResult { result in
            let file = "\(path)/events/\(Self.runName(result.identity, manifest)).json"
            guard ResultFile.exists(file) else { return missing += 1 }
            groups[Self.groupName(result.identity, manifest), default: []].append(file)
            // The file of a folder that had one network.
            try ResultFile.remove("\(path)/events/\(Self.groupName(result.identity, nil)).json")
        }
        for (name, files) in groups where files.count > 1 {
            try ResultFile.write(to: "\(path)/events/\(name).json") { try join(files, $0) }
        }
        return missing
    }
}
