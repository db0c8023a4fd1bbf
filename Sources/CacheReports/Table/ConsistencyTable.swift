import ReplayEngine

/// The table of `cachereplay validate`: the recorded durations of fetches beside the replayed ones.
public enum ConsistencyTable {
    /// Returns one row for each trace and network model, with a line break at the end.
    public static func text(_ checks: [(trace: String, check: ConsistencyCheck)]) -> String {
        guard !checks.isEmpty else { return "" }
        let titles = ["network", "fetches", "median recorded", "replayed", "p90 recorded", "replayed", "result"]
        var grid = TextGrid(headings: [.init(title: "trace", alignment: .left)] + titles.map { .init(title: $0) })
        grid.rows = checks.map { trace, check in
            [
                ShortNames.printable(trace), check.network.name, HumanText.count(Double(check.fetches)),
                time(check.recorded.median), "\(time(check.replayed.median)) (\(signed(check.medianError)))",
                time(check.recorded.p90), "\(time(check.replayed.p90)) (\(signed(check.p90Error)))",
                check.passes ? "agrees" : "differs",
            ]
        }
        return grid.plain()
    }

    /// Returns the rows as JSON, with a line break at the end. Durations are in milliseconds.
    public static func json(_ checks: [(trace: String, check: ConsistencyCheck)]) -> String {
        let rows = checks.map { trace, check in
            JSONText.object([
                ("trace", .string(trace)), ("network", .string(check.network.name)),
                ("fetches", .number("\(check.fetches)")),
                ("recorded_median_ms", milliseconds(check.recorded.median)),
                ("replayed_median_ms", milliseconds(check.replayed.median)),
                ("recorded_p90_ms", milliseconds(check.recorded.p90)),
                ("replayed_p90_ms", milliseconds(check.replayed.p90)),
                ("agrees", .bool(check.passes)),
            ])
        }
        return JSONText.array(rows).rendered() + "\n"
    }

    private static func time(_ nanoseconds: Int64) -> String { HumanText.microseconds(Double(nanoseconds) / 1_000) }

    private static func milliseconds(_ nanoseconds: Int64) -> JSONText {
        .figure(Double(nanoseconds) / 1e6, .microseconds)
    }

    /// Returns a difference as a share, such as `+3.2 %`.
    private static func signed(_ share: Double) -> String { (share < 0 ? "-" : "+") + HumanText.share(abs(share)) }
}
