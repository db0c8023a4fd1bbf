#if canImport(Foundation)
import Foundation

/// The NSCache of this machine's Foundation, not a model of it: Darwin's class on a Mac, the class of
/// swift-corelibs-foundation on Linux. A limit of 0 is no limit.
///
/// Evictions come through the class's delegate. On Linux, the class calls it while it holds its lock, so the delegate
/// only notes the entry. On Darwin, the class calls it for objects that are replaced or removed too; the policy knows
/// these. An insert of the class on Linux walks past all cheaper entries, so its time grows with their number.
final class PlatformNSCache: ObjectCache {
    private let cache = NSCache<NSNumber, ObjectCacheEntry>()
    /// The class does not retain its delegate.
    private let delegate = Delegate()

    init(costLimit: Int, countLimit: Int) {
        cache.totalCostLimit = costLimit
        cache.countLimit = countLimit
        cache.delegate = delegate
    }

    // Without it, the entries of the class on Linux retain each other.
    deinit { cache.removeAllObjects() }

    func find(_ number: Int) -> ObjectCacheEntry? { cache.object(forKey: NSNumber(value: number)) }

    func store(_ entry: ObjectCacheEntry) {
        cache.setObject(entry, forKey: NSNumber(value: entry.number), cost: entry.cost)
    }

    func remove(_ number: Int) { cache.removeObject(forKey: NSNumber(value: number)) }

    func removeAll() { cache.removeAllObjects() }

    private final class Delegate: NSObject, NSCacheDelegate {
        func cache(_ cache: NSCache<AnyObject, AnyObject>, willEvictObject object: Any) {
            (object as? ObjectCacheEntry)?.noteEviction()
        }
    }
}
#endif
