import CachePolicies
import Foundation
import Testing

#if !canImport(Darwin)
/// The real class of this platform, seen from outside: who was evicted, in order.
private final class EvictionWitness: NSObject, NSCacheDelegate {
    final class Value {
        let object: Int
        init(_ object: Int) { self.object = object }
    }

    var victims: [Int] = []

    func cache(_ cache: NSCache<AnyObject, AnyObject>, willEvictObject object: Any) {
        if let value = object as? Value { victims.append(value.object) }
    }
}

@Suite("The corelibs model against the real NSCache of swift-corelibs-foundation")
struct FoundationNSCacheTests {
    /// 300,000 operations under each of four pairs of limits: 1.2 million in all.
    @Test("Same hits, same victims in the same order", arguments: [(0, 40), (900, 0), (900, 40), (1_500, 25)])
    func randomOperations(cost: Int, count: Int) throws {
        let real = NSCache<NSNumber, EvictionWitness.Value>()
        let witness = EvictionWitness()
        real.delegate = witness
        real.totalCostLimit = cost
        real.countLimit = count
        var model = try PolicyContext().policy("nscache(cost: \(cost)B, count: \(count), model: corelibs)")
        model.reserve(200)
        var evictions = EvictionList()
        var random = SeededGenerator(seed: UInt64(cost * 1_000 + count))
        var hits = 0
        for operation in 0..<300_000 {
            let object = Int(random.next() % 200)
            let key = NSNumber(value: object)
            switch random.next() % 100 {
            case 0..<50:
                let found = real.object(forKey: key) != nil
                let expected = model.lookup(Access(object: object, size: 0), &evictions).isHit
                guard found == expected else {
                    Issue.record("operation \(operation): the real cache \(found ? "has" : "lacks") \(object)")
                    return
                }
                if found { hits += 1 }
            case 50..<97:
                // Few distinct costs, so that ties are frequent; now and then one above the limit.
                let size = random.next() % 50 == 0 ? 2_000 : Int(random.next() % 12) * 10
                real.setObject(EvictionWitness.Value(object), forKey: key, cost: size)
                _ = model.admit(Access(object: object, size: size), &evictions)
            case 97, 98:
                real.removeObject(forKey: key)
                model.remove(object)
            default:
                guard random.next() % 100 == 0 else { continue }
                real.removeAllObjects()
                model.clear()
            }
            guard witness.victims == evictions.victims.map(\.object) else {
                Issue.record("operation \(operation): real victims \(witness.victims), model \(evictions.victims)")
                return
            }
            witness.victims.removeAll(keepingCapacity: true)
            evictions.victims.removeAll(keepingCapacity: true)
        }
        #expect(hits > 5_000)
    }
}
#endif
