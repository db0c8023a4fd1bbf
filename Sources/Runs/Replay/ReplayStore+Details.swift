import Foundation
import ReplayEngine

/// `details.jsonl`: the runs whose timelines and films `report.html` shows, of results that keep none of all runs.
///
/// The file has the form of `runs.jsonl`. It may be absent: the report then says what it lacks.
extension Store<ReplayRuns> {
    /// The most runs whose timelines and films are kept beside results without them.
    public static var mostDetails: Int { 50 }

    /// Keeps runs with their timelines, in place of earlier ones.
    /// - Throws: ``ResultsError``: `cannotCreate` or `ioError`.
    public func keepDetails(_ runs: [RunResult]) throws {
        let file = "\(path)/details.jsonl"
        guard !runs.isEmpty else { return try ResultFile.remove(file) }
        // The report says what it lacks of a run whose line is too long to be read again.
        let lines = try runs.map { try RunRecord.json($0, file: file) }.filter { $0.count <= FileLines.longest }
        try ResultFile.write(lines.map { String(decoding: $0, as: UTF8.self) + "\n" }.joined(), to: file)
    }

    /// Returns the runs that ``keepDetails(_:)`` kept in a folder.
    /// - Throws: ``ResultsError``: `ioError` or `badData`.
    package static func details(in folder: String) throws -> [RunResult] {
        let file = "\(folder)/details.jsonl"
        var details: [RunResult] = []
        var log = LineLog<RunResult>(file, damage: "is no run; remove the file, and the report has no timelines")
        do { try log.read { run, _ in details.append(run) } } catch let error as ResultsError {
            guard let line = error.line else { throw error }
            throw ResultsError(.badData, file: file, "line \(line) \(error.message)")
        }
        return details
    }

    /// Returns the runs with the timelines, films and causes that ``keepDetails(_:)`` kept of them.
    /// - Throws: ``ResultsError``: `ioError` or `badData`.
    package func withDetails(_ runs: [RunResult]) throws -> [RunResult] {
        let details = Dictionary(try Self.details(in: path).map { ($0.identity, $0) }) { $1 }
        return runs.map { run in
            guard run.timeline.isEmpty, let detail = details[run.identity] else { return run }
            var run = run
            (run.timeline, run.film, run.causes) = (detail.timeline, detail.film, detail.causes)
            run.places = detail.places
            (run.marks, run.omittedMarks) = (detail.marks, detail.omittedMarks)
            return run
        }
    }
}
