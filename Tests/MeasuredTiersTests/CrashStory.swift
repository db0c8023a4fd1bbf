import CachePolicies
import Foundation
import TestSupport
import Testing

@testable import CacheTiers
@testable import MeasuredTiers

/// A short life of a disk tier: objects are stored, replaced, evicted, removed, and expire, and the app restarts. It
/// runs with faults, and what the tier then serves is compared with a run without faults.
struct CrashStory {
    enum Step {
        case store(Int, size: Int)
        case read(Int)
        case remove(Int)
        case removeExpired
        case removeAll
        case restart
    }

    /// Small and large payloads alternate, because `sqlite` keeps them in rows and in files.
    static let steps: [Step] = [
        .store(1, size: 300), .store(2, size: 25_000), .store(1, size: 25_000), .read(2),
        .store(3, size: 400),  // Evicts 1, the least recently used.
        .store(2, size: 300), .restart, .remove(3), .store(1, size: 25_000),
        .removeExpired,  // 2 expires.
        .store(3, size: 25_000), .removeAll, .store(2, size: 300),
    ]

    static let keys = 1...3

    /// When a step happens, in microseconds.
    static func time(_ step: Int) -> Int64 { Int64(step < 9 ? step : step + 5) * 1_000_000 }

    /// The payload that each step stores.
    static let payloads = steps.indices.map { step in
        if case .store(_, let size) = steps[step] {
            Payload.sample(step, count: size)
        } else {
            Payload(count: 0) { _ in }
        }
    }

    let format: DiskFormat
    let folder: TemporaryFolder

    init(_ format: DiskFormat) throws {
        self.format = format
        folder = try TemporaryFolder(inMemory: true)
    }

    var path: String { "\(folder.path)/tier" }

    func open(_ faults: any FileFaults, at step: Int) throws -> DiskTier {
        try DiskTier(
            DiskIndex(policy("ttl(lru(50200B), lifetime: 8s)"), format: format), at: path, format: format,
            epoch: Date(timeIntervalSince1970: 1_700_000_000), time: Self.time(step),
            calls: FileCalls(faults: faults))
    }

    /// For each key, the step that has stored what the tier holds. A key that it does not hold is missing.
    typealias Contents = [Int: Int]

    /// Makes one step. `tier` is nil while a restart is under way, and after one that has failed.
    static func make(_ step: Int, _ tier: inout DiskTier?, reopen: () throws -> DiskTier) throws {
        let time = time(step)
        switch steps[step] {
        case .store(let key, _): try tier?.store(sampleKey(key), payloads[step], at: time)
        case .read(let key): _ = try tier?.read(sampleKey(key), at: time)
        case .remove(let key): try tier?.remove(sampleKey(key), at: time)
        case .removeExpired: try tier?.removeExpired(at: time)
        case .removeAll: try tier?.removeAll()
        case .restart:
            tier = nil
            tier = try reopen()
        }
    }

    /// What a tier without faults holds after each step, from before the first one (0) on.
    func contents() throws -> [Contents] {
        let faults = InjectedFaults(.none)
        return try faults.run {
            var tier: DiskTier? = try open(faults, at: 0)
            var held: Contents = [:]
            var all = [held]
            for step in Self.steps.indices {
                try Self.make(step, &tier) { try open(faults, at: step) }
                if case .store(let key, _) = Self.steps[step] { held[key] = step }
                held = held.filter { tier?.contains(sampleKey($0.key)) == true }
                all.append(held)
            }
            return all
        }
    }

    /// What a tier serves now: reads every key. Records an issue for a payload that no step has stored under the key.
    func served(_ tier: DiskTier, at step: Int, _ context: String) throws -> Contents {
        var served: Contents = [:]
        for key in Self.keys {
            guard let read = try tier.read(sampleKey(key), at: Self.time(step)) else { continue }
            let source = Self.steps.indices.first { step in
                guard case .store(key, _) = Self.steps[step] else { return false }
                return Self.areEqual(Self.payloads[step], read.payload)
            }
            if let source {
                served[key] = source
            } else {
                Issue.record("\(context): key \(key) has \(read.payload.count) bytes that were not stored under it")
            }
        }
        return served
    }

    /// Faster than comparing arrays, in a build without optimization.
    private static func areEqual(_ one: Payload, _ other: Payload) -> Bool {
        guard one.count == other.count else { return false }
        guard let first = one.bytes.baseAddress, let second = other.bytes.baseAddress else { return true }
        return memcmp(first, second, one.count) == 0
    }

    /// Checks that a tier has no leftovers, and that it stores and serves every object.
    func checkUsable(_ tier: DiskTier, _ context: String) throws {
        let leftovers = folder.files.filter { $0.contains(DiskFolder.temporaryPrefix) }
        #expect(leftovers == [], "\(context)")
        let held = Self.keys.filter { tier.contains(sampleKey($0)) }.count
        #expect(tier.occupancy.objects == held && tier.occupancy.bytes <= 50_200, "\(context)")
        try tier.removeAll()
        for key in Self.keys {
            let payload = Payload.sample(100 + key, count: 500)
            #expect(try tier.store(sampleKey(key), payload, at: 100_000_000), "\(context)")
            #expect(try tier.read(sampleKey(key), at: 100_000_000)?.payload.array == payload.array, "\(context)")
        }
    }
}
