import CachePolicies
import Testing

/// One policy on the bench: objects are letters, lower case for thumbnails; times are seconds, and victims are listed
/// in letters.
private final class Bench {
    private var policy: any TimedPolicy
    private var time: Int64 = 0
    private var sizes: [Int: Int] = [:]

    init(_ specification: String) throws {
        policy = try PolicyContext().policy(specification).timed()
        policy.reserve(256)
    }

    var bytes: Int { policy.occupancy.bytes }

    var held: String { letters((0..<256).filter { policy.contains($0) }) }

    /// Stores `A30 B20`, one after the other; returns who left.
    @discardableResult
    func store(_ words: String, at seconds: Double? = nil) -> String {
        let before = pass(to: seconds)
        return before
            + words.split(separator: " ").map { word in
                let object = Int(word.first?.asciiValue ?? 0)
                sizes[object] = Int(word.dropFirst()) ?? 1
                return collecting { _ = $0.admit(access(object), &$1) }
            }.joined()
    }

    /// Reads `A B`; answers with a mark for each, as ``play(_:on:)`` does.
    @discardableResult
    func read(_ words: String, at seconds: Double? = nil) -> String {
        _ = pass(to: seconds)
        return words.split(separator: " ").map { word in
            var found = Lookup.miss
            _ = collecting { found = $0.lookup(access(Int(word.first?.asciiValue ?? 0)), &$1) }
            return found == .hit ? "H" : found == .staleHit ? "S" : "M"
        }.joined()
    }

    func wait(until seconds: Double) -> String { pass(to: seconds) }

    func background(at seconds: Double? = nil) -> String {
        let before = pass(to: seconds)
        return before + collecting { $0.removeExpired(at: time, &$1) }
    }

    /// The app ends and starts again with these files, of these dates.
    func relaunch(with words: String, expiring dates: [Double], at seconds: Double) -> String {
        time = Int64(seconds * 1e6)
        policy.relaunch(at: time)
        return zip(words.split(separator: " "), dates).map { word, date in
            let object = Int(word.first?.asciiValue ?? 0)
            sizes[object] = Int(word.dropFirst()) ?? 1
            return collecting { _ = $0.restore(access(object), expiration: Int64(date * 1e6), &$1) }
        }.joined()
    }

    private func access(_ object: Int) -> Access {
        Access(object: object, size: sizes[object] ?? 0, time: time, variant: object >= 97 ? 0 : 1)
    }

    private func pass(to seconds: Double?) -> String {
        if let seconds { time = Int64(seconds * 1e6) }
        return collecting { $0.advance(to: time, &$1) }
    }

    private func collecting(_ body: (inout any TimedPolicy, inout EvictionList) -> Void) -> String {
        var evictions = EvictionList()
        body(&policy, &evictions)
        return letters(evictions.victims.map(\.object))
    }

    private func letters(_ objects: [Int]) -> String {
        String(String.UnicodeScalarView(objects.compactMap(Unicode.Scalar.init)))
    }
}

@Suite("Trims as in the libraries")
struct TrimStories {
    @Test("Nuke 12, memory: least recently used, on store, cost then count; too large an object takes all with it")
    func nuke12() throws {
        let bench = try Bench("trim(100B, 3 objects)")
        #expect(bench.store("A40 B30") == "")
        #expect(bench.read("A") == "H")
        #expect(bench.store("C30") == "", "100 of 100 bytes")
        #expect(bench.store("D10") == "B", "110: B, 30, is the least recently used")
        #expect(bench.store("E5") == "A", "85 bytes, but four objects")
        // C30 D10 E5 and 100 more.
        #expect(bench.store("F100") == "CDE")
        #expect(bench.store("G101") == "FG")
        #expect(bench.bytes == 0)
        // Stored again: the newest, with its new size.
        bench.store("A10 B10 A20 C60")
        #expect(bench.bytes == 90)
        #expect(bench.store("D20") == "B", "110: B, 10")
    }

    @Test("Nuke from 13.0.5, memory: a clock, under which an object may be evicted by its own insertion (B7)")
    func nuke13() throws {
        var bench = try Bench("trim(2 objects, order: clock)")
        bench.store("A")
        #expect(bench.read("A") == "H")
        bench.store("B")
        #expect(bench.read("B") == "H")
        #expect(bench.store("C") == "C", "A and B are marked and go behind C")
        #expect(bench.read("A B C") == "HHM")
        // LRU, Nuke 12, on the same.
        #expect(try play("A A B B C A", on: "trim(2 objects)") == "MHMHMM")

        // An overwrite marks as a read does: A is passed, and has no mark any more, behind C.
        bench = try Bench("trim(2 objects, order: clock)")
        bench.store("A B A")
        #expect(bench.store("C") == "B")
        #expect(bench.store("D") == "C")
        #expect(bench.store("E") == "A")
    }

    @Test("AlamofireImage, memory: above 100 MB, down to 60 MB (B22)")
    func alamofire() throws {
        var policy = try PolicyContext().policy("trim(100MB, to: 0.6)")
        policy.reserve(200)
        var evictions = EvictionList()
        for image in 0..<100 { _ = policy.admit(Access(object: image, size: 1_000_000), &evictions) }
        #expect(evictions.victims.isEmpty)
        #expect(policy.lookup(Access(object: 0, size: 0), &evictions) == .hit)
        #expect(policy.admit(Access(object: 100, size: 1_000_000), &evictions))
        // 41 of them, the oldest access first: 1, 2, … 41, and not 0, which was read.
        #expect(evictions.victims.map(\.object) == Array(1...41))
        #expect(policy.occupancy == Occupancy(objects: 60, bytes: 60_000_000))
    }

    @Test("Kingfisher, disk: in the background what has expired, then, from the limit on, down to half of it")
    func kingfisherDisk() throws {
        let store = "trim(100B, to: 0.5, atLimit: true, onStore: false, onBackground: true)"
        let kept = "ttl(\(store), lifetime: 7d, extendOnAccess: true, removeOnRead: false, granularity: 1s)"
        var bench = try Bench(kept)
        #expect(bench.store("A30 B30 C40 D20", at: 1) == "")
        #expect(bench.read("A", at: 2) == "H")
        #expect(bench.bytes == 120)
        #expect(bench.background(at: 3) == "BC", "120, 90, 50")
        #expect(bench.store("E49", at: 4) == "")
        #expect(bench.background(at: 5) == "", "99 of 100")
        bench.store("F1", at: 6)
        #expect(bench.background(at: 7) == "DA", "100, 80, 50: D was stored before A was read")

        // A has expired; without it, B alone is no reason to trim, though it was accessed before A was.
        bench = try Bench("ttl(\(store), lifetime: 10s, removeOnRead: false, granularity: 1s)")
        bench.store("A60", at: 0)
        bench.store("B50", at: 5)
        #expect(bench.read("A", at: 8) == "H")
        #expect(bench.background(at: 11) == "A")
        #expect(bench.held == "B")
    }

    @Test("Nuke, data cache: once per launch, 5 s after it, down to 70 %")
    func nukeDataCache() throws {
        let bench = try Bench("trim(100B, to: 0.7, onStore: false, first: 5s)")
        #expect(bench.store("A30 B30 C30 D30", at: 1) == "")
        #expect(bench.read("A", at: 4.999_999) == "H")
        #expect(bench.wait(until: 5) == "BC", "120, 90, 60")
        #expect(bench.store("E100", at: 6) == "")
        #expect(bench.wait(until: 100_000) == "", "never again")
        #expect(bench.bytes == 160)
        // At 200,000 s it is launched again; its files come oldest first.
        #expect(bench.relaunch(with: "D30 A30 E100", expiring: [0, 0, 0], at: 200_000) == "")
        #expect(bench.wait(until: 200_004.999_999) == "")
        #expect(bench.wait(until: 200_005) == "DAE", "160, 130, 100, 0: E alone is above 70")
    }

    @Test("YYDiskCache: every 60 s, by whole seconds, and within one by insertion (B12)")
    func yyDiskCache() throws {
        let bench = try Bench("trim(2 objects, granularity: 1s, onStore: false, every: 60s)")
        bench.store("A", at: 7)
        bench.store("B", at: 7.1)
        bench.store("C", at: 7.2)
        #expect(bench.read("A", at: 7.9) == "H")
        #expect(bench.wait(until: 59.999_999) == "")
        #expect(bench.wait(until: 60) == "A", "LRU would let B go")
        #expect(bench.read("B", at: 61) == "H")
        bench.store("D", at: 62)
        #expect(bench.wait(until: 120) == "C", "read and stored at 7, 61 and 62 s")
        // A row that is stored again is a new row.
        bench.store("B E D", at: 130)
        bench.store("B", at: 130.5)
        #expect(bench.wait(until: 180) == "E")
        #expect(bench.held == "BD")
    }

    @Test("Nuke, data cache: no trim within 1,800 s of the last, in whatever launch")
    func nukeInterval() throws {
        let bench = try Bench("trim(100B, to: 0.7, onStore: false, first: 5s, interval: 30min)")
        #expect(bench.store("A60 B60", at: 6) == "", "5 s after the launch there was nothing to trim")
        #expect(bench.relaunch(with: "A60 B60", expiring: [0, 0], at: 8) == "")
        #expect(bench.wait(until: 1_000) == "")
        // The last trim was at 5 s. What counts is the launch, not the moment of the trim.
        #expect(bench.relaunch(with: "A60 B60", expiring: [0, 0], at: 1_804) == "")
        #expect(bench.wait(until: 1_900) == "")
        #expect(bench.relaunch(with: "A60 B60", expiring: [0, 0], at: 1_905) == "")
        #expect(bench.wait(until: 1_910) == "A")
    }

    @Test("Fresco, disk: before a store, above the limit, to less than 90 %")
    func fresco() throws {
        var bench = try Bench("trim(100B, to: 0.9, below: true, beforeStore: true)")
        #expect(bench.store("A60 B60") == "", "60 bytes are within the limit when B is stored")
        #expect(bench.read("A") == "H")
        #expect(bench.store("C1") == "B", "120, 60")
        bench = try Bench("trim(100B, to: 0.9, below: true, beforeStore: true)")
        #expect(bench.store("A30 B90") == "")
        #expect(bench.store("C1") == "AB", "120, 90: not below 90")
        // The next launch restores files above the limit, and trims at its first store.
        #expect(bench.relaunch(with: "A60 B60 C1", expiring: [0, 0, 0], at: 10) == "")
        #expect(bench.store("D1", at: 11) == "A", "121, 61")
    }

    @Test("hyperoslo Cache, disk: the earliest expiration first, above the limit down to less than half")
    func hyperoslo() throws {
        let store = "trim(100B, order: expiry, to: 0.5, below: true, onStore: false, onBackground: true)"
        var bench = try Bench("ttl(\(store), lifetime: 60s, checkOnRead: false)")
        bench.store("A50", at: 1)
        bench.store("B30", at: 2)
        bench.store("C21", at: 3)
        #expect(bench.read("A", at: 4) == "H")
        #expect(bench.background(at: 5) == "AB", "101, 51, 21: reading A has put nothing off")
        // Files that were there before keep their dates, in whatever order they are found.
        bench = try Bench(store)
        #expect(bench.relaunch(with: "A40 B40 C21", expiring: [130, 110, 120], at: 100) == "")
        #expect(bench.background(at: 101) == "BC", "101, 61, 40")
        // Renewed by a read, A is no longer the first to expire.
        bench = try Bench("ttl(\(store), lifetime: 60s, extendOnAccess: true)")
        bench.store("A49", at: 1)
        bench.store("B52", at: 2)
        #expect(bench.read("A", at: 4) == "H")
        #expect(bench.background(at: 5) == "B")
    }

    @Test("Chromium, disk: above 95 %, down to 90 %, by seconds since the last use times bytes (C5, C9)")
    func chromium() throws {
        let order = "order: age-size, granularity: 1s, from: 0.95, to: 0.9"
        func store(_ limit: String) -> String { "trim(\(limit), \(order))" }
        let mebibyte = 1 << 20
        var bench = try Bench(store("20MiB"))
        bench.store("A\(mebibyte)", at: 0)
        bench.store("B\(10 * mebibyte)", at: 800)
        // At 1,000 s A has 1,000 x 1,049,088 and B 200 x 10,486,272, which is twice as much.
        #expect(bench.store("C\(9 * mebibyte)", at: 1_000) == "B", "20 MiB, down to 18 at most")
        #expect(bench.bytes == 10 * mebibyte)
        // A read renews the time.
        bench = try Bench(store("20MiB"))
        bench.store("A\(mebibyte)", at: 0)
        bench.store("B\(10 * mebibyte)", at: 800)
        #expect(bench.read("B", at: 950) == "H")
        #expect(bench.store("C\(9 * mebibyte)", at: 1_000) == "AB", "50 s are 0.52e9, less than 1.05e9")

        bench = try Bench(store("100B"))
        bench.store("A6", at: 0)
        bench.store("B88", at: 1)
        #expect(bench.store("C1", at: 2) == "", "95 of 100")
        // A: 3 x 518, B: 2 x 600, C: 1 x 513.
        #expect(bench.store("D1", at: 3) == "A", "96, down to 90")
        // In the same second all products are 0, and the oldest object leaves.
        bench = try Bench(store("100B"))
        #expect(bench.store("A50 B45 C5", at: 1) == "A")
    }

    @Test("A limit of 0 is none, and the limits of both measures are independent")
    func noLimit() throws {
        var bench = try Bench("trim(0B, 2 objects, to: 0.5)")
        #expect(bench.store("A900 B900") == "")
        #expect(bench.store("C900") == "AB")
        bench = try Bench("trim(0 objects)")
        #expect(bench.store("A B C") == "")
        // 0.29 of 100 is less than 29 in binary, and 29 all the same.
        bench = try Bench("trim(100B, to: 0.29)")
        bench.store("A72 B28")
        #expect(bench.store("C1") == "A", "101, 29")
        bench = try Bench("trim(100B, 9 objects, to: 0.5)")
        #expect(
            bench.store("A1 B1 C1 D1 E1 F1") == "", "six are more than half of nine: that is the target, not the limit")
    }
}

@Suite("Lifetimes as in the libraries")
struct LifetimeStories {
    @Test("Kingfisher, memory: an expired read is a miss, and the object stays and costs until the sweep")
    func kingfisherMemory() throws {
        let cache = "nscache(cost: 100B), lifetime: 300s, sweep: 120s, extendOnAccess: true"
        let bench = try Bench("ttl(\(cache), removeOnRead: false)")
        bench.store("A60", at: 0)
        #expect(bench.read("A", at: 50) == "H", "until 350 s")
        #expect(bench.read("A", at: 350) == "M")
        #expect(bench.read("A", at: 351) == "M", "nor is it renewed by that")
        #expect(bench.bytes == 60)
        #expect(bench.store("B60", at: 352) == "A", "120 bytes: it is in the way")
        bench.store("A10", at: 353)
        #expect(bench.wait(until: 719.9) == "", "expired at 652 and 653 s")
        #expect(bench.wait(until: 720) == "BA")
    }

    @Test("A sweep and an inner timer run at their moments, whatever the steps of time")
    func turns() throws {
        // Swept at 10, 20, … s, trimmed at 15 s: by then A has been swept, and two are not too many.
        for steps in [[40.0], [10, 15, 40], [9.5, 10, 11, 14, 15, 16, 19, 20, 21, 40]] {
            let bench = try Bench("ttl(trim(2 objects, onStore: false, first: 15s), lifetime: 9s, sweep: 10s)")
            bench.store("A", at: 1)
            bench.store("B C", at: 2)
            #expect(bench.read("A", at: 9) == "H")
            #expect(steps.map { bench.wait(until: $0) }.joined() == "ABC", "a trim would have begun with B")
        }
    }

    @Test("A sweep that was missed before a launch does not put the launch back")
    func missedSweep() throws {
        let half = "trim(1 objects, onStore: false, first: 5s)"
        let bench = try Bench("ttl(split(thumbnail: \(half), full: \(half)), lifetime: 9s, sweep: 10s)")
        bench.store("A", at: 1)
        // A expired at 43 s, long before the launch at 100 s, at which there was no thumbnail.
        #expect(bench.relaunch(with: "A", expiring: [43], at: 100) == "")
        #expect(bench.store("a b", at: 102) == "A")
        #expect(bench.wait(until: 104.9) == "")
        #expect(bench.wait(until: 105) == "a")
    }

    @Test("A sum in 32 bits is negative from 2 GiB on, and small again after an overflow")
    func sums32() throws {
        func held(_ objects: Int) throws -> Int {
            var policy = try PolicyContext().policy("trim(1GB, onStore: false, every: 60s, sums32: true)").timed()
            policy.reserve(objects)
            var evictions = EvictionList()
            for object in 0..<objects { _ = policy.admit(Access(object: object, size: 100_000_000), &evictions) }
            policy.advance(to: 60_000_000, &evictions)
            return policy.occupancy.objects
        }
        #expect(try held(10) == 10)
        #expect(try held(21) == 10)
        // 2,200,000,000 is above 2^31.
        #expect(try held(22) == 22)
        // 5,000,000,000 less 2^32 is 705,032,704; 5,400,000,000 is 1,105,032,704: two leave.
        #expect(try held(50) == 50)
        #expect(try held(54) == 52)
    }
}
