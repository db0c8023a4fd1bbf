import CachePolicies
import Synchronization

/// Payloads in memory, named by key, bounded by a policy. Safe under concurrent use.
///
/// The tier remembers the keys that it has seen, also of those that have left: some policies learn from them.
/// Times are microseconds since any fixed moment, and matter only to policies with lifetimes.
public final class MemoryTier: Sendable {
    private let state: Mutex<State>

    public init(_ policy: sending any CachePolicy) {
        let usesTime = type(of: policy).usesTime
        state = Mutex(State(ledger: TierLedger(policy), usesTime: usesTime))
    }

    /// The payload under `key`, if it is there and fit to be delivered; counts as an access.
    public func payload(for key: String, variant: UInt8 = 1, at time: Int64 = 0) -> MemoryHit? {
        state.withLock { state in
            guard let number = state.numbers[Int(variant)][key] else { return nil }
            state.advance(to: time)
            guard let payload = state.payloads[number] else { return nil }
            let access = Access(object: number, size: payload.count, time: time, variant: variant)
            let found = state.ledger.lookup(access)
            state.freeVictims()
            return found.isHit ? MemoryHit(payload: payload, isStale: found == .staleHit) : nil
        }
    }

    /// Stores the payload; returns whether the policy keeps it. `cost`: what it counts for, the payload's bytes unless given.
    @discardableResult
    public func store(
        _ payload: Payload, for key: String, cost: Int? = nil, variant: UInt8 = 1, at time: Int64 = 0
    ) -> Bool {
        state.withLock { state in
            state.advance(to: time)
            let number = state.number(of: key, variant: variant)
            let access = Access(object: number, size: cost ?? payload.count, time: time, variant: variant)
            state.payloads[number] = payload
            let kept = state.ledger.admit(access)
            state.freeVictims()
            if !kept { state.payloads[number] = nil }
            return kept
        }
    }

    /// Lets the policy's timers run up to `time`.
    public func advance(to time: Int64) {
        state.withLock { $0.advance(to: time) }
    }

    /// The system is short of memory: everything goes.
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
        /// Key to number, for thumbnails and for full images.
        var numbers: [[String: Int]] = [[:], [:]]
        /// By number; nil for objects that are not held.
        var payloads: [Payload?] = []

        mutating func number(of key: String, variant: UInt8) -> Int {
            if let number = numbers[Int(variant)][key] { return number }
            payloads.append(nil)
            numbers[Int(variant)][key] = payloads.count - 1
            return payloads.count - 1
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
    /// Past its lifetime, and delivered all the same.
    public var isStale: Bool
}
