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
