import Runs
import Statistics

/// The figures of all candidates of an advice over users.
struct AdviceFigures {
    private let users: [FleetFigure: FleetUsers]
    /// The values of the users, sorted, by figure and cache.
    private let sorted: [FleetFigure: [[Double]]]
    private let places: [String: Int]

    init(_ table: FleetTable) {
        let figures = [FleetFigure.blank, .bytes, .memoryPeak].map { FleetUsers(table, $0) }
        users = Dictionary(uniqueKeysWithValues: figures.map { ($0.figure, $0) })
        sorted = users.mapValues { users in users.caches.indices.map { users.sorted(cache: $0) } }
        places = Dictionary(uniqueKeysWithValues: table.caches.enumerated().map { ($1, $0) })
    }

    private func values(_ figure: FleetFigure, _ candidate: Advice.Candidate) -> [Double] {
        places[candidate.name].flatMap { sorted[figure]?[$0] } ?? []
    }

    /// Returns the mean over users; infinity without a value.
    func mean(_ figure: FleetFigure, _ candidate: Advice.Candidate) -> Double {
        let values = values(figure, candidate)
        return values.isEmpty ? .infinity : values.reduce(0, +) / Double(values.count)
    }

    /// Returns the 95th percentile over users of the most bytes in memory; infinity without a value.
    func peak(_ candidate: Advice.Candidate) -> Double {
        let values = values(.memoryPeak, candidate)
        return values.isEmpty ? .infinity : SampleQuantile.value(0.95, of: values)
    }

    /// Returns the share of users whose figure with `candidate` exceeds the figure with `other` by at most `tolerance`;
    /// nil without a user.
    func users(
        _ figure: FleetFigure, _ candidate: Advice.Candidate, within tolerance: Tolerance, of other: Advice.Candidate
    ) -> Double? {
        guard let one = places[candidate.name], let other = places[other.name], let users = users[figure] else {
            return nil
        }
        let pairs = users.users.map { ($0.values[one], $0.values[other]) }.filter { !$0.0.isNaN && !$0.1.isNaN }
        guard !pairs.isEmpty else { return nil }
        let unit = figure.unit
        return Double(pairs.count { tolerance.accepts($0, for: $1, unit) }) / Double(pairs.count)
    }
}
