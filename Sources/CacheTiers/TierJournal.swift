import CachePolicies

/// Records why a tier does not hold an object: for explanations of misses.
///
/// A ``TierLedger`` writes it, if it has one. Its owner reads ``lastMiss`` after a lookup, and says in ``accessor`` and
/// ``occasion`` what the tier works for.
public final class TierJournal {
    /// Why an object is not held.
    public enum Absence: UInt8, Sendable, CaseIterable {
        /// It was never stored.
        case neverStored
        /// It left to make room for another object.
        case evicted
        /// It left to make room for itself.
        case evictedAtOnce
        /// Its lifetime was over.
        case expired
        /// It left when its tier was cleared, trimmed or restarted, or it was removed; ``Entry/occasion`` says when.
        case purged
        /// The tier did not take it: it was too large, or an admission rule refused it.
        case refused
    }

    /// What is known of an object that is not held.
    public struct Entry: Sendable, Equatable {
        public var absence = Absence.neverStored
        /// ``TierJournal/occasion`` when the object left.
        public var occasion: UInt8 = 0
        /// ``TierJournal/accessor`` when the object left.
        public var accessor: Int32 = -1
        /// ``TierJournal/time`` when the object left.
        public var time: Int64 = 0

        public init() {}

        init(absence: Absence, occasion: UInt8, accessor: Int32, time: Int64) {
            (self.absence, self.occasion, self.accessor, self.time) = (absence, occasion, accessor, time)
        }
    }

    /// The number of what the tier works for, as its owner counts; negative for nothing.
    public var accessor: Int32 = -1
    /// What happens now, as its owner numbers it; 0 for nothing special. An object that leaves meanwhile is purged.
    public var occasion: UInt8 = 0
    /// The owner's time.
    public var time: Int64 = 0
    /// What is known of the object of the last lookup that missed.
    public private(set) var lastMiss = Entry()

    /// The number of lookups that missed.
    public private(set) var missCount = 0

    private var entries: [Entry] = []
    /// By the ledger's number: the place in `entries`, or -1.
    private var places: [Int32] = []
    /// The places of names, which keep their places when the ledger's numbers change.
    private var named: [DiskName: Int32] = [:]

    public init() {}

    func missed(_ object: Int) {
        lastMiss = entries[place(of: object)]
        missCount += 1
    }

    func left(_ object: Int, _ reason: EvictionReason, admitting admitted: Int) {
        let absence: Absence =
            reason == .expired
            ? .expired : occasion != 0 ? .purged : object == admitted ? .evictedAtOnce : .evicted
        note(object, absence)
    }

    func removed(_ object: Int) { note(object, .purged) }

    /// Notes a refusal, unless the object has just left to make room for itself.
    func refused(_ object: Int) {
        if entries[place(of: object)].absence != .evictedAtOnce || entries[place(of: object)].time != time {
            note(object, .refused)
        }
    }

    private func note(_ object: Int, _ absence: Absence) {
        entries[place(of: object)] = Entry(absence: absence, occasion: occasion, accessor: accessor, time: time)
    }

    private func place(of object: Int) -> Int {
        reserve(object)
        if places[object] < 0 {
            places[object] = Int32(truncatingIfNeeded: entries.count)
            entries.append(Entry())
        }
        return Int(places[object])
    }

    private func reserve(_ object: Int) {
        guard object >= places.count else { return }
        places.append(contentsOf: repeatElement(-1, count: max(64, object + 1, places.count * 2) - places.count))
    }

    // MARK: Ledgers whose numbers change

    /// Notes that a number stands for a name from now on.
    func bind(_ object: Int, to name: DiskName) {
        if let place = named[name] {
            reserve(object)
            places[object] = place
        } else {
            named[name] = Int32(truncatingIfNeeded: place(of: object))
        }
    }

    /// Notes that numbers no longer stand for names.
    func forgetNumbers() { places.removeAll(keepingCapacity: true) }
}
