import CachePolicies
import Synchronization

/// Payloads in memory, named by key, bounded by a policy. Safe under concurrent use.
///
/// The tier remembers all keys that it has seen, also those of evicted objects: some policies learn from them.
/// Times are microseconds since any fixed moment, and matter only to policies with lifetimes.
public final class MemoryTier: Sendable {
    private let state: Mutex<State>

    public init(_ policy: sending any CachePolicy, entryRule: EntryRule? = nil) {
        let usesTime = type(of: policy).usesTime
        state = Mutex(State(ledger: TierLedger(policy, entryRule: entryRule), usesTime: usesTime))
    }

    /// Returns the payload of an object, or nil if the tier does not hold it or it has expired; counts as an access.
    /// The policy receives misses too, with size 0, because the size is not known yet.
    public func payload(for key: String, variant: UInt8 = 1, at time: Int64 = 0) -> MemoryHit? {
        state.withLock { state in
            let known = variant == 0 ? state.thumbnails[key] : state.full[key]
            let number = known ?? state.number(of: key, variant: variant)
            state.advance(to: time)
            let payload = state.payloads[number]
            let access = Access(object: number, size: payload?.count ?? 0, time: time, variant: variant)
            let found = state.ledger.lookup(access)
            state.freeVictims()
            guard found.isHit, let payload else { return nil }
            return MemoryHit(payload: payload, isStale: found == .staleHit)
        }
    }

    /// Stores the payload; returns whether the policy keeps it. `cost` is by default the number of bytes. `expiration`
    /// replaces the policy's own expiration time, for policies with lifetimes.
    @discardableResult
    public func store(
        _ payload: Payload, for key: String, cost: Int? = nil, variant: UInt8 = 1, at time: Int64 = 0,
        expiration: Int64? = nil
    ) -> Bool {
        state.withLock { state in
            state.advance(to: time)
            let number = state.number(of: key, variant: variant)
            let access = Access(object: number, size: cost ?? payload.count, time: time, variant: variant)
            if state.ledger.ignores(cost: access.size) { return state.ledger.contains(number) }
            state.payloads[number] = payload
            let kept = state.ledger.admit(access, expiration: expiration, taking: payload.count)
            state.freeVictims()
            if !kept { state.payloads[number] = nil }
            return kept
        }
    }

    /// Lets the policy's timers run up to `time`.
    public func advance(to time: Int64) {
        state.withLock { $0.advance(to: time) }
    }

    /// Evicts the policy's next victims until the objects held cost at most `cost`.
    public func trim(to cost: Int) {
        state.withLock { state in
            state.ledger.trim(to: cost)
            state.freeVictims()
        }
    }

    /// The system is short of memory: removes all objects.
    public func memoryWarning() { removeAll() }

    public func removeAll() {
        state.withLock { state in
            state.ledger.removeAll()
            for number in state.payloads.indices { state.payloads[number] = nil }
        }
    }

    public var occupancy: Occupancy { state.withLock { $0.ledger.occupancy } }

    public var counts: TierCounts { state.withLock { $0.ledger.counts } }

    private struct State {
        var ledger: TierLedger
        let usesTime: Bool
        /// Key to number.
        var thumbnails: [String: Int] = [:]
        var full: [String: Int] = [:]
        /// By number; nil for objects that are not held.
        var payloads: [Payload?] = []

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
            guard usesTime else { return }
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
