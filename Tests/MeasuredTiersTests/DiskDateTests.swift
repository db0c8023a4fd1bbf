import CachePolicies
import Foundation
import TestSupport
import Testing

@testable import CacheTiers
@testable import MeasuredTiers

@Suite("Disk tier: dates")
struct DiskDateTests {
    private let folder: TemporaryFolder
    // "a", "b" and "c" by md5sum.
    private let files = [
        "0cc175b9c0f1b6a831c399e269772661", "92eb5ffee6ae2fec3ad71c777531578f", "4a8a08f09d37b73795649038408b5f33",
    ]

    init() throws { folder = try TemporaryFolder() }

    private func tier(_ format: DiskFormat, _ spec: String = "lru(1MB)", epoch: TimeInterval = 1_700_000_000) throws
        -> DiskTier
    {
        try DiskTier(policy(spec), at: folder.path, format: format, epoch: Date(timeIntervalSince1970: epoch))
    }

    private func dates(_ file: String) throws -> (modified: TimeInterval, accessed: TimeInterval) {
        var facts = stat()
        try #require(stat("\(folder.path)/\(file)", &facts) == 0)
        func seconds(_ moment: timespec) -> TimeInterval {
            TimeInterval(moment.tv_sec) + TimeInterval(moment.tv_nsec) / 1e9
        }
        return (seconds(facts.modified), seconds(facts.accessed))
    }

    @Test(
        "The access date is the last access, the modification date is the store, whatever the mount options are"
    )
    func accessDates() throws {
        let tier = try tier(DiskFormat(layout: .md5, keepsAccessDates: true))
        try tier.store("a", .sample(1, count: 10), at: 1_250_000)
        #expect(try dates(files[0]) == (1_700_000_001.25, 1_700_000_001.25))
        _ = try tier.read("a", at: 9_500_000)
        #expect(try dates(files[0]) == (1_700_000_001.25, 1_700_000_009.5))
    }

    @Test("A clock of any year makes no fault: nanoseconds since 1970 have no room after 2262")
    func late() throws {
        for (number, layout) in [DiskLayout.md5, .sqlite].enumerated() {
            // 2300-01-01, and the year 200,000.
            for (part, epoch) in [10_413_792_000, 6.25e12].enumerated() {
                let tier = try DiskTier(
                    policy("lru(1MB)"), at: "\(folder.path)/\(number)-\(part)",
                    format: DiskFormat(layout: layout, keepsAccessDates: true),
                    epoch: Date(timeIntervalSince1970: epoch))
                try tier.store("a", .sample(1, count: 10), at: 1_250_000)
                #expect(try tier.read("a", at: 9_500_000)?.payload.array == Payload.sample(1, count: 10).array)
            }
        }
    }

    @Test("A touch dates an access without a read, and renews a lifetime; it leaves other files alone")
    func touch() throws {
        let tier = try tier(
            DiskFormat(layout: .md5, keepsAccessDates: true), "ttl(lru(1MB), lifetime: 10s, extendOnAccess: true)")
        try tier.store("a", .sample(1, count: 10), at: 1_000_000)
        try tier.store("b", .sample(2, count: 10), at: 1_000_000)
        try tier.touch("a", at: 6_000_000)
        try tier.touch("c", at: 6_000_000)
        #expect(try dates(files[0]) == (1_700_000_016, 1_700_000_006))
        #expect(try dates(files[1]) == (1_700_000_011, 1_700_000_001))
        #expect(tier.figures.readBytes == 0)
        try tier.touch("b", at: 11_000_000)
        #expect(!tier.contains("b"), "expired at 11 s")
        #expect(folder.objects == [files[0]])
        #expect(try tier.read("a", at: 15_000_000)?.payload.array == Payload.sample(1, count: 10).array)
    }

    @Test("A removal takes one variant of one object, with its file, in every layout", arguments: DiskLayout.allCases)
    func removal(layout: DiskLayout) throws {
        let tier = try tier(DiskFormat(layout: layout))
        // One payload in the database, and one in a file beside it.
        for (number, count) in [(1, 10), (2, 30_000)] {
            try tier.store(sampleKey(number), .sample(number, count: count))
            try tier.store(sampleKey(number), .sample(number + 10, count: count), variant: 0)
        }
        try tier.remove(sampleKey(1))
        try tier.remove(sampleKey(2))
        try tier.remove(sampleKey(2))
        try tier.remove(sampleKey(3))
        for number in [1, 2] {
            #expect(try tier.read(sampleKey(number)) == nil)
            #expect(try tier.read(sampleKey(number), variant: 0) != nil)
        }
        #expect(tier.figures.counts.evictions == 0 && tier.figures.corruptFiles == 0)
        try tier.relaunch(at: 1)
        #expect(tier.occupancy.objects == 2)
        try tier.store(sampleKey(1), .sample(1, count: 10), at: 2)
        #expect(try tier.read(sampleKey(1), at: 3) != nil)
    }

    @Test("The policy counts overhead and whole blocks; files and figures have their own length")
    func countedSizes() throws {
        var format = DiskFormat(layout: .md5, keepsAccessDates: true, overhead: 100)
        format.block = 4_096
        #expect([0, 3_996, 3_997, 8_092, 8_093].map(format.counted) == [4_096, 4_096, 8_192, 8_192, 12_288])
        #expect(DiskFormat(overhead: 7).counted(3) == 10)
        #expect(format.counted(.max) == .max)
        let tier = try tier(format, "lru(8192B)")
        try tier.store("a", .sample(1, count: 10), at: 1)
        try tier.store("b", .sample(2, count: 10), at: 2)
        #expect(tier.occupancy.bytes == 20)
        // A restart counts the same.
        try tier.relaunch(at: 3)
        #expect(tier.occupancy.objects == 2)
        try tier.store("c", .sample(3, count: 10), at: 4)
        #expect(!tier.contains("a") && tier.contains("b"))
    }

    @Test(
        """
        After a restart, the object accessed longest ago leaves first; if accesses are not dated, the object stored \
        first
        """,
        arguments: DiskLayout.allCases)
    func orderAfterRestart(layout: DiskLayout) throws {
        for dated in [true, false] {
            let format = DiskFormat(layout: layout, keepsAccessDates: dated)
            do {
                let tier = try tier(format)
                for number in 0..<3 {
                    try tier.store(sampleKey(number), .sample(number, count: 100), at: Int64(number) * 1_000_000)
                }
                _ = try tier.read(sampleKey(0), at: 3_000_000)
            }
            let tier = try tier(format, "lru(2 objects)")
            let expected = dated || layout == .sqlite ? [true, false, true] : [false, true, true]
            #expect((0..<3).map { tier.contains(sampleKey($0)) } == expected)
            try tier.removeAll()
        }
    }

    /// Objects stored at one time leave in the order of their names after a restart, and of their storing in a
    /// database. The index without files decides the same.
    @Test(
        "After a restart, objects of one date leave in the order of their names, in a database in that of storing",
        arguments: DiskLayout.allCases, [true, false])
    func orderOfOneDate(layout: DiskLayout, isDated: Bool) throws {
        let format = DiskFormat(layout: layout, keepsAccessDates: isDated)
        // These are URLs, because two layouts have names of parts of URLs.
        let keys = ["c", "a", "d", "b"].map { "https://\($0).example/\($0)\($0)\($0).png" }
        let names = try keys.map { try #require(layout.fileName(for: $0)) }
        let stored = keys.indices.map { $0 }
        let expected =
            layout == .sqlite ? stored : stored.sorted { names[$0].utf8.lexicographicallyPrecedes(names[$1].utf8) }
        let limits = (1...keys.count).map { "lru(\($0) objects)" }
        var left: [Int] = []
        for limit in limits.reversed().dropFirst() {
            var index = DiskIndex(try policy(limit), format: format)
            let writer = try tier(format)
            for number in stored {
                try writer.store(keys[number], .sample(number, count: 10), at: 5_000_000)
            }
            let reader = try tier(format, limit)
            // The index has room for all until the restart, as the first tier had.
            var roomy = DiskIndex(try policy("lru(1MB)"), format: format)
            for number in stored { _ = roomy.admit(DiskKey(keys[number]), size: 10, at: 5_000_000) }
            index.rebuild(from: roomy.files.held, at: 0)
            let held = stored.filter { reader.contains(keys[$0]) }
            #expect(held == stored.filter { index.contains(DiskKey(keys[$0])) })
            left += stored.filter { !held.contains($0) && !left.contains($0) }
            try reader.removeAll()
        }
        #expect(left == expected.dropLast())
    }

    @Test("A database orders the accesses of one second by their stores; a second store is a new one")
    func orderOfOneSecondInDatabase() throws {
        do {
            let tier = try tier(DiskFormat(layout: .sqlite))
            for (number, key) in ["c", "a", "b"].enumerated() {
                try tier.store(key, .sample(number, count: 10), at: 1_000_000 + Int64(number))
            }
            try tier.store("c", .sample(9, count: 10), at: 1_000_100)
            _ = try tier.read("a", at: 1_999_999)
        }
        // In second 1, the rows are a, b, c: c was stored again, and the read of a was in the same second.
        let tier = try tier(DiskFormat(layout: .sqlite), "lru(2 objects)")
        #expect(["a", "b", "c"].map { tier.contains($0) } == [false, true, true])
    }

    @Test("If accesses are not dated, a renewed lifetime moves an object back, and a shorter one leaves first")
    func orderOfLifetimes() throws {
        let spec = "ttl(lru(1MB), lifetime: 60s, extendOnAccess: true)"
        do {
            let tier = try tier(DiskFormat(layout: .md5), spec)
            try tier.store("a", .sample(1, count: 10), at: 1_000_000)
            try tier.store("b", .sample(2, count: 10), at: 2_000_000)
            try tier.store("c", .sample(3, count: 10), at: 3_000_000, expiration: 10_000_000)
            _ = try tier.read("a", at: 4_000_000)
        }
        // c expires at 10 s, b at 62 s, and a at 64 s.
        for (limit, expected) in [(2, [true, true, false]), (1, [true, false, false])] {
            let tier = try tier(
                DiskFormat(layout: .md5), "ttl(lru(\(limit) objects), lifetime: 60s, extendOnAccess: true)")
            #expect(["a", "b", "c"].map { tier.contains($0) } == expected)
        }
    }

    @Test(
        "In whole seconds, dates are rounded up, and accesses within one second are in the order of names"
    )
    func wholeSeconds() throws {
        let format = DiskFormat(layout: .md5, keepsAccessDates: true, wholeSeconds: true)
        do {
            let tier = try tier(format, "ttl(lru(1MB), lifetime: 60s)", epoch: 1_700_000_000.75)
            try tier.store("a", .sample(1, count: 10), at: 1)
            try tier.store("b", .sample(2, count: 10), at: 999_999)
            try tier.store("c", .sample(3, count: 10), at: 1_000_000)
            for file in files { #expect(try dates(file) == (1_700_000_061, 1_700_000_001)) }
            _ = try tier.read("b", at: 1_000_001)
            #expect(try dates(files[1]) == (1_700_000_061, 1_700_000_002))
            #expect(try tier.read("a", at: 60_000_001) == nil, "the policy that runs knows it exactly")
        }
        try DiskTier(
            policy("ttl(lru(1MB), lifetime: 60s)"), at: folder.path, format: format,
            epoch: Date(timeIntervalSince1970: 1_700_000_000.75)
        )
        .store("a", .sample(1, count: 10), at: 1_000_000)
        let tier = try tier(format, "ttl(lru(2 objects), lifetime: 60s)", epoch: 1_700_000_000.75)
        // a and c both in second 1; 0cc1 before 4a8a.
        #expect(["a", "b", "c"].map { tier.contains($0) } == [false, true, true])
        #expect(try tier.read("b", at: 60_999_999) != nil, "a restart finds the rounded date")
        #expect(try tier.read("b", at: 61_000_000) == nil)
    }

    @Test("Rounding, also before the epoch and at the latest date")
    func rounding() {
        let up = DiskDates(DiskFormat(layout: .sha256, keepsAccessDates: true, wholeSeconds: true))
        let down = DiskDates(DiskFormat(layout: .sqlite))
        for (time, above, below) in [
            (Int64(0), Int64(0), Int64(0)), (1, 1_000_000, 0), (999_999, 1_000_000, 0),
            (1_000_000, 1_000_000, 1_000_000), (-1, 0, -1_000_000),
            (-1_000_000, -1_000_000, -1_000_000), (-1_000_001, -1_000_000, -2_000_000),
            (.max, DiskFile.latestDate, DiskFile.latestDate),
        ] {
            #expect(up.modificationDate(time) == above && up.accessDate(time) == above)
            #expect(down.accessDate(time) == below && down.modificationDate(time) == min(time, DiskFile.latestDate))
        }
        let exact = DiskDates(DiskFormat())
        #expect(exact.accessDate(5) == 0 && exact.modificationDate(5) == 5)
    }
}
