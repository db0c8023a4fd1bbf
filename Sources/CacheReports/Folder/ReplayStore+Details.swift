import Basics
import Foundation
import ReplayEngine

/// `details.jsonl`: the runs whose timelines and films `report.html` shows, of results that keep none of all runs.
///
/// The file has the form of `runs.jsonl`. It may be absent: the report then says what it lacks.
extension Store<ReplayRuns> {
    /// The most runs whose timelines and films are kept beside results without them.
    public static var mostDetails: Int { 50 }

    /// Returns the runs whose timelines the report shows: those of the caches that the conclusions name. With many
    /// sessions, they are of the sessions that the report shows in detail. There are at most ``mostDetails``, and none
    /// if the runs have timelines already.
    public var runsInDetail: [RunIdentity] {
        get throws {
            var results: [RunResult] = []
            var caches: [String]
            if try isFleet {
                let table = try fleetTable
                guard let statistics = try fleet, let page = ReportFleet(table, statistics) else { return [] }
                let ranking = page.ranking
                caches = NameList.shown(ranking.winners.map(\.cache)) + ranking.others.prefix(1).map(\.cache)
                try forEachResult(of: Set(page.details.map(\.session))) { results.append($0) }
            } else {
                results = try self.results
                caches = ResultSet(results, source: path).conclusions.flatMap(\.caches).unique()
            }
            guard !results.contains(where: { !$0.timeline.isEmpty }) else { return [] }
            let inputs = ChartInput.byTrace(results)
            // Whole caches, as long as there is room.
            caches = Array(caches.prefix(max(1, Self.mostDetails / max(1, inputs.count))))
            let runs = inputs.flatMap { input in
                caches.compactMap { cache in input.caches.first { $0.name == cache }?.typical.identity }
            }
            return Array(runs.prefix(Self.mostDetails))
        }
    }

    /// Keeps runs with their timelines, in place of earlier ones.
    /// - Throws: ``ResultsError``: `cannotCreate` or `ioError`.
    public func keepDetails(_ runs: [RunResult]) throws {
        let file = "\(path)/details.jsonl"
        guard !runs.isEmpty else { return try ResultFile.remove(file) }
        // The report says what it lacks of a run whose line is too long to be read again.
        let lines = try runs.map { try RunRecord.json($0, file: file) }.filter { $0.count <= FileLines.longest }
        try ResultFile.write(lines.map { String(decoding: $0, as: UTF8.self) + "\n" }.joined(), to: file)
    }

    /// Returns the runs with the timelines, films and causes that ``keepDetails(_:)`` kept of them.
    /// - Throws: ``ResultsError``: `ioError` or `badData`.
    func withDetails(_ runs: [RunResult]) throws -> [RunResult] {
        let file = "\(path)/details.jsonl"
        var details: [RunIdentity: RunResult] = [:]
        var log = LineLog<RunResult>(file, damage: "is no run; remove the file, and the report has no timelines")
        do { try log.read { run, _ in details[run.identity] = run } } catch let error as ResultsError {
            guard let line = error.line else { throw error }
            throw ResultsError(.badData, file: file, "line \(line) \(error.message)")
        }
        return runs.map { run in
            guard run.timeline.isEmpty, let detail = details[run.identity] else { return run }
            var run = run
            (run.timeline, run.film, run.causes) = (detail.timeline, detail.film, detail.causes)
            (run.marks, run.omittedMarks) = (detail.marks, detail.omittedMarks)
            return run
        }
    }
}
