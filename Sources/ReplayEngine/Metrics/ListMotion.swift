import SessionModel

/// When the list of a session moves and rests, and when the app ends. All of it follows from the trace.
///
/// Times are nanoseconds of trace time.
package struct ListMotion: Sendable {
    /// The times in which the list moves, in order.
    ///
    /// A stretch begins with the first `scroll` event of a finger or of momentum. It ends with the next event that says
    /// that the list is at rest, that the app leaves the foreground or that it ends, and at the latest with the last
    /// event of the trace. A stretch without length is left out.
    private(set) var stretches: [Range<Int64>] = []
    /// The times in which the list rests after it has moved, in order.
    ///
    /// A rest begins with the `scroll` event that ends a stretch. It ends with the next stretch, with the next event
    /// that says that the app leaves the foreground or ends, or with the last event. A rest without length is left out.
    private(set) var rests: [Range<Int64>] = []
    /// When the app ends, and is launched again.
    private(set) var relaunches: [Int64] = []

    init(_ trace: Trace) {
        var moving: Int64?
        var resting: Int64?
        for event in trace.events {
            let time = event.time * 1_000
            switch event.action {
            case .scroll(.atRest, _, _):
                guard moving != nil else { break }
                Self.end(&moving, at: time, in: &stretches)
                resting = time
            case .scroll:
                Self.end(&resting, at: time, in: &rests)
                moving = moving ?? time
            case .background, .terminate:
                Self.end(&moving, at: time, in: &stretches)
                Self.end(&resting, at: time, in: &rests)
                if case .terminate = event.action { relaunches.append(time) }
            case .appear, .disappear, .prefetch, .fetch, .memoryWarning, .foreground, .remove, .list, .served, .cost:
                break
            }
        }
        let last = (trace.events.last?.time ?? 0) * 1_000
        Self.end(&moving, at: last, in: &stretches)
        Self.end(&resting, at: last, in: &rests)
    }

    var scrollTime: Int64 { stretches.reduce(0) { $0 + Int64($1.count) } }

    private static func end(_ start: inout Int64?, at end: Int64, in times: inout [Range<Int64>]) {
        if let begin = start, begin < end { times.append(begin..<end) }
        start = nil
    }
}
