import Basics

/// Events of the system that a recording lacks: memory warnings, absences in the background, and relaunches.
///
/// Times count from the start of the trace, on the clock of the recording. An absence inserts time, because no request
/// happens in the background: all that follows is later by the length of the absence.
public struct InjectedEvents: Sendable, Equatable {
    /// The kinds of events. The raw value is the name of the option, and of the key in YAML.
    public enum Kind: String, Sendable, CaseIterable {
        case memoryWarning = "memory-warning-at"
        case background = "background-at"
        case relaunch = "relaunch-at"
    }

    /// The app leaves the foreground, and returns. In microseconds.
    private struct Absence: Hashable {
        var time: Int64
        var length: Int64

        var name: String { "background at \(TimeSpan.text(time)) for \(TimeSpan.text(length))" }
    }

    // All lists are sorted, and have each value once. Times are in microseconds.
    private var warnings: [Int64] = []
    private var warningIntervals: [Int64] = []
    private var absences: [Absence] = []
    private var relaunches: [Int64] = []

    /// The most events that are injected into a trace: a memory warning every five minutes in a month is 8,928.
    public static let most = 10_000
    /// The longest sum of all absences, in microseconds. A replay takes up to 31 days.
    private static let longestAbsence: Int64 = 30 * 86_400_000_000

    public init() {}

    /// Reads events of one kind: `60s`, `every 5min` for memory warnings, and `60s:20s` for an absence of 20 seconds.
    ///
    /// - Throws: ``InjectedEventError`` with the name of the option, for a text that states no such event, and for
    ///   absences that overlap or are too long.
    public init(_ texts: [String], _ kind: Kind) throws(InjectedEventError) {
        for text in texts {
            switch kind {
            case .memoryWarning: try addWarning(text)
            case .background: absences.append(try Self.absence(text))
            case .relaunch: relaunches.append(try Self.duration(text, kind))
            }
        }
        try arrange()
    }

    /// Returns these events and others.
    ///
    /// - Throws: ``InjectedEventError`` for absences that overlap or are too long.
    public func adding(_ others: Self) throws(InjectedEventError) -> Self {
        var all = self
        all.warnings += others.warnings
        all.warningIntervals += others.warningIntervals
        all.absences += others.absences
        all.relaunches += others.relaunches
        try all.arrange()
        return all
    }

    /// The canonical text, which names all events: `memory warning every 5min; background at 1min for 20s`. Equal texts
    /// are equal events. nil for no events.
    public var text: String? {
        let names =
            warnings.map { Moment(time: $0, event: .memoryWarning).name }
            + warningIntervals.map { "memory warning every \(TimeSpan.text($0))" } + absences.map(\.name)
            + relaunches.map { Moment(time: $0, event: .relaunch).name }
        return names.isEmpty ? nil : names.joined(separator: "; ")
    }

    private mutating func addWarning(_ text: String) throws(InjectedEventError) {
        let words = text.split(separator: " ")
        guard words.first == "every" else { return warnings.append(try Self.duration(text, .memoryWarning)) }
        let interval = try Self.duration(words.dropFirst().joined(separator: " "), .memoryWarning)
        guard interval > 0 else {
            throw InjectedEventError(
                "\(Kind.memoryWarning.rawValue) '\(text)': an interval is above 0, as in 'every 5min'")
        }
        warningIntervals.append(interval)
    }

    private static func absence(_ text: String) throws(InjectedEventError) -> Absence {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            throw InjectedEventError(
                "\(Kind.background.rawValue) '\(text)': expected a time and a length, such as 60s:20s")
        }
        let absence = Absence(
            time: try duration(String(parts[0]), .background), length: try duration(String(parts[1]), .background))
        guard absence.length > 0 else {
            throw InjectedEventError("\(Kind.background.rawValue) '\(text)': a length is above 0, as in 60s:20s")
        }
        return absence
    }

    /// Reads a duration. The unit `m` is minutes too.
    private static func duration(_ text: String, _ kind: Kind) throws(InjectedEventError) -> Int64 {
        let unit = text.drop { !$0.isLetter }
        do { return try TimeSpan.microseconds(unit == "m" ? text + "in" : text) } catch {
            throw InjectedEventError("\(kind.rawValue): \(error)")
        }
    }

    private mutating func arrange() throws(InjectedEventError) {
        warnings = Set(warnings).sorted()
        warningIntervals = Set(warningIntervals).sorted()
        absences = Set(absences).sorted { ($0.time, $0.length) < ($1.time, $1.length) }
        relaunches = Set(relaunches).sorted()
        for (one, other) in zip(absences, absences.dropFirst()) where one.time == other.time {
            throw InjectedEventError(
                """
                \(Kind.background.rawValue): \(one.name) overlaps \(other.name); give one of them another time, or \
                write one background
                """)
        }
        var sum: Int64 = 0
        for absence in absences {
            let (longer, overflows) = sum.addingReportingOverflow(absence.length)
            guard !overflows, longer <= Self.longestAbsence else {
                throw InjectedEventError(
                    """
                    \(Kind.background.rawValue): with the \(absence.name), backgrounds last longer than \
                    \(TimeSpan.text(Self.longestAbsence)), which is the most of a session; give shorter ones
                    """)
            }
            sum = longer
        }
    }
}

/// The reason why events cannot be injected, with a remedy.
public struct InjectedEventError: Error, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}

// MARK: Injection

extension InjectedEvents {
    /// An event, and the time of the recording at which it is injected.
    fileprivate struct Moment {
        /// In the order of events of one time.
        enum Event {
            case memoryWarning
            case background(length: Int64)
            case relaunch

            var rank: Int {
                switch self {
                case .memoryWarning: 0
                case .background: 1
                case .relaunch: 2
                }
            }
        }

        /// In microseconds.
        var time: Int64
        var event: Event

        var name: String {
            switch event {
            case .memoryWarning: "memory warning at \(TimeSpan.text(time))"
            case .background(let length): Absence(time: time, length: length).name
            case .relaunch: "relaunch at \(TimeSpan.text(time))"
            }
        }
    }

    /// Returns a trace with these events, each before the recorded events of its time.
    ///
    /// - An absence begins with a `background` event and ends with a `foreground` event. A list that moves comes to
    ///   rest before.
    /// - At a relaunch, the visible cells disappear, the app ends and comes back at once, and the same cells appear
    ///   again, in the order in which they had appeared: the app restores its position. A trace that records no
    ///   disappearance does not say which cells are visible, so that no cell appears again. With an absence of the same
    ///   time, the app ends in the background, just before it comes back.
    ///
    /// Complexity: O(*n* + *m* log *m*) for *n* events of the trace and *m* injected ones.
    /// - Throws: ``InjectedEventError`` for an event after the end of the trace, for an absence or a relaunch during a
    ///   recorded absence, and for more than ``most`` events.
    public func apply(to trace: Trace) throws(InjectedEventError) -> Trace {
        guard self != Self() else { return trace }
        let moments = try moments(in: trace)
        var injection = Injection(moments, restoresCells: !relaunches.isEmpty && !trace.cellsStay)
        injection.events.reserveCapacity(trace.events.count + 2 * moments.count)
        for event in trace.events {
            try injection.inject(until: event.time)
            injection.take(event)
        }
        return Trace(header: trace.header, objects: trace.objects, events: injection.events)
    }

    private func moments(in trace: Trace) throws(InjectedEventError) -> [Moment] {
        let end = trace.events.last?.time ?? 0
        let length = HumanText.microseconds(Double(end))
        var times = warnings
        let count = warningIntervals.reduce(warnings.count + absences.count + relaunches.count) { $0 + Int(end / $1) }
        if count > Self.most {
            let (name, remedy) =
                warningIntervals.first.map { interval in
                    (
                        "memory warning every \(TimeSpan.text(interval))",
                        "an interval of \(TimeSpan.text(end / Int64(Self.most) + 1)) or more"
                    )
                } ?? ("injected events", "fewer")
            throw InjectedEventError(
                """
                \(name): \(HumanText.count(count, "event")) in a trace of \(length), and at most \
                \(HumanText.count(Double(Self.most))) are injected; give \(remedy)
                """)
        }
        for interval in warningIntervals {
            guard interval <= end else {
                throw InjectedEventError(
                    """
                    memory warning every \(TimeSpan.text(interval)): the trace ends after \(length), before the first \
                    one; give a shorter interval, or leave the trace out
                    """)
            }
            times += stride(from: interval, through: end, by: Int(interval))
        }
        let moments =
            Set(times).map { Moment(time: $0, event: .memoryWarning) }
            + absences.map { Moment(time: $0.time, event: .background(length: $0.length)) }
            + relaunches.map { Moment(time: $0, event: .relaunch) }
        let sorted = moments.sorted { ($0.time, $0.event.rank) < ($1.time, $1.event.rank) }
        if let late = sorted.first(where: { $0.time > end }) {
            throw InjectedEventError(
                "\(late.name): the trace ends after \(length); give an earlier time, or leave the trace out")
        }
        return sorted
    }
}

/// A trace that is made from a recording and the events to inject.
private struct Injection {
    var events: [TraceEvent] = []
    private let moments: [InjectedEvents.Moment]
    private var next = 0
    /// The length of all absences so far, in microseconds.
    private var shift: Int64 = 0
    /// nil if no cell appears again after a relaunch.
    private var cells: VisibleCells?
    /// The offset of a list that moves; nil at rest.
    private var movingOffset: Double?
    /// The time of the recorded absence that has not ended; nil in the foreground.
    private var awaySince: Int64?

    init(_ moments: [InjectedEvents.Moment], restoresCells: Bool) {
        self.moments = moments
        cells = restoresCells ? VisibleCells() : nil
    }

    /// Adds a recorded event.
    mutating func take(_ event: TraceEvent) {
        var later = event
        later.time += shift
        events.append(later)
        switch event.action {
        case .appear(let object, let variant):
            awaySince = nil
            cells?.appear(.init(cell: .init(object: object, variant: variant), viewSize: event.viewSize))
        case .disappear(let object, let variant): cells?.disappear(.init(object: object, variant: variant))
        case .scroll(let phase, let offset, _): movingOffset = phase == .atRest ? nil : offset
        case .background: awaySince = event.time
        case .foreground: awaySince = nil
        case .terminate:
            movingOffset = nil
            cells?.restart([])
        case .prefetch, .fetch, .memoryWarning, .remove, .list, .served, .cost: break
        }
    }

    /// Adds the events to inject up to and including a time of the recording.
    mutating func inject(until time: Int64) throws(InjectedEventError) {
        while next < moments.count, moments[next].time <= time {
            let moment = moments[next]
            next += 1
            switch moment.event {
            case .memoryWarning: add(.memoryWarning, moment)
            case .background(let length):
                try beginLeaving(moment)
                add(.background, moment)
                shift += length
                let isRelaunched = next < moments.count && moments[next].time == moment.time
                if isRelaunched { next += 1 }
                comeBack(moment, isRelaunched: isRelaunched)
            case .relaunch:
                try beginLeaving(moment)
                comeBack(moment, isRelaunched: true)
            }
        }
    }

    private mutating func add(
        _ action: TraceEvent.Action, _ moment: InjectedEvents.Moment, viewSize: ViewSize? = nil
    ) {
        events.append(TraceEvent(time: moment.time + shift, action, viewSize: viewSize))
    }

    /// Brings the list to rest before the app leaves the foreground or ends.
    private mutating func beginLeaving(_ moment: InjectedEvents.Moment) throws(InjectedEventError) {
        if let awaySince {
            throw InjectedEventError(
                """
                \(moment.name): in the recording, the app is in the background from \(TimeSpan.text(awaySince)) on; \
                give a time at which it is in the foreground
                """)
        }
        guard let offset = movingOffset else { return }
        movingOffset = nil
        add(.scroll(.atRest, offset: offset, velocity: 0), moment)
    }

    /// Brings the app to the foreground. If it is relaunched, it ends before, and the visible cells appear again.
    private mutating func comeBack(_ moment: InjectedEvents.Moment, isRelaunched: Bool) {
        let shown = isRelaunched ? cells?.visible ?? [] : []
        if isRelaunched {
            for view in shown { add(.disappear(view.cell.object, view.cell.variant), moment) }
            add(.terminate, moment)
        }
        add(.foreground, moment)
        for view in shown { add(.appear(view.cell.object, view.cell.variant), moment, viewSize: view.viewSize) }
        if isRelaunched { cells?.restart(shown) }
    }
}

/// The cells that are visible, in the order in which they appeared.
private struct VisibleCells {
    struct Cell: Hashable {
        var object: ObjectID
        var variant: Variant
    }

    /// A cell that has appeared, and the size of its view. A disappearance does not state the size.
    struct Shown {
        var cell: Cell
        var viewSize: ViewSize?
    }

    private var appeared: [Shown] = []
    /// The number of visible cells, and of those that have disappeared, for equal cells. The oldest disappears first.
    private var counts: [Cell: (visible: Int, gone: Int)] = [:]

    mutating func appear(_ shown: Shown) {
        appeared.append(shown)
        counts[shown.cell, default: (0, 0)].visible += 1
    }

    /// A cell that appeared before the recording began is ignored.
    mutating func disappear(_ cell: Cell) {
        guard let count = counts[cell], count.visible > 0 else { return }
        counts[cell] = (count.visible - 1, count.gone + 1)
    }

    /// Forgets all cells but those that appear after a launch.
    mutating func restart(_ cells: [Shown]) {
        appeared = []
        counts = [:]
        for shown in cells { appear(shown) }
    }

    var visible: [Shown] {
        var counts = counts
        return appeared.filter { shown in
            guard let gone = counts[shown.cell]?.gone, gone > 0 else { return true }
            counts[shown.cell]?.gone = gone - 1
            return false
        }
    }
}
