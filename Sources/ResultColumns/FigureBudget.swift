import Basics
import CachePolicies

/// An absolute limit for a figure, without a baseline: `blank_ratio<2%`, `memory_peak_bytes<64MB`, `hit_ratio>=0.8`.
public struct FigureBudget: Sendable, Equatable, CustomStringConvertible {
    package enum Relation: String, Sendable, CaseIterable {
        // Longer texts come first, so that parsing finds them.
        case atMost = "<="
        case atLeast = ">="
        case below = "<"
        case above = ">"

        package func holds(_ value: Double, _ bound: Double) -> Bool {
            switch self {
            case .atMost: value <= bound
            case .atLeast: value >= bound
            case .below: value < bound
            case .above: value > bound
            }
        }
    }

    /// The name of the trace that the limit is for; nil for all.
    public let trace: String?
    public let metric: String
    package let relation: Relation
    /// In the metric's unit.
    package let bound: Double
    /// The limit as it was written.
    public let description: String

    /// Reads a limit.
    ///
    /// - Parameters: - text: The metric, `<`, `<=`, `>` or `>=`, and the bound. Bounds of bytes and times can have a
    ///   unit, and bounds
    ///     of ratios can be percentages.
    ///   - trace: The name of the trace that the limit is for; nil for all.
    /// - Throws: ``BudgetError``, which names the wrong part and the remedy.
    public init(_ text: String, trace: String? = nil) throws {
        let relations = Relation.allCases.compactMap { relation in
            text.range(of: relation.rawValue).map { (relation, $0) }
        }
        guard let (relation, range) = relations.first else {
            throw BudgetError("\"\(text)\": expected is METRIC<LIMIT, for example blank_ratio<2% or hit_ratio>=0.8")
        }
        let metric = text[..<range.lowerBound].split(separator: " ").joined()
        guard let column = SummaryColumns[metric] else {
            let names = SummaryColumns.metrics.map(\.name)
            let hint = nearestName(to: metric, among: names).map { "; did you mean \($0)?" } ?? "."
            throw BudgetError(
                "\"\(text)\": unknown metric \"\(metric)\"\(hint) Metrics: \(names.joined(separator: ", "))")
        }
        let number = text[range.upperBound...].split(separator: " ").joined()
        guard !number.hasSuffix("pt") else {
            throw BudgetError(
                """
                "\(text)": points are for changes, as in --allow, and a limit needs no baseline; write \
                \(column.unit.limit)
                """)
        }
        guard let bound = Self.bound(number, column.unit) else {
            throw BudgetError("\"\(text)\": \"\(number)\" is no limit; write \(column.unit.limit)")
        }
        self.trace = trace
        self.metric = metric
        self.relation = relation
        self.bound = bound
        description = "\(metric)\(relation.rawValue)\(number)"
    }

    /// Reads a figure in the unit of its metric: a number, a percentage of a share, a size or a duration.
    ///
    /// - Returns: nil for another text.
    package static func bound(_ text: String, _ unit: Unit) -> Double? {
        if let number = Double(text) { return number.isFinite ? number : nil }
        switch unit {
        case .ratio:
            guard text.hasSuffix("%"), let number = Double(text.dropLast()), number.isFinite else { return nil }
            return number / 100
        case .bytes:
            guard let size = try? Size(text), case .bytes(let bytes) = size else { return nil }
            return Double(bytes)
        case .microseconds: return (try? TimeSpan.microseconds(text)).map(Double.init)
        case .seconds: return (try? TimeSpan.microseconds(text)).map { Double($0) / 1e6 }
        case .text, .count, .meanCount, .perSecond, .millisecondsPerSecond: return nil
        }
    }

    package func isKept(by value: Double) -> Bool { relation.holds(value, bound) }
}

/// A wrong limit.
public struct BudgetError: Error, Sendable, Equatable, CustomStringConvertible {
    public var description: String

    init(_ description: String) { self.description = description }
}

extension Unit {
    fileprivate var limit: String {
        switch self {
        case .text, .count, .meanCount, .perSecond, .millisecondsPerSecond: "a number"
        case .bytes: "a size, such as 64MB, or a number of bytes"
        case .microseconds: "a duration, such as 50ms, or a number of microseconds"
        case .seconds: "a duration, such as 2s, or a number of seconds"
        case .ratio: "a percentage, such as 2%, or a number from 0 to 1"
        }
    }
}
