/// The proof of a bound on blank time: prices for the room in memory and for what fetches share.
///
/// **Statement.** Let λ(t) ≥ 0 be the price of holding a byte in memory at the time t, and μ(t) ≥ 0 the price of a byte
/// of the link. C is what memory holds at most, and R(t) the rate of the link. The blank time of a replay is at least Σ
/// V(o) − ∫ λ C dt − ∫ μ R dt. V(o) is the least sum of the blank time of an object's visits, of λ for each byte that
/// memory holds of it, and of μ for each of its bytes on the link, over all histories of the object alone.
///
/// **Histories.** A request that finds its object neither in memory nor in flight asks for a load. The load ends at
/// any time that is not before the least time of a fetch, or of a read from disk if the object was loaded before. It
/// may come too late for its cell: then it serves the next one. Until it ends, requests join it. When it ends, memory
/// holds the object until the next visit, or not. Nothing holds it over a relaunch, or over another event that empties
/// memory. Where several loads of an object can be in progress, it costs nothing after requests that waited for a load
/// together, until the next relaunch: another one of their loads can end at any time. A prefetch is a request of a
/// cell that is visible for no time.
///
/// **Proof.** In a replay, ∫ λ (C − held) dt and ∫ μ (R − rate) dt are not negative. Subtract both from the
/// blank time. What remains is a sum over objects, and each term is at least V(o). ∎
///
/// The statement holds for all prices, however they were found, and for connections in place of the link: N of them
/// have the time N dt, and each fetch takes one for as long as it runs.
///
/// **Arithmetic.** Blank time, and the price of memory, are linear in the end of a load between two moments: the edges
/// of buckets, the ends of visits, and the moments at which a fetch has taken all that it can use of a bucket. So these
/// moments suffice. A fetch pays for the cheapest parts of its window that give what it needs. If it ends in a later
/// visit than it was asked for in, it pays the lowest price of the time before that visit, or less.
///
/// - Complexity: O(v b) in the number of visits and of the buckets in which cells are visible; usually O(v + b): a
///   search ends where a later end costs more than the best known history.
struct BlankCertificate {
    /// The state of an object when a cell with it appears.
    private enum State: Int {
        /// Memory holds it.
        case held
        /// It was never loaded, or there is no disk.
        case new
        /// Memory does not hold it, and the disk does.
        case known
        /// A fetch of it was asked for, and can end at any moment.
        case waiting
        /// A read of it was asked for, and can end at any moment.
        case reading
        /// Another load of it may end at any moment, whatever memory holds.
        case loose
    }

    /// The cheapest history that leads to a state.
    private struct Step {
        var value = Double.infinity
        /// The visit before the one of the state, or an earlier one if loads did not end between them.
        var place = 0
        var state = State.new
        /// When the load ended. If memory held the object before: when the visit began.
        var end = 0.0
    }

    /// A load that may end in a visit.
    private struct Load {
        var place: Int
        var state: State
        /// The cost of the history so far, without the price of the fetch.
        var base: Double
        /// Whether the fetch pays for the shared resource.
        var isPriced: Bool
    }

    /// A time within one bucket and one visit.
    private struct Piece {
        var bucket: Int
        var start: Double
        var stop: Double
        /// The blank time of the visit before it starts and stops.
        var blank: Double
        var blankThen: Double
        /// Whether all of it is in the foreground, or nothing.
        var isEven: Bool
    }

    private static let stateCount = 6
    /// The number of visits after which the least time of a load counts as over.
    private static let mostMissed = 16

    private let problem: BlankProblem
    private var prices: BlankPrices
    /// By visit of an object and state; one more visit than the objects have.
    private var steps: [Step]
    /// By visit of an object: the lowest price that a fetch that waits can have paid before.
    private var cheapest: [(price: Double, bucket: Int)]
    private var share = CheapestShare()
    /// The use of the cheapest histories, as shares of memory and as amounts of the resource that fetches share.
    private(set) var use: BlankUse
    /// The sum of all values and prices, which bounds rounding errors.
    private(set) var magnitude = 0.0

    init(_ problem: BlankProblem) {
        self.problem = problem
        let zeros = [Double](repeating: 0, count: problem.bucketCount)
        prices = BlankPrices(problem, memory: zeros, shared: zeros)
        let most = problem.objects.reduce(0) { max($0, $1.visits.count) }
        steps = Array(repeating: Step(), count: (most + 1) * Self.stateCount)
        cheapest = Array(repeating: (price: .infinity, bucket: 0), count: most + 1)
        use = BlankUse(bucket: problem.bucket, count: problem.bucketCount)
    }

    /// Returns the value of prices, in nanoseconds, and finds ``use``.
    mutating func value(_ prices: BlankPrices) -> Double {
        self.prices = prices
        use.reset()
        var sum = 0.0
        for object in problem.objects {
            sum += least(object)
            collect(object)
        }
        use.finish()
        let payment = prices.payment(problem)
        magnitude = sum + payment
        return sum - payment
    }

    /// Returns the value of prices, rounded down by more than the errors of its arithmetic.
    mutating func bound(_ prices: BlankPrices) -> Int64 {
        let value = value(prices)
        // Each sum and each product is wrong by at most 2^-53 of its value. A visit has fewer than 100 of them.
        let error = magnitude * Double(problem.visits.count + problem.bucketCount + 64) * 0x1p-46
        return Int64(max(0, value - error).rounded(.down))
    }

    private func index(_ place: Int, _ state: State) -> Int { place * Self.stateCount + state.rawValue }

    /// The state of an object after a load if memory does not hold it.
    private var dropped: State { problem.hasDisk ? .known : .new }

    private mutating func offer(_ value: Double, _ place: Int, _ state: State, from source: (Int, State), end: Double) {
        let index = index(place, state)
        guard value < steps[index].value else { return }
        steps[index] = Step(value: value, place: source.0, state: source.1, end: end)
    }

    private mutating func least(_ object: BlankProblem.Object) -> Double {
        let count = object.visits.count
        for index in 0..<(count + 1) * Self.stateCount { steps[index].value = .infinity }
        for place in 0...count { cheapest[place] = (price: .infinity, bucket: 0) }
        steps[index(0, .new)].value = 0
        for place in 0..<count {
            if steps[index(place, .held)].value < .infinity { keep(object, place) }
            if steps[index(place, .loose)].value < .infinity { pass(object, place) }
            if steps[index(place, .new)].value < .infinity { ask(object, place, .new) }
            if steps[index(place, .known)].value < .infinity { ask(object, place, .known) }
            if steps[index(place, .waiting)].value < .infinity { wait(object, place, .waiting) }
            if steps[index(place, .reading)].value < .infinity { wait(object, place, .reading) }
        }
        return steps[index(count, lastState(object))].value
    }

    /// The state after the last visit in which the cheapest history ends.
    private func lastState(_ object: BlankProblem.Object) -> State {
        let count = object.visits.count
        var best = State.waiting
        if steps[index(count, .reading)].value < steps[index(count, best)].value { best = .reading }
        if steps[index(count, dropped)].value < steps[index(count, best)].value { best = dropped }
        return best
    }

    /// Memory holds the object when a visit begins: the cell is never blank.
    private mutating func keep(_ object: BlankProblem.Object, _ place: Int) {
        let value = steps[index(place, .held)].value
        let time = problem.visits[object.visits.lowerBound + place].appeared
        offer(value, place + 1, dropped, from: (place, .held), end: time)
        guard let price = price(ofHolding: object, place, from: time) else { return }
        offer(value + price, place + 1, .held, from: (place, .held), end: time)
    }

    /// Another load may end at any moment: the cell need not be blank.
    private mutating func pass(_ object: BlankProblem.Object, _ place: Int) {
        let next = isLoose(object, after: place) ? State.loose : dropped
        offer(steps[index(place, .loose)].value, place + 1, next, from: (place, .loose), end: 0)
    }

    /// Whether loads that are in progress during a visit can be so until the next one.
    private func isLoose(_ object: BlankProblem.Object, after place: Int) -> Bool {
        let next = object.visits.lowerBound + place + 1
        return next < object.visits.upperBound && !problem.visits[next].isRelaunched
    }

    /// Whether requests waited together for a load that ends in a visit, so that another load may follow.
    private func loosens(_ load: Load, _ object: BlankProblem.Object, _ at: Int) -> Bool {
        guard problem.loadsOverlap, at > load.place || load.state == .waiting || load.state == .reading else {
            return false
        }
        return isLoose(object, after: at)
    }

    /// Returns the cost of holding an object from a moment in a visit until the next visit; nil if memory cannot do so.
    private func price(ofHolding object: BlankProblem.Object, _ place: Int, from time: Double) -> Double? {
        let next = object.visits.lowerBound + place + 1
        guard next < object.visits.upperBound else { return nil }
        let (lost, end) = (problem.visits[next].lost, problem.visits[next].appeared)
        let shownUntil = problem.visits[next - 1].shownUntil
        guard time >= lost, object.fits || shownUntil >= end else { return nil }
        guard object.size > 0 else { return 0 }
        return object.size * max(0, prices.paid(until: end) - prices.paid(until: max(time, shownUntil)))
    }

    /// A request asks for a load: a fetch, or a read of a known object.
    private mutating func ask(_ object: BlankProblem.Object, _ place: Int, _ state: State) {
        let first = problem.visits[object.visits.lowerBound + place]
        let isFetch = state == .new
        let ready = isFetch ? first.fetched : first.read
        let isPriced = isFetch && object.demand > 0 && prices.hasShared
        var load = Load(place: place, state: state, base: steps[index(place, state)].value, isPriced: isPriced)
        var at = place
        while true {
            let visit = problem.visits[object.visits.lowerBound + at]
            if ready <= visit.vanished {
                let isLater = ready > visit.appeared
                let start = isLater ? ready : visit.appeared
                if isPriced {
                    share.reset()
                    fillShare(object, from: first.mayBegin, to: start)
                }
                let before = isFetch ? first.fetchedForeground : first.readForeground
                end(load, object, at, from: start, blank: isLater ? before - visit.before : 0)
            }
            load.base += visit.visible
            at += 1
            if at == object.visits.count { return offer(load.base, at, .waiting, from: (place, state), end: 0) }
            let appeared = problem.visits[object.visits.lowerBound + at].appeared
            guard appeared >= ready || at - place >= Self.mostMissed else { continue }
            guard isFetch else { return offer(load.base, at, .reading, from: (place, state), end: 0) }
            let paid = prices.leastShared(from: min(first.mayBegin, appeared), to: appeared)
            return offerWaiting(load.base, at, from: (place, state), paid)
        }
    }

    /// A load was asked for before, and can end at any moment from the beginning of a visit on.
    private mutating func wait(_ object: BlankProblem.Object, _ place: Int, _ state: State) {
        let visit = problem.visits[object.visits.lowerBound + place]
        let isPriced = state == .waiting && object.demand > 0 && prices.hasShared
        var load = Load(place: place, state: state, base: steps[index(place, state)].value, isPriced: isPriced)
        let before = cheapest[place]
        if isPriced {
            share.reset()
            share.add(.init(price: before.price, amount: object.demand, bucket: before.bucket), demand: object.demand)
        }
        end(load, object, place, from: visit.appeared, blank: 0)
        load.base += visit.visible
        guard state == .waiting, place + 1 < object.visits.count else {
            return offer(load.base, place + 1, state, from: (place, state), end: 0)
        }
        let appeared = problem.visits[object.visits.lowerBound + place + 1].appeared
        let paid = prices.leastShared(from: visit.appeared, to: appeared)
        offerWaiting(load.base, place + 1, from: (place, state), before.price < paid.price ? before : paid)
    }

    /// Offers a history in which a fetch is asked for and has not ended when a visit begins. Of several such histories,
    /// the lowest value and the lowest price count, so that no history has less.
    private mutating func offerWaiting(
        _ value: Double, _ place: Int, from source: (Int, State), _ paid: (price: Double, bucket: Int)
    ) {
        if paid.price < cheapest[place].price { cheapest[place] = paid }
        offer(value, place, .waiting, from: source, end: 0)
    }

    /// Offers the histories in which a load ends in a visit, from a moment on.
    ///
    /// - Parameter blank: The blank time of the visit until that moment.
    private mutating func end(
        _ load: Load, _ object: BlankProblem.Object, _ at: Int, from start: Double, blank: Double
    ) {
        let place = object.visits.lowerBound + at
        let visit = problem.visits[place]
        var mayHold = false
        if place + 1 < object.visits.upperBound {
            let next = problem.visits[place + 1]
            mayHold = visit.vanished >= next.lost && (object.fits || visit.shownUntil >= next.appeared)
        }
        let mayLoosen = loosens(load, object, at)
        settle(load, object, at, end: start, blank: blank)
        var piece = Piece(
            bucket: Int(start / problem.bucket), start: start, stop: start, blank: blank, blankThen: blank,
            isEven: true)
        while piece.start < visit.vanished {
            // A later end costs this much at least.
            let value = load.base + piece.blank
            if value >= steps[index(at + 1, dropped)].value,
                !mayHold || value >= steps[index(at + 1, .held)].value,
                !mayLoosen || value >= steps[index(at + 1, .loose)].value
            {
                return
            }
            piece.stop = min(Double(piece.bucket + 1) * problem.bucket, visit.vanished)
            piece.blankThen =
                piece.stop == visit.vanished ? visit.visible : problem.foreground[piece.bucket + 1] - visit.before
            let growth = piece.blankThen - piece.blank
            piece.isEven = growth == 0 || growth == piece.stop - piece.start
            if load.isPriced { extendShare(load, object, at, piece) }
            settle(load, object, at, end: piece.stop, blank: piece.isEven ? piece.blankThen : piece.blank)
            piece.start = piece.stop
            piece.blank = piece.blankThen
            piece.bucket += 1
        }
    }

    /// Offers the histories in which a load ends at a moment.
    private mutating func settle(
        _ load: Load, _ object: BlankProblem.Object, _ at: Int, end: Double, blank: Double
    ) {
        let value = load.base + blank + (load.isPriced ? max(0, share.cost) : 0)
        offer(value, at + 1, dropped, from: (load.place, load.state), end: end)
        if loosens(load, object, at) { offer(value, at + 1, .loose, from: (load.place, load.state), end: end) }
        guard let price = price(ofHolding: object, at, from: end) else { return }
        offer(value + price, at + 1, .held, from: (load.place, load.state), end: end)
    }

    /// Lets a fetch take its part of a bucket in place of dearer ones, and offers the moments at which one of these is
    /// used up.
    private mutating func extendShare(_ load: Load, _ object: BlankProblem.Object, _ at: Int, _ piece: Piece) {
        guard let most = problem.shared?.most[piece.bucket], let fastest = problem.shared?.fastest[piece.bucket],
            fastest > 0
        else { return }
        let price = prices.shared[piece.bucket]
        let length = piece.stop - piece.start
        var available = min(most, fastest * length)
        var taken = 0.0
        while available > 0 {
            let replaced = share.replaceDearest(by: price, most: available)
            guard replaced > 0 else { break }
            taken += replaced
            available -= replaced
            guard piece.isEven, available > 0 else { continue }
            let passed = min(taken / fastest, length)
            let blank = piece.blank + (piece.blankThen - piece.blank) * (passed / length)
            settle(load, object, at, end: piece.start + passed, blank: blank)
        }
        if taken > 0 { share.insert(.init(price: price, amount: taken, bucket: piece.bucket)) }
    }

    /// Adds what a fetch can take in a window to its share.
    private mutating func fillShare(_ object: BlankProblem.Object, from start: Double, to end: Double) {
        guard let shared = problem.shared else { return }
        var time = start
        var bucket = Int(start / problem.bucket)
        while time < end, bucket < problem.bucketCount {
            let stop = min(Double(bucket + 1) * problem.bucket, end)
            let amount = min(shared.most[bucket], shared.fastest[bucket] * (stop - time))
            if amount > 0 {
                share.add(
                    .init(price: prices.shared[bucket], amount: amount, bucket: bucket), demand: object.demand)
            }
            time = stop
            bucket += 1
        }
    }

    /// Adds what an object's cheapest history takes to ``use``.
    private mutating func collect(_ object: BlankProblem.Object) {
        var place = object.visits.count
        var state = lastState(object)
        while place > 0 {
            let step = steps[index(place, state)]
            if state == .held, object.size > 0, let memory = problem.memory {
                let last = object.visits.lowerBound + place - 1
                use.hold(
                    object.size / memory, from: max(step.end, problem.visits[last].shownUntil),
                    to: problem.visits[last + 1].appeared)
            }
            let hasLoaded = state == .held || state == .loose || state == dropped
            if hasLoaded, step.state == .new || step.state == .waiting, object.demand > 0 { collectShare(object, step) }
            (place, state) = (step.place, step.state)
        }
    }

    private mutating func collectShare(_ object: BlankProblem.Object, _ step: Step) {
        guard problem.shared != nil else { return }
        let visit = problem.visits[object.visits.lowerBound + step.place]
        share.reset()
        if step.state == .waiting {
            let before = cheapest[step.place]
            share.add(.init(price: before.price, amount: object.demand, bucket: before.bucket), demand: object.demand)
        }
        fillShare(object, from: step.state == .waiting ? visit.appeared : visit.mayBegin, to: step.end)
        for part in share.parts { use.take(part.amount, in: part.bucket) }
    }
}

/// The room in memory and the shared resource that histories take, by bucket.
struct BlankUse {
    private let bucket: Double
    /// Shares of memory, times the share of the bucket in which they are held.
    private(set) var memory: [Double]
    private(set) var shared: [Double]
    /// By bucket: the memory that begins to be held for the whole bucket, less the memory that ends to be.
    private var changes: [Double]

    init(bucket: Double, count: Int) {
        self.bucket = bucket
        memory = Array(repeating: 0, count: count)
        shared = memory
        changes = Array(repeating: 0, count: count + 1)
    }

    mutating func reset() {
        for place in memory.indices { (memory[place], shared[place], changes[place]) = (0, 0, 0) }
        changes[memory.count] = 0
    }

    /// Notes that memory holds something.
    mutating func hold(_ amount: Double, from start: Double, to end: Double) {
        guard start < end else { return }
        let first = min(Int(start / bucket), memory.count - 1)
        let last = min(Int(end / bucket), memory.count - 1)
        guard first < last else {
            memory[first] += amount * (end - start) / bucket
            return
        }
        memory[first] += amount * (Double(first + 1) * bucket - start) / bucket
        memory[last] += amount * (end - Double(last) * bucket) / bucket
        changes[first + 1] += amount
        changes[last] -= amount
    }

    mutating func take(_ amount: Double, in bucket: Int) { shared[bucket] += amount }

    /// Completes ``memory``.
    mutating func finish() {
        var held = 0.0
        for place in memory.indices {
            held += changes[place]
            memory[place] += held
        }
    }
}
