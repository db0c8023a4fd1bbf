import CachePolicies
import Foundation
import Testing

@testable import CacheTiers
import TestSupport

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
        let format = DiskFormat(layout: .md5, keepsAccessDates: true, overhead: 100, block: 4_096)
        #expect([0, 3_996, 3_997, 8_092, 8_093].map(format.counted) == [4_096, 4_096, 8_192, 8_192, 12_288])
        #expect(DiskFormat(overhead: 7).counted(3) == 10)
        #expect(DiskFormat(block: 512).counted(.max) == .max)
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

    @Test("If accesses are not dated, a read changes no date")
    func undated() throws {
        let tier = try tier(DiskFormat(layout: .md5))
        try tier.store("a", .sample(1, count: 10), at: 1_250_000)
        let before = try dates(files[0])
        _ = try tier.read("a", at: 9_500_000)
        #expect(try dates(files[0]) == before)
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
