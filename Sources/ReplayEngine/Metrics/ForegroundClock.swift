import SessionModel

/// The time in the foreground that has passed at each moment of a session.
///
/// Nothing is on the screen while the app is in the background, so that no cell is blank then, although view cells do
/// not disappear. Blank time, the waits of which it consists, blank area, and the blank cells of a timeline are
/// differences of this time.
///
/// Times are nanoseconds.
package struct ForegroundClock: Sendable {
    /// An absence, and the time in the background before it.
    private struct Absence {
        var start: Int64
        var end: Int64
        var before: Int64
    }

    /// In order of time. They do not overlap.
    private var absences: [Absence] = []

    /// Creates the clock of a session that never leaves the foreground.
    package init() {}

    /// Creates the clock of a session.
    ///
    /// A `background` event begins an absence. The next `foreground` event ends it, or the next cell that appears: a
    /// recording can lack the former, and a cell appears on the screen. Without either, the absence lasts for ever.
    package init(_ trace: Trace) {
        var left: Int64?
        var before: Int64 = 0
        for event in trace.events {
            switch event.action {
            case .background: left = left ?? event.time * 1_000
            case .foreground, .appear:
                guard let start = left else { continue }
                absences.append(Absence(start: start, end: event.time * 1_000, before: before))
                before += event.time * 1_000 - start
                left = nil
            default: break
            }
        }
        if let start = left { absences.append(Absence(start: start, end: .max, before: before)) }
    }

    /// Returns the time in the foreground before a moment.
    ///
    /// Complexity: O(log n) for n absences.
    func time(at moment: Int64) -> Int64 {
        guard let place = absence(before: moment) else { return moment }
        let absence = absences[place]
        return moment - absence.before - (min(moment, absence.end) - absence.start)
    }

    func time(from start: Int64, to end: Int64) -> Int64 { time(at: end) - time(at: start) }

    /// Returns the first moment, from one on, at which the app leaves the foreground or returns to it; `Int64.max` if
    /// there is no such moment.
    func change(from moment: Int64) -> Int64 {
        let place = absence(before: moment)
        if let place, absences[place].end >= moment { return absences[place].end }
        let next = place.map { $0 + 1 } ?? 0
        return next < absences.count ? absences[next].start : .max
    }

    /// Returns the place of the last absence that begins before a moment.
    private func absence(before moment: Int64) -> Int? {
        guard let first = absences.first, moment > first.start else { return nil }
        var (low, high) = (0, absences.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if absences[middle].start < moment { low = middle } else { high = middle }
        }
        return low
    }
}
