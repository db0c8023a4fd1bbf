import Basics
import Foundation
import ReplayEngine
import ResultColumns
import Runs

/// The order of the caches: in tables of a terminal and of pages, in matrices, and in charts.
///
/// Figures that read the same are a tie. Caches that tie keep the order of the command line, and caches without the
/// figure come last.
package struct ResultOrder: Sendable, Equatable {
    private enum Key: Equatable {
        case standard, given, name
        case column(String)
    }

    /// A figure, and how a table shows it.
    typealias Figure = (value: Double, text: String)

    private var key: Key

    /// The least blank time first, or the most hits where nothing takes time. The rows of a swept cache stay together,
    /// in the order of its values, at the place of the best one.
    package static let standard = Self(key: .standard)

    /// The names that ``init(_:)`` knows besides the metrics of `summary.csv`.
    package static let names = ["given", "cache"] + ResultsTable.columns.map(\.title)

    private init(key: Key) { self.key = key }

    /// Creates the order of a column: the best figure first, or the least one of figures without a better direction.
    ///
    /// - Parameter name: `given` for the order of the command line, `cache` for the order of the names, the title of a
    ///   column, or a metric of `summary.csv`.
    /// - Returns: nil for another name.
    package init?(_ name: String) {
        switch name {
        case "given": key = .given
        case "cache": key = .name
        default:
            guard ResultsTable.column(named: name) != nil else { return nil }
            key = .column(name)
        }
    }

    /// The name of the column; nil for other orders.
    var column: String? { if case .column(let name) = key { name } else { nil } }

    /// Returns the rows of a trace over a network in this order.
    ///
    /// - Parameter groups: In the order of the command line, at most one of each cache.
    func ordered(_ groups: [RunGroup]) -> [RunGroup] {
        let column = ResultsTable.column(named: column ?? Measure.of(groups).metric)
        return ordered(groups, by: \.key.cache, column?.polarity ?? .neutral) { group -> Figure? in
            guard let column, let value = column.value(group), let text = column.text(group) else { return nil }
            return (value, text)
        }
    }

    /// Returns the elements of caches in this order.
    ///
    /// - Parameter elements: In the order of the command line. The elements of one cache stay together.
    /// - Parameter figure: The figure of a cache, by its first element; nil if it has none.
    func ordered<Element>(
        _ elements: [Element], by name: (Element) -> String, _ polarity: Polarity, _ figure: (Element) -> Figure?
    ) -> [Element] {
        let elementsByName = Dictionary(grouping: elements, by: name)
        let names = ordered(elements.map(name).unique(), polarity) { name -> Figure? in
            elementsByName[name]?.first.flatMap(figure)
        }
        return names.flatMap { elementsByName[$0] ?? [] }
    }

    /// Returns the names of caches in this order.
    ///
    /// - Parameter names: In the order of the command line, each once.
    /// - Parameter figure: The figure of a cache; nil if it has none.
    func ordered(_ names: [String], _ polarity: Polarity, _ figure: (String) -> Figure?) -> [String] {
        func isBefore(_ one: Figure?, _ other: Figure?) -> Bool {
            guard let one else { return false }
            guard let other else { return true }
            guard one.text != other.text else { return false }
            return polarity == .higherIsBetter ? one.value > other.value : one.value < other.value
        }
        switch key {
        case .given: return names
        case .name: return names.stableSorted { $0.compare($1, options: .numeric) == .orderedAscending }
        case .column, .standard:
            let bundles = key == .standard ? SweptValue.bundles(names: names) : names.map { [$0] }
            let best: [Figure?] = bundles.map { $0.map(figure).min(by: isBefore) ?? nil }
            return Array(bundles.indices).stableSorted { isBefore(best[$0], best[$1]) }.flatMap { bundles[$0] }
        }
    }
}
