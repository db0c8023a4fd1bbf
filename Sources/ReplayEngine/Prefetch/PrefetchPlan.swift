import SessionModel

/// The calls of an app ahead of need. They depend on the session and the rule, not on the cache.
struct PrefetchPlan {
    /// One call of the app.
    struct Step: Equatable {
        /// The number of the event after which the call comes; -1 for one before all events.
        var afterEvent: Int
        /// Microseconds since the start of the trace.
        var time: Int64
        package var object: ObjectID
        package var variant: Variant
        /// Whether the call takes an earlier one back.
        var isCancellation = false
    }

    /// In order of time.
    private(set) var steps: [Step] = []
    /// Whether the order of the list was inferred from appearances.
    private(set) var isOrderInferred = false
    /// The appearances of cells that have no position in a recorded list.
    private(set) var unlistedAppearances = 0

    init(_ trace: Trace, _ rule: PrefetchRule) {
        switch rule {
        case .recorded, .none: break
        case .oracle(let time): addOracle(trace, time)
        case .next, .rows, .velocity:
            var windows = PrefetchWindows(rule, trace)
            isOrderInferred = windows.isInferred
            for (index, event) in trace.events.enumerated() { windows.handle(event, index) }
            windows.closeBatches()
            (steps, unlistedAppearances) = (windows.steps, windows.unlisted)
        }
    }

    /// Adds a call before each appearance, but not before the launch of the app in which the cell appears.
    private mutating func addOracle(_ trace: Trace, _ ahead: Int64) {
        var (after, launch) = (-1, -1)
        for (index, event) in trace.events.enumerated() {
            if case .terminate = event.action { launch = index }
            guard case .appear(let object, let variant) = event.action else { continue }
            let launchTime = launch < 0 ? 0 : trace.events[launch].time
            let time = max(event.time - ahead, launchTime)
            while after + 1 < index, trace.events[after + 1].time <= time { after += 1 }
            after = max(after, launch)
            steps.append(Step(afterEvent: after, time: time, object: object, variant: variant))
        }
    }
}

/// The windows of cells ahead of those that appear, as a list's data source prefetches them.
///
/// Cells that appear at one time are a batch. The direction of movement follows from the positions of two batches.
/// After each batch, the cells that the rule names are asked for, nearest first, except those that have been asked for
/// and have not appeared since. When the direction changes, what was asked for and lies behind is cancelled.
private struct PrefetchWindows {
    private let rule: PrefetchRule
    let isInferred: Bool
    private(set) var steps: [PrefetchPlan.Step] = []
    private(set) var unlisted = 0
    private let order: ListOrder
    private var lists: [Motion]
    /// The last event, and its time.
    private var (index, time) = (-1, Int64.min)

    /// The movement of one list.
    private struct Motion {
        package let variant: Variant
        var list: ListOrder.Cursor
        var batch: [ObjectID] = []
        var edge = 0
        var isForward = true
        var middle: Double?
        /// Where the edge was, for the speed.
        var history: [(time: Int64, edge: Int)] = []
        /// The cells that were asked for and have not appeared.
        var asked: Set<Int> = []
    }

    /// The speed is measured at the edge, since the last batch that is at least so many microseconds old.
    private static let speedInterval: Int64 = 100_000
    /// After so many microseconds without a batch, the list has stopped in between.
    private static let longestGap: Int64 = 1_000_000

    init(_ rule: PrefetchRule, _ trace: Trace) {
        self.rule = rule
        isInferred = !trace.recordsLists
        order = isInferred ? ListOrder(inferredFrom: trace) : ListOrder(trace)
        lists = Self.atRest(order)
    }

    private static func atRest(_ order: ListOrder) -> [Motion] {
        Variant.allCases.map { Motion(variant: $0, list: order.cursor($0)) }
    }

    mutating func handle(_ event: TraceEvent, _ number: Int) {
        if event.time != time { closeBatches() }
        (index, time) = (number, event.time)
        switch event.action {
        case .appear(let object, let variant): lists[Int(variant.rawValue)].batch.append(object)
        case .terminate:
            closeBatches()
            lists = Self.atRest(order)
        default: break
        }
    }

    mutating func closeBatches() {
        for list in lists.indices where !lists[list].batch.isEmpty { close(list) }
    }

    private mutating func close(_ list: Int) {
        lists[list].list.advance(to: time)
        let near = Int32(lists[list].edge)
        let batch = lists[list].batch.compactMap { object in
            lists[list].list.position(of: object, near: near).map(Int.init)
        }
        unlisted += lists[list].batch.count - batch.count
        lists[list].batch = []
        guard !batch.isEmpty else { return }
        let middle = Double(batch.reduce(0, +)) / Double(batch.count)
        let wasForward = lists[list].isForward
        if let last = lists[list].middle, middle != last { lists[list].isForward = middle > last }
        lists[list].middle = middle
        lists[list].asked.subtract(batch)
        let isForward = lists[list].isForward
        let edge = (isForward ? batch.max() : batch.min()) ?? 0
        lists[list].edge = edge
        let window = window(from: edge, list)
        if isForward != wasForward {
            for position in lists[list].asked.subtracting(window).sorted() {
                add(position, list, isCancellation: true)
            }
            lists[list].asked.formIntersection(window)
        }
        for position in window where lists[list].asked.insert(position).inserted { add(position, list) }
    }

    /// Returns the positions that the rule names, nearest first.
    private mutating func window(from edge: Int, _ list: Int) -> [Int] {
        let step = lists[list].isForward ? 1 : -1
        let all = 0...Int(max(0, lists[list].list.lastPosition))
        func row(_ position: Int) -> Int { lists[list].list[Int32(position)].map { Int($0.row) } ?? position }
        var window: [Int] = []
        switch rule {
        case .next(let count): window = (1...count).map { edge + step * $0 }
        case .rows(let count):
            var position = edge + step
            while all.contains(position), abs(row(position) - row(edge)) <= count {
                window.append(position)
                position += step
            }
        case .velocity(let ahead):
            window = (0..<reach(of: list, from: edge, within: ahead)).map { edge + step * ($0 + 1) }
        case .recorded, .none, .oracle: break
        }
        return window.filter(all.contains)
    }

    /// Returns the number of cells, rounded up, that a list reaches within some microseconds at its present speed, and
    /// notes where its edge is.
    private mutating func reach(of list: Int, from edge: Int, within ahead: Int64) -> Int {
        defer {
            lists[list].history.append((time, edge))
            let old = lists[list].history.lastIndex { time - $0.time >= Self.speedInterval } ?? 0
            lists[list].history.removeFirst(old)
        }
        let history = lists[list].history
        guard let before = history.last(where: { time - $0.time >= Self.speedInterval }) ?? history.first,
            time > before.time, time - before.time <= Self.longestGap
        else { return 0 }
        let passed = time - before.time
        return min(PrefetchRule.most, Int((Int64(abs(edge - before.edge)) * ahead + passed - 1) / passed))
    }

    private mutating func add(_ position: Int, _ list: Int, isCancellation: Bool = false) {
        guard let item = lists[list].list[Int32(position)] else { return }
        steps.append(
            PrefetchPlan.Step(
                afterEvent: index, time: time, object: item.object, variant: lists[list].variant,
                isCancellation: isCancellation))
    }
}

extension ReplayJob {
    /// Whether the network is one that costs by the byte.
    private var isMetered: Bool { if case .profile(let profile) = network { profile.isMetered } else { false } }

    /// Whether the cache prefetches on the job's network.
    var mayPrefetch: Bool { !isMetered || cache.pipeline.prefetchOnMetered }

    /// Returns the calls ahead of need; nil if the replay plans none.
    func prefetchPlan(for trace: PreparedTrace) -> PrefetchPlan? {
        guard cache.pipeline.prefetch.isPlanned, mayPrefetch else { return nil }
        return trace.columns.prefetchPlan(trace.trace, cache.pipeline.prefetch)
    }
}
