import Foundation

/// The NSCache of this machine's Foundation.
public final class PlatformSubject: ProbeSubject {
    private final class Value {
        let number: Int

        init(_ number: Int) { self.number = number }
    }

    public init() {}

    public func answers(to sequence: ProbeSequence) -> [ProbeAnswer] {
        let cache = NSCache<NSNumber, Value>()
        cache.totalCostLimit = sequence.limits.cost
        cache.countLimit = sequence.limits.count
        // On Linux, the entries of a cache that is released retain each other.
        defer { cache.removeAllObjects() }
        var stored: [Int: Int] = [:]
        return sequence.all.enumerated().compactMap { position, operation in
            switch operation {
            case .store(let key, let cost):
                cache.setObject(Value(position), forKey: NSNumber(value: key), cost: cost)
                stored[key] = position
            case .remove(let key):
                cache.removeObject(forKey: NSNumber(value: key))
                stored[key] = nil
            case .get(let key):
                guard let value = cache.object(forKey: NSNumber(value: key)) else { return .miss }
                return value.number == stored[key] ? .hit : .wrong
            }
            return nil
        }
    }
}
