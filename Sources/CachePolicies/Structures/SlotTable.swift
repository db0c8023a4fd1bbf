import Basics
import CIntrinsics

/// Objects with a record each, in an arbitrary order: the structure from which sampling policies draw.
///
/// A draw reads one record, which lies among the records of residents only; the number of the chosen object is read
/// afterwards.
///
/// Invariant: slots 0 ..< `count` are taken, `slots[members[slot]] == slot` for each of them, and the slots of other
/// objects are `absent`.
struct SlotTable<Record: BitwiseCopyable> {
    static var absent: UInt32 { .max }

    var records: UncheckedArray<Record>
    var members = UncheckedArray<UInt32>(repeating: 0)
    /// By object.
    var slots = UncheckedArray<UInt32>(repeating: .max)
    private(set) var count = 0
    private let draws = SlotDraws()
    /// The object that was drawn as the next victim and has neither left nor been accessed since, or `absent`.
    private var drawn: UInt32 = .max

    /// Creates an empty table. `filler` is any record; it stands in slots that are not taken.
    init(filler: Record) { records = UncheckedArray(repeating: filler) }

    mutating func reserve(_ count: Int) {
        records.reserve(count)
        members.reserve(count)
        slots.reserve(count)
    }

    /// See ``CachePolicy/prefetch(_:)``.
    func prefetch(_ object: Int) { slots.prefetch(object) }

    func contains(_ object: Int) -> Bool { slots[object] != Self.absent }

    /// Returns nil if the object is not in the table.
    func slot(of object: Int) -> Int? {
        let slot = slots[object]
        return slot == Self.absent ? nil : Int(slot)
    }

    func object(at slot: Int) -> Int { Int(members[slot]) }

    /// The object must not be in the table.
    mutating func insert(_ object: Int, _ record: Record) {
        records[count] = record
        members[count] = UInt32(truncatingIfNeeded: object)
        slots[object] = UInt32(truncatingIfNeeded: count)
        count &+= 1
    }

    /// The object must be in the table; the one in the last slot takes its place.
    mutating func remove(_ object: Int) {
        count &-= 1
        let slot = slots[object]
        records[Int(slot)] = records[count]
        members[Int(slot)] = members[count]
        slots[Int(members[count])] = slot
        slots[object] = Self.absent
        accessed(object)
    }

    mutating func removeAll() {
        for slot in 0..<count { slots[Int(members[slot])] = Self.absent }
        count = 0
        drawn = Self.absent
    }

    /// Forgets a drawn victim that is accessed.
    mutating func accessed(_ object: Int) {
        if drawn == UInt32(truncatingIfNeeded: object) { drawn = Self.absent }
    }

    /// The slot of the next victim, kept so that a named victim is the one that leaves, or nil if none has been drawn.
    var drawnSlot: Int? {
        get { drawn == Self.absent ? nil : Int(slots[Int(drawn)]) }
        set { drawn = newValue.map { members[$0] } ?? Self.absent }
    }

    /// Returns the slot of ``lowest(of:_:score:)``, drawn once per eviction.
    mutating func victim<Score: Comparable>(of samples: Int, _ random: inout SplitMix64, score: (Record) -> Score)
        -> Int?
    {
        if let slot = drawnSlot { return slot }
        drawnSlot = lowest(of: samples, &random, score: score)
        return drawnSlot
    }

    /// Returns the slot of the lowest score among `samples` slots that are drawn with replacement, the first drawn of
    /// several, or nil if the table is empty. If there are no more slots than samples, all slots are compared instead.
    @inline(__always)
    func lowest<Score: Comparable>(of samples: Int, _ random: inout SplitMix64, score: (Record) -> Score) -> Int? {
        guard count > 0 else { return nil }
        guard count > samples else { return lowest(score: score) }
        var left = max(1, samples)
        var drawn = draws.draw(min(left, SlotDraws.capacity), below: count, &random)
        var lowest = drawn[0]
        var lowestScore = score(records[Int(lowest)])
        while true {
            for slot in drawn {
                let score = score(records[Int(slot)])
                // Without a branch: which of some random scores is the lowest is unpredictable.
                let isLower = score < lowestScore
                lowest = cachereplay_choose(isLower, slot, lowest)
                lowestScore = isLower ? score : lowestScore
            }
            left &-= drawn.count
            guard left > 0 else { return Int(lowest) }
            drawn = draws.draw(min(left, SlotDraws.capacity), below: count, &random)
        }
    }

    /// Returns the slot of the lowest score, the first of several. The table must not be empty.
    private func lowest<Score: Comparable>(score: (Record) -> Score) -> Int {
        var lowest = 0
        var lowestScore = score(records[0])
        for slot in 1..<max(1, count) {
            let score = score(records[slot])
            if score < lowestScore { (lowest, lowestScore) = (slot, score) }
        }
        return lowest
    }
}

/// A policy that draws its victims from a ``SlotTable``. A conforming type implements `lookup`, `admit`, `nextVictim`
/// and `clear`.
protocol SampledPolicy: VictimOrdered {
    associatedtype Record: BitwiseCopyable

    var table: SlotTable<Record> { get set }
    var sizes: SizeTable { get set }
    var random: SplitMix64 { get set }
    var occupancy: Occupancy { get set }
    var limits: Limits { get }
}

extension SampledPolicy {
    func contains(_ object: Int) -> Bool { table.contains(object) }

    mutating func reserve(_ count: Int) {
        table.reserve(count)
        sizes.reserve(count)
    }

    func prefetch(_ object: Int) { table.prefetch(object) }

    mutating func evictNext(_ sink: inout some EvictionSink) -> Bool { removeNextVictim(&sink) }

    mutating func remove(_ object: Int) {
        guard table.contains(object) else { return }
        table.remove(object)
        occupancy.objects &-= 1
        occupancy.bytes &-= sizes[object]
    }

    /// Evicts objects until a new one fits, and inserts it. The object must not be held, and fit alone.
    mutating func insert(_ access: Access, _ record: Record, _ sink: inout some EvictionSink) {
        while !limits.fits(access.size, beside: occupancy), evictNext(&sink) {}
        table.insert(access.object, record)
        sizes[access.object] = access.size
        occupancy.objects &+= 1
        occupancy.bytes &+= access.size
    }

    /// Removes all objects, and begins the random numbers anew.
    mutating func removeAll() {
        table.removeAll()
        random.reset()
        occupancy = Occupancy()
    }
}
