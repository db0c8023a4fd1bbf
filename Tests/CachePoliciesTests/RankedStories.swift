import Basics
import CachePolicies
import Testing

@Suite("Policies that rank objects, on small stories")
struct RankedStories {
    @Test(
        "Hits and misses of short sequences, worked out by hand",
        arguments: [
            // B was asked for once, A twice: B makes room for C although it is younger, and C for B.
            ("lfu(2 objects)", "A A B C A B C", "MHMMHMM"),
            // Both once: A is older.
            ("lfu(2 objects)", "A B C B A", "MMMHM"),
            // No aging: A with three hits outlives everything. With it: B and C enter at rank 1, and 2, and 3 ..., and
            // A leaves at 4.
            ("lfu(2 objects)", "A A A A B C B C B C A", "MHHHMMMMMMH"),
            ("lfuda(2 objects)", "A A A A B C B C B C A", "MHHHMMMMMHM"),
            // Ranks, in millionths: A 1/1, B 1/4, C 1/5. C pushes B out, and B C.
            ("gdsf(10B)", "A1 B4 C6 A1 B4 C6", "MMMHMM"),
            // By frequency: B with three accesses is worth 3/4, above C's 1/2, and leaves C out of the next choice.
            ("gdsf(6B)", "B4 B4 B4 C2 D2 B4 C2", "MHHMMHM"),
            // At C, A is worth 2/5 and B 3/10: B leaves. In packets both cost little more than their size, and B's
            // frequency decides: A leaves.
            ("gdsf(15kB)", "A5000 B10000 A5000 B10000 B10000 C5000 A5000", "MMHHHMH"),
            ("gdsf(15kB, cost: packets)", "A5000 B10000 A5000 B10000 B10000 C5000 A5000", "MMHHHMM"),
            // Without: B is worth 1/4, C 1/2 and D 1/2, so B leaves for D.
            ("greedy-dual-size(6B)", "B4 B4 B4 C2 D2 B4 C2", "MHHMMMM"),
            // B is the largest, then D; A stays.
            ("size(10B)", "A2 B5 C3 D4 A2 C3 D4 B5", "MMMMHHHM"),
            // At C, A has 3 accesses in 4, B 1 in 1 (more): A leaves.
            ("hyperbolic(2 objects)", "A A A B C B A", "MHHMMHM"),
            // The same, C coming later: A has 3 in 6, B 1 in 3: B leaves.
            ("hyperbolic(2 objects)", "A A A B D9 C A B", "MHHMMMMM"),
            // Nothing learned: class and age alike, the denser are the smaller and the more recent. B of 5 leaves for
            // C.
            ("lhd(7B)", "A2 B5 C2 A2 B5", "MMMHM"),
        ])
    func story(specification: String, accesses: String, expected: String) throws {
        #expect(try play(accesses, on: specification) == expected)
    }

    @Test("A draw below a limit gives every number below it, as often as any other")
    func draws() {
        var random = SplitMix64(seed: 1)
        var counts = [Int](repeating: 0, count: 10)
        for _ in 0..<100_000 { counts[random.next(below: 10)] += 1 }
        #expect(counts.allSatisfy { (9_500...10_500).contains($0) })
        #expect((0..<100).map { _ in random.next(below: 1) }.allSatisfy { $0 == 0 })
        #expect((0..<100).map { _ in random.next(below: 1 << 32) }.allSatisfy { (0..<1 << 32).contains($0) })
    }

    @Test("The heap against a dictionary: insertions, changes, removals, and rises that it is not notified of")
    func heap() {
        var heap = IndexedHeap(filler: RankAndTie(0, tie: 0))
        heap.reserve(100)
        var keys: [Int: RankAndTie<Int>] = [:]
        var random = SeededGenerator(seed: 31)
        for step in 0..<30_000 {
            let object = Int(random.next() % 100)
            let key = RankAndTie(Int(random.next() % 20), tie: step)
            switch random.next() % 9 {
            case 0..<4 where keys[object] == nil:
                heap.insert(object, key)
                keys[object] = key
            case 0..<4:
                heap.update(object, to: key)
                keys[object] = key
            case 4, 5:
                if keys.removeValue(forKey: object) != nil { heap.remove(object) }
            case 6:
                // Some rise; the heap hears of it only when it is asked.
                for (object, key) in keys where random.next() % 4 == 0 {
                    keys[object] = RankAndTie(key.rank + 3, tie: key.tie)
                }
                #expect(heap.lowest(byRisen: { keys[$0] ?? key }) == keys.min { $0.value < $1.value }?.key)
                for (object, key) in keys { heap.update(object, to: key) }
            case 7:
                // Also by the lowest object itself.
                guard let lowest = heap.lowest, lowest == object || keys[object] == nil else { continue }
                heap.replaceLowest(with: object, key)
                keys[lowest] = nil
                keys[object] = key
            default:
                guard random.next() % 500 == 0 else { continue }
                heap.removeAll()
                keys = [:]
            }
            guard heap.count == keys.count, heap.contains(object) == (keys[object] != nil),
                heap.lowest == keys.min(by: { $0.value < $1.value })?.key
            else {
                Issue.record("step \(step): lowest \(heap.lowest ?? -1), \(heap.count) objects")
                return
            }
        }
    }

    @Test("LFUDA of libCacheSim survives a pure scan")
    func scan() throws {
        var policy = try PolicyContext().policy("lfuda(5 objects, compat: libcachesim)")
        policy.reserve(1_000)
        var evictions = EvictionList()
        for object in 0..<1_000 { #expect(policy.admit(Access(object: object, size: 1), &evictions)) }
        #expect(policy.occupancy.objects == 5)
    }
}

@Suite("Policies that know the future, on small stories")
struct FutureStories {
    @Test(
        "Hits and misses of short sequences, worked out by hand",
        arguments: [
            // Belady's own kind of example: at C, B is needed again before A; A leaves.
            ("belady(2 objects)", "A B C B C A", "MMMHHM"),
            // C is needed after both, and must be admitted all the same: B leaves. With bypass, no object does.
            ("belady(2 objects)", "A B C A B C", "MMMHMH"),
            ("belady-bypass(2 objects)", "A B C A B C", "MMMHHM"),
            // Never needed again: not admitted, even into an empty cache.
            ("belady-bypass(2 objects)", "A B C D", "MMMM"),
            // C of 6 needs the room of A and B, and comes back before A does, but after B: no object leaves.
            ("belady-bypass(8B)", "A4 B4 C6 B4 C6 A4", "MMMHMH"),
            ("belady(8B)", "A4 B4 C6 B4 C6 A4", "MMMMMM"),
            // At D, size times distance: A 1 * 4, B 6 * 2, C 3 * 3: B leaves.
            ("belady-size(10B)", "A1 B6 C3 D6 D6 B6 C3 A1", "MMMMHMHH"),
        ])
    func story(specification: String, accesses: String, expected: String) throws {
        let words = accesses.split(separator: " ")
        let objects = words.map { Int($0.first?.asciiValue ?? 0) }
        let nexts = nextPositions(objects)
        var policy = try PolicyContext().policy(specification)
        policy.reserve(256)
        var evictions = EvictionList()
        var marks = ""
        for index in words.indices {
            let access = Access(
                object: objects[index], size: Int(words[index].dropFirst()) ?? 1, position: index, next: nexts[index])
            let found = policy.lookup(access, &evictions)
            marks += found.isHit ? "H" : "M"
            if found == .miss { _ = policy.admit(access, &evictions) }
        }
        #expect(marks == expected)
    }

    @Test("Only policies that know the future use it")
    func usesFuture() throws {
        for name in ["belady", "belady-bypass", "belady-size"] {
            #expect(type(of: try PolicyContext().policy("\(name)(1MB)")).usesFuture)
        }
        #expect(!type(of: try PolicyContext().policy("lfu(1MB)")).usesFuture)
    }
}
