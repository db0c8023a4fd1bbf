/// Stands before another policy and says who may enter: the policy decides who leaves, the rule who comes.
///
/// The rule is asked about newcomers alone. An object that is held already is replaced, whatever the rule would say of
/// a newcomer: to refuse would leave its older version behind. Only where the rule has a largest size, and the new
/// version is above it, the object leaves altogether; as when a queue is given a version larger than itself, no sink is
/// told, the answer says it.
///
/// What a tier restores was admitted once and is not asked about again.
struct Admission<Rule: AdmissionRule, Inner: CachePolicy>: CachePolicy {
    var inner: Inner
    var rule: Rule

    init(_ rule: Rule, before inner: Inner) {
        self.inner = inner
        self.rule = rule
    }

    static var usesTime: Bool { Inner.usesTime }

    static var usesFuture: Bool { Inner.usesFuture }

    var occupancy: Occupancy { inner.occupancy }

    func contains(_ object: Int) -> Bool { inner.contains(object) }

    func expiration(of object: Int) -> Int64? { inner.expiration(of: object) }

    mutating func reserve(_ count: Int) {
        inner.reserve(count)
        rule.reserve(count)
    }

    func prefetch(_ object: Int) { inner.prefetch(object) }

    mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        rule.note(access)
        return inner.lookup(access, &sink)
    }

    mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        let isHeld = inner.contains(access.object)
        guard access.size <= rule.largest else {
            if isHeld { inner.remove(access.object) }
            return false
        }
        guard isHeld || rule.admits(access, to: &inner) else { return false }
        let before = inner.occupancy
        let kept = inner.admit(access, &sink)
        rule.settle(Admitted(size: access.size, wasHeld: isHeld, isHeld: kept, before: before, after: inner.occupancy))
        return kept
    }

    mutating func restore(_ access: Access, expiration: Int64?, _ sink: inout some EvictionSink) -> Bool {
        let (wasHeld, before) = (inner.contains(access.object), inner.occupancy)
        let kept = inner.restore(access, expiration: expiration, &sink)
        rule.settle(Admitted(size: access.size, wasHeld: wasHeld, isHeld: kept, before: before, after: inner.occupancy))
        return kept
    }

    mutating func setExpiration(of object: Int, to expiration: Int64) {
        inner.setExpiration(of: object, to: expiration)
    }

    mutating func willExpire(_ object: Int, at expiration: Int64) { inner.willExpire(object, at: expiration) }

    mutating func advance(to time: Int64, _ sink: inout some EvictionSink) { inner.advance(to: time, &sink) }

    mutating func removeExpired(at time: Int64, _ sink: inout some EvictionSink) {
        inner.removeExpired(at: time, &sink)
    }

    mutating func nextVictim() -> Int? { inner.nextVictim() }

    mutating func trim(to bytes: Int, _ sink: inout some EvictionSink) { inner.trim(to: bytes, &sink) }

    mutating func remove(_ object: Int) { inner.remove(object) }

    mutating func removeAll() {
        inner.removeAll()
        rule.removeAll()
    }

    mutating func run(_ requests: RequestColumns, _ range: Range<Int>, into counts: inout SimulationCounts) {
        run(wrapping: Inner.self, requests, range, into: &counts)
    }
}

/// Says which newcomers an ``Admission`` lets in.
protocol AdmissionRule {
    /// Larger objects never enter, nor do they replace a smaller version of themselves.
    var largest: Int { get }

    /// Makes room for objects 0 ..< `count`.
    mutating func reserve(_ count: Int)

    /// Learns of a lookup, hit or miss. The size is that of an ``Access`` to a policy's lookup: 0 where nobody knows
    /// it.
    mutating func note(_ access: Access)

    /// Whether the object, which `policy` does not hold, may enter.
    mutating func admits(_ access: Access, to policy: inout some CachePolicy) -> Bool

    /// Learns what an admission, a replacement or a restoration has changed.
    mutating func settle(_ admitted: Admitted)

    /// As new.
    mutating func removeAll()
}

/// What an admission, a replacement or a restoration has changed.
struct Admitted {
    var size: Int
    /// Whether the object was held before, and whether it is now.
    var wasHeld: Bool
    var isHeld: Bool
    /// What the policy held before and holds now.
    var before: Occupancy
    var after: Occupancy

    /// Whether others left for it.
    var evicted: Bool { after.objects < before.objects &- (wasHeld ? 1 : 0) &+ (isHeld ? 1 : 0) }
}

extension AdmissionRule {
    var largest: Int { .max }

    mutating func reserve(_ count: Int) {}

    mutating func note(_ access: Access) {}

    mutating func settle(_ admitted: Admitted) {}

    mutating func removeAll() {}
}

extension AdmissionRule {
    /// The rule before the policy that is the unlabelled argument.
    func before(_ arguments: PolicyArguments) throws -> any CachePolicy {
        func place(_ inner: some CachePolicy) -> any CachePolicy { Admission(self, before: inner) }
        return place(try arguments.policy(nil))
    }
}

/// What can be told of a policy's capacity from outside: by what it has held, and by when it let somebody go.
///
/// `peak` is never above the capacity. Where objects differ in size, it may stay a little below.
struct ObservedCapacity {
    /// The most objects that it has held, and the most bytes.
    private(set) var peak = Occupancy()
    /// Whether an admission has ever pushed somebody out.
    private(set) var isReached = false
    /// Whether that happened though the bytes would have fitted.
    private var boundsObjects = false

    /// Whether an object of `size` bytes fits beside what is held, for all that is known.
    func fits(_ size: Int, beside held: Occupancy) -> Bool {
        if !isReached { return true }
        if boundsObjects, held.objects >= peak.objects { return false }
        return size <= peak.bytes &- held.bytes
    }

    mutating func settle(_ admitted: Admitted) {
        if admitted.evicted {
            isReached = true
            if admitted.size <= peak.bytes &- admitted.before.bytes { boundsObjects = true }
        }
        peak.objects = max(peak.objects, admitted.after.objects)
        peak.bytes = max(peak.bytes, admitted.after.bytes)
    }
}
