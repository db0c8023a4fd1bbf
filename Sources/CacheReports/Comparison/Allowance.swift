import Basics
import ResultColumns
import Runs

/// The amount by which a metric may get worse: `hit_ratio:1pt`, `latency_p99_us:500`, `origin_bytes:5%`.
///
/// A percentage is relative to the baseline's figure, also of a share: `hit_ratio:5%` of 80 % allows 76 %. Points are
/// for shares alone: `hit_ratio:5pt` of 80 % allows 75 %.
public struct Allowance: Sendable, Equatable {
    public enum Worsening: Sendable, Equatable {
        /// In the metric's own unit: 0.01 for `1pt` of a share.
        case absolute(Double)
        /// A share of the baseline's figure: 0.05 for `5%`.
        case relative(Double)

        func amount(of baseline: Double) -> Double {
            switch self {
            case .absolute(let amount): amount
            case .relative(let share): share * abs(baseline)
            }
        }
    }

    public var metric: String
    public var worsening: Worsening

    /// Reads the argument of `--allow`, or an entry of the key `allow` of a file.
    /// - Throws: ``AllowanceError``, which names the wrong part and the nearest metric.
    public init(_ text: String) throws {
        guard let colon = text.lastIndex(of: ":") else {
            throw AllowanceError(
                "\"\(text)\": expected is METRIC:WORSENING, for example hit_ratio:1pt or origin_bytes:5%")
        }
        let metric = String(text[..<colon])
        let number = text[text.index(after: colon)...]
        guard let column = SummaryColumns[metric] else {
            throw AllowanceError.unknown(metric)
        }
        guard column.polarity != .neutral else {
            throw AllowanceError(
                """
                "\(text)": \(metric) is neither better nor worse when it rises, so it cannot be gated; choose another \
                metric
                """
            )
        }
        self.metric = metric
        worsening = try Self.worsening(String(number), of: column.unit, in: text)
    }

    /// Reads the amount: per cent of the baseline, points of a share, or a number in the metric's unit.
    private static func worsening(_ number: String, of unit: Unit, in text: String) throws -> Worsening {
        let isRelative = number.hasSuffix("%")
        let isPoints = number.hasSuffix("pt")
        let digits = isRelative ? String(number.dropLast()) : isPoints ? String(number.dropLast(2)) : number
        guard let amount = Double(digits), amount.isFinite, amount >= 0 else {
            throw AllowanceError(
                """
                "\(text)": "\(number)" is not a worsening; write \(unit.inWords), or per cent of the baseline, such as \
                5%
                """)
        }
        if isRelative { return .relative(amount / 100) }
        guard unit == .ratio else {
            guard !isPoints else {
                throw AllowanceError(
                    """
                    "\(text)": points are for shares; write \(unit.inWords), or per cent of the baseline, such as 5%
                    """)
            }
            return .absolute(amount)
        }
        guard isPoints || amount == 0 else {
            let points = amount <= 1 ? Tolerance.number((amount * 100 * 1e9).rounded() / 1e9) : "1"
            throw AllowanceError(
                """
                "\(text)": write \(points)pt for percentage points of a share, or a percentage such as 5% for a \
                part of the baseline's figure
                """)
        }
        return .absolute(amount / 100)
    }
}

public struct AllowanceError: Error, Sendable, Equatable, CustomStringConvertible {
    public var description: String

    init(_ description: String) { self.description = description }

    static func unknown(_ metric: String) -> AllowanceError {
        let names = SummaryColumns.metrics.filter { $0.polarity != .neutral }.map(\.name)
        let hint = nearestName(to: metric, among: names).map { "; did you mean \($0)?" } ?? "."
        return AllowanceError("unknown metric \"\(metric)\"\(hint) Metrics: \(names.joined(separator: ", "))")
    }
}

extension Unit {
    /// The meaning of a worsening without a percentage.
    fileprivate var inWords: String {
        switch self {
        case .text, .count, .meanCount: "a number from 0 up as a count"
        case .bytes: "a number from 0 up in bytes"
        case .microseconds: "a number from 0 up in microseconds"
        case .seconds: "a number from 0 up in seconds"
        case .ratio: "percentage points from 0 up, such as 1pt"
        case .perSecond: "a number from 0 up in requests per second"
        case .millisecondsPerSecond: "a number from 0 up in milliseconds per second"
        }
    }
}

public struct BudgetJudgement: Sendable, Equatable {
    public var trace: String
    /// The network, where there are several; otherwise nil.
    public var network: String?
    public var cache: String
    public var budget: FigureBudget
    public var unit: Unit
    /// The median of the repeats; nil without a figure.
    public var value: Double?

    var pair: RunGroup.Key { .init(trace: trace, network: network, cache: cache) }

    /// Whether the figure is within the limit. Without a figure, it is not.
    public var isKept: Bool { value.map(budget.isKept) ?? false }

    /// The figure beside its limit.
    var text: String {
        let figure = value.map { HumanText.figure($0, unit) } ?? "no figure"
        return "\(budget): \(figure)\(isKept ? "" : ", over budget")"
    }
}

extension Comparison {
    /// Checks limits of the results' figures. Each figure is the median of the repeats.
    /// - Throws: `ResultsError` of kind `badData` for a limit that is for none of the traces.
    public mutating func check(_ limits: [FigureBudget], of results: ResultSet) throws {
        let groups = results.groups
        for budget in limits {
            let matching = groups.filter { budget.trace == nil || budget.trace == $0.key.trace }
            guard !matching.isEmpty else {
                let names = Set(groups.map(\.key.trace)).sorted().prefix(10).joined(separator: ", ")
                throw ResultsError(
                    .badData, file: results.source,
                    """
                    the budget \(budget) is for the trace \(budget.trace ?? "?"), which has no results; traces: \
                    \(names)
                    """
                )
            }
            let unit = SummaryColumns[budget.metric]?.unit ?? .count
            guard matching.contains(where: { $0.median(budget.metric) != nil }) else {
                throw ResultsError(
                    .badData, file: results.source,
                    "the budget \(budget) limits nothing: no result has a figure for \(budget.metric)")
            }
            budgets += matching.map {
                BudgetJudgement(
                    trace: $0.key.trace, network: $0.key.network, cache: $0.key.cache, budget: budget, unit: unit,
                    value: $0.median(budget.metric)
                )
            }
        }
    }
}
