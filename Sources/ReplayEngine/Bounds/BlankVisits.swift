import SessionModel

/// The visits of a session, by object: the times at which cells show it. A bound on blank time counts them.
///
/// Both variants of an object count as one object, because one fetch serves both. A visit ends at the next appearance
/// of its object at the latest, although its cell may stay. The bound then counts less blank time, and each request is
/// still a visit of its own.
struct BlankVisits {
    /// Times are nanoseconds.
    struct Visit {
        var object: Int
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

    /// By object, and then in order of appearance.
    let all: [Visit]
    /// By object: the place of its first visit in ``all``. One more than all objects.
    let first: [Int]
    /// By object: whether both of its variants appear.
    let hasBothVariants: [Bool]
    /// The time of the last event.
    let end: Int64
    /// The time in the foreground that cells are visible, summed over cells.
    let visibleTime: Double

    /// What empties memory, beside relaunches.
    struct Losses {
        var warnings = false
        var backgrounds = false
    }

    init(_ trace: Trace, _ foreground: ForegroundClock, _ losses: Losses) {
        let count = trace.objects.count
        hasBothVariants = Self.hasBothVariants(trace)
        end = (trace.events.last?.time ?? 0) * 1_000
        var collector = Collector(objects: count, losses, hasBothVariants)
        for (number, event) in trace.events.enumerated() { collector.take(event, number) }
        collector.closeAll(at: end)
        var visible = 0.0
        for visit in collector.visits { visible += Double(foreground.time(from: visit.appeared, to: visit.vanished)) }
        visibleTime = visible
        var first = [Int](repeating: 0, count: count + 1)
        for visit in collector.visits { first[visit.object + 1] += 1 }
        for object in 0..<count { first[object + 1] += first[object] }
        var next = first
        var sorted = collector.visits
        for visit in collector.visits {
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

    private static func hasBothVariants(_ trace: Trace) -> [Bool] {
        var known = [Variant?](repeating: nil, count: trace.objects.count)
        var hasBoth = [Bool](repeating: false, count: trace.objects.count)
        for case .appear(let object, let variant) in trace.events.lazy.map(\.action) {
            if let other = known[Int(object)], other != variant { hasBoth[Int(object)] = true }
            known[Int(object)] = variant
        }
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
        /// By object: the event of its last appearance, or -1.
        private var lastEvent: [Int]

        init(objects: Int, _ losses: Losses, _ hasBothVariants: [Bool]) {
            self.losses = losses
            self.hasBothVariants = hasBothVariants
            removals = Array(repeating: Loss(), count: objects)
            lastEvent = Array(repeating: -1, count: objects)
        }

        mutating func take(_ event: TraceEvent, _ number: Int) {
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
            default: break
            }
        }

        private mutating func appear(_ object: Int, _ variant: Variant, _ number: Int, _ time: Int64) {
            var visit = Visit(object: object, appeared: time, vanished: time, shownUntil: time, launch: launch)
            if lastEvent[object] >= 0 {
                var last = hasBothVariants[object] ? relaunch : loss
                if !hasBothVariants[object], removals[object].event > last.event { last = removals[object] }
                if last.event > lastEvent[object] { visit.lost = last.time }
                visit.isRelaunched = relaunch.event > lastEvent[object]
            }
            lastEvent[object] = number
            open[Self.key(object, variant), default: []].append(visits.count)
            visits.append(visit)
        }

        /// Closes the cells that are visible.
        mutating func closeAll(at time: Int64) {
            for visible in open.values { for visit in visible { visits[visit].vanished = time } }
            open = [:]
        }

        private static func key(_ object: Int, _ variant: Variant) -> Int { object * 2 + Int(variant.rawValue) }
    }
}
