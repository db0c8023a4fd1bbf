import CacheTiers

// Who is evicted, and what a limit means.
extension Demonstration {
    static let memoryDemonstrations = [
        Demonstration(
            "frozen-cache",
            """
            NSCache of swift-corelibs-foundation keeps the first objects and never lets a new one stay, if no costs \
            are given.
            """,
            meaning:
                """
                With costs equal, its list evicts what came last: a cache that has been filled once never changes again.
                """
        ) { report in
            for (model, expected) in [
                ("corelibs", ["hit", "hit", "hit", "miss", "miss", "miss"]),
                ("lru", ["miss", "miss", "miss", "hit", "hit", "hit"]),
            ] {
                report.begin("nscache(count: 3, model: \(model))")
                var scenario = try MemoryScenario("nscache(count: 3, model: \(model))")
                let keys = ["A", "B", "C", "D", "E", "F"]
                for key in keys { scenario.store(key) }
                report.step("store A to F, three fit", expected: "3 held", "\(scenario.occupancy.objects) held")
                report.read(keys, expected: expected, scenario)
            }
        },
        Demonstration(
            "cheapest-first", "NSCache of swift-corelibs-foundation evicts the cheapest, however often it was read.",
            meaning: "The thumbnails that are on screen all the time go first, and the one big image stays."
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
            "On a feed of thumbnails and full images, evicting the cheapest first loses nearly every thumbnail.",
            meaning:
                """
                20 pages of the same 10 thumbnails, each page with a full image of its own: 30 hits of 200, where LRU \
                has 190.
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
            "oversize-empties", "One object above the limit empties an NSCache of swift-corelibs-foundation.",
            meaning:
                "It stores first and trims then: everything leaves, the new object last. Nuke refuses such an object."
        ) { report in
            report.begin("nscache(cost: 100B, model: corelibs)")
            var scenario = try MemoryScenario("nscache(cost: 100B, model: corelibs)")
            for (key, cost) in [("A", 10), ("B", 20), ("C", 30), ("D", 150)] { scenario.store(key, cost: cost) }
            report.read(["A", "B", "C", "D"], expected: ["miss", "miss", "miss", "miss"], scenario)
            report.begin("trim(100B, order: clock), entries up to 9 bytes, as Nuke")
            var nuke = try MemoryScenario(
                "trim(100B, order: clock)", entryRule: EntryRule(limit: 9, oversize: .ignored))
            for (key, cost) in [("A", 5), ("B", 6), ("C", 7), ("D", 150)] { nuke.store(key, cost: cost) }
            report.read(["A", "B", "C", "D"], expected: ["hit", "hit", "hit", "miss"], nuke)
        },
        Demonstration(
            "evicted-by-its-own-insert", "Nuke's CLOCK can evict the very object that was just stored.",
            meaning:
                """
                New entries have no mark, the others do once they were read: the hand stops at the newcomer. LRU, as \
                up to 13.0.4, drops the oldest.
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
                report.step("store C, two fit", expected: "2 held", "\(scenario.occupancy.objects) held")
                report.read(["A", "B", "C"], expected: expected, scenario)
            }
        },
        Demonstration(
            "old-value-stays",
            "Where a store above the entry limit is ignored, the old image under that name goes on being shown.",
            meaning:
                "Nuke and Glide ignore the store; Coil removes the old entry, and the next read misses. PINDiskCache ignores it too: once memory is "
                + "cleared, the old file comes back."
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
                    "files up to 1500 bytes on disk, names escaped as PINCache does, oversize: \(rule.rawValue)")
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
            "limit-never-binds", "A limit of cost means nothing where no cost is ever passed.",
            meaning: "YYCache and hyperoslo Cache pass 0, as hand-written caches do that call setObject without a cost."
        ) { report in
            report.begin("nscache(cost: 1B, model: lru), cost: none")
            var scenario = try MemoryScenario("nscache(cost: 1B, model: lru)")
            for number in 0..<1_000 { scenario.store("\(number)", cost: 0) }
            let hits = (0..<1_000).count { scenario.get("\($0)") == "hit" }
            report.step("a limit of 1 byte, 1,000 stores, read them all", expected: "1000 hits", "\(hits) hits")
        },
        Demonstration(
            "sawtooth", "AlamofireImage's memory cache lets 41 images go at once.",
            meaning:
                """
                Above 100 MB it is cut to 60 MB: memory goes up and down like a saw, and a burst of misses follows \
                each cut.
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
            "read-and-evicted-all-the-same", "YYDiskCache forgets who was read last, within a second.",
            meaning:
                "It keeps the date of the last access in whole seconds, and of one second goes by the order of storing."
        ) { report in
            for (policy, expected) in [
                ("trim(2 objects, granularity: 1s, onStore: false, every: 60s)", ["miss", "hit", "hit"]),
                ("trim(2 objects, onStore: false, every: 60s)", ["hit", "miss", "hit"]),
            ] {
                report.begin(policy)
                var scenario = try MemoryScenario(policy)
                for key in ["A", "B", "C"] { scenario.store(key) }
                report.step("store A, B and C in one second, read A in the same", expected: "hit", scenario.get("A"))
                for (key, expected) in zip(["A", "B", "C"], expected) {
                    report.step("trimmed to 2 after 60 s, read \(key)", expected: expected, scenario.get(key, at: 61))
                }
            }
        },
        Demonstration(
            "sum-below-zero",
            "YYDiskCache sums in 32 bits: above 2 GiB the sum is negative, and its limit means nothing.",
            meaning:
                """
                It trims every 60 s. Whoever stores enough in between is never trimmed again: the sum never comes \
                above the limit.
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
            "GNUstep's NSCache evicts nothing but discardable content: its limits mean nothing for images.",
            meaning:
                """
                A hundred plain objects stay under a limit of two. What it does evict, it takes for more than it is: a \
                cost that is stored twice is counted twice.
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
