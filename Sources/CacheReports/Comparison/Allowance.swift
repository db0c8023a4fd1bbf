import Basics

/// The amount by which a metric may get worse: `hit_ratio:0.01`, `latency_p99_us:500`, `origin_bytes:5%`.
public struct Allowance: Sendable, Equatable {
    public enum Worsening: Sendable, Equatable {
        /// In the metric's own unit.
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

    /// Reads the argument of `--allow`.
    /// - Throws: ``AllowanceError``, which names the wrong part and the nearest metric.
    public init(_ text: String) throws {
        guard let colon = text.lastIndex(of: ":") else {
            throw AllowanceError(
                "\"\(text)\": expected is METRIC:WORSENING, for example hit_ratio:0.01 or origin_bytes:5%")
        }
        let metric = String(text[..<colon])
        let number = text[text.index(after: colon)...]
        guard let column = SummaryColumns.metrics.first(where: { $0.name == metric }) else {
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
        let isRelative = number.hasSuffix("%")
        guard let amount = Double(isRelative ? number.dropLast() : number), amount.isFinite, amount >= 0 else {
            throw AllowanceError(
                """
                "\(text)": "\(number)" is not a worsening; write a number from 0 up \(column.unit.inWords), or a \
                percentage, for example 5%
                """
            )
        }
        self.metric = metric
        worsening = isRelative ? .relative(amount / 100) : .absolute(amount)
    }
}

/// A wrong argument of `--allow`.
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
    fileprivate var inWords: String {
        switch self {
        case .text, .count, .meanCount: "as a count"
        case .bytes: "in bytes"
        case .microseconds: "in microseconds"
        case .seconds: "in seconds"
        case .ratio: "as a ratio (0.01 is one percentage point)"
        case .perSecond: "in requests per second"
        }
    }
}
