import SessionModel

/// The movement of the list: the time in each phase, and the distribution of speeds.
///
/// A scroll event is valid until the next one, or until the app leaves the foreground or the trace ends. Speeds are in
/// points per second, weighted by time, so that the event rate of the recorder has no influence. The speed between two
/// events is the mean of both.
public struct ScrollSpeeds: Sendable, Equatable {
    /// The microseconds in each `ScrollPhase`, in the order of its cases.
    public private(set) var time = [Int64](repeating: 0, count: ScrollPhase.allCases.count)
    /// The speeds while a finger moves the list; weights are microseconds, values 1/16 point per second.
    public private(set) var dragged = LogHistogram()
    /// The speeds while the list decelerates, in the same units.
    public private(set) var decelerating = LogHistogram()
    public private(set) var events = 0
    /// How often the list started to decelerate.
    public private(set) var flicks = 0
    /// The points travelled in any direction, from the offsets while the list moved.
    public private(set) var distance = 0.0
    /// Whether speeds are derived from offsets, because no event of a moving list has a velocity.
    public private(set) var usesOffsets = false

    /// The time from one scroll event to the next.
    private struct Stretch {
        /// Microseconds since the trace's first event.
        var time: Int64
        /// The end in microseconds since the trace's first event.
        var end: Int64
        var phase: ScrollPhase
        /// The offset at the start, in points.
        var offset: Double
        /// The offset at the end, in points.
        var endOffset: Double
        /// The recorded velocities at the start and the end, in points per second.
        var velocity: Double
        var endVelocity: Double
    }

    static let unit = 16.0

    /// Measures the scrolling of a session. Nil if the trace has no scroll events.
    public init?(_ trace: Trace) {
        let stretches = Self.stretches(of: trace)
        guard !stretches.isEmpty else { return nil }
        events = stretches.count
        usesOffsets = !stretches.contains { $0.phase != .atRest && $0.velocity != 0 }
        var before: ScrollPhase?
        for stretch in stretches {
            let held = stretch.end - stretch.time
            time[stretch.phase.index] += held
            if stretch.phase == .decelerating, before != .decelerating { flicks += 1 }
            before = stretch.phase
            guard stretch.phase != .atRest else { continue }
            let travelled = abs(stretch.endOffset - stretch.offset)
            distance += travelled
            guard held > 0 else { continue }
            let speed =
                usesOffsets ? travelled / (Double(held) / 1e6) : (abs(stretch.velocity) + abs(stretch.endVelocity)) / 2
            let value = Int64(min(speed * Self.unit, 1e15).rounded())
            if stretch.phase == .dragged {
                dragged.add(value, weight: Int(held))
            } else {
                decelerating.add(value, weight: Int(held))
            }
        }
    }

    private static func stretches(of trace: Trace) -> [Stretch] {
        let origin = trace.events.first?.time ?? 0
        var stretches: [Stretch] = []
        var isOpen = false
        func close(at time: Int64, _ offset: Double? = nil, _ velocity: Double? = nil) {
            guard isOpen, let last = stretches.indices.last else { return }
            stretches[last].end = time - origin
            // A list at rest does not move, so a different offset after it belongs to another list.
            if let offset, stretches[last].phase != .atRest { stretches[last].endOffset = offset }
            stretches[last].endVelocity = velocity ?? stretches[last].velocity
        }
        for event in trace.events {
            switch event.action {
            case .scroll(let phase, let offset, let velocity):
                close(at: event.time, offset, velocity)
                let time = event.time - origin
                stretches.append(
                    Stretch(
                        time: time, end: time, phase: phase, offset: offset, endOffset: offset, velocity: velocity,
                        endVelocity: velocity))
                isOpen = true
            case .background, .terminate:
                close(at: event.time)
                isOpen = false
            case .appear, .disappear, .prefetch, .fetch, .memoryWarning, .foreground, .remove, .list, .served, .cost:
                break
            }
        }
        close(at: trace.events.last?.time ?? origin)
        return stretches
    }

    /// Returns the microseconds in a phase.
    public func time(_ phase: ScrollPhase) -> Int64 { time[phase.index] }

    /// Returns the speed in points per second that the list did not exceed for a `share` of the time in a phase; nil
    /// without such time.
    public func speed(_ phase: ScrollPhase, quantile share: Double) -> Double? {
        histogram(phase)?.quantile(share).map { Double($0) / Self.unit }
    }

    private func histogram(_ phase: ScrollPhase) -> LogHistogram? {
        switch phase {
        case .dragged: dragged
        case .decelerating: decelerating
        case .atRest: nil
        }
    }
}

extension ScrollPhase {
    var index: Int {
        switch self {
        case .dragged: 0
        case .decelerating: 1
        case .atRest: 2
        }
    }
}
