import Foundation
import ReplayEngine

extension ResultsFolder {
    /// The number of sessions above which figures are shown of the whole fleet, and not of each session.
    public static let mostSingleSessions = 20

    /// The seed of the resamples behind the intervals of a fleet.
    static let seed: UInt64 = 1

    /// Whether there are so many sessions that tables, charts and the report show the fleet instead of each session.
    public var isFleet: Bool {
        get throws {
            try state.withLock { state in
                try updateFleet(&state)
                return state.fleet.sessionCount > Self.mostSingleSessions
            }
        }
    }

    /// What the sessions say together; nil for a single session.
    ///
    /// Complexity: that of ``FleetStatistics/init(_:seed:resamples:threads:)`` for the first call after a new run.
    /// - Throws: ``ResultsError``: `ioError` or `badData`.
    public var fleet: FleetStatistics? {
        get throws { try state.withLock { try statistics(&$0) } }
    }

    /// The figures of all sessions, with the caches in the order of the rows.
    var fleetTable: FleetTable {
        get throws {
            try state.withLock { state in
                try updateFleet(&state)
                return state.fleet.arranged(state.cacheNames)
            }
        }
    }

    /// Writes the CSV files of the fleet, if there are several sessions.
    func writeFleet(_ state: inout State) throws {
        guard let statistics = try statistics(&state) else { return }
        for (name, text) in statistics.csv(state.style) { try state.write(text, to: "\(path)/\(name)") }
    }

    private func statistics(_ state: inout State) throws -> FleetStatistics? {
        if let statistics = state.statistics { return statistics }
        try updateFleet(&state)
        guard state.fleet.sessionCount > 1 else { return nil }
        let statistics = FleetStatistics(
            state.fleet.arranged(state.cacheNames), seed: Self.seed,
            threads: ProcessInfo.processInfo.activeProcessorCount)
        state.statistics = statistics
        return statistics
    }

    /// A run that replaced another one is in the table twice: the table is then made again.
    private func updateFleet(_ state: inout State) throws {
        guard state.fleet.runCount != state.log.count else { return }
        var table = FleetTable()
        try state.log.forEach(traces: state.traceNames, caches: state.cacheNames) { result in
            table.add(result, user: result.user)
        }
        state.fleet = table
    }
}
