import Basics

@testable import ReplayEngine

/// A small session in slots of a millisecond, for bounds on blank time.
///
/// Over a link, the first byte takes a slot, and the link carries a number of bytes in each slot. Without a link, a
/// fetch takes as many slots as its object has bytes.
struct SlotProblem {
    struct Visit {
        var object: Int
        var appears: Int
        var vanishes: Int

        /// Whether the app only asks for the object, ahead of need.
        var isPrefetch: Bool { vanishes == appears }
    }

    /// In order of appearance.
    var visits: [Visit]
    /// By object.
    var bytes: [Int]
    var sizes: [Int]
    var memory: Int
    /// The bytes of the link in each slot; nil for no link.
    var rate: Int?
    var slots: Int
    /// When memory is emptied, before loads end and cells appear; nil for never.
    var clear: Int?
    /// What a read from disk takes; nil for no disk.
    var read: Int?
    /// Whether several loads of an object can be in progress.
    var loadsOverlap = false

    /// The nanoseconds of a slot.
    static let slot = 1e6

    func leastFetch(_ object: Int) -> Int { rate.map { 1 + (bytes[object] + $0 - 1) / $0 } ?? bytes[object] }

    var blankProblem: BlankProblem {
        var all: [BlankProblem.Visit] = []
        var objects: [BlankProblem.Object] = []
        for object in bytes.indices {
            let own = visits.filter { $0.object == object }
            let first = all.count
            for (place, visit) in own.enumerated() {
                let end = place + 1 < own.count ? min(visit.vanishes, own[place + 1].appears) : visit.vanishes
                let isLost = clear.map { place > 0 && own[place - 1].appears < $0 && $0 <= visit.appears } ?? false
                all.append(self.visit(visit, until: end, lost: isLost ? clear : nil))
            }
            guard first < all.count else { continue }
            objects.append(
                BlankProblem.Object(
                    visits: first..<all.count, size: Double(sizes[object]), fits: sizes[object] <= memory,
                    demand: rate == nil ? 0 : Double(bytes[object])))
        }
        func each(_ value: Int) -> [Double] { Array(repeating: Double(value), count: slots + 1) }
        return BlankProblem(
            bucket: Self.slot, foreground: (0...slots + 1).map { Double($0) * Self.slot }, visits: all,
            objects: objects, memory: Double(memory),
            shared: rate.map {
                BlankProblem.Resource(
                    capacity: each($0), most: each($0), fastest: each($0).map { $0 / Self.slot })
            }, hasDisk: read != nil, loadsOverlap: loadsOverlap)
    }

    private func visit(_ visit: Visit, until end: Int, lost: Int?) -> BlankProblem.Visit {
        func time(_ slots: Int) -> Double { Double(slots) * Self.slot }
        let fetched = visit.appears + leastFetch(visit.object)
        let read = visit.appears + min(leastFetch(visit.object), self.read ?? 0)
        return BlankProblem.Visit(
            appeared: time(visit.appears), vanished: time(end), before: time(visit.appears),
            visible: time(end - visit.appears), mayBegin: time(visit.appears + 1), fetched: time(fetched),
            fetchedForeground: time(fetched), read: time(read), readForeground: time(read),
            lost: lost.map { time($0) } ?? -1)
    }

    /// Returns the value of prices in slots. Prices are by slot.
    func value(memory: [Double] = [], link: [Double] = []) -> Double {
        func padded(_ prices: [Double]) -> [Double] {
            prices.map { $0 * Self.slot } + Array(repeating: 0, count: slots + 1 - prices.count)
        }
        let problem = blankProblem
        var certificate = BlankCertificate(problem)
        let prices = BlankPrices(problem, memory: padded(memory), shared: padded(link))
        return certificate.value(prices) / Self.slot
    }

    /// Returns the bound that a search finds, in slots.
    func bound(rounds: Int = LeastBlankTime.mostRounds) -> Double {
        var ascent = BlankAscent(blankProblem)
        ascent.run(.memory, rounds: rounds)
        if rate != nil { ascent.run(.both, rounds: rounds) }
        return Double(ascent.bound) / Self.slot
    }
}

extension SlotProblem {
    /// Returns a session of up to five visits of up to three objects.
    static func random(_ random: inout SplitMix64) -> SlotProblem {
        let objects = 2 + random.next(below: 2)
        let slots = 7 + random.next(below: 3)
        var visits = (0..<2 + random.next(below: 4)).map { _ in
            let appears = random.next(below: slots - 1)
            return Visit(
                object: random.next(below: objects), appears: appears,
                vanishes: min(slots, appears + 1 + random.next(below: 4)))
        }
        visits.sort { $0.appears < $1.appears }
        let hasLink = random.next(below: 5) < 3
        return SlotProblem(
            visits: visits, bytes: (0..<objects).map { _ in 1 + random.next(below: 3) },
            sizes: (0..<objects).map { _ in random.next(below: 3) == 0 ? 2 : 1 }, memory: 1 + random.next(below: 3),
            rate: hasLink ? 1 + random.next(below: 2) : nil, slots: slots,
            clear: random.next(below: 3) == 0 ? 1 + random.next(below: slots - 1) : nil,
            read: random.next(below: 3) == 0 ? 1 : nil)
    }

    /// Returns the session with one or two prefetches of any of its objects.
    func addingPrefetches(_ random: inout SplitMix64) -> SlotProblem {
        var problem = self
        for _ in 0...random.next(below: 2) {
            let time = random.next(below: slots - 1)
            let place = problem.visits.firstIndex { $0.appears >= time } ?? problem.visits.count
            let object = random.next(below: bytes.count)
            problem.visits.insert(Visit(object: object, appears: time, vanishes: time), at: place)
        }
        return problem
    }
}

/// The least blank time of a small session, found by trying all schedules: when loads end, what memory keeps, and whose
/// bytes the link carries, and which prefetches ask for a load.
struct ExhaustiveBlankTime {
    private struct Load: Hashable {
        var asked: Int
        /// The bytes that have not arrived.
        var bytes: Int
        var isRead: Bool
    }

    /// Sets are numbers, with a bit for each object or visit.
    private struct State: Hashable {
        var slot = 0
        var memory = 0
        /// By object.
        var loads: [Load?]
        /// The visits whose cells show their image.
        var shown = 0
        /// The objects on disk.
        var stored = 0
    }

    private let problem: SlotProblem
    private var known: [State: Int] = [:]

    init(_ problem: SlotProblem) { self.problem = problem }

    /// Returns the least blank time in slots.
    mutating func least() -> Int { least(State(loads: Array(repeating: nil, count: problem.bytes.count))) }

    private mutating func least(_ state: State) -> Int {
        guard state.slot < problem.slots else { return 0 }
        if let known = known[state] { return known }
        var best = Int.max
        for (loads, ended) in ends(state) {
            for memory in subsets(of: state.memory | ended) where size(memory) <= problem.memory {
                var next = state
                (next.memory, next.loads) = (memory, loads)
                if problem.read != nil { next.stored |= ended }
                // What ends in the slot of a clear ends after it.
                if problem.clear == state.slot { next.memory &= ended }
                for asking in subsets(of: prefetches(in: state.slot)) {
                    var asked = next
                    arrive(&asked, ended, asking: asking)
                    let blank = blankCells(asked)
                    for sent in transfers(asked) {
                        var after = sent
                        after.slot += 1
                        best = min(best, blank + least(after))
                    }
                }
            }
        }
        known[state] = best
        return best
    }

    /// Returns the loads that go on, and the set of those that end, for each choice. Over a link, a fetch ends with its
    /// last byte; other loads end as late as they like.
    private func ends(_ state: State) -> [(loads: [Load?], ended: Int)] {
        var choices = [(loads: state.loads, ended: 0)]
        for object in state.loads.indices {
            guard let load = state.loads[object] else { continue }
            let isSent = problem.rate != nil && !load.isRead
            let least = isSent ? 1 : load.isRead ? problem.read ?? 0 : problem.leastFetch(object)
            guard state.slot >= load.asked + least, !isSent || load.bytes == 0 else { continue }
            for choice in choices {
                var ending = choice
                ending.loads[object] = nil
                ending.ended |= 1 << object
                choices.append(ending)
            }
            if isSent { choices.removeAll { $0.ended & 1 << object == 0 } }
        }
        return choices
    }

    private func subsets(of set: Int) -> [Int] { (0...set).filter { $0 & ~set == 0 } }

    private func size(_ set: Int) -> Int {
        problem.sizes.indices.reduce(0) { $0 + (set & 1 << $1 != 0 ? problem.sizes[$1] : 0) }
    }

    /// The set of the prefetches in a slot.
    private func prefetches(in slot: Int) -> Int {
        problem.visits.enumerated().reduce(0) { set, visit in
            visit.element.isPrefetch && visit.element.appears == slot ? set | 1 << visit.offset : set
        }
    }

    /// Shows images that have arrived, and lets cells appear. What has ended serves those that appear now.
    ///
    /// - Parameter asking: The prefetches of the slot that are not ignored.
    private func arrive(_ state: inout State, _ ended: Int, asking: Int) {
        for (number, visit) in problem.visits.enumerated() {
            let bit = 1 << visit.object
            if visit.appears < state.slot, ended & bit != 0 { state.shown |= 1 << number }
            guard visit.appears == state.slot, !visit.isPrefetch || asking & 1 << number != 0 else { continue }
            if (state.memory | ended) & bit != 0 {
                state.shown |= 1 << number
            } else if state.loads[visit.object] == nil {
                state.loads[visit.object] = Load(
                    asked: state.slot, bytes: problem.rate == nil ? 0 : problem.bytes[visit.object],
                    isRead: state.stored & bit != 0)
            }
        }
    }

    private func blankCells(_ state: State) -> Int {
        problem.visits.indices.count {
            let visit = problem.visits[$0]
            return visit.appears <= state.slot && state.slot < visit.vanishes && state.shown & 1 << $0 == 0
        }
    }

    /// Returns the states after each way to share the link in a slot.
    private func transfers(_ state: State) -> [State] {
        guard let rate = problem.rate else { return [state] }
        var choices = [(state: state, left: rate)]
        for object in state.loads.indices {
            guard let load = state.loads[object], !load.isRead, state.slot >= load.asked + 1, load.bytes > 0
            else { continue }
            choices = choices.flatMap { choice in
                (0...min(choice.left, load.bytes)).map { bytes in
                    var next = choice
                    next.state.loads[object]?.bytes -= bytes
                    next.left -= bytes
                    return next
                }
            }
        }
        return choices.map { $0.state }
    }
}
