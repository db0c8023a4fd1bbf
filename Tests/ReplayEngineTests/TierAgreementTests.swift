import Basics
import CachePolicies
import CacheTiers
import CacheTraces
import SessionModel
import TestSupport
import Testing

@testable import MeasuredTiers
@testable import ReplayEngine

/// Drives ``RealTiers`` and ``ModelledTiers`` with the same operations, and compares every answer.
@Suite("Real and modelled tiers decide the same")
struct TierAgreementTests {
    @Test(
        "Random operations",
        arguments: [
            "memory: lru(6kB); disk: lru(20kB)",
            "memory: lru(6kB); pinsShown: true; entryLimit: 1400B; disk: trim(20kB, order: lru)",
            "memory: ttl(lru(6kB), lifetime: 40s); pinsShown: true; disk: none",
            "memory: lru(6kB); live: returns; entryLimit: 1400B; disk: trim(20kB, order: lru)",
            "memory: ttl(lru(6kB), lifetime: 40s); live: stays; oversize: removed; entryLimit: 1400B; disk: none",
            "memory: lru(6kB); encodedMemory: 16kB; disk: lru(20kB)",
            "memory: none; disk: trim(40kB, to: 0.7, onStore: false, first: 5s, interval: 60s); diskBlock: 4KiB; "
                + "keepsAccessDates: true; layout: sha1; atomicWrites: false",
            "memory: lru(6kB); disk: trim(9kB, to: 0.9, below: true, beforeStore: true); layout: shards; "
                + "keepsAccessDates: true",
            "memory: lru(6kB); cost: file; disk: ttl(fifo(20kB), lifetime: 60s); diskOverhead: 1210B; "
                + "layout: host-path",
            "memory: unbounded; disk: trim(20kB); layout: sqlite; diskBlock: 4KiB",
            "memory: none; disk: lru(20kB); diskFailures: stored",
            "memory: lru(6kB); disk: lru(20kB); undecodable: stored",
            "memory: lru(9kB); entryLimit: 1400B; disk: none; undecodable: stored",
            "memory: none; disk: fifo(20kB); diskFailures: stored; diskEntryLimit: 900B; overwrites: false",
        ], [1, 2] as [UInt64])
    func random(specification: String, seed: UInt64) throws {
        let cache = try CacheConfiguration("\(specification); holds: encoded")
        var random = SplitMix64(seed: seed)
        var builder = TraceBuilder()
        for number in 0..<24 {
            let object = builder.object("https://example.com/\(number).jpg")
            let bytes = 100 + Int(random.next() % 1_500)
            builder.update(object) { $0.bytes = bytes }
            builder.append(TraceEvent(time: 0, .appear(object, .full)))
        }
        let trace = builder.finish()
        let objects = ReplayObjects(
            keys: trace.objects.map(\.key), images: ImageSizes(trace, sizes: trace.resolvedSizes()),
            memory: cache.memoryRules, disk: cache.diskRules, hasDisk: cache.disk != nil)
        let context = PolicyContext()
        let folder = try TemporaryFolder()
        let real = try RealTiers(
            objects, checks: PayloadCheck.checks(trace, nil), standIns: nil, memory: context.policy(cache.memory),
            disk: cache.disk.map { try context.policy($0) }, folder: folder.path + "/disk")
        var modelled = ModelledTiers(
            objects, memory: try context.policy(cache.memory), disk: try cache.disk.map { try context.policy($0) },
            costs: .standard)
        var shown: [Int] = []
        var time: Int64 = 0
        var hits = 0
        for step in 0..<1_500 {
            time += Int64(random.next() % 4_000) * 1_000_000
            try real.advance(to: time)
            modelled.advance(to: time)
            let number = Int(min(random.next() % 24, random.next() % 24))
            let cell = ImageKey(object: number, variant: 1)
            var found: (Lookup, Lookup) = (.miss, .miss)
            switch random.next() % 40 {
            case 0:
                real.clearMemory()
                modelled.clearMemory()
            case 1:
                try real.trimMemory(toShare: 0.5)
                try modelled.trimMemory(toShare: 0.5)
            case 2:
                _ = try real.removeExpiredFromDisk(at: time)
                _ = modelled.removeExpiredFromDisk(at: time)
            case 3 where random.next() % 8 == 0:
                try real.relaunch(at: time)
                modelled.relaunch(at: time)
                shown = []
            case 3:
                real.removeFromMemory(cell, at: time)
                modelled.removeFromMemory(cell, at: time)
                _ = try real.removeFromDisk(cell, at: time)
                _ = modelled.removeFromDisk(cell, at: time)
            case 4...8:
                real.show(cell)
                modelled.show(cell)
                shown.append(number)
            case 9...13 where !shown.isEmpty:
                let gone = ImageKey(object: shown.removeFirst(), variant: 1)
                real.hide(gone, at: time)
                modelled.hide(gone, at: time)
            case 14...16:
                _ = try real.touchOnDisk(cell, at: time)
                _ = modelled.touchOnDisk(cell, at: time)
            case 17...22:
                let (one, other) = (try real.readFromDisk(cell, at: time), modelled.readFromDisk(cell, at: time))
                found = (one.found, other.found)
                #expect(one.failure == other.failure && one.isWrong == other.isWrong, "step \(step)")
            case 23...26:
                found = (real.lookUpEncoded(cell, at: time).found, modelled.lookUpEncoded(cell, at: time).found)
            case 27...29 where cache.diskRules.failures == .stored || cache.pipeline.undecodable == .stored:
                let failure = StoredFailure(
                    bytes: Int(random.next() % 1_200), isUndecodable: cache.pipeline.undecodable == .stored)
                _ = try real.storeFailureOnDisk(failure, cell, at: time)
                _ = modelled.storeFailureOnDisk(failure, cell, at: time)
                guard failure.isUndecodable else { break }
                _ = real.storeFailureInMemory(failure, cell, at: time)
                _ = modelled.storeFailureInMemory(failure, cell, at: time)
            case 27...34:
                let pattern = PayloadPattern(key: trace.objects[number].key)
                let body = Payload(count: objects.images.encoded[number]) { pattern.fill($0) }
                _ = real.storeInMemory(ReplayBody(bytes: body), cell, at: time, expiration: nil)
                _ = modelled.storeInMemory(number, cell, at: time, expiration: nil)
                _ = try real.storeOnDisk(ReplayBody(bytes: body), cell, at: time, expiration: nil)
                _ = modelled.storeOnDisk(number, cell, at: time, expiration: nil)
            default:
                let (one, other) = (real.lookUpInMemory(cell, at: time), modelled.lookUpInMemory(cell, at: time))
                found = (one.found, other.found)
                #expect(one.failure == other.failure && one.isWrong == other.isWrong, "step \(step)")
            }
            if found.0.isHit { hits += 1 }
            guard found.0 == found.1, real.memoryOccupancy == modelled.memoryOccupancy,
                real.diskOccupancy == modelled.diskOccupancy
            else {
                Issue.record(
                    """
                    step \(step): \(found), memory \(real.memoryOccupancy) and \(modelled.memoryOccupancy), \
                    disk \(real.diskOccupancy) and \(modelled.diskOccupancy)
                    """)
                return
            }
        }
        #expect(hits > 30)
        #expect(real.figures() == modelled.figures())
    }
}
