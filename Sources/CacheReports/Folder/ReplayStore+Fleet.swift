import Foundation
import ReplayEngine

extension Store<ReplayRuns> {
    /// The number of sessions above which figures are shown of the whole fleet, and not of each session.
    public static var mostSingleSessions: Int { 20 }

    /// The seed of the resamples behind the intervals of a fleet.
    static var seed: UInt64 { 1 }

    /// Whether there are so many sessions that tables, charts and the report show the fleet instead of each session.
    public var isFleet: Bool {
        get throws {
            try state.withLock { try $0.currentFleet().sessionCount > Self.mostSingleSessions }
        }
    }

    /// What the sessions say together; nil for a single session.
    ///
    /// Complexity: that of ``FleetStatistics/init(_:seed:resamples:threads:)`` for the first call after a new run.
    /// - Throws: ``ResultsError``: `ioError` or `badData`.
    public var fleet: FleetStatistics? {
        get throws { try state.withLock { try $0.fleetStatistics() } }
    }

    /// The figures of all sessions, with the caches in the order of the rows.
    var fleetTable: FleetTable {
        get throws { try state.withLock { try $0.currentFleet().arranged($0.cacheNames) } }
    }
}

extension Store.State where Kind == ReplayRuns {
    /// Writes the CSV files of the fleet, if there are several sessions.
    mutating func writeFleet() throws {
        guard let statistics = try fleetStatistics() else { return }
        for (name, text) in statistics.csv(style) { try files.write(text, to: name) }
    }

    fileprivate mutating func fleetStatistics() throws -> FleetStatistics? {
        if let statistics = results.statistics { return statistics }
        let fleet = try currentFleet()
        guard fleet.sessionCount > 1 else { return nil }
        results.statistics = FleetStatistics(
            fleet.arranged(cacheNames), seed: ReplayStore.seed,
            threads: ProcessInfo.processInfo.activeProcessorCount)
        return results.statistics
    }

    /// Returns the figures of all sessions. A run that replaced another one is in the table twice: the table is then
    /// made again.
    fileprivate mutating func currentFleet() throws -> FleetTable {
        if results.fleet.runCount != results.log.count {
            var table = FleetTable()
            try forEach { table.add($0, user: $0.user) }
            results.fleet = table
        }
        return results.fleet
    }
}
