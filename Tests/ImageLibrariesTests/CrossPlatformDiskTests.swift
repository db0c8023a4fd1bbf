import CachePolicies
import CacheTiers
import ReplayEngine
import SessionModel
import Testing

@testable import ImageLibraries

/// Sequences of operations on the disk caches of Chromium (C) and of flutter_cache_manager (M), whose outcomes were
/// worked out by hand from the sources. M1 to M6 are in `IdleTrimStories`, C5 and C9 in `TrimStories`, M8 in
/// `ResponseRulesTests`; M7, M10, M11 and C10 are in `CrossPlatformDiskReplayTests`.
///
/// What the program does not express:
/// - C6, C7: Blink has an image in memory while a document uses it. The preset has no memory.
/// - M7: `getSingleFile` waits for the new file. The preset is that of `CachedNetworkImage`, which shows the stale one.
/// - M9: the system deletes a file. A trace has no such event; `DiskTierTests` delete files, which are misses then.
/// - M11: the orphan file of a broken download. The disk tier writes whole bodies alone.
@Suite("Disk caches of Flutter and Chromium")
struct CrossPlatformDiskTests {
    @Test(
        "C1 to C4: Chromium's size follows the free space",
        arguments: [
            (90 << 20, 75_497_472, 75_497_472), (1 << 30, 214_748_364, 107_374_182),
            (10 << 30, 838_860_800, 209_715_200), (64 << 30, 1_342_177_280, 335_544_320),
            // 80 MiB from 100 MiB on; four times that is above a fifth of 500 MiB.
            (100 << 20, 83_886_080, 83_886_080), (500 << 20, 104_857_600, 83_886_080), (0, 0, 0),
        ])
    func sizes(free: Int, size: Int, onWindows: Int) {
        #expect(ChromiumDisk.preferredSize(free: free, isWindows: false) == size)
        #expect(ChromiumDisk.preferredSize(free: free, isWindows: true) == onWindows)
    }

    @Test("C8: an entry of an eighth of the size is stored, or of 5 MiB in a small cache")
    func entries() throws {
        func entries(_ cache: String) throws -> EntryRule? {
            try CacheConfiguration(specification: cache).resolvingShares(in: CacheContext(PolicyContext())).diskRules
                .entryRule
        }
        #expect(try entries("chromium") == EntryRule(limit: 160 << 20, oversize: .removed))
        #expect(try entries("chromium; disk: 30MiB") == EntryRule(limit: 5 << 20, oversize: .removed))
        let cache = try CacheConfiguration(specification: "chromium")
        #expect(cache.disk?.description.contains("trim(1342177280B, order: age-size") == true)
    }
}
