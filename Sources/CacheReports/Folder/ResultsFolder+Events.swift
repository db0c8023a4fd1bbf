import Foundation
import ReplayEngine

/// `events/`: the course of each run as a Chrome trace, with `replay --events`.
extension ResultsFolder {
    /// Writes the Chrome trace of a run.
    ///
    /// - Throws: ``ResultsError`` if the file cannot be written.
    public func addEvents(_ json: String, of run: RunIdentity) throws {
        try Self.makeFolder("\(path)/events")
        try ResultFile.write(json, to: "\(path)/events/\(Self.runName(run)).json")
    }

    /// Removes the files of an earlier replay.
    static func removeEvents(in path: String) throws {
        guard isFolder("\(path)/events") else { return }
        for name in try list("\(path)/events") where name.hasSuffix(".json") { try remove("\(path)/events/\(name)") }
    }
}
