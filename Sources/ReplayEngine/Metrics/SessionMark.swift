import SessionModel

/// A moment of a session that explains a step in a timeline: an event of the system, or a list that begins or ceases to
/// move.
public struct SessionMark: Codable, Sendable, Equatable {
    public enum Kind: String, Codable, Sendable, CaseIterable {
        case memoryWarning = "memory_warning"
        case background
        case foreground
        /// The app ended, and was launched again.
        case relaunch
        case scrollBegan = "scroll_began"
        case scrollEnded = "scroll_ended"
    }

    public var kind: Kind
    /// Nanoseconds of trace time.
    public var time: Int64

    public init(_ kind: Kind, at time: Int64) {
        self.kind = kind
        self.time = time
    }
}

extension SessionMark {
    /// The most events of the system, and the most scrolls, that a result keeps.
    static let most = 200

    /// Returns the marks of a trace in order of time, and the number of events of the system that are left out.
    ///
    /// Only the first ``most`` events of the system are kept. If there are more than ``most`` scrolls, scrolls with
    /// short pauses between them become one.
    static func marks(of trace: Trace) -> (marks: [SessionMark], omitted: Int) {
        var system: [SessionMark] = []
        var scrolls: [(start: Int64, end: Int64)] = []
        var start: Int64?
        for event in trace.events {
            let time = event.time * 1_000
            switch event.action {
            case .memoryWarning: system.append(SessionMark(.memoryWarning, at: time))
            case .background: system.append(SessionMark(.background, at: time))
            case .foreground: system.append(SessionMark(.foreground, at: time))
            case .terminate: system.append(SessionMark(.relaunch, at: time))
            case .scroll(.atRest, _, _):
                if let begin = start { scrolls.append((begin, time)) }
                start = nil
            case .scroll: start = start ?? time
            case .appear, .disappear, .prefetch, .fetch, .remove, .list, .served, .cost: break
            }
        }
        if let begin = start, let last = trace.events.last { scrolls.append((begin, last.time * 1_000)) }
        let moves = merged(scrolls).flatMap {
            [SessionMark(.scrollBegan, at: $0.start), SessionMark(.scrollEnded, at: $0.end)]
        }
        let marks = (system.prefix(most) + moves).enumerated().sorted {
            ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
        }
        return (marks.map(\.element), max(0, system.count - most))
    }

    /// Joins scrolls until at most ``most`` are left. The pause below which two become one doubles from 1 s.
    private static func merged(_ scrolls: [(start: Int64, end: Int64)]) -> [(start: Int64, end: Int64)] {
        var (scrolls, pause) = (scrolls, Int64(1_000_000_000))
        while scrolls.count > most {
            scrolls = scrolls.reduce(into: []) { joined, scroll in
                if let last = joined.last, scroll.start - last.end < pause {
                    joined[joined.count - 1].end = scroll.end
                } else {
                    joined.append(scroll)
                }
            }
            pause *= 2
        }
        return scrolls
    }
}
