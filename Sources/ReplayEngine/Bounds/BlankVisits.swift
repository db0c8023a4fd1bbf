import SessionModel

/// The visits of a session, by object: the times at which cells show it. A bound on blank time counts them.
///
/// A prefetch is a visit that takes no time: it asks for the image as a cell does, and nothing is blank.
///
/// Both variants of an object count as one object, because one fetch serves both. A visit ends at the next visit of its
/// object at the latest, although its cell may stay. The bound then counts less blank time, and each request is still a
/// visit of its own.
struct BlankVisits {
    /// Times are nanoseconds.
    struct Visit {
        var object: Int
        /// Whether no cell appears, and the app asks for the object ahead of need.
        var isPrefetch = false
        var appeared: Int64
        var vanished: Int64
        /// The end of the last cell that shows the object, of those that have appeared so far.
        var shownUntil: Int64
        /// When memory lost the object last between the visit before and this one; nil if it did not have to.
        var lost: Int64?
        /// The number of relaunches before.
        var launch = 0
        /// Whether one of them was after the visit before.
        var isRelaunched = false
    }

    /// The visits of objects that cells show, by object, and then in order of appearance.
    let all: [Visit]
    /// The prefetches of objects that no cell shows.
    let unshown: [Visit]
    /// By object: the place of its first visit in ``all``. One more than all objects.
    let first: [Int]
    let hasBothVariants: [Bool]
    let hasPrefetches: Bool
    /// The time of the last event.
    let end: Int64
    /// The time in the foreground that cells are visible, summed over cells.
    let visibleTime: Double

    /// The events that empty memory, beside relaunches.
    struct Losses {
        var warnings = false
        var backgrounds = false
    }

    /// - Parameter prefetches: The rules by which apps ask for images ahead of need. The calls of all of them count.
    init(_ trace: Trace, _ foreground: ForegroundClock, _ losses: Losses, _ prefetches: [PrefetchRule]) {
        let count = trace.objects.count
        let calls = Calls(trace, prefetches)
        hasBothVariants = Self.hasBothVariants(trace, calls)
        end = (trace.events.last?.time ?? 0) * 1_000
        var collector = Collector(objects: count, losses, hasBothVariants)
        collector.take(trace, calls)
        collector.closeAll(at: end)
        var (visible, isShown) = (0.0, [Bool](repeating: false, count: count))
        for visit in collector.visits where !visit.isPrefetch {
            visible += Double(foreground.time(from: visit.appeared, to: visit.vanished))
            isShown[visit.object] = true
        }
        visibleTime = visible
        hasPrefetches = collector.visits.contains { $0.isPrefetch }
        unshown = collector.visits.filter { !isShown[$0.object] }
        let shown = collector.visits.filter { isShown[$0.object] }
        var first = [Int](repeating: 0, count: count + 1)
        for visit in shown { first[visit.object + 1] += 1 }
        for object in 0..<count { first[object + 1] += first[object] }
        var next = first
        var sorted = shown
        for visit in shown {
            sorted[next[visit.object]] = visit
            next[visit.object] += 1
        }
        for object in 0..<count {
            var shownUntil: Int64 = 0
            for place in first[object]..<first[object + 1] {
                shownUntil = max(shownUntil, sorted[place].vanished)
                sorted[place].shownUntil = shownUntil
                guard place + 1 < first[object + 1] else { continue }
                sorted[place].vanished = min(sorted[place].vanished, sorted[place + 1].appeared)
            }
        }
        (all, self.first) = (sorted, first)
    }

    /// The calls of apps ahead of need.
    private struct Calls {
        /// Whether the prefetches of the recording count.
        let areRecorded: Bool
        /// The calls of all plans, in the order of the events that they follow.
        let planned: [PrefetchPlan.Step]

        init(_ trace: Trace, _ rules: [PrefetchRule]) {
            areRecorded = rules.contains(.recorded)
            planned = rules.filter(\.isPlanned).flatMap { PrefetchPlan(trace, $0).steps }
                .filter { !$0.isCancellation }
                .sorted { ($0.afterEvent, $0.time) < ($1.afterEvent, $1.time) }
        }
    }

    private static func hasBothVariants(_ trace: Trace, _ calls: Calls) -> [Bool] {
        var known = [Variant?](repeating: nil, count: trace.objects.count)
        var hasBoth = [Bool](repeating: false, count: trace.objects.count)
        func note(_ object: ObjectID, _ variant: Variant) {
            if let other = known[Int(object)], other != variant { hasBoth[Int(object)] = true }
            known[Int(object)] = variant
        }
        for event in trace.events {
            switch event.action {
            case .appear(let object, let variant): note(object, variant)
            case .prefetch(let object, let variant): if calls.areRecorded { note(object, variant) }
            default: break
            }
        }
        for step in calls.planned { note(step.object, step.variant) }
        return hasBoth
    }

    /// Collects visits in the order of appearance.
    private struct Collector {
        /// An event that empties memory, or removes an object from it.
        struct Loss {
            var event = -1
            var time: Int64 = 0
        }

        private let losses: Losses
        /// By object. Its variants are loaded apart, so that one can enter memory after the other has left.
        private let hasBothVariants: [Bool]
        var visits: [Visit] = []
        /// By number of the image key: the visits whose cells are visible, the oldest first.
        private var open: [Int: [Int]] = [:]
        private var loss = Loss()
        private var relaunch = Loss()
        private var launch = 0
        /// By object.
        private var removals: [Loss]
        /// By object: the event of its last visit, or -1.
        private var lastEvent: [Int]

        init(objects: Int, _ losses: Losses, _ hasBothVariants: [Bool]) {
            self.losses = losses
            self.hasBothVariants = hasBothVariants
            removals = Array(repeating: Loss(), count: objects)
            lastEvent = Array(repeating: -1, count: objects)
        }

        /// Takes all events, and the calls between them.
        mutating func take(_ trace: Trace, _ calls: Calls) {
            var planned = calls.planned[...]
            for (number, event) in trace.events.enumerated() {
                while let step = planned.first, step.afterEvent < number {
                    prefetch(Int(step.object), step.afterEvent, step.time * 1_000)
                    planned.removeFirst()
                }
                take(event, number, calls)
            }
            for step in planned { prefetch(Int(step.object), step.afterEvent, step.time * 1_000) }
        }

        private mutating func take(_ event: TraceEvent, _ number: Int, _ calls: Calls) {
            let time = event.time * 1_000
            switch event.action {
            case .appear(let object, let variant): appear(Int(object), variant, number, time)
            case .disappear(let object, let variant):
                let key = Self.key(Int(object), variant)
                guard let oldest = open[key]?.first else { return }
                visits[oldest].vanished = time
                open[key]?.removeFirst()
            case .memoryWarning: if losses.warnings { loss = Loss(event: number, time: time) }
            case .background: if losses.backgrounds { loss = Loss(event: number, time: time) }
            case .terminate:
                closeAll(at: time)
                launch += 1
                relaunch = Loss(event: number, time: time)
                loss = relaunch
            case .remove(let object): removals[Int(object)] = Loss(event: number, time: time)
            case .prefetch(let object, _): if calls.areRecorded { prefetch(Int(object), number, time) }
            default: break
            }
        }

        private mutating func appear(_ object: Int, _ variant: Variant, _ number: Int, _ time: Int64) {
            let visit = visit(object, number, time)
            open[Self.key(object, variant), default: []].append(visits.count)
            visits.append(visit)
        }

        private mutating func prefetch(_ object: Int, _ number: Int, _ time: Int64) {
            var visit = visit(object, number, time)
            visit.isPrefetch = true
            visits.append(visit)
        }

        /// Returns a visit that begins after an event, with what the object has lost since the visit before.
        private mutating func visit(_ object: Int, _ number: Int, _ time: Int64) -> Visit {
            var visit = Visit(object: object, appeared: time, vanished: time, shownUntil: time, launch: launch)
            if lastEvent[object] >= 0 {
                var last = hasBothVariants[object] ? relaunch : loss
                if !hasBothVariants[object], removals[object].event > last.event { last = removals[object] }
                if last.event > lastEvent[object] { visit.lost = last.time }
                visit.isRelaunched = relaunch.event > lastEvent[object]
            }
            lastEvent[object] = number
            return visit
        }

        /// Closes the cells that are visible.
        mutating func closeAll(at time: Int64) {
            for visible in open.values { for visit in visible { visits[visit].vanished = time } }
            open = [:]
        }

        private static func key(_ object: Int, _ variant: Variant) -> Int { object * 2 + Int(variant.rawValue) }
    }
}
