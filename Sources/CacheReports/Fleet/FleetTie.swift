import Basics
import ReplayEngine
import Runs

/// The caches that tie with the best one, among all caches, as sentences name and count them.
///
/// A cache that rests on Darwin's NSCache has a row for each plausible model. It is one cache if all of its models tie,
/// or if none does; otherwise each model is named.
struct FleetTie {
    /// The most caches that a sentence names.
    static let mostNamed = 5

    /// The names of the caches that tie, in the order of the results.
    let names: [String]
    /// The number of all caches.
    let count: Int

    /// - Parameters:
    ///   - winners: The caches that tie with the best one, and the best one.
    ///   - others: The others.
    ///   - cacheName: Returns the name of a cache without its network.
    init(
        _ winners: [FleetStatistics.Row], _ others: [FleetStatistics.Row], _ cacheName: (String) -> String
    ) {
        let all = Set((winners + others).map { cacheName($0.cache) })
        func base(_ row: FleetStatistics.Row) -> String {
            let name = cacheName(row.cache)
            let bases = NSCacheModelChoice.allCases.map { " [\($0.rawValue)]" }.filter { name.hasSuffix($0) }
                .map { String(name.dropLast($0.count)) }
            return bases.first { all.contains($0) } ?? name
        }
        let divided = Set(winners.map(base)).intersection(others.map(base))
        func names(_ rows: [FleetStatistics.Row]) -> [String] {
            rows.filter { row in
                let base = base(row)
                return divided.contains(base) || base == cacheName(row.cache)
            }.map(\.cache)
        }
        self.names = names(winners)
        count = self.names.count + names(others).count
    }

    /// Returns `4 of 10 caches tie within 0.1 points: a, b, c and d.`
    ///
    /// - Parameter verb: What the caches do, such as `tie within 0.1 points`.
    func sentence(_ verb: String) -> String {
        "\(names.count) of \(count) caches \(verb): \(NameList.text(names, most: Self.mostNamed))."
    }
}
