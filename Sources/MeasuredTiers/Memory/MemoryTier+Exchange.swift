import CachePolicies
import CacheTiers

/// Payloads that the policy holds, as those of `nscache(model: platform)`: they live in a class of the platform only,
/// and are found through it. A payload that the app shows, in a tier that pins shown objects, is outside of the policy
/// and held here.
extension MemoryTier.State {
    mutating func exchangedPayload(_ number: Int, _ variant: UInt8, _ time: Int64) -> MemoryHit? {
        let size = ledger.contains(number) ? sizes[number] ?? 0 : 0
        let found = ledger.lookup(Access(object: number, size: size, time: time, variant: variant))
        freeVictims()
        guard found.isHit, let payload = payloads[number] ?? takeFound() else {
            withdraw()
            return nil
        }
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
