import Basics
import CachePolicies
import Foundation
import TestSupport
import Testing

@testable import CacheTiers
@testable import MeasuredTiers

@Suite("Disk tier: concurrency")
struct DiskTierConcurrencyTests {
    @Test(
        "Concurrent stores, reads, evictions, sweeps and restarts deliver only correct bytes; files and index agree",
        arguments: DiskLayoutTests.formats)
    func everythingAtOnce(format: DiskFormat) async throws {
        let folder = try TemporaryFolder()
        let tier = try DiskTier(
            policy("ttl(lru(20000B), lifetime: 100s)"), at: folder.path, format: format,
            epoch: Date(timeIntervalSince1970: 0))
        let turns = format == DiskFormat() ? 1500 : 80
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<6 {
                group.addTask {
                    var generator = SplitMix64(seed: UInt64(worker))
                    for turn in 0..<turns {
                        let number = Int.random(in: 0..<12, using: &generator)
                        let time = Int64(turn) * 100_000
                        switch Int.random(in: 0..<200, using: &generator) {
                        case 0: try tier.relaunch(at: time)
                        case 1: try tier.removeExpired(at: time)
                        case 2..<80:
                            // Another length each time: a file that is replaced while it is read shows.
                            try tier.store(sampleKey(number), .sample(number, count: 3000 + turn % 7), at: time)
                        default:
                            guard let payload = try tier.read(sampleKey(number), at: time)?.payload else { continue }
                            #expect(payload.array == Payload.sample(number, count: payload.count).array)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(tier.figures.corruptFiles == 0 && tier.figures.wipes == 0)
        for number in 0..<12 where tier.contains(sampleKey(number)) {
            #expect(try tier.read(sampleKey(number), at: Int64(turns) * 100_000) != nil)
        }
        guard format.layout != .sqlite else { return }
        #expect(folder.objects.count == tier.occupancy.objects)
        let bytes = try folder.objects.map { try folder.bytes($0).count - DiskTrailer.size }.reduce(0, +)
        #expect(bytes == tier.figures.heldBytes)
    }
}
