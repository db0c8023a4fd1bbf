import Basics

/// A class of the platform that holds objects by number, as ``PlatformPolicy`` calls it.
package protocol ObjectCache: AnyObject {
    /// Returns the entry under a number; for the class, this is an access.
    func find(_ number: Int) -> ObjectCacheEntry?
    /// Stores an entry under its number, in place of an earlier one.
    func store(_ entry: ObjectCacheEntry)
    func remove(_ number: Int)
    func removeAll()
}

/// An entry of a class of the platform: a payload, or a placeholder without one.
///
/// The class alone refers to an entry. The end of the entry is noted, so that its policy learns that the class has let
/// it go, whether or not the class says so.
///
/// Unchecked Sendable: the class may release it on any thread. Nothing in it changes, and `EvictionWitness` has a lock.
package final class ObjectCacheEntry: @unchecked Sendable {
    package let number: Int
    let cost: Int
    let payload: AnyObject?
    /// Tells entries of one number apart; above 0.
    let token: Int
    private let witness: EvictionWitness

    init(number: Int, cost: Int, payload: AnyObject?, token: Int, witness: EvictionWitness) {
        (self.number, self.cost, self.payload) = (number, cost, payload)
        (self.token, self.witness) = (token, witness)
    }

    deinit { witness.note(number, token, wasAnnounced: false) }

    /// Notes that the class has announced the eviction of this entry.
    package func noteEviction() { witness.note(number, token, wasAnnounced: true) }
}

/// Collects what a class of the platform lets go, on any thread, also while the class holds its own lock.
final class EvictionWitness: Sendable {
    struct Notice {
        var number: Int
        var token: Int
        /// Whether the class said that it evicts the entry. Otherwise, the entry was released.
        var wasAnnounced: Bool
    }

    private let notices = Locked<[Notice]>([])

    func note(_ number: Int, _ token: Int, wasAnnounced: Bool) {
        notices.withLock { $0.append(Notice(number: number, token: token, wasAnnounced: wasAnnounced)) }
    }

    /// Returns the notices since the last call, in order.
    func take() -> [Notice] {
        notices.withLock { notices in
            guard !notices.isEmpty else { return [] }
            defer { notices.removeAll(keepingCapacity: true) }
            return notices
        }
    }
}
