import Basics
import CachePolicies
import Foundation
import TestSupport
import Testing

@testable import CacheTiers
@testable import MeasuredTiers

@Suite("Disk tier: restart and twin")
struct DiskTierRestartTests {
    @Test(
        "The index alone decides like the tier with files, over thousands of random operations and many restarts",
        arguments: [
            "lru(5000B)", "fifo(20 objects)", "unbounded", "none", "ttl(lru(5000B), lifetime: 300s, sweep: 120s)",
            "ttl(fifo(5000B), lifetime: 100s, checkOnRead: false, extendOnAccess: true)",
            "ttl(lru(30 objects), lifetime: 50s, extendOnAccess: true)",
            "split(thumbnail: lru(1000B), full: ttl(lru(3000B), lifetime: 200s))", "nscache(cost: 5000B, count: 0)",
        ])
    func twin(spec: String) throws {
        try compare(spec, DiskFormat(), operations: 3000)
    }

    @Test(
        "The same in every layout, with dated accesses, shared names and names that cannot be file names",
        arguments: DiskLayoutTests.formats,
        ["lru(20 objects)", "ttl(fifo(30 objects), lifetime: 50s, extendOnAccess: true)"])
    func twins(format: DiskFormat, spec: String) throws {
        try compare(spec, format, operations: 400)
    }

    private func compare(_ spec: String, _ format: DiskFormat, operations: Int) throws {
        let folder = try TemporaryFolder()
        let tier = try DiskTier(
            policy(spec), at: folder.path, format: format, epoch: Date(timeIntervalSince1970: 1_700_000_000.75))
        var index = DiskIndex(try policy(spec), format: format)
        var generator = SplitMix64(seed: 7)
        var time: Int64 = 0
        var foundAnother = 0
        for _ in 0..<operations {
            time += Int64.random(in: 0...2_000_000, using: &generator)
            let number = Int.random(in: 0..<60, using: &generator)
            let key =
                switch number {
                case 0: ""
                case 1: String(repeating: "k", count: 1500)
                default: "https://p.example/photos/\(number % 40)?width=\(number / 40)"
                }
            let variant = UInt8.random(in: 0...1, using: &generator)
            switch Int.random(in: 0..<100, using: &generator) {
            case 0: try tier.relaunch(at: time); index.relaunch(at: time)
            case 1: try tier.removeExpired(at: time); index.removeExpired(at: time)
            case 2: try tier.advance(to: time); index.advance(to: time)
            case 3 where time % 5 == 0: try tier.removeAll(); index.removeAll()
            case 4..<40:
                // Rows of a database, and files beside it.
                let size = Int.random(in: 0...600, using: &generator) * (format.layout == .sqlite ? 60 : 1)
                let kept = try tier.store(key, .sample(number, count: size), variant: variant, at: time)
                #expect(kept == index.admit(DiskKey(key), size: size, variant: variant, at: time))
            default:
                let read = try tier.read(key, variant: variant, at: time)
                let found = index.lookup(DiskKey(key), variant: variant, at: time)
                #expect((read == nil) == !found.isHit && (read?.isStale ?? false) == (found == .staleHit))
                guard let payload = read?.payload, payload.count > 0 else { break }
                let isAnother = payload.array != Payload.sample(number, count: payload.count).array
                #expect(isAnother == index.holdsAnother(DiskKey(key), variant: variant))
                foundAnother += isAnother ? 1 : 0
            }
            try #require(tier.occupancy == index.occupancy && tier.figures.counts == index.counts)
            try #require(tier.figures.unwritable == index.unwritable)
            #expect(tier.contains(key, variant: variant) == index.contains(DiskKey(key), variant: variant))
        }
        #expect(tier.figures.corruptFiles == 0 && tier.figures.wipes == 0)
        #expect((foundAnother > 0) == (format.layout.sharesFiles && spec != "none"))
        #expect((tier.figures.unwritable > 0) == format.layout.spellsNames)
        #expect(
            format.layout == .sqlite || folder.objects.count == tier.occupancy.objects,
            "one file per object, and no other")
    }
}
