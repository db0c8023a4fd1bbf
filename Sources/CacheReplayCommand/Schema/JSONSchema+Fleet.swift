import Foundation
import ReplayEngine
import Runs
import Statistics

extension JSONSchema {
    // MARK: The output of `replay --json` for many sessions

    static var fleet: Value {
        document(
            "The output of `cachereplay replay --json` for more than 20 sessions",
            record([
                "conclusions": list(string, "The conclusions, a sentence each."),
                "sessions": count, "users": count,
                "figures": list(fleetRow, "The distributions of each figure, by cache."),
                "pairs": list(fleetPair, "The differences of each two caches for the same users."),
                "latencies": list(fleetLatency, "The times to image of the requests of all sessions."),
                "notes": list(string, "What a reader of the figures must know, a sentence each."),
            ]))
    }

    private static var fleetFigure: Value {
        let meanings = FleetFigure.allCases.map { figure in
            let direction = figure.polarity == .neutral ? "" : "; better: \(figure.polarity.rawValue)"
            return "\(figure.rawValue): \(figure.meaning) (\(figure.unit.rawValue)\(direction))."
        }
        return words(FleetFigure.allCases.map(\.rawValue), meanings.joined(separator: " "))
    }

    /// A figure with its interval, or with the reason why there is none.
    private static func estimate(_ meaning: String) -> Value {
        let lacks: [Any] = Estimate.Lack.allCases.map(\.rawValue)
        return described(
            record([
                "value": figure, "low": figure("The lower end of the 95 % interval."),
                "high": figure("The upper end."),
                "no_interval": described(["enum": lacks + [NSNull()]], "Why there is no interval; null if there is."),
            ]), meaning)
    }

    private static var fleetRow: Value {
        var row: Value = [
            "cache": string, "figure": fleetFigure,
            "over": words(FleetStatistics.Level.allCases.map(\.rawValue), "What the distribution is over."),
            "mean": estimate("The mean."),
            "count": count("The users or sessions with a value."),
            "without": count("The users or sessions without one, which are in no figure."),
        ]
        for (name, share) in zip(FleetStatistics.shareNames, FleetStatistics.shares) {
            row[name] = estimate("The value that a share of \(share) does not exceed.")
        }
        return record(row)
    }

    private static var fleetPair: Value {
        record([
            "first": string("The name of a cache."), "second": string("The name of another cache."),
            "figure": fleetFigure,
            "difference": estimate("The mean over users of the second cache's value minus the first one's."),
            "better": figure(
                "The share of users for whom the second cache is better; null if no direction of the figure is."),
            "worse": figure("The share of users for whom it is worse; null likewise."),
            "equal": figure("The share of users whose values are equal within a tolerance."),
            "count": count("The users with a value of both caches."),
            "without": count("The users without one."),
        ])
    }

    private static var fleetLatency: Value {
        var latency: Value = [
            "cache": string,
            "outcome": words(LatencyGroup.allCases.map(\.rawValue), "The outcome of the requests."),
            "count": count("The requests."),
        ]
        for column in FleetColumns.latencies where column.unit == .microseconds {
            latency[column.name] = figure("In microseconds.")
        }
        return record(latency)
    }
}
