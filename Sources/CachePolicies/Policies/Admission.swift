/// A policy in front of another one. An ``AdmissionRule`` decides which new objects enter; the inner policy decides
/// which objects leave.
///
/// The rule decides about new objects only. An object that is held is replaced, whatever the rule would say about a new
/// one: a refusal would leave its older version behind.
///
/// An object that a tier restores was admitted before, so the rule is not asked again.
struct Admission<Rule: AdmissionRule>: ForwardingWrapper {
    var inner: Rule.Inner
    var rule: Rule

    init(_ rule: Rule, before inner: Rule.Inner) {
        self.inner = inner
        self.rule = rule
    }

    mutating func reserve(_ count: Int) {
        inner.reserve(count)
        rule.reserve(count)
    }

    mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        rule.note(access)
        return inner.lookup(access, &sink)
    }

    mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        let isHeld = inner.contains(access.object)
        guard isHeld || rule.admits(access, to: &inner) else { return false }
        let before = inner.occupancy
        let kept = inner.admit(access, &sink)
        rule.learn(Admitted(size: access.size, wasHeld: isHeld, isHeld: kept, before: before, after: inner.occupancy))
        return kept
    }

    mutating func restore(_ access: Access, expiration: Int64?, _ sink: inout some EvictionSink) -> Bool {
        let (wasHeld, before) = (inner.contains(access.object), inner.occupancy)
        let kept = inner.restore(access, expiration: expiration, &sink)
        rule.learn(Admitted(size: access.size, wasHeld: wasHeld, isHeld: kept, before: before, after: inner.occupancy))
        return kept
    }

    mutating func clear() {
        inner.clear()
        rule.reset()
    }

    mutating func relaunch(at time: Int64) {
        inner.relaunch(at: time)
        rule.reset()
    }

    mutating func liveLookup(_ access: Access, _ evictions: inout EvictionList) -> Lookup {
        rule.note(access)
        return inner.liveLookup(access, &evictions)
    }

    mutating func liveAdmit(_ access: Access, _ evictions: inout EvictionList) -> Bool { admit(access, &evictions) }

    mutating func liveRestore(_ access: Access, expiration: Int64?, _ evictions: inout EvictionList) -> Bool {
        restore(access, expiration: expiration, &evictions)
    }
}

extension Admission: VictimOrdered where Rule.Inner: VictimOrdered {}

/// A rule that decides which new objects an ``Admission`` lets into a policy of type `Inner`.
protocol AdmissionRule {
    associatedtype Inner: TimedPolicy

    /// Prepares the rule for the objects 0 ..< `count`.
    mutating func reserve(_ count: Int)

    /// Notes a lookup, hit or miss. The size is 0 if it is not known, see ``CachePolicy/lookup(_:_:)``.
    mutating func note(_ access: Access)

    /// Returns whether the object, which `policy` does not hold, may enter.
    mutating func admits(_ access: Access, to policy: inout Inner) -> Bool

    /// Notes the effect of an admission, a replacement or a restoration.
    mutating func learn(_ admitted: Admitted)

    /// Forgets everything.
    mutating func reset()
}

/// The effect of an admission, a replacement or a restoration.
struct Admitted {
    var size: Int
    /// Whether the object was held before.
    var wasHeld: Bool
    /// Whether the object is held now.
    var isHeld: Bool
    /// The content of the policy before, and afterwards.
    var before: Occupancy
    var after: Occupancy

    /// Whether other objects left for it.
    var evicted: Bool { after.objects < before.objects &- (wasHeld ? 1 : 0) &+ (isHeld ? 1 : 0) }
}

/// An estimate of a policy's capacity, from what the policy has held and from when it evicted.
///
/// `peak` is never above the capacity. If objects differ in size, it may stay a little below.
struct ObservedCapacity {
    /// The most objects, and the most bytes, that the policy has held.
    private(set) var peak = Occupancy()
    /// Whether an admission has ever evicted an object.
    private(set) var isReached = false
    /// Whether that happened although the bytes would have fitted.
    private var boundsObjects = false

    /// Returns whether an object of `size` bytes fits beside what is held, as far as the estimate goes.
    func fits(_ size: Int, beside held: Occupancy) -> Bool {
        if !isReached { return true }
        if boundsObjects, held.objects >= peak.objects { return false }
        return size <= peak.bytes &- held.bytes
    }

    mutating func learn(_ admitted: Admitted) {
        if admitted.evicted {
            isReached = true
            if admitted.size <= peak.bytes &- admitted.before.bytes { boundsObjects = true }
        }
        peak.objects = max(peak.objects, admitted.after.objects)
        peak.bytes = max(peak.bytes, admitted.after.bytes)
    }
}
