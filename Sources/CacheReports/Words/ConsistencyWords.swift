import ReplayEngine
import ResultColumns

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
