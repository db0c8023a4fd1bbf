import CachePolicies
import Testing

/// ``SlowTwinTests`` with what happens to an app: it goes to the background, and it ends and starts again.
@Suite("Stores that are trimmed, against their slow twins, through backgrounds and launches")
struct TrimAppTests {
    typealias Pair = (specification: String, twin: any SlowAppTwin & Sendable)

    static let pairs: [Pair] = [
        (
            "trim(20B, to: 0.5, atLimit: true, onStore: false, onBackground: true)",
            SlowTrim(bytes: 20, percent: 50, atLimit: true, onStore: false, onBackground: true)
        ),
        (
            "trim(20B, to: 0.5, below: true, onStore: false, onBackground: true)",
            SlowTrim(bytes: 20, percent: 50, below: true, onStore: false, onBackground: true)
        ),
        (
            "trim(4 objects, order: fifo, onStore: false, first: 5us, every: 30us)",
            SlowTrim(.fifo, objects: 4, onStore: false, first: 5, every: 30)
        ),
        (
            "trim(4 objects, to: 0.7, onStore: false, first: 5us, interval: 60us)",
            SlowTrim(objects: 4, percent: 70, onStore: false, first: 5, interval: 60)
        ),
        (
            "trim(20B, onStore: false, first: 5us, every: 40us, interval: 90us)",
            SlowTrim(bytes: 20, onStore: false, first: 5, every: 40, interval: 90)
        ),
        (
            "trim(20B, to: 0.9, below: true, beforeStore: true)",
            SlowTrim(bytes: 20, percent: 90, below: true, before: true)
        ),
        ("trim(20B, order: clock, onBackground: true)", SlowTrim(.clock, bytes: 20, onBackground: true)),
        ("idle-trim(count: 3, idle: 4us, lifetime: 30us, delay: 2us, batch: 2)", SlowIdleTrim()),
        (
            """
            ttl(trim(20B, to: 0.5, atLimit: true, onStore: false, onBackground: true), lifetime: 30us, extendOnAccess: \
            true, removeOnRead: false, granularity: 4us)
            """,
            SlowTTL(
                inner: SlowTrim(bytes: 20, percent: 50, atLimit: true, onStore: false, onBackground: true),
                rules: ExpirationRules(lifetime: 30, extendOnAccess: true, removeOnRead: false, granularity: 4))
        ),
        (
            """
            ttl(trim(20B, order: expiry, to: 0.5, below: true, onStore: false, onBackground: true), lifetime: 30us, \
            checkOnRead: false)
            """,
            SlowTTL(
                inner: SlowTrim(.expiry, bytes: 20, percent: 50, below: true, onStore: false, onBackground: true),
                rules: ExpirationRules(lifetime: 30, checkOnRead: false))
        ),
        (
            "ttl(trim(4 objects, granularity: 5us, onStore: false, every: 20us), lifetime: 30us, sweep: 20us)",
            SlowTTL(
                inner: SlowTrim(objects: 4, granularity: 5, onStore: false, every: 20),
                rules: ExpirationRules(lifetime: 30, sweep: 20))
        ),
    ]

    @Test("Random operations", arguments: pairs, [1, 2, 3])
    func random(pair: Pair, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        try compare(
            pair,
            (0..<10_000).map { _ in (Int(random.next() % 12), Int(random.next() % 100), Int64(random.next() % 3)) })
    }

    /// Stores or reads two objects, stores a large one, background, or a relaunch.
    @Test("Every sequence of five operations of five kinds", arguments: pairs)
    func exhaustive(pair: Pair) throws {
        let kinds: [(Int, Int)] = [(4, 99), (8, 99), (11, 10), (0, 0), (0, 4)]
        for sequence in 0..<3_125 {
            var rest = sequence
            try compare(
                pair,
                (0..<5).map { _ in
                    defer { rest /= 5 }
                    return (kinds[rest % 5].0, kinds[rest % 5].1, 4)
                })
        }
    }

    /// By number: 0 to 3 background, 4 and 5 relaunch, 6 to 9 removal, up to 19 a store, else a read, and a store on a
    /// miss.
    private func compare(_ pair: Pair, _ operations: [(object: Int, kind: Int, step: Int64)]) throws {
        var twin = pair.twin
        var policy = try PolicyContext().policy(pair.specification).timed()
        policy.reserve(12)
        var time: Int64 = 0
        for (index, operation) in operations.enumerated() {
            time += operation.step
            let access = Access(object: operation.object, size: operation.object + 1, time: time)
            // The time of the launch is unknown until the next call, which is not always the passing of time.
            let passes = index % 7 != 0 || operation.kind >= 20
            var evictions = EvictionList()
            var expected: [Int] = []
            if passes {
                policy.advance(to: time, &evictions)
                expected = twin.advance(to: time)
            }
            var same = evictions.victims.map(\.object).sorted() == expected.sorted()
            evictions = EvictionList()
            switch operation.kind {
            case 0...3:
                policy.removeExpired(at: time, &evictions)
                expected = twin.background(at: time)
                let expired = evictions.victims.prefix { $0.reason == .expired }.count
                same = same && Set(evictions.victims.prefix(expired).map(\.object)) == Set(expected.prefix(expired))
                same = same && evictions.victims.dropFirst(expired).map(\.object) == Array(expected.dropFirst(expired))
            case 4, 5:
                let files = twin.held.reversed().enumerated().map { ($1, max(0, time - 8) + Int64($0) * 3) }
                policy.relaunch(at: time)
                twin.relaunch(at: time)
                for (object, date) in files where object != operation.object {
                    let restored = Access(object: object, size: object + 1, time: time)
                    evictions = EvictionList()
                    _ = policy.restore(restored, expiration: date, &evictions)
                    same = same && evictions.victims.map(\.object) == twin.restore(restored, expiration: date)
                }
            case 6...9:
                policy.remove(operation.object)
                twin.remove(operation.object)
            case 10...19:
                _ = policy.admit(access, &evictions)
                same = same && evictions.victims.map(\.object) == twin.admit(access)
            default:
                let found = policy.lookup(access, &evictions)
                same = same && found == twin.lookup(access)
                evictions = EvictionList()
                if found == .miss {
                    _ = policy.admit(access, &evictions)
                    same = same && evictions.victims.map(\.object) == twin.admit(access)
                }
            }
            let held = (0..<12).filter { policy.contains($0) }
            let occupancy = Occupancy(objects: held.count, bytes: held.map { $0 + 1 }.reduce(0, +))
            guard same, held == twin.held.sorted(), policy.occupancy == occupancy else {
                Issue.record(
                    "\(pair.specification), operation \(index) \(operation): holds \(held), twin \(twin.held.sorted())")
                return
            }
        }
    }
}
