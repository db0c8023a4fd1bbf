import ResultColumns
import Runs

extension ResultsTable {
    /// Returns the places of the rows with the best figures, for each column.
    ///
    /// Only rows whose blank time ties with the least one can be best: a cache that shows little would be best in bytes
    /// or in the time of what it shows.
    static func best(_ entries: [Entry], _ groups: [RunGroup], _ relevanceThreshold: Tolerance) -> [Set<Int>] {
        let rivals = rivals(groups, relevanceThreshold)
        return entries.map { best($0, groups, among: rivals, relevanceThreshold) }
    }

    /// Returns the places of the rows whose blank time ties with the least one. All rows, if none has a blank time.
    private static func rivals(_ groups: [RunGroup], _ relevanceThreshold: Tolerance) -> [Int] {
        let known = groups.indices.compactMap { row in groups[row].median("blank_ratio").map { (row, $0) } }
        guard let best = known.min(by: { $0.1 < $1.1 })?.0 else { return Array(groups.indices) }
        return known.map(\.0).filter {
            groups[$0].ties(with: groups[best], "blank_ratio", .ratio, relevanceThreshold)
        }
    }

    /// Returns the places of the rows with the best figure of a column; none if no direction is better, or if more than
    /// half of the rows have it. Figures that read the same, or differ by no more than `Tolerance`, are equally good.
    /// A rival without others is marked where it is the best of all rows.
    ///
    /// - Parameter rivals: The places of the rows that can be best.
    private static func best(
        _ entry: Entry, _ groups: [RunGroup], among rivals: [Int], _ relevanceThreshold: Tolerance
    ) -> Set<Int> {
        func figures(_ rows: some Sequence<Int>) -> [(row: Int, value: Double)] {
            rows.compactMap { row in entry.value(groups[row]).map { (row, $0) } }
        }
        let known = figures(rivals.count > 1 ? rivals : Array(groups.indices))
        let best =
            switch entry.polarity {
            case .higherIsBetter: known.max { $0.value < $1.value }
            case .lowerIsBetter: known.min { $0.value < $1.value }
            case .neutral: nil as (row: Int, value: Double)?
            }
        guard let best else { return [] }
        func ties(_ row: Int, _ value: Double) -> Bool {
            relevanceThreshold.ties(value, best.value, entry.unit)
                || entry.text(groups[row]) == entry.text(groups[best.row])
        }
        guard figures(groups.indices).count(where: { ties($0.row, $0.value) }) * 2 <= groups.count else { return [] }
        return Set(known.filter { ties($0.row, $0.value) }.map(\.row)).intersection(rivals)
    }
}
