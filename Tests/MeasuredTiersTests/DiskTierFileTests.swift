import CachePolicies
import Foundation
import TestSupport
import Testing

@testable import CacheTiers
@testable import MeasuredTiers

@Suite("Disk tier: files")
struct DiskTierFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func tier(_ spec: String = "lru(1MB)", epoch: TimeInterval = 0, time: Int64 = 0) throws -> DiskTier {
        try DiskTier(policy(spec), at: folder.path, epoch: Date(timeIntervalSince1970: epoch), time: time)
    }

    // MD5 of "a", RFC 1321, A.5.
    private let fileOfA = "0C/0CC175B9C0F1B6A831C399E269772661"

    @Test("A file is the payload and 24 bytes, named by the MD5 of its key, in one of 256 subfolders")
    func layout() throws {
        let tier = try tier()
        let subfolders = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(subfolders == (0..<256).map { String(format: "%02X", $0) })
        try tier.store("a", .sample(1, count: 1000))
        try tier.store("a", .sample(2, count: 10), variant: 0)
        #expect(folder.files == [fileOfA, fileOfA + "-0"])
        let bytes = try folder.bytes(fileOfA)
        #expect(bytes.count == 1024 && Array(bytes.prefix(1000)) == Payload.sample(1, count: 1000).array)
    }

    @Test("Keys and sizes of any kind are stored and read")
    func keysAndSizes() throws {
        let tier = try tier("unbounded")
        let keys = [
            "", "a\nb\r\n", "🏔️🌲", String(repeating: "k", count: 8192), "../../etc/passwd", "a\u{0}b",
            "https://x.y/z?q=1#f",
        ]
        for (number, key) in keys.enumerated() {
            for size in [0, 1, 7, 8, 63, 64, 65, 4096, 60_000, 1_000_001] {
                let payload = Payload.sample(number, count: size)
                try tier.store(key, payload)
                let read = try #require(try tier.read(key))
                #expect(read.payload.array == payload.array && !read.isStale)
            }
        }
        #expect(folder.files.count == keys.count)
        #expect(try tier.read("unknown") == nil)
    }

    @Test("The modification date is the expiration time, and moves with an access that extends it")
    func datesOfExpiry() throws {
        let tier = try tier("ttl(lru(1MB), lifetime: 60s, extendOnAccess: true)", epoch: 1_700_000_000.25)
        try tier.store("a", .sample(1, count: 10), at: 5_000_000)
        #expect(try folder.date(fileOfA) == Date(timeIntervalSince1970: 1_700_000_065.25))
        _ = try tier.read("a", at: 12_500_000)
        #expect(try folder.date(fileOfA) == Date(timeIntervalSince1970: 1_700_000_072.75))
        #expect(try tier.read("a", at: 72_500_000) == nil, "expired from that very moment on")
        #expect(folder.files == [])
        #expect(tier.figures.counts.expirations == 1)
    }

    @Test(
        "A file above the limit of entries is not written; the old file of its key stays, or is removed",
        arguments: [(EntryRule.Oversize.ignored, true), (.removed, false)])
    func oversize(rule: EntryRule.Oversize, stays: Bool) throws {
        let tier = try DiskTier(
            policy("unbounded"), at: folder.path, entryRule: EntryRule(limit: 1_500, oversize: rule), epoch: Date())
        for count in [1_000, 2_000] { try tier.store("a", .sample(count, count: count)) }
        let kept = stays ? Payload.sample(1_000, count: 1_000).array : nil
        #expect(try tier.read("a")?.payload.array == kept)
    }
}
