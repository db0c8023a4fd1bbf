import CachePolicies
import Testing

extension SlowTwinTests {
    static let idlePairs: [Pair] = [
        ("idle-trim(count: 3, idle: 4us, lifetime: 30us, delay: 2us, batch: 2)", SlowIdleTrim()),
        (
            "idle-trim(count: 2, idle: 20us, lifetime: 9us, delay: 5us, batch: 1)",
            SlowIdleTrim(count: 2, idle: 20, lifetime: 9, delay: 5, batch: 1)
        ),
    ]
}

/// Rows in the order of storing, which are sorted by each query.
struct SlowIdleTrim: SlowAppTwin {
    struct Row {
        var object: Int
        var touched: Int64
        /// Of equal dates, the later number is the later touch.
        var number: Int
        var isKnown = true
    }

    var count = 3
    var idle: Int64 = 4
    var lifetime: Int64 = 30
    var delay: Int64 = 2
    var batch = 2
    var rows: [Row] = []
    var touches = 0
    var cleanup: Int64?

    var held: [Int] { rows.map(\.object) }

    mutating func lookup(_ access: Access) -> Lookup {
        guard let index = rows.firstIndex(where: { $0.object == access.object }) else {
            cleanup = cleanup ?? access.time + delay
            return .miss
        }
        if !rows[index].isKnown {
            cleanup = cleanup ?? access.time + delay
            touches += 1
            rows[index] = Row(object: access.object, touched: access.time, number: touches)
        }
        return .hit
    }

    mutating func admit(_ access: Access) -> [Int] {
        remove(access.object)
        touches += 1
        rows.append(Row(object: access.object, touched: access.time, number: touches))
        return []
    }

    mutating func restore(_ access: Access, expiration: Int64) -> [Int] {
        remove(access.object)
        touches += 1
        rows.append(
            Row(object: access.object, touched: expiration - lifetime, number: touches, isKnown: false))
        return []
    }

    mutating func advance(to time: Int64) -> [Int] {
        guard let due = cleanup, due <= time else { return [] }
        cleanup = nil
        let newestFirst = rows.sorted { ($0.touched, $0.number) > ($1.touched, $1.number) }
        let over = newestFirst.filter { $0.touched < due - idle }.dropFirst(count).prefix(batch)
        let old = newestFirst.reversed().filter { $0.touched < due - lifetime }.prefix(batch)
        let victims = over.map(\.object) + old.map(\.object).filter { !over.map(\.object).contains($0) }
        rows.removeAll { victims.contains($0.object) }
        return victims
    }

    mutating func background(at time: Int64) -> [Int] { [] }

    mutating func relaunch(at time: Int64) {
        rows = []
        cleanup = nil
    }

    mutating func remove(_ object: Int) { rows.removeAll { $0.object == object } }
}

/// The sequences M1 to M6 of flutter_cache_manager, worked out by hand from its queries.
@Suite("The cleanup of flutter_cache_manager")
struct IdleTrimStories {
    private static let hour: Int64 = 3_600_000_000

    /// A store on the bench, with objects by number.
    private final class Bench {
        var policy: any TimedPolicy
        var left: [Int] = []

        init(count: Int) throws {
            policy = try PolicyContext().policy("idle-trim(count: \(count))").timed()
            policy.reserve(400)
        }

        /// Reads objects, and stores those that are missing.
        func request(_ objects: [Int], at time: Int64) {
            for object in objects {
                let access = Access(object: object, size: 1, time: time)
                var evictions = EvictionList()
                policy.advance(to: time, &evictions)
                if policy.lookup(access, &evictions) == .miss { _ = policy.admit(access, &evictions) }
                left += evictions.victims.map(\.object)
            }
        }

        /// Returns the objects that leave until then.
        func pass(to time: Int64) -> [Int] {
            var evictions = EvictionList()
            policy.advance(to: time, &evictions)
            defer { left = [] }
            return left + evictions.victims.map(\.object)
        }

        /// The app starts again with the files that it has.
        func relaunch(at time: Int64) {
            let files = (0..<400).compactMap { object in policy.expiration(of: object).map { (object, $0) } }
                .sorted { $0.1 < $1.1 }
            policy.relaunch(at: time)
            var evictions = EvictionList()
            for (object, date) in files {
                _ = policy.restore(Access(object: object, size: 1, time: time), expiration: date, &evictions)
            }
        }
    }

    @Test("M1, M2: rows of one day neither count nor leave, and a read in a new process touches")
    func young() throws {
        let bench = try Bench(count: 2)
        bench.request([1, 2, 3], at: 0)
        #expect(bench.pass(to: Self.hour / 10) == [], "three, within a day")
        bench.relaunch(at: 24 * Self.hour)
        bench.request([1], at: 25 * Self.hour)
        #expect(bench.pass(to: 26 * Self.hour) == [], "2 and 3 are two old rows")
        #expect(bench.policy.occupancy.objects == 3)
    }

    @Test("M3: of four old rows and a new one, the two oldest leave, the later touched first")
    func surplus() throws {
        let bench = try Bench(count: 2)
        for object in 1...4 { bench.request([object], at: Int64(object)) }
        _ = bench.pass(to: Self.hour)
        bench.request([5], at: 25 * Self.hour)
        #expect(bench.pass(to: 25 * Self.hour + 9_999_999) == [])
        #expect(bench.pass(to: 25 * Self.hour + 10_000_000) == [2, 1])
    }

    @Test("M4: of 350 old rows, 201 to 300 by recency leave, and the 50 oldest stay")
    func batch() throws {
        let bench = try Bench(count: 200)
        for object in 0..<350 { bench.request([object], at: Int64(object)) }
        _ = bench.pass(to: Self.hour)
        bench.request([350], at: 25 * Self.hour)
        #expect(bench.pass(to: 26 * Self.hour) == (50..<150).reversed())
        // The next cleanup finds the oldest 50 beyond 200.
        bench.request([351], at: 27 * Self.hour)
        #expect(bench.pass(to: 28 * Self.hour) == (0..<50).reversed())
    }

    @Test("M5: a row that was untouched for 31 days leaves at the next cleanup")
    func stale() throws {
        let bench = try Bench(count: 200)
        bench.request([1], at: 0)
        #expect(bench.pass(to: 31 * 24 * Self.hour) == [], "no read, no cleanup")
        bench.request([2], at: 31 * 24 * Self.hour)
        #expect(bench.pass(to: 31 * 24 * Self.hour + 10_000_000) == [1])
    }

    @Test("M6: later reads in one process do not touch")
    func once() throws {
        let bench = try Bench(count: 1)
        bench.request([1, 2], at: 0)
        for hours in [5, 23] { bench.request([1], at: Int64(hours) * Self.hour) }
        bench.request([3], at: 25 * Self.hour)
        // 1 and 2 were touched at 0 h. Of equal dates, 2 was touched last and stays.
        #expect(bench.pass(to: 26 * Self.hour) == [1])
    }
}
