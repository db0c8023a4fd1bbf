import CachePolicies
import CacheTiers
import Synchronization

/// Payloads in memory, named by key, bounded by a policy. Safe under concurrent use.
///
/// The tier remembers all keys that it has seen, also the keys of evicted objects: some policies learn from them.
/// Times are microseconds since any fixed moment, and matter only to policies with lifetimes.
public final class MemoryTier: Sendable {
    private let state: Mutex<State>

    /// Creates an empty tier.
    ///
    /// - Parameters:
    ///   - policy: Decides which objects stay.
    ///   - entryRule: The limit for single objects; nil for none.
    ///   - pinsShown: Whether objects that the app shows are held outside of the policy; see ``show(_:variant:)``.
    ///   - live: Whether objects that the app shows are found after they have left the policy.
    public init(
        _ policy: sending any CachePolicy, entryRule: EntryRule? = nil, pinsShown: Bool = false, live: LiveRule = .none
    ) {
        state = Mutex(
            State(TierLedger(policy, entryRule: entryRule, pinsShown: pinsShown, live: live), isLive: live != .none))
    }

    /// Returns the payload of an object, or nil if the tier does not hold it or it has expired; counts as an access.
    /// The policy receives misses too, with size 0, because the size is not known yet.
    public func payload(for key: String, variant: UInt8 = 1, at time: Int64 = 0) -> MemoryHit? {
        state.withLock { state in
            let known = variant == 0 ? state.thumbnails[key] : state.full[key]
            let number = known ?? state.number(of: key, variant: variant)
            state.advance(to: time)
            guard state.exchange.isEmpty else { return state.exchangedPayload(number, variant, time) }
            let payload = state.payloads[number]
            let access = Access(object: number, size: payload?.count ?? 0, time: time, variant: variant)
            let found = state.ledger.lookup(access)
            state.freeVictims()
            guard found.isHit, let payload else { return nil }
            return MemoryHit(payload: payload, isStale: found == .staleHit)
        }
    }

    /// Stores the payload; returns whether the policy keeps it. `counted` has the number of bytes to count and the
    /// cost, by default the bytes of the payload. `expiration` replaces the policy's own expiration time, for policies
    /// with lifetimes.
    @discardableResult
    public func store(
        _ payload: Payload, for key: String, counting counted: (bytes: Int, cost: Int)? = nil, variant: UInt8 = 1,
        at time: Int64 = 0, expiration: Int64? = nil
    ) -> Bool {
        state.withLock { state in
            state.advance(to: time)
            let number = state.number(of: key, variant: variant)
            let (size, cost) = counted ?? (payload.count, payload.count)
            let access = Access(object: number, size: cost, time: time, variant: variant)
            if state.ledger.ignores(access) {
                state.ledger.noteIgnored(number)
                return state.ledger.contains(number)
            }
            guard state.exchange.isEmpty else {
                return state.exchange(payload, access, expiration: expiration, taking: size)
            }
            state.payloads[number] = payload
            let kept = state.ledger.admit(access, expiration: expiration, taking: size)
            state.freeVictims()
            if !kept { state.payloads[number] = nil }
            return kept
        }
    }

    /// Notes that the app shows an object, in one more cell. A tier that pins shown objects takes it out of the policy:
    /// it is always a hit, and costs nothing against the limits (Glide's active resources). A tier with live objects
    /// still finds it when the policy has evicted it (Flutter, Coil).
    public func show(_ key: String, variant: UInt8 = 1) {
        state.withLock { state in
            let number = state.number(of: key, variant: variant)
            if state.exchange.isEmpty { state.ledger.show(number) } else { state.exchangeShown(number) }
        }
    }

    /// Notes that a cell no longer shows an object. When the last one has gone, the object enters the policy anew.
    public func hide(_ key: String, variant: UInt8 = 1, at time: Int64 = 0) {
        state.withLock { state in
            state.advance(to: time)
            let number = state.number(of: key, variant: variant)
            let access = Access(object: number, size: 0, time: time, variant: variant)
            guard state.exchange.isEmpty else { return state.exchangeHidden(access) }
            state.ledger.hide(access)
            state.freeVictims()
            if !state.ledger.contains(number) { state.payloads[number] = nil }
        }
    }

    /// Removes an object that the app no longer wants: neither an eviction nor an expiration.
    public func remove(_ key: String, variant: UInt8 = 1, at time: Int64 = 0) {
        state.withLock { state in
            state.advance(to: time)
            let number = state.number(of: key, variant: variant)
            state.ledger.remove(number)
            state.payloads[number] = nil
        }
    }

    /// Lets the policy's timers run up to `time`.
    public func advance(to time: Int64) {
        state.withLock { $0.advance(to: time) }
    }

    /// Evicts the policy's next victims until the held objects cost at most `cost`.
    ///
    /// - Throws: `UntrimmablePolicyError` if the policy is not `VictimOrdered`.
    public func trim(to cost: Int) throws {
        try state.withLock { state in
            try state.ledger.trim(to: cost)
            state.freeVictims()
        }
    }

    /// Removes all payloads that are not shown, as a memory warning does. The policy's timers keep running.
    public func clear() {
        state.withLock { state in
            state.ledger.clear()
            state.freeAll()
        }
    }

    /// Removes all payloads and restarts the policy's timers: the app starts again at `time`.
    public func relaunch(at time: Int64) {
        state.withLock { state in
            state.ledger.relaunch(at: time)
            state.freeAll()
        }
    }

    /// Records from now on why payloads are not held. `objects` is the number of objects that are expected.
    public func startJournal(objects: Int) {
        state.withLock { $0.ledger.journal = TierJournal(objects: objects) }
    }

    /// Calls `body` with the journal, under the lock of the tier. Returns nil if there is no journal.
    public func withJournal<Result: Sendable>(_ body: @Sendable (TierJournal) -> Result) -> Result? {
        state.withLock { $0.ledger.journal.map(body) }
    }

    public var occupancy: Occupancy { state.withLock { $0.ledger.occupancy } }

    /// The cost of the objects that the policy holds.
    public var cost: Int { state.withLock { $0.ledger.cost } }

    public var counts: TierCounts { state.withLock { $0.ledger.counts } }

    struct State {
        var ledger: TierLedger
        /// The places where payloads are exchanged with a policy that holds them; empty for all other policies.
        let exchange: [HeldObjects]
        /// Whether objects that the app shows are found after they have left the policy.
        let isLive: Bool
        /// The payload that the last lookup found in a policy that holds payloads, if ``isLive``: its object may be
        /// shown next, and is held here then.
        var lastFound: (number: Int, payload: Payload)?
        /// By number: the bytes of the payload that was stored last. Empty unless the policy holds the payloads.
        var sizes: [Int: Int] = [:]
        let hasTimers: Bool
        /// Key to number.
        var thumbnails: [String: Int] = [:]
        var full: [String: Int] = [:]
        /// By number; nil for objects that are not held, and for those that the policy holds.
        var payloads: [Payload?] = []

        init(_ ledger: TierLedger, isLive: Bool) {
            self.ledger = ledger
            self.isLive = isLive
            hasTimers = ledger.hasTimers
            exchange = ledger.exchangedObjects
        }

        mutating func freeAll() {
            lastFound = nil
            for number in payloads.indices where !ledger.isPinned(number) { payloads[number] = nil }
        }

        mutating func number(of key: String, variant: UInt8) -> Int {
            let number =
                variant == 0
                ? Self.number(of: key, in: &thumbnails, else: payloads.count)
                : Self.number(of: key, in: &full, else: payloads.count)
            if number == payloads.count { payloads.append(nil) }
            return number
        }

        /// Finds or adds the key, and hashes it only once.
        private static func number(of key: String, in numbers: inout [String: Int], else next: Int) -> Int {
            func read(_ number: inout Int) -> Int { number }
            return read(&numbers[key, default: next])
        }

        mutating func advance(to time: Int64) {
            guard hasTimers else { return }
            ledger.advance(to: time)
            freeVictims()
        }

        mutating func freeVictims() {
            ledger.drainVictims { payloads[$0] = nil }
        }
    }
}

public struct MemoryHit: Sendable {
    public var payload: Payload
    /// Whether the object has expired, and is delivered nevertheless.
    public var isStale: Bool
}

/// Payloads that the policy holds, as `nscache(model: platform)` does: they live in a class of the platform only,
/// and are found through it. A payload that the app shows, in a tier that pins shown objects, is outside of the policy
/// and held here.
extension MemoryTier.State {
    mutating func exchangedPayload(_ number: Int, _ variant: UInt8, _ time: Int64) -> MemoryHit? {
        let size = ledger.contains(number) ? sizes[number] ?? 0 : 0
        if isLive, let payload = payloads[number] { for objects in exchange { objects.offer(payload) } }
        let found = ledger.lookup(Access(object: number, size: size, time: time, variant: variant))
        freeVictims()
        defer { if isLive { withdraw() } }
        guard found.isHit, let payload = payloads[number] ?? takeFound() else {
            withdraw()
            return nil
        }
        if isLive { lastFound = (number, payload) }
        return MemoryHit(payload: payload, isStale: found == .staleHit)
    }

    mutating func exchange(_ payload: Payload, _ access: Access, expiration: Int64?, taking size: Int) -> Bool {
        sizes[access.object] = payload.count
        for objects in exchange { objects.offer(payload) }
        let kept = ledger.admit(access, expiration: expiration, taking: size)
        withdraw()
        freeVictims()
        payloads[access.object] = ledger.isPinned(access.object) ? payload : nil
        return kept
    }

    mutating func exchangeShown(_ number: Int) {
        let wasPinned = ledger.isPinned(number)
        guard !isLive else {
            ledger.show(number)
            if !wasPinned, ledger.isPinned(number), let lastFound, lastFound.number == number {
                payloads[number] = lastFound.payload
            }
            lastFound = nil
            return
        }
        for objects in exchange { objects.keepsRemoved = true }
        ledger.show(number)
        for objects in exchange { objects.keepsRemoved = false }
        if !wasPinned, ledger.isPinned(number) { payloads[number] = takeFound() }
        withdraw()
    }

    mutating func exchangeHidden(_ access: Access) {
        if let payload = payloads[access.object] { for objects in exchange { objects.offer(payload) } }
        ledger.hide(access)
        withdraw()
        freeVictims()
        if !ledger.isPinned(access.object) { payloads[access.object] = nil }
    }

    private func takeFound() -> Payload? {
        var found: AnyObject?
        for objects in exchange { if let payload = objects.takeFound() { found = payload } }
        return found as? Payload
    }

    private func withdraw() { for objects in exchange { objects.withdraw() } }
}
