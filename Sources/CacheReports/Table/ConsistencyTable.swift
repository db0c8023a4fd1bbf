import Basics
import ReplayEngine
import ResultColumns

/// The table of `cachereplay validate`: the recorded durations of fetches beside the replayed ones.
public enum ConsistencyTable {
    /// Returns one row for each trace and network model, with a line break at the end.
    public static func text(_ checks: [(trace: String, check: ConsistencyCheck)]) -> String {
        guard !checks.isEmpty else { return "" }
        let titles = ["network", "fetches", "median recorded", "replayed", "p90 recorded", "replayed", "result"]
        var grid = TextGrid(headings: [.text("trace")] + titles.map { .figure($0) })
        grid.rows = checks.map { trace, check in
            [
                VisibleText.printable(trace), check.network.name, HumanText.count(Double(check.fetches)),
                time(check.recorded.median), compared(check.replayed.median, check.recorded.median, check.medianError),
                time(check.recorded.p90), compared(check.replayed.p90, check.recorded.p90, check.p90Error),
                check.passes ? "agrees" : "differs",
            ]
        }
        return grid.plain()
    }

    /// Returns the rows as JSON, with a line break at the end. Durations are in milliseconds.
    public static func json(_ checks: [(trace: String, check: ConsistencyCheck)]) -> String {
        let rows = checks.map { trace, check in
            JSONValue.object(
                [
                    ("trace", .string(trace)), ("network", .string(check.network.name)),
                    ("fetches", .number("\(check.fetches)")),
                ] + check.milliseconds.map { ($0.name, .figure($0.value, .microseconds)) } + [
                    ("agrees", .bool(check.passes))
                ])
        }
        return JSONValue.array(rows).text(.indented) + "\n"
    }

    /// Returns the rows of `trace info`: one for each network model, and one with the reasons if none agrees.
    static func rows(_ report: ConsistencyReport) -> [(label: String, value: String)] {
        let amount = report.isPartial ? "the first " : ""
        var rows = report.checks.map { check in
            """
            \(check.network.name): \(check.passes ? "agrees" : "differs"), median \(time(check.recorded.median)) → \
            \(compared(check.replayed.median, check.recorded.median, check.medianError)), p90 \
            \(time(check.recorded.p90)) → \(compared(check.replayed.p90, check.recorded.p90, check.p90Error)) \
            (\(amount)\(HumanText.count(Double(check.fetches))) fetches)
            """
        }
        if !report.passes { rows += report.notes }
        return rows.enumerated().map { ($0 == 0 ? "consistency" : "", $1) }
    }

    /// Returns the row of a prediction, with a line break at the end.
    public static func text(_ traces: String, _ prediction: RecordingPrediction) -> String {
        let titles = [
            "images recorded", "predicted", "median recorded", "predicted", "p90 recorded", "predicted", "result",
        ]
        var grid = TextGrid(headings: [.text("traces")] + titles.map { .figure($0) })
        grid.rows = [
            [
                VisibleText.printable(traces), HumanText.count(Double(prediction.recordedCount)),
                HumanText.count(Double(prediction.predictedCount)), time(prediction.recorded.median),
                compared(prediction.predicted.median, prediction.recorded.median, prediction.medianError),
                time(prediction.recorded.p90),
                compared(prediction.predicted.p90, prediction.recorded.p90, prediction.p90Error),
                prediction.passes ? "agrees" : "differs",
            ]
        ]
        return grid.plain()
    }

    /// Returns the row of a prediction as JSON, with a line break at the end. Durations are in milliseconds.
    public static func json(_ traces: String, _ prediction: RecordingPrediction) -> String {
        JSONValue.object([
            ("traces", .string(traces)), ("recorded_images", .number("\(prediction.recordedCount)")),
            ("predicted_images", .number("\(prediction.predictedCount)")),
            ("recorded_median_ms", milliseconds(prediction.recorded.median)),
            ("predicted_median_ms", milliseconds(prediction.predicted.median)),
            ("recorded_p90_ms", milliseconds(prediction.recorded.p90)),
            ("predicted_p90_ms", milliseconds(prediction.predicted.p90)),
            ("agrees", .bool(prediction.passes)),
        ]).text(.indented) + "\n"
    }

    private static func milliseconds(_ nanoseconds: Int64) -> JSONValue {
        .figure(Double(nanoseconds) / 1e6, .microseconds)
    }

    private static func time(_ nanoseconds: Int64) -> String { HumanText.microseconds(Double(nanoseconds) / 1_000) }

    /// Returns a replayed duration with its difference, such as `125 ms (+3.2 %)`. Shares of durations below a
    /// millisecond say nothing.
    private static func compared(_ replayed: Int64, _ recorded: Int64, _ error: Double) -> String {
        guard recorded >= 1_000_000 else { return time(replayed) }
        return "\(time(replayed)) (\(error < 0 ? "-" : "+")\(HumanText.share(abs(error))))"
    }
}

extension ConsistencyCheck {
    /// The durations in milliseconds, with their names in JSON.
    var milliseconds: [(name: String, value: Double)] {
        [
            ("recorded_median_ms", recorded.median), ("replayed_median_ms", replayed.median),
            ("recorded_p90_ms", recorded.p90), ("replayed_p90_ms", replayed.p90),
        ].map { ($0.0, Double($0.1) / 1e6) }
    }
}

extension ConsistencyReport {
    /// The reasons as sentences, which may follow the name of a trace.
    public var notes: [String] { reasons.map(\.text) }
}

extension ConsistencyReport.Reason {
    var text: String {
        switch self {
        case .noTimes: "records no fetch with times, so there is nothing to compare."
        case .hiddenQueues: RunNote.queuesHidden.text
        case .queued(let share):
            """
            \(Int((share * 100).rounded())) % of the recorded time was spent in the client's queue, which the \
            durations \
            leave out: a replay does not wait behind resources that are no images. The rule queue: recorded replays \
            the \
            recorded waits.
            """
        case .noSharedLink: "no shared link can be estimated that reproduces the recording."
        }
    }
}
