import Synchronization

// The order of the rows, and what is written at the end. Files do not depend on each other, so all are written at the
// same time: a thread that commits a file waits for the disk, while another computes statistics.
extension ReplayRuns {
    public static func orderRows(_ state: inout ReplayStore.State) throws {
        let unordered = try unorderedTables(&state)
        guard !unordered.isEmpty else { return }
        try state.files.replace(tables) { try FileWork.all(unordered) }
        moveRows(&state)
    }

    public static func finish(_ state: inout ReplayStore.State) throws {
        let unordered = try unorderedTables(&state)
        let (path, style, order) = (state.path, state.style, state.order)
        var steps = unordered
        let statistics = Mutex<FleetStatistics?>(nil)
        if let fleet = try state.fleetWork() {
            steps.append {
                let fleet = fleet()
                statistics.withLock { $0 = fleet }
                return try FileWork.all(
                    fleet.csv(style).map { name, text in
                        {
                            try ResultFile.write(text, to: "\(path)/\(name)")
                            return text.utf8.count
                        }
                    })
            }
        }
        let hasOrderedLines = Mutex(false)
        if let ordering = state.results.log.ordering(order) {
            steps.append {
                let bytes = try ordering()
                hasOrderedLines.withLock { $0 = true }
                return bytes
            }
        } else {
            state.results.log.flush()
        }
        // Also if another file was not written.
        defer { if hasOrderedLines.withLock(\.self) { state.results.log.moveLines(order) } }
        // The places of rows are those of the old order until all files are written.
        try state.files.replace(tables) { try FileWork.all(steps) }
        state.results.statistics = statistics.withLock(\.self)
        if !unordered.isEmpty { moveRows(&state) }
    }

    /// Returns what writes the CSV files whose rows are not in order. Files that are not complete are written whole.
    private static func unorderedTables(_ state: inout ReplayStore.State) throws -> [FileWork.Step] {
        let places = state.results.log.orderedPlaces(state.order)
        guard state.files.areComplete(tables), places.allSatisfy({ $0.rows.count == tables.count }) else {
            try writeTables(&state)
            return []
        }
        let path = state.path
        return ResultFiles.Rows.header.files.enumerated().compactMap { table, header in
            let rows = places.map { $0.rows[table] }.filter { !$0.isEmpty }
            guard zip(rows, rows.dropFirst()).contains(where: { $0.lowerBound > $1.lowerBound }) else { return nil }
            let target = "\(path)/\(header.name)"
            return { try FileRanges.copy(rows, after: header.text, of: target, to: target) }
        }
    }

    /// Takes the rows as in files in which all of them are in order.
    private static func moveRows(_ state: inout ReplayStore.State) {
        state.results.log.moveRows(headers: ResultFiles.Rows.header.files.map { $0.text.utf8.count }, state.order)
    }
}
