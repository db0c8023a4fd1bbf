import CacheTiers

// Eviction order, and the meaning of limits.
extension Demonstration {
    static let memoryDemonstrations = [
        Demonstration(
            "frozen-cache",
            "Without costs, NSCache of swift-corelibs-foundation keeps its first objects and evicts every new one.",
            meaning:
                "With equal costs it evicts the newest object. A full cache never changes again."
        ) { report in
            for (model, expected) in [
                ("corelibs", ["hit", "hit", "hit", "miss", "miss", "miss"]),
                ("lru", ["miss", "miss", "miss", "hit", "hit", "hit"]),
            ] {
                report.begin("nscache(count: 3, model: \(model))")
                var scenario = try MemoryScenario("nscache(count: 3, model: \(model))")
                let keys = ["A", "B", "C", "D", "E", "F"]
                for key in keys { scenario.store(key) }
                report.step("store A to F, limit 3", expected: "3 held", "\(scenario.occupancy.objects) held")
                report.read(keys, expected: expected, scenario)
            }
        },
        Demonstration(
            "cheapest-first",
            "NSCache of swift-corelibs-foundation evicts the cheapest object, even if it is read often.",
            meaning: "Thumbnails that are always on screen are evicted first, and one large image stays."
        ) { report in
            report.begin("nscache(cost: 100B, model: corelibs)")
            var scenario = try MemoryScenario("nscache(cost: 100B, model: corelibs)")
            scenario.store("big", cost: 60)
            for name in ["t1", "t2", "t3", "t4"] { scenario.store(name, cost: 5) }
            var reads = 0
            for _ in 0..<10 { for name in ["t3", "t4"] where scenario.get(name) == "hit" { reads += 1 } }
            report.step(
                "store big (60) and t1 to t4 (5 each), read t3 and t4 ten times", expected: "20 hits", "\(reads) hits")
            scenario.store("mid", cost: 30)
            report.read(
                ["big", "t1", "t2", "mid", "t3", "t4"], expected: ["hit", "hit", "hit", "hit", "miss", "miss"], scenario
            )
        },
        Demonstration(
            "thumbnails-lost",
            "In a feed of thumbnails and full images, cheapest-first eviction removes nearly every thumbnail.",
            meaning:
                """
                20 pages show the same 10 thumbnails, and each page shows its own full image. The result is 30 hits of \
                200. LRU has 190.
                """
        ) { report in
            for (model, expected) in [("corelibs", "30 hits of 200"), ("lru", "190 hits of 200")] {
                report.begin("nscache(cost: 100B, model: \(model))")
                var scenario = try MemoryScenario("nscache(cost: 100B, model: \(model))")
                var hits = 0
                for page in 0..<20 {
                    for thumbnail in 0..<10 {
                        if scenario.get("thumbnail \(thumbnail)") == "hit" {
                            hits += 1
                        } else {
                            scenario.store("thumbnail \(thumbnail)", cost: 1)
                        }
                    }
                    scenario.store("full \(page)", cost: 30)
                }
                report.step(
                    "20 pages: 10 thumbnails of cost 1, then a full image of cost 30", expected: expected,
                    "\(hits) hits of 200")
            }
        },
        Demonstration(
            "oversize-empties", "One object larger than the limit empties an NSCache of swift-corelibs-foundation.",
            meaning:
                "It stores the object and then evicts everything, the new object last. Nuke refuses the object."
        ) { report in
            report.begin("nscache(cost: 100B, model: corelibs)")
            var scenario = try MemoryScenario("nscache(cost: 100B, model: corelibs)")
            for (key, cost) in [("A", 10), ("B", 20), ("C", 30), ("D", 150)] { scenario.store(key, cost: cost) }
            report.read(["A", "B", "C", "D"], expected: ["miss", "miss", "miss", "miss"], scenario)
            report.begin("trim(100B, order: clock), entries up to 9 bytes, as in Nuke")
            var nuke = try MemoryScenario(
                "trim(100B, order: clock)", entryRule: EntryRule(limit: 9, oversize: .ignored))
            for (key, cost) in [("A", 5), ("B", 6), ("C", 7), ("D", 150)] { nuke.store(key, cost: cost) }
            report.read(["A", "B", "C", "D"], expected: ["hit", "hit", "hit", "miss"], nuke)
        },
        Demonstration(
            "evicted-by-its-own-insert", "Nuke's CLOCK can evict the object that it just stored.",
            meaning:
                """
                A new entry has no mark. If all other entries were read, the hand stops at the new entry. LRU, which \
                Nuke used up to 13.0.4, evicts the oldest.
                """
        ) { report in
            for (order, expected) in [("clock", ["hit", "hit", "miss"]), ("lru", ["miss", "hit", "hit"])] {
                report.begin("trim(2 objects, order: \(order))")
                var scenario = try MemoryScenario("trim(2 objects, order: \(order))")
                scenario.store("A")
                report.step("store A, read A", expected: "hit", scenario.get("A"))
                scenario.store("B")
                report.step("store B, read B", expected: "hit", scenario.get("B"))
                scenario.store("C")
                report.step("store C, limit 2", expected: "2 held", "\(scenario.occupancy.objects) held")
                report.read(["A", "B", "C"], expected: expected, scenario)
            }
        },
        Demonstration(
            "old-value-stays",
            "If a cache ignores a store above the entry limit, it still delivers the old image of that key.",
            meaning:
                """
                Nuke and Glide ignore the store. Coil removes the old entry, and the next read is a miss. PINDiskCache \
                ignores the store too: after memory is cleared, reads return the old file.
                """
        ) { report in
            for (rule, expected) in [(EntryRule.Oversize.ignored, "old hit"), (.removed, "miss")] {
                report.begin("1000 bytes, entries up to 99, oversize: \(rule.rawValue)")
                var scenario = try MemoryScenario("lru(1000B)", entryRule: EntryRule(limit: 99, oversize: rule))
                scenario.store("A", cost: 50)
                scenario.store("A", cost: 100)
                report.step("store A (50), store a new A (100), read A", expected: expected, scenario.get("A"))
            }
            for (rule, expected) in [(EntryRule.Oversize.ignored, "old hit"), (.removed, "miss")] {
                report.begin(
                    "files of up to 1500 bytes, names escaped as in PINCache, oversize: \(rule.rawValue)")
                var memory = try MemoryScenario("unbounded")
                let disk = try DiskScenario(
                    "unbounded", format: DiskFormat(layout: .escaped),
                    entryRule: EntryRule(limit: 1_500, oversize: rule))
                for bytes in [1_000, 2_000] {
                    memory.store("A", cost: bytes)
                    try disk.store("A", bytes: bytes)
                }
                report.step(
                    "store A (1000), store a new A (2000), read A from memory", expected: "hit", memory.get("A"))
                memory.clear()
                report.step("memory warning, read A from memory", expected: "miss", memory.get("A"))
                report.step("read A from disk", expected: expected, try disk.get("A"))
            }
        },
        Demonstration(
            "limit-never-binds", "A cost limit has no effect if no costs are passed.",
            meaning: "YYCache and hyperoslo Cache pass a cost of 0. So do caches that call setObject without a cost."
        ) { report in
            report.begin("nscache(cost: 1B, model: lru), cost: none")
            var scenario = try MemoryScenario("nscache(cost: 1B, model: lru)")
            for number in 0..<1_000 { scenario.store("\(number)", cost: 0) }
            let hits = (0..<1_000).count { scenario.get("\($0)") == "hit" }
            report.step("a limit of 1 byte, 1,000 stores, read them all", expected: "1000 hits", "\(hits) hits")
        },
        Demonstration(
            "sawtooth", "AlamofireImage's memory cache evicts 41 images at once.",
            meaning:
                """
                Above 100 MB it is trimmed to 60 MB. Memory use has the shape of a sawtooth, and each trim causes a \
                burst of misses.
                """
        ) { report in
            report.begin("trim(100000000B, order: lru, to: 0.6)")
            var scenario = try MemoryScenario("trim(100000000B, order: lru, to: 0.6)")
            for number in 0..<100 { scenario.store("\(number)", cost: 1_000_000) }
            report.step("store 100 images of 1 MB", expected: "0 evicted", "\(scenario.evictions) evicted")
            scenario.store("one more", cost: 1_000_000)
            report.step("store one more", expected: "41 evicted", "\(scenario.evictions) evicted")
        },
        Demonstration(
            "read-and-evicted-all-the-same", "Within one second, YYDiskCache does not record the order of reads.",
            meaning:
                "It stores the last access in whole seconds. Within a second it evicts in the order of storing."
        ) { report in
            for (policy, expected) in [
                ("trim(2 objects, granularity: 1s, onStore: false, every: 60s)", ["miss", "hit", "hit"]),
                ("trim(2 objects, onStore: false, every: 60s)", ["hit", "miss", "hit"]),
            ] {
                report.begin(policy)
                var scenario = try MemoryScenario(policy)
                for key in ["A", "B", "C"] { scenario.store(key) }
                report.step("store A, B and C, read A, all in one second", expected: "hit", scenario.get("A"))
                for (key, expected) in zip(["A", "B", "C"], expected) {
                    report.step("trimmed to 2 after 60 s, read \(key)", expected: expected, scenario.get(key, at: 61))
                }
            }
        },
        Demonstration(
            "sum-below-zero",
            "YYDiskCache sums sizes in 32 bits. Above 2 GiB the sum is negative, and the limit has no effect.",
            meaning:
                """
                It trims every 60 s. If the sum overflows between two trims, no later trim evicts anything, because \
                the sum is below the limit.
                """
        ) { report in
            for (stored, expected) in [(1_900, "900 evicted"), (2_500, "0 evicted")] {
                report.begin("trim(1GB, onStore: false, every: 60s, sums32: true)")
                var scenario = try MemoryScenario(
                    "trim(1GB, granularity: 1s, onStore: false, every: 60s, sums32: true)")
                for number in 0..<stored { scenario.store("\(number)", cost: 1_000_000) }
                scenario.advance(to: 61)
                report.step(
                    "store \(stored) objects of 1 MB, wait for the trim", expected: expected,
                    "\(scenario.evictions) evicted")
                scenario.advance(to: 3_600)
                report.step("wait for an hour", expected: expected, "\(scenario.evictions) evicted")
            }
        },
        Demonstration(
            "limits-without-effect",
            "GNUstep's NSCache evicts only discardable content. Its limits have no effect on images.",
            meaning:
                """
                100 plain objects stay in a cache with a limit of two. For discardable content, the cost of an object \
                that is stored twice counts twice.
                """
        ) { report in
            report.begin("nscache(count: 2, model: gnustep)")
            var plain = try MemoryScenario("nscache(count: 2, model: gnustep)")
            for number in 0..<100 { plain.store("\(number)") }
            let hits = (0..<100).count { plain.get("\($0)") == "hit" }
            report.step("a limit of 2 objects, 100 stores, read them all", expected: "100 hits", "\(hits) hits")
            report.begin("nscache(cost: 10B, model: gnustep, discardable: true)")
            var discardable = try MemoryScenario("nscache(cost: 10B, model: gnustep, discardable: true)")
            for _ in 0..<2 { discardable.store("A", cost: 6) }
            discardable.store("B", cost: 0)
            report.step("a limit of 10, store A (6) twice, store B (0), read A", expected: "miss", discardable.get("A"))
        },
    ]
}
