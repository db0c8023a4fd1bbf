import Basics

/// Least hit density: of a few objects drawn at random, the one leaves that promises the fewest hits for the room and
/// the time that it will take.
///
/// N. Beckmann, H. Chen, A. Cidon, LHD: improving cache hit rate by maximizing hit density, NSDI 2018. The age of an
/// object is the number of accesses since its own last one. The policy counts at which ages objects of each class are
/// hit and evicted. From the counts it computes, for a class and an age, how probable a hit still is and how long the
/// object will stay until a hit or its eviction:
///
///     density = P(hit) / (size * E(time left))
///
/// - Classes: by the sum of an object's ages at its last two accesses, in powers of two; objects that were never hit
///   are with the oldest.
/// - Ages are coarsened by a power of two, so that `ages` of them reach at least a hundred times as far as there are
///   objects. Older objects leave first.
/// - Every `interval` accesses the densities are computed anew, and older counts weigh `decay` of their previous
///   weight.
/// - Explorers: one access in `exploreEvery` makes its object one that does not leave before its next hit, if possible,
///   so that hits at high ages are found. Explorers hold at most the fraction `explorers` of the capacity.
/// - Besides `samples` objects drawn, candidates are the last `recent` objects that were admitted although the victims
///   before them, on average, were denser.
///
/// Until the first computation, the density of class c at age a is (c + 1) / (a + 1), as in the authors' simulator,
/// which is also the source of the 2^20 accesses, 0.9, and the hundredfold reach. Deviations, most of them so that
/// short traces and small caches learn:
/// - The first densities are computed after a 64th of `interval`, and each following span is twice as long until it is
///   `interval`; but within the first `interval`, not before as many objects have been evicted as are held. With few
///   evictions, every object seems certain to be hit.
/// - Ages are coarsened as the number of objects requires at the first eviction, and whenever densities are computed
///   (there: by 2^10 at first, and adapted twice).
/// - There, only 8 objects are drawn until densities have been computed 50 times, and exploration ends then.
/// - There are no classes by application.
/// - The victim is exact if no more objects are held than would be drawn.
struct LHD: VictimOrdered {
    struct Parameters {
        var samples = 32
        var recent = 8
        var classes = 16
        var ages = 20_000
        var interval = 1 << 20
        var decay = 0.9
        var explorers = 0.01
        var exploreEvery = 32
    }

    /// 24 bytes: a draw reads one.
    struct Record: BitwiseCopyable {
        var lastAccess = 0
        /// In accesses, at the last two accesses; `UInt32.max` where there was none, or longer.
        var lastAge: UInt32 = 0
        var ageBefore: UInt32 = .max
        var inverseSize: Float = 1
        /// The index of the class's first age in the tables; with the highest bit while the object explores.
        var row: UInt32 = 0

        static var exploring: UInt32 { 1 << 31 }

        var explores: Bool { row & Self.exploring != 0 }
    }

    var table = SlotTable(filler: Record())
    var sizes = SizeTable()
    /// Each by class and coarsened age.
    let hits: UncheckedArray<Float>
    let evictions: UncheckedArray<Float>
    let densities: UncheckedArray<Float>
    /// A ring of objects, `SlotTable.absent` where there is none.
    let recent: UncheckedArray<UInt32>
    var recentCount = 0
    /// Of the last victims, decaying.
    var victimDensity: Float = 0
    var clock = 0
    var evictionCount = 0
    /// Ages are divided by 2 to the power of this.
    var coarsening = 0
    var span: Int
    var countdown: Int
    var exploreBudget: Int
    var random: SplitMix64
    let budget: Budget
    let parameters: Parameters
    var occupancy = Occupancy()

    init(_ limits: Limits, _ parameters: Parameters = Parameters(), seed: UInt64 = 0) {
        self.parameters = parameters
        budget = Budget(limits)
        random = SplitMix64(seed: seed)
        let count = parameters.classes * parameters.ages
        hits = UncheckedArray(repeating: 0, count: count)
        evictions = UncheckedArray(repeating: 0, count: count)
        densities = UncheckedArray(repeating: 0, count: count)
        recent = UncheckedArray(repeating: .max, count: parameters.recent)
        span = max(1, parameters.interval / 64)
        countdown = span
        exploreBudget = budget.share(parameters.explorers)
        guessDensities()
    }

    func contains(_ object: Int) -> Bool { table.contains(object) }

    mutating func reserve(_ count: Int) {
        table.reserve(count)
        sizes.reserve(count)
    }

    func prefetch(_ object: Int) { table.prefetch(object) }

    mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        guard let slot = table.slot(of: access.object) else { return .miss }
        table.accessed(access.object)
        var record = table.records[slot]
        hits.base[view.index(record)] += 1
        stopExploring(record, access.object)
        record.ageBefore = record.lastAge
        record.lastAge = UInt32(clamping: clock &- record.lastAccess)
        note(&record, access.object)
        table.records[slot] = record
        return .hit
    }

    mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        remove(access.object)
        guard budget.fitsAlone(access.size) else { return false }
        while !budget.fits(access.size, beside: occupancy), evictNext(&sink) {}
        sizes[access.object] = access.size
        var record = Record(inverseSize: 1 / Float(max(access.size, 1)))
        note(&record, access.object)
        table.insert(access.object, record)
        occupancy.objects &+= 1
        occupancy.bytes &+= access.size
        if parameters.recent > 0, !record.explores, view.density(record) < victimDensity {
            recent[recentCount % parameters.recent] = UInt32(truncatingIfNeeded: access.object)
            recentCount &+= 1
        }
        return true
    }

    mutating func nextVictim() -> Int? { leastDense().map(table.object) }

    mutating func evictNext(_ sink: inout some EvictionSink) -> Bool {
        guard let victim = leastDense() else { return false }
        if evictionCount == 0 { coarsen() }
        evictionCount &+= 1
        evictions.base[view.index(table.records[victim])] += 1
        let object = table.object(at: victim)
        remove(object)
        sink.evicted(object, .capacity)
        return true
    }

    mutating func remove(_ object: Int) {
        guard let slot = table.slot(of: object) else { return }
        stopExploring(table.records[slot], object)
        table.remove(object)
        occupancy.objects &-= 1
        occupancy.bytes &-= sizes[object]
    }

    mutating func clear() {
        table.removeAll()
        hits.reset()
        evictions.reset()
        recent.reset()
        (recentCount, victimDensity, clock, evictionCount, coarsening) = (0, 0, 0, 0, 0)
        span = max(1, parameters.interval / 64)
        countdown = span
        exploreBudget = budget.share(parameters.explorers)
        random.reset()
        occupancy = Occupancy()
        guessDensities()
    }

    // MARK: Victims

    private mutating func leastDense() -> Int? {
        if let slot = table.drawnSlot { return slot }
        let view = view
        guard var victim = table.lowest(of: parameters.samples, &random, score: { view.density($0) }) else {
            return nil
        }
        var least = view.density(table.records[victim])
        for index in 0..<parameters.recent where recent[index] != SlotTable<Record>.absent {
            guard let slot = table.slot(of: Int(recent[index])) else { continue }
            let density = view.density(table.records[slot])
            if density < least { (victim, least) = (slot, density) }
        }
        if least >= 0 { victimDensity = Float(parameters.decay) * victimDensity + Float(1 - parameters.decay) * least }
        table.drawnSlot = victim
        return victim
    }

    /// The inputs of densities. Only pointers and numbers, so that nothing is retained. Valid during one call.
    private struct View {
        let densities: UnsafeMutablePointer<Float>
        let classes: Int
        let ages: Int
        let coarsening: Int
        let clock: Int

        /// Returns the index at which an object of this class and age is counted.
        @inline(__always) func index(_ record: Record) -> Int {
            Int(record.row & ~Record.exploring)
                &+ min((clock &- record.lastAccess) &>> coarsening, ages &- 1)
        }

        /// Explorers are denser by 1. Without a branch: it is the highest bit of the row that becomes 1 or 0.
        @inline(__always) func density(_ record: Record) -> Float {
            let bonus = Float(bitPattern: UInt32(bitPattern: Int32(bitPattern: record.row) &>> 31) & 0x3F80_0000)
            return densities[index(record)] * record.inverseSize + bonus
        }

        /// Returns the row of the class: the smallest power of two that takes the sum of the last ages beyond what is
        /// counted.
        @inline(__always) func row(_ record: Record) -> UInt32 {
            let sum = (Int(record.lastAge) &+ Int(record.ageBefore)) &>> coarsening
            if sum == 0 { return UInt32(truncatingIfNeeded: (classes &- 1) &* ages) }
            let shift = max(0, sum.leadingZeroBitCount &- ages.leadingZeroBitCount)
            let power = sum &<< shift < ages ? shift &+ 1 : shift
            return UInt32(truncatingIfNeeded: min(power, classes &- 1) &* ages)
        }
    }

    private var view: View {
        View(
            densities: densities.base, classes: parameters.classes, ages: parameters.ages, coarsening: coarsening,
            clock: clock)
    }

    // MARK: Accesses

    /// Notes an access: the object's class follows from its last ages.
    private mutating func note(_ record: inout Record, _ object: Int) {
        record.lastAccess = clock
        record.row = view.row(record)
        if random.next(below: parameters.exploreEvery) == 0, mayExplore(object) { record.row |= Record.exploring }
        clock &+= 1
        countdown &-= 1
        if countdown == 0 { learn() }
    }

    private mutating func mayExplore(_ object: Int) -> Bool {
        let measure = budget.measure(sizes[object])
        guard exploreBudget >= measure else { return false }
        exploreBudget &-= measure
        return true
    }

    private mutating func stopExploring(_ record: Record, _ object: Int) {
        if record.explores { exploreBudget &+= budget.measure(sizes[object]) }
    }

    // MARK: Learning

    private func guessDensities() {
        for kind in 0..<parameters.classes {
            let row = kind * parameters.ages
            for age in 0..<parameters.ages { densities[row + age] = Float(kind + 1) / Float(age + 1) }
            densities[row + parameters.ages - 1] = -1
        }
    }

    private mutating func learn() {
        countdown = span
        guard evictionCount >= occupancy.objects || clock >= parameters.interval else { return }
        span = min(2 &* span, max(1, parameters.interval))
        countdown = span
        for index in 0..<hits.count {
            hits.base[index] *= Float(parameters.decay)
            evictions.base[index] *= Float(parameters.decay)
        }
        coarsen()
        for kind in 0..<parameters.classes { learn(kind) }
    }

    /// Sums hits and time left from the oldest age down. No object is expected to live beyond the last age.
    private func learn(_ kind: Int) {
        let row = kind * parameters.ages
        let last = row + parameters.ages - 1
        var hitsAhead = Double(hits[last])
        var eventsAhead = Double(hits[last] + evictions[last])
        var timeAhead = eventsAhead
        for index in stride(from: last - 1, through: row, by: -1) {
            hitsAhead += Double(hits[index])
            eventsAhead += Double(hits[index] + evictions[index])
            timeAhead += eventsAhead
            densities[index] = eventsAhead > 1e-5 ? Float(hitsAhead / timeAhead) : 0
        }
    }

    /// Coarsens ages, and the counts with them, so that the last age is at least a hundred times the number of objects.
    private mutating func coarsen() {
        let reach = 100 * occupancy.objects / parameters.ages
        let wanted = reach <= 1 ? 0 : Int.bitWidth - (reach - 1).leadingZeroBitCount
        let change = wanted - coarsening
        guard change != 0 else { return }
        coarsening = wanted
        let view = view
        for slot in 0..<table.count {
            let record = table.records[slot]
            table.records.base[slot].row = view.row(record) | record.row & Record.exploring
        }
        for kind in 0..<parameters.classes {
            rescale(hits.base + kind * parameters.ages, by: change)
            rescale(evictions.base + kind * parameters.ages, by: change)
        }
    }

    private func rescale(_ counts: UnsafeMutablePointer<Float>, by change: Int) {
        let ages = parameters.ages
        if change > 0 {
            for age in 0..<ages {
                let first = min(age << change, ages), end = min((age + 1) << change, ages)
                var sum: Float = 0
                for old in first..<end { sum += counts[old] }
                counts[age] = sum
            }
        } else {
            // Counts of ages that are beyond the new range go to the last age.
            var beyond: Float = 0
            for old in (ages - 1) >> -change + 1..<max(ages, (ages - 1) >> -change + 1) { beyond += counts[old] }
            for age in stride(from: ages - 1, through: 0, by: -1) {
                counts[age] = counts[age >> -change] / Float(1 << -change)
            }
            counts[ages - 1] += beyond
        }
    }
}

extension LHD {
    static let entry = PolicyEntry(
        "lhd",
        """
        Least hit density: of a few drawn at random, the one leaves that promises the fewest hits for its room and time.
        """,
        parameters: [
            .limits, .integer("samples", default: 32), .integer("recent", default: 8), .integer("classes", default: 16),
            .integer("ages", default: 20_000), .integer("interval", default: 1 << 20), .fraction("decay", default: 0.9),
            .fraction("explorers", default: 0.01), .integer("exploreEvery", default: 32), .integer("seed", default: 0),
        ]
    ) {
        let parameters = Parameters(
            samples: try $0.integer("samples", in: 1...Int.max), recent: try $0.integer("recent", in: 0...1_000),
            classes: try $0.integer("classes", in: 1...64), ages: try $0.integer("ages", in: 2...1_000_000),
            interval: try $0.integer("interval", in: 1...Int.max), decay: try $0.fraction("decay"),
            explorers: try $0.fraction("explorers"),
            exploreEvery: try $0.integer("exploreEvery", in: 1...Int(UInt32.max)))
        return LHD(try $0.limits(), parameters, seed: try $0.seed())
    }
}
