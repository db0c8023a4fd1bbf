#if canImport(ObjectiveC)
import ObjectiveC
#endif

/// A class of the platform as a policy: the class decides what stays, and this structure notes what it has decided.
///
/// An object counts as held from its store until the class announces its eviction, releases it, or does not find it. A
/// class may let objects go at any time, for example when the system has little memory. Such an object counts as held
/// until the next call that changes the policy, and as evicted then.
///
/// Each call costs what the class costs, and a constant beside it: an eviction is noticed by the end of an entry, so
/// nothing has to be searched. A store allocates an entry.
package struct PlatformPolicy<Cache: ObjectCache>: ObjectHoldingPolicy, TimeBlindPolicy {
    private struct Record {
        /// The token of the held entry; 0 for none.
        var token = 0
        var cost = 0
    }

    private let cache: Cache
    private let witness = EvictionWitness()
    package let heldObjects = HeldObjects()
    /// By object.
    private var records: [Record] = []
    private var lastToken = 0
    package private(set) var occupancy = Occupancy()

    package init(_ cache: Cache) { self.cache = cache }

    package func contains(_ object: Int) -> Bool { records[object].token != 0 }

    package mutating func reserve(_ count: Int) {
        if count > records.count { records += Array(repeating: Record(), count: count - records.count) }
    }

    package mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        let found = pooled { () -> Record? in
            guard let entry = cache.find(access.object) else { return nil }
            heldObjects.note(entry.payload)
            return Record(token: entry.token, cost: entry.cost)
        }
        settle(&sink)
        if let found {
            hold(access.object, token: found.token, cost: found.cost)
            return .hit
        }
        // The class has let it go without a word.
        if release(access.object) { sink.evicted(access.object, .capacity) }
        return .miss
    }

    package mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        settle(&sink)
        let earlier = records[access.object]
        lastToken += 1
        let token = lastToken
        hold(access.object, token: token, cost: access.size)
        pooled {
            let payload = heldObjects.offered
            heldObjects.offered = nil
            cache.store(
                ObjectCacheEntry(
                    number: access.object, cost: access.size, payload: payload, token: token, witness: witness))
        }
        var (wasRefused, keepsEarlier) = (false, earlier.token != 0)
        for notice in witness.take() {
            if notice.number == access.object {
                if notice.token == earlier.token { keepsEarlier = false }
                guard notice.token == records[notice.number].token else { continue }
                if !notice.wasAnnounced {
                    wasRefused = true
                    continue
                }
                // It replaced an earlier entry before it left.
                keepsEarlier = false
            }
            leave(notice, &sink)
        }
        if wasRefused, release(access.object), keepsEarlier {
            hold(access.object, token: earlier.token, cost: earlier.cost)
        }
        return contains(access.object)
    }

    package mutating func remove(_ object: Int) {
        pooled {
            if heldObjects.keepsRemoved { heldObjects.note(cache.find(object)?.payload) }
            cache.remove(object)
        }
        _ = release(object)
    }

    package mutating func clear() {
        pooled { cache.removeAll() }
        for object in records.indices { records[object] = Record() }
        occupancy = Occupancy()
        _ = witness.take()
    }

    private mutating func settle(_ sink: inout some EvictionSink) {
        for notice in witness.take() { leave(notice, &sink) }
    }

    private mutating func leave(_ notice: EvictionWitness.Notice, _ sink: inout some EvictionSink) {
        // An entry that was replaced or removed is not held.
        guard notice.token == records[notice.number].token, release(notice.number) else { return }
        sink.evicted(notice.number, .capacity)
    }

    private mutating func hold(_ object: Int, token: Int, cost: Int) {
        guard records[object].token != token else { return }
        _ = release(object)
        records[object] = Record(token: token, cost: cost)
        occupancy = occupancy + Occupancy(objects: 1, bytes: cost)
    }

    /// Returns whether the object was held.
    private mutating func release(_ object: Int) -> Bool {
        let record = records[object]
        guard record.token != 0 else { return false }
        records[object] = Record()
        occupancy = occupancy + Occupancy(objects: -1, bytes: -record.cost)
        return true
    }

    /// Calls `body`, and then releases what the class has returned: an entry that is still referred to looks held.
    private func pooled<Result>(_ body: () -> Result) -> Result {
        #if canImport(ObjectiveC)
        return autoreleasepool(invoking: body)
        #else
        return body()
        #endif
    }
}
