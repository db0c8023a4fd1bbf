import Basics

/// A search through all schedules that may have more hits than a known one.
///
/// **Statement.** The hits of a schedule have the weight of the value of prices (see ``PriceCertificate``) less its
/// *losses*: for each interval that it does not keep, the gain w − s Σ p if that is positive; for each interval that
/// it keeps, −gain if that is positive; and for each gap, the price of the room that it does not use.
///
/// **Proof.** Keeping an interval with a positive gain, and not keeping another one, has no loss. So the value less the
/// losses is Σ p(k) C(k) + Σ x (w − s Σ p) − Σ p(k) (C(k) − held(k)), with x = 1 for kept intervals.
/// That is Σ w x. ∎
///
/// So a schedule with more hits than a known one loses less than the difference of the value and the known hits. With
/// the best prices, few schedules do. The search passes through the slots in order. A state is the set of kept
/// intervals that cover the slot. Of the ways to a set, the one with the least loss is enough, and a state that has
/// lost too much is given up. If none is left, the known schedule is the best one; otherwise, the one with the least
/// loss is.
///
/// If there are too many states, fewer losses are allowed: if then none is left, the bound still is better by them.
///
/// All losses are whole numbers, as in ``PriceCertificate``.
struct ScheduleSearch {
    private struct Choice {
        var size: Int
        /// The loss if the interval is kept, and if it is not.
        var keeping, dropping: Int
    }

    /// Limits: of states at a time, of states in all slots of one search, and of searches.
    static let mostStates = 150_000
    static let mostWork = 24_000_000
    static let mostSearches = 4

    private let choices: [Choice]
    /// By place between slots: the choices that begin and end there.
    private let begins, ends: [[Int]]
    private let capacities: [Int]
    private let room: Int
    /// By slot. 2^-exponent is the unit of prices and losses.
    private let prices: [Int]
    private let exponent: Int
    private let value: Int

    /// Fails if the numbers are too large for the arithmetic.
    ///
    /// - Parameters:
    ///   - prices: By slot.
    ///   - room: The room in the cache.
    init?(_ gaps: CrowdedGaps, prices: [Double], room: Int) {
        self.room = room
        capacities = gaps.capacities
        let weight = gaps.candidates.reduce(gaps.freeWeight) { $0 + $1.weight }
        // All weights together have at most 60 bits, and so has the value of good prices.
        exponent = weight.leadingZeroBitCount - 4
        guard exponent >= 0 else { return nil }
        let scale = Double(sign: .plus, exponent: exponent, significand: 1)
        var value = Int128(gaps.freeWeight) << Int128(exponent)
        guard prices.allSatisfy({ $0 * scale < 0x1p62 }) else { return nil }
        self.prices = prices.map { Int(($0 * scale).rounded(.down)) }
        var paid: [Int128] = [0]
        for (slot, price) in self.prices.enumerated() {
            paid.append(paid[slot] + Int128(price))
            value += Int128(price) * Int128(capacities[slot])
        }
        var begins = [[Int]](repeating: [], count: prices.count + 1)
        var ends = begins
        var choices: [Choice] = []
        for (index, candidate) in gaps.candidates.enumerated() {
            let (first, end) = (Int(candidate.first), Int(candidate.end))
            let gain =
                Int128(candidate.weight) << Int128(exponent) - Int128(candidate.size) * (paid[end] - paid[first])
            value += max(0, gain)
            // Beyond 2^62, a loss is more than any value.
            choices.append(
                Choice(
                    size: candidate.size, keeping: Int(min(max(0, -gain), 1 << 62)), dropping: Int(max(0, gain))))
            begins[first].append(index)
            ends[end].append(index)
        }
        guard value < 1 << 62 else { return nil }
        (self.choices, self.begins, self.ends) = (choices, begins, ends)
        self.value = Int(value)
    }

    /// Returns a weight that the hits of no schedule exceed, and whether a schedule reaches it that was not known; nil
    /// if there are too many states.
    ///
    /// - Parameters:
    ///   - known: The weight of the hits of a known schedule.
    ///   - step: All weights of hits are multiples of it.
    func mostHits(known: Int, step: Int) -> (weight: Int, isFound: Bool)? {
        let allowance = value - (known + step) << exponent
        guard allowance >= 0 else { return (known, false) }
        for search in 0..<Self.mostSearches {
            let allowance = allowance >> (2 * search)
            guard let loss = leastLoss(atMost: allowance) else { continue }
            return ((value - loss) >> exponent / step * step, loss <= allowance)
        }
        return nil
    }

    /// Returns the least loss of all schedules, or `allowance` + 1 if all lose more; nil if there are too many states.
    private func leastLoss(atMost allowance: Int) -> Int? {
        var states = ScheduleStates(room: room, allowance: allowance)
        var lanes = [Int](repeating: -1, count: choices.count)
        var freeLanes = Array(0..<ScheduleStates.laneCount)
        var work = 0
        for slot in prices.indices {
            var hasEnds = false
            for choice in ends[slot] where lanes[choice] >= 0 {
                states.end(lanes[choice], choices[choice].size)
                freeLanes.append(lanes[choice])
                hasEnds = true
            }
            if hasEnds { states.merge() }
            for index in begins[slot] {
                let choice = choices[index]
                guard choice.keeping <= allowance else {
                    states.lose(choice.dropping)
                    continue
                }
                guard let lane = freeLanes.popLast() else { return nil }
                lanes[index] = lane
                states.choose(lane, choice.size, keeping: choice.keeping, dropping: choice.dropping)
                guard states.count <= Self.mostStates else { return nil }
            }
            states.pay(prices[slot], capacity: capacities[slot])
            work += states.count
            guard work <= Self.mostWork else { return nil }
        }
        return states.leastLoss
    }
}

/// The states of a search at one place.
private struct ScheduleStates {
    /// A set of kept intervals, by lane. An interval has a lane from its first slot to its end.
    private struct State: BitwiseCopyable {
        var low: UInt64 = 0
        var high: UInt64 = 0
        var loss = 0
        /// The room that the kept intervals take.
        var used = 0
    }

    static let laneCount = 128
    private let room: Int
    /// States that lose more are given up.
    private let allowance: Int
    /// The first ``count`` are valid.
    private var states = [State()]
    /// What ``choose(_:_:keeping:dropping:)`` makes, before it takes the place of `states`.
    private var following: [State] = []
    private var table: [Int32] = []
    private(set) var count = 1

    // Invariant: `count` is at most the number of elements of `states`. All functions below write to places of `states`
    // that they have read before. `following` has two places for each state. The table has a power of two of places, at
    // least two for each state, and names states that were kept.

    init(room: Int, allowance: Int) {
        self.room = room
        self.allowance = allowance
    }

    /// The least loss; `allowance` + 1 if there is no state.
    var leastLoss: Int { states.prefix(count).reduce(allowance + 1) { min($0, $1.loss) } }

    /// Takes the interval of a lane out of all states.
    mutating func end(_ lane: Int, _ size: Int) {
        let (low, high) = Self.bits(lane)
        states.withUnsafeMutableBufferPointer { states in
            for index in 0..<count where states[index].low & low | states[index].high & high != 0 {
                states[index].low &= ~low
                states[index].high &= ~high
                states[index].used -= size
            }
        }
    }

    /// Keeps one state of each set, with the least loss.
    mutating func merge() {
        var places = max(64, table.count)
        while places < 2 * count { places *= 2 }
        table.append(contentsOf: repeatElement(-1, count: places - table.count))
        let (mask, states) = (places - 1, count)
        count = table.withUnsafeMutableBufferPointer { table in
            table.update(repeating: -1)
            return self.states.withUnsafeMutableBufferPointer { Self.merge($0, states, table, mask) }
        }
    }

    private static func merge(
        _ states: UnsafeMutableBufferPointer<State>, _ count: Int, _ table: UnsafeMutableBufferPointer<Int32>,
        _ mask: Int
    ) -> Int {
        var kept = 0
        for index in 0..<count {
            let state = states[index]
            let hash = SplitMix64.finished(state.low ^ state.high &* SplitMix64.increment)
            var place = Int(truncatingIfNeeded: hash) & mask
            while table[place] >= 0 {
                let other = states[Int(table[place])]
                if other.low == state.low, other.high == state.high { break }
                place = (place + 1) & mask
            }
            if table[place] >= 0 {
                let other = Int(table[place])
                states[other].loss = min(states[other].loss, state.loss)
            } else {
                table[place] = Int32(kept)
                states[kept] = state
                kept += 1
            }
        }
        return kept
    }

    /// Adds a loss to all states.
    mutating func lose(_ loss: Int) {
        guard loss > 0 else { return }
        filter { $0.loss += loss }
    }

    /// Continues each state with the interval of a lane, and without it.
    mutating func choose(_ lane: Int, _ size: Int, keeping: Int, dropping: Int) {
        let missing = 2 * count - following.count
        if missing > 0 { following.append(contentsOf: repeatElement(State(), count: max(64, 2 * missing))) }
        let (low, high) = Self.bits(lane)
        let count = count
        var added = 0
        states.withUnsafeBufferPointer { states in
            following.withUnsafeMutableBufferPointer { following in
                for index in 0..<count {
                    let state = states[index]
                    if state.loss <= allowance - dropping {
                        following[added] = state
                        following[added].loss += dropping
                        added += 1
                    }
                    if state.loss <= allowance - keeping, state.used <= room - size {
                        following[added] = State(
                            low: state.low | low, high: state.high | high, loss: state.loss + keeping,
                            used: state.used + size)
                        added += 1
                    }
                }
            }
        }
        swap(&states, &following)
        self.count = added
    }

    /// Adds the price of the room that a state does not use.
    mutating func pay(_ price: Int, capacity: Int) {
        guard price > 0 else { return }
        filter { $0.loss += price * (capacity - $0.used) }
    }

    /// Changes all states, and gives up those that lose too much.
    @inline(__always)
    private mutating func filter(_ change: (inout State) -> Void) {
        let (count, allowance) = (count, allowance)
        var kept = 0
        states.withUnsafeMutableBufferPointer { states in
            for index in 0..<count {
                var state = states[index]
                change(&state)
                states[kept] = state
                kept += state.loss <= allowance ? 1 : 0
            }
        }
        self.count = kept
    }

    private static func bits(_ lane: Int) -> (low: UInt64, high: UInt64) {
        lane < 64 ? (1 << UInt64(lane), 0) : (0, 1 << UInt64(lane - 64))
    }
}
