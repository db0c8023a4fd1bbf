import Advising
import Basics
import ReplayEngine
import ResultColumns
import Runs

extension Advice {
    /// The limits of a row in words, and its rules: `memory: 64 MB and disk: 200 MB; order: lifo`.
    func limits(_ row: Row) -> String {
        let limit = objective == .memory ? row.smallestSufficientLimit ?? budget : budget
        let memory = limit.map { "memory: \(HumanText.bytes(Double($0)))" } ?? "no limit of memory"
        let limits = row.disk.map { "\(memory) and disk: \(HumanText.bytes(Double($0)))" } ?? memory
        return row.changes.isEmpty ? limits : "\(limits); \(Self.rules(row.changes))"
    }

    func figure(_ rows: [Row]) -> String {
        func range(_ figure: (Row) -> Double, _ text: (Double) -> String) -> String {
            let figures = rows.map(figure)
            let (low, high) = (text(figures.min() ?? 0), text(figures.max() ?? 0))
            return low == high ? low : "\(low) to \(high)"
        }
        return switch objective {
        case .blank: range({ $0.blankRatio }, HumanText.share)
        case .bytes: range({ $0.originBytes }, HumanText.bytes)
        case .memory: range({ $0.neededBytes }, HumanText.bytes)
        }
    }

    /// Returns the objective's figure of rows as a clause.
    func amount(_ rows: [Row]) -> String {
        switch objective {
        case .blank: "cells are blank for \(figure(rows)) of the visible time"
        case .bytes: "a session fetches \(figure(rows))"
        case .memory:
            """
            a peak of \(figure(rows)) \(share95)is the least for a blank time within \(tolerance) of the least one
            """
        }
    }

    /// Returns a difference of the objective between rows: `3.2 points` or `1.2 MB`.
    func difference(_ value: Double) -> String {
        objective == .blank ? Self.points(value) : HumanText.bytes(value)
    }

    /// Returns a difference of the figure that settings are compared by: `3.2 points` or `1.2 MB`.
    func gained(_ value: Double) -> String {
        objective == .bytes ? HumanText.bytes(value) : Self.points(value)
    }

    /// A difference that is compared with the tolerance, with a second decimal below one point: `0.14 points`.
    func inDetail(_ value: Double) -> String {
        guard objective != .bytes, abs(value) < 0.01 else { return gained(value) }
        return "\(HumanText.decimals(value * 100, 2)) points"
    }

    /// The smallest difference that counts, of the figure that settings are compared by: `0.1 points` or `1 %`.
    var tolerance: String { relevanceThreshold.text(objective.unit) }

    static func points(_ share: Double) -> String { "\(inPoints(share)) points" }

    /// `3.2` for a difference of 3.2 points, below 0 with its sign.
    static func inPoints(_ share: Double) -> String {
        (share < 0 ? "−" : "") + HumanText.share(abs(share)).replacing("%", with: "")
    }

    /// The interval of the mean of a row, in brackets; nothing without one.
    func interval(_ row: Row) -> String {
        switch objective {
        case .blank: interval(row.low, row.high, HumanText.share)
        case .bytes: interval(row.originLow, row.originHigh, HumanText.bytes)
        case .memory: ""
        }
    }

    func interval(_ low: Double?, _ high: Double?, _ text: (Double) -> String) -> String {
        guard let low, let high else { return "" }
        return " (95 % interval \(text(low)) to \(text(high)))"
    }
}

extension Advice.Objective {
    var unit: Unit { self == .bytes ? .bytes : .ratio }
}
