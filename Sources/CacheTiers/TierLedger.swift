import CachePolicies

/// The bookkeeping of a tier: drives the policy and lists its victims. Holds no payloads and no files; objects are
/// numbers.
///
/// The memory tier and the disk tier each consist of a ledger and real payloads or files. A modelled replay uses a
/// ledger alone.
///
/// The *cost* of an object, which the policy counts, and the bytes that it *takes up* can differ: a cache that receives
/// no costs holds real memory nevertheless.
public struct TierLedger {
    private var policy: any TimedPolicy
    private let entryRule: EntryRule?
    private var evicted = EvictionList()
    private var reserved = 0
    /// By object: the bytes that it takes up, 0 if it is not held.
    private var taken: [Int] = []
    private var takenBytes = 0
    /// The objects that were admitted since all were released: at least those that are held, each once.
    private var admitted: [Int] = []
    /// By object: whether it is among them.
    private var isAdmitted: [Bool] = []
    /// The objects that the app shows now, if the tier keeps them. See ``show(_:)``.
    private var shown = ShownObjects()
    /// The number of ``shown`` objects that the tier holds and that the policy does not hold.
    private var besideCount = 0
    /// By object: its cost when it was admitted last. Empty unless shown objects are kept.
    private var costs: [Int] = []
    private let pinsShown: Bool
    private let live: LiveRule
    /// Whether shown objects are kept.
    private let keepsShown: Bool
    /// By object: the bytes that the app displays. Empty until ``display(_:adding:)`` is called.
    private var displayed: [Int] = []
    /// The bytes that the app displays and the ledger does not hold: the sum over objects of the displayed bytes less
    /// the held ones, where that is positive.
    public private(set) var displayedBeside = 0
    /// Whether passing time can change what the policy holds.
    public let hasTimers: Bool
    /// A time before which ``advance(to:)`` has no effect; `Int64.max` for never.
    public private(set) var nextTimer: Int64
    public private(set) var counts = TierCounts()
    /// Records why objects are not held; nil if it is not asked for.
    public var journal: TierJournal? { didSet { misses = journal?.state } }
    /// The journal's state, which a lookup reaches without counting a reference. It lives as long as the journal.
    private var misses: UnsafeMutablePointer<TierJournal.State>?

    /// Creates a ledger without objects.
    ///
    /// - Parameters:
    ///   - policy: Decides which objects stay.
    ///   - entryRule: The limit for single objects; nil for none.
    ///   - pinsShown: Whether objects that the app shows are held outside of the policy.
    ///   - live: Whether objects that the app shows are found after they have left the policy. It has no effect beside
    ///     `pinsShown`.
    public init(
        _ policy: any CachePolicy, entryRule: EntryRule? = nil, pinsShown: Bool = false, live: LiveRule = .none
    ) {
        self.policy = policy.timed()
        hasTimers = type(of: self.policy).hasTimers
        nextTimer = hasTimers ? .min : .max
        self.entryRule = entryRule
        self.pinsShown = pinsShown
        self.live = pinsShown ? .none : live
        keepsShown = pinsShown || live != .none
    }

    /// The places where payloads are exchanged with policies that hold them; see `ObjectHoldingPolicy`.
    public var exchangedObjects: [HeldObjects] { policy.exchangedObjects }

    /// The number of objects held, and the bytes that they take up.
    public var occupancy: Occupancy {
        Occupancy(objects: policy.occupancy.objects + besideCount, bytes: takenBytes)
    }

    /// The bytes of the objects held, as in ``occupancy``.
    public var heldBytes: Int { takenBytes }

    public var cost: Int { policy.occupancy.bytes }

    public func contains(_ object: Int) -> Bool {
        object < reserved && policy.contains(object) || shown[object]?.cost != nil
    }

    public func expiration(of object: Int) -> Int64? { object < reserved ? policy.expiration(of: object) : nil }

    /// Looks an object up; counts as an access.
    public mutating func lookup(_ access: Access) -> Lookup {
        reserve(access.object)
        if !shown.isEmpty, shown[access.object]?.cost != nil {
            if live == .none { return .hit }
            if !policy.contains(access.object) { return lookupLive(access) }
        }
        let found = policy.liveLookup(access, &evicted)
        settle()
        if found == .miss, let misses { misses.pointee.missed(access.object) }
        return found
    }

    /// Whether storing an object of this cost has no effect, not even on an object of the same name.
    public func ignores(cost: Int) -> Bool { entryRule.map { $0.oversize == .ignored && !$0.admits(cost) } ?? false }

    /// Whether storing this object has no effect, not even on an older object of its name.
    public func ignores(_ access: Access) -> Bool { ignores(cost: access.size) && shown[access.object] == nil }

    /// Admits an object. Returns whether it is held afterwards; it can itself be among the victims. It takes up
    /// `bytes`, by default its cost. `expiration` replaces the policy's own expiration time.
    public mutating func admit(_ access: Access, expiration: Int64? = nil, taking bytes: Int? = nil) -> Bool {
        reserve(access.object)
        noteAdmitted(access.object)
        if keepsShown {
            costs[access.object] = access.size
            if let entry = shown[access.object] {
                if live != .none { return admitLive(access, expiration: expiration, taking: bytes ?? access.size) }
                if entry.cost == nil { besideCount += 1 }
                policy.remove(access.object)
                shown[access.object]?.cost = access.size
                shown[access.object]?.expiration = expiration
                take(access.object, bytes ?? access.size)
                settle()
                return true
            }
        }
        if let entryRule, !entryRule.admits(access.size) {
            if entryRule.oversize == .removed { remove(access.object) }
            journal?.refused(access.object)
            return contains(access.object)
        }
        let kept = policy.liveAdmit(access, expiration: expiration, &evicted)
        take(access.object, kept ? bytes ?? access.size : 0)
        settle(except: access.object)
        if !kept { journal?.refused(access.object) }
        return kept
    }

    /// Notes that a store had no effect, because the tier ignores objects of that cost.
    public func noteIgnored(_ object: Int) { journal?.refused(object) }

    /// Notes that the app shows an object, in one more cell.
    ///
    /// A pinned object leaves the policy. It is always a hit, costs nothing against the policy's limits, and stays when
    /// the tier is cleared or trimmed. The tier need not hold it yet: a store then does not enter the policy.
    ///
    /// A live object stays in the policy, which may evict or refuse it. It is a hit nevertheless, and also after the
    /// tier was cleared. Does nothing unless the ledger was created to pin shown objects, or to find live ones.
    public mutating func show(_ object: Int) {
        guard keepsShown else { return }
        reserve(object)
        guard shown[object] == nil else {
            shown[object]?.cells += 1
            return
        }
        var entry = ShownObjects.Entry()
        if policy.contains(object) {
            entry.cost = costs[object]
            entry.expiration = policy.expiration(of: object)
            if pinsShown {
                besideCount += 1
                policy.remove(object)
            }
        }
        shown[object] = entry
    }

    /// Notes that a cell no longer shows an object. When the last one has gone, a pinned object enters the policy anew,
    /// as one that was just stored; the policy may refuse it. A live object that the policy does not hold is no longer
    /// held. `access` names the object and the time.
    public mutating func hide(_ access: Access) {
        let object = access.object
        guard let entry = shown[object] else { return }
        guard entry.cells == 1 else {
            shown[object]?.cells -= 1
            return
        }
        shown[object] = nil
        guard let cost = entry.cost else { return }
        if live != .none, policy.contains(object) { return }
        besideCount -= 1
        let bytes = taken[object]
        take(object, 0)
        guard live == .none else { return }
        var access = access
        access.size = cost
        _ = admit(access, expiration: entry.expiration, taking: bytes)
    }

    /// Notes that the app displays so many bytes of an object more, or less. This has no effect on what is held.
    ///
    /// An object that is both displayed and held takes up memory once, so ``displayedBeside`` has it only if it is not
    /// held. It has the difference if the app displays more of it than the ledger holds.
    public mutating func display(_ object: Int, adding bytes: Int) {
        reserve(object)
        if displayed.isEmpty { displayed = Array(repeating: 0, count: reserved) }
        let before = max(0, displayed[object] - taken[object])
        displayed[object] += bytes
        displayedBeside += max(0, displayed[object] - taken[object]) - before
    }

    /// Admits an object that was held before a restart. It takes up `bytes`, by default its cost.
    public mutating func restore(_ access: Access, expiration: Int64?, taking bytes: Int? = nil) -> Bool {
        reserve(access.object)
        noteAdmitted(access.object)
        let kept = policy.liveRestore(access, expiration: expiration, &evicted)
        take(access.object, kept ? bytes ?? access.size : 0)
        settle(except: access.object)
        return kept
    }

    /// Evicts the policy's next victims until the held objects cost at most `cost`.
    ///
    /// - Throws: ``UntrimmablePolicyError`` if the policy is not `VictimOrdered`.
    public mutating func trim(to cost: Int) throws {
        guard var ordered = policy as? any TimedPolicy & VictimOrdered else { throw UntrimmablePolicyError() }
        ordered.trim(to: cost, &evicted)
        policy = ordered
        settle()
    }

    public mutating func advance(to time: Int64) {
        guard time >= nextTimer else { return }
        policy.liveAdvance(to: time, &evicted)
        nextTimer = policy.nextTimer
        settle()
    }

    public mutating func removeExpired(at time: Int64) {
        policy.removeExpired(at: time, &evicted)
        settle()
    }

    /// Removes an object that the tier has lost: neither an eviction nor an expiration.
    public mutating func remove(_ object: Int) {
        guard object < reserved else { return }
        if let journal, contains(object) { journal.purged(object) }
        if isBeside(object) { besideCount -= 1 }
        policy.remove(object)
        if !shown.isEmpty { shown[object]?.cost = nil }
        take(object, 0)
    }

    /// Removes all objects from the policy. Those that are pinned or live are still found. The policy's timers keep
    /// running.
    public mutating func clear() {
        if let journal { for object in admitted where policy.contains(object) { journal.purged(object) } }
        policy.clear()
        if live != .none { besideCount = shown.heldCount }
        releaseAll()
    }

    /// Whether the object is held, whatever the policy does, because the app shows it.
    public func isPinned(_ object: Int) -> Bool { !shown.isEmpty && shown[object]?.cost != nil }

    /// Removes all objects and restarts the policy's timers: the app starts again at `time`.
    public mutating func relaunch(at time: Int64) {
        if let journal { for object in admitted where contains(object) { journal.purged(object) } }
        policy.relaunch(at: time)
        nextTimer = hasTimers ? .min : .max
        shown.removeAll()
        besideCount = 0
        releaseAll()
    }

    /// Releases all objects but those that are pinned. Complexity: linear in the number of objects that were admitted
    /// since the last call, not in the number of all objects.
    private mutating func releaseAll() {
        var pinned: [Int] = []
        for object in admitted {
            if isPinned(object) {
                pinned.append(object)
            } else {
                isAdmitted[object] = false
                take(object, 0)
            }
        }
        admitted = pinned
    }

    /// Notes that the tier may hold an object from now on.
    private mutating func noteAdmitted(_ object: Int) {
        guard !isAdmitted[object] else { return }
        isAdmitted[object] = true
        admitted.append(object)
    }

    /// Calls `body` with each object that has left since the last call, in order, but not with live ones.
    public mutating func drainVictims(_ body: (Int) -> Void) {
        guard !evicted.victims.isEmpty else { return }
        for victim in evicted.victims where !isPinned(victim.object) { body(victim.object) }
        evicted.victims.removeAll(keepingCapacity: true)
        settled = 0
    }

    /// Victims already counted.
    private var settled = 0

    /// Counts the new victims. The bytes of `admitted` are up to date already.
    private mutating func settle(except admitted: Int = -1) {
        while settled < evicted.victims.count {
            let victim = evicted.victims[settled]
            switch victim.reason {
            case .capacity: counts.evictions += 1
            case .expired: counts.expirations += 1
            }
            journal?.left(victim.object, victim.reason, admitting: admitted)
            if victim.object != admitted { release(victim) }
            settled += 1
        }
        counts.peakBytes = max(counts.peakBytes, takenBytes)
    }

    /// Notes that an object has left the policy: a live one stays held until it expires or is no longer shown.
    private mutating func release(_ victim: (object: Int, reason: EvictionReason)) {
        if live != .none, isPinned(victim.object) {
            if victim.reason == .capacity {
                besideCount += 1
                return
            }
            shown[victim.object]?.cost = nil
        }
        take(victim.object, 0)
    }

    private mutating func take(_ object: Int, _ bytes: Int) {
        let before = taken[object]
        takenBytes += bytes - before
        taken[object] = bytes
        guard !displayed.isEmpty, displayed[object] > 0 else { return }
        displayedBeside += max(0, displayed[object] - bytes) - max(0, displayed[object] - before)
    }

    private mutating func reserve(_ object: Int) {
        guard object >= reserved else { return }
        reserved = max(64, object + 1, reserved * 2)
        policy.reserve(reserved)
        taken.append(contentsOf: repeatElement(0, count: reserved - taken.count))
        isAdmitted.append(contentsOf: repeatElement(false, count: reserved - isAdmitted.count))
        if !displayed.isEmpty { displayed.append(contentsOf: repeatElement(0, count: reserved - displayed.count)) }
        if keepsShown { costs.append(contentsOf: repeatElement(0, count: reserved - costs.count)) }
    }
}

// Live objects: those that the app shows, and that are found although the policy does not hold them.
extension TierLedger {
    /// Whether the app shows the object, and the tier holds it outside of the policy.
    private func isBeside(_ object: Int) -> Bool { isPinned(object) && !policy.contains(object) }

    /// Looks up a live object that the policy does not hold. By ``LiveRule/returns``, it enters the policy anew, which
    /// may evict others; an object above the limit for single objects does not.
    private mutating func lookupLive(_ access: Access) -> Lookup {
        guard live == .returns, let entry = shown[access.object], let cost = entry.cost,
            entryRule?.admits(cost) ?? true
        else { return .hit }
        var access = access
        access.size = cost
        if policy.liveAdmit(access, expiration: entry.expiration, &evicted) { besideCount -= 1 }
        settle(except: access.object)
        return .hit
    }

    /// Admits an object that the app shows. It is held in any case, if not by the policy.
    private mutating func admitLive(_ access: Access, expiration: Int64?, taking bytes: Int) -> Bool {
        let object = access.object
        let wasBeside = isBeside(object)
        shown[object]?.cost = access.size
        shown[object]?.expiration = expiration
        var isKept = false
        if entryRule?.admits(access.size) ?? true {
            isKept = policy.liveAdmit(access, expiration: expiration, &evicted)
        } else {
            policy.remove(object)
        }
        take(object, bytes)
        settle(except: object)
        if !isKept { journal?.refused(object) }
        besideCount += (isBeside(object) ? 1 : 0) - (wasBeside ? 1 : 0)
        return true
    }
}

/// A tier was to be trimmed although its policy names no next victim.
public struct UntrimmablePolicyError: Error, CustomStringConvertible {
    public init() {}

    public var description: String {
        "the policy names no next victim, so the tier cannot be trimmed to a size; clear it instead"
    }
}

/// The counts of a tier since it was created.
public struct TierCounts: Sendable, Equatable {
    public var evictions = 0
    public var expirations = 0
    /// The highest number of bytes that objects took up at once.
    public var peakBytes = 0

    public init() {}
}

/// A limit for single objects, besides the limit of the whole tier.
public struct EntryRule: Codable, Sendable, Equatable {
    /// The highest cost that is admitted.
    public var limit: Int
    public var oversize: Oversize

    /// The effect of storing an object above the limit.
    public enum Oversize: String, Codable, Sendable, CaseIterable {
        /// No effect: an older object of that name stays and is delivered from then on (Nuke, Glide).
        case ignored
        /// An older object of that name is removed (Coil).
        case removed
    }

    public init(limit: Int, oversize: Oversize) {
        self.limit = limit
        self.oversize = oversize
    }

    public func admits(_ cost: Int) -> Bool { cost <= limit }
}

/// The treatment of objects that the app shows, and that the policy of the tier has evicted or refused.
public enum LiveRule: String, Codable, Sendable, CaseIterable {
    /// They are not found any more.
    case none
    /// They are found as long as the app shows them, and do not enter the policy (Coil, weak maps).
    case stays
    /// They are found as long as the app shows them, and enter the policy anew when they are (Flutter).
    case returns
}
