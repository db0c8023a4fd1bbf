import CachePolicies
import Foundation
import TestSupport
import Testing

@testable import CacheTiers
@testable import MeasuredTiers

@Suite("Disk tier: damage and errors")
struct DiskTierDamageTests {
    private let folder: TemporaryFolder
    private let fileOfA = "0C/0CC175B9C0F1B6A831C399E269772661"

    init() throws { folder = try TemporaryFolder() }

    private func tier(_ spec: String = "lru(1MB)") throws -> DiskTier {
        try DiskTier(policy(spec), at: folder.path, epoch: Date(timeIntervalSince1970: 1_700_000_000))
    }

    @Test(
        """
        If the format keeps damaged files, each read finds them damaged until they are stored again; a missing file \
        is a miss
        """
    )
    func keepsDamaged() throws {
        let tier = try DiskTier(
            policy("lru(1MB)"), at: folder.path, format: DiskFormat(layout: .md5Fanout, keepsDamaged: true),
            epoch: Date(timeIntervalSince1970: 1_700_000_000))
        try tier.store("a", .sample(3, count: 10_000))
        try folder.file(fileOfA, Array(folder.bytes(fileOfA).prefix(5_000)))
        for _ in 0..<2 {
            let read = try #require(try tier.read("a"))
            #expect(read.isDamaged && read.payload.count == 0)
        }
        #expect(tier.contains("a") && folder.files == [fileOfA])
        #expect(tier.figures.corruptFiles == 2)
        try tier.store("a", .sample(4, count: 100))
        #expect(try tier.read("a")?.payload.array == Payload.sample(4, count: 100).array)
        try FileManager.default.removeItem(atPath: "\(folder.path)/\(fileOfA)")
        #expect(try tier.read("a") == nil)
        #expect(!tier.contains("a"))
    }

    enum Damage: String, CaseIterable {
        case firstBit, middleBit, lastBit, trailerBit, short, long, empty, zeroed, zeroedTail, swappedBlocks,
            swappedWords, missing
        case otherFile, symbolicLink
    }

    @Test("A damaged file is a miss, is removed, and the object can be stored again", arguments: Damage.allCases)
    func damage(_ damage: Damage) throws {
        let tier = try tier()
        let payload = Payload.sample(3, count: 10_000)
        try tier.store("a", payload)
        try tier.store("b", .sample(4, count: 10_000))
        let other = try #require(folder.files.first { $0 != fileOfA })
        var bytes = try folder.bytes(fileOfA)
        switch damage {
        case .firstBit: bytes[0] ^= 1
        case .middleBit: bytes[5001] ^= 128
        case .lastBit: bytes[9999] ^= 1
        case .trailerBit: bytes[10_000 + 9] ^= 1
        case .short: bytes.removeLast(1)
        case .long: bytes.append(0)
        case .empty: bytes = []
        case .zeroed: bytes = [UInt8](repeating: 0, count: bytes.count)
        case .zeroedTail: bytes.replaceSubrange(8192..<10_000, with: [UInt8](repeating: 0, count: 10_000 - 8192))
        case .swappedBlocks: bytes = Array(bytes[4096..<8192]) + bytes[0..<4096] + bytes[8192...]
        case .swappedWords: bytes = Array(bytes[8..<16]) + bytes[0..<8] + bytes[16...]
        case .otherFile: bytes = try folder.bytes(other)
        case .missing, .symbolicLink: break
        }
        try FileManager.default.removeItem(atPath: "\(folder.path)/\(fileOfA)")
        if damage == .symbolicLink {
            try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/\(fileOfA)", withDestinationPath: other)
        } else if damage != .missing {
            try folder.file(fileOfA, bytes)
        }
        #expect(try tier.read("a") == nil)
        #expect(!tier.contains("a") && folder.files == [other])
        #expect(tier.figures.corruptFiles == 1 && tier.figures.heldBytes == 10_000)
        #expect(tier.figures.counts.evictions == 0, "lost, not evicted")
        try tier.store("a", payload)
        #expect(try tier.read("a")?.payload.array == payload.array)
        #expect(try tier.read("b") != nil)
    }

    @Test("A start removes temporary and short files of an interrupted store, and leaves other files alone")
    func leftovers() throws {
        try tier().store("a", .sample(1, count: 10))
        let foreign = [
            "0C/readme", "0C/0cc175b9c0f1b6a831c399e269772661", "0D/0CC175B9C0F1B6A831C399E269772661", "top.txt",
        ]
        for file in foreign { try folder.file(file, "x".utf8) }
        try folder.file("00/.new-0123456789ABCDEF", "x".utf8)
        try folder.file("00/00000000000000000000000000000000", "short".utf8)
        let tier = try tier()
        #expect(folder.files == (foreign + [fileOfA]).sorted())
        #expect(tier.occupancy == Occupancy(objects: 1, bytes: 10))
    }

    @Test("A folder that cannot be created is an error with its path and the remedy")
    func unwritable() throws {
        try folder.file("file", "")
        let path = "\(folder.path)/file/cache"
        let error = #expect(throws: DiskTierError.self) {
            _ = try DiskTier(policy("lru(1MB)"), at: path, epoch: Date())
        }
        #expect(error?.kind == .notWritable)
        #expect(error?.description.contains("/file") == true && error?.description.contains("Choose a folder") == true)
    }

    @Test(
        "On a full disk, evicted objects are removed in every layout, and do not reappear after a restart",
        .enabled(if: SmallDisk.isAvailable, "only root can mount one"), arguments: DiskLayout.allCases)
    func fullDiskRemovesEvicted(layout: DiskLayout) throws {
        let disk = try SmallDisk(folder.path, kilobytes: 1024)
        defer { disk.unmount() }
        let tier = try DiskTier(policy("lru(8 objects)"), at: folder.path, layout: layout, epoch: Date())
        for number in 0..<8 { try tier.store(sampleKey(number), .sample(number, count: 30_000)) }
        let before = folder.objects.count
        for number in 8..<11 {
            let error = #expect(throws: DiskTierError.self) {
                try tier.store(sampleKey(number), .sample(number, count: 2 << 20))
            }
            #expect(error?.kind == .full)
        }
        // The first failed store evicts one object; the room of the object that was not stored serves the next.
        #expect(folder.objects.count == before - 1)
        try tier.relaunch(at: 0)
        #expect(!tier.contains(sampleKey(0)) && (1..<8).allSatisfy { tier.contains(sampleKey($0)) })
    }

    @Test("A file that cannot be removed does not keep other evicted files on the disk, and is reported")
    func removalContinues() throws {
        let tier = try DiskTier(policy("lru(300B)"), at: folder.path, layout: .md5, epoch: Date())
        for key in ["a", "b", "c"] { try tier.store(key, .sample(1, count: 100)) }
        let path = "\(folder.path)/0cc175b9c0f1b6a831c399e269772661"
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let error = #expect(throws: DiskTierError.self) { try tier.store("d", .sample(1, count: 200)) }
        #expect(error?.description.contains("cannot remove a file") == true)
        #expect(tier.contains("d") && tier.contains("c") && !tier.contains("a") && !tier.contains("b"))
        #expect(folder.objects.count == 2, "c and d, but not b")
    }
}
