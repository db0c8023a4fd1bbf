import CachePolicies
import Foundation
import TestSupport
import Testing

@testable import CacheTiers
@testable import MeasuredTiers

@Suite("Disk layouts: objects")
struct DiskLayoutTests {
    private let folder: TemporaryFolder
    private let epoch = Date(timeIntervalSince1970: 1_700_000_000)

    init() throws { folder = try TemporaryFolder() }

    private func tier(_ format: DiskFormat, _ spec: String = "lru(10MB)") throws -> DiskTier {
        try DiskTier(policy(spec), at: folder.path, format: format, epoch: epoch)
    }

    private func tier(_ layout: DiskLayout, _ spec: String = "lru(10MB)") throws -> DiskTier {
        try tier(DiskFormat(layout: layout), spec)
    }

    static let formats: [DiskFormat] = DiskLayout.allCases.flatMap { layout in
        [
            DiskFormat(layout: layout),
            DiskFormat(layout: layout, keepsAccessDates: true, wholeSeconds: true, atomicWrites: false),
        ]
    }

    @Test(
        "Both variants of a key are stored in every size, replaced, found after a restart, and removed",
        arguments: formats)
    func roundTrip(format: DiskFormat) throws {
        var tier = try tier(format)
        // Around what a row of the database holds.
        let sizes = [0, 1, 1000, 20_479, 20_480, 20_481, 60_000]
        func check(_ number: (Int, UInt8) -> Int) throws {
            for (position, size) in sizes.enumerated() {
                for variant in UInt8(0)...1 {
                    let read = try #require(try tier.read(sampleKey(position), variant: variant))
                    #expect(
                        read.payload.array == Payload.sample(number(position, variant), count: size).array
                            && !read.isStale)
                    #expect(tier.contains(sampleKey(position), variant: variant))
                }
            }
            #expect(try tier.read(sampleKey(99)) == nil)
            #expect(tier.occupancy == Occupancy(objects: 14, bytes: 2 * sizes.reduce(0, +)))
        }
        for turn in 0..<3 {
            for (position, size) in sizes.enumerated() {
                for variant in UInt8(0)...1 {
                    // The first time in another size.
                    let size = turn == 0 ? sizes[sizes.count - 1 - position] : size
                    #expect(
                        try tier.store(
                            sampleKey(position), .sample(turn * 50 + position * 2 + Int(variant), count: size),
                            variant: variant))
                }
            }
            if turn > 0 { try check { turn * 50 + $0 * 2 + Int($1) } }
        }
        try tier.relaunch(at: 0)
        try check { 100 + $0 * 2 + Int($1) }
        tier = try self.tier(format)
        try check { 100 + $0 * 2 + Int($1) }
        #expect(
            folder.objects.count == (format.layout == .sqlite ? 4 : 14), "no file is left over, and none is missing")
        #expect(tier.figures.corruptFiles == 0 && tier.figures.unwritable == 0 && tier.figures.wipes == 0)

        try tier.removeAll()
        #expect(folder.objects == [] && tier.occupancy == Occupancy())
        #expect(try tier.read(sampleKey(1)) == nil)
        #expect(try tier.store(sampleKey(1), .sample(5, count: 30_000)))
        #expect(try self.tier(format).read(sampleKey(1))?.payload.array == Payload.sample(5, count: 30_000).array)
    }

    @Test(
        "Evicted and expired objects are removed from the disk, and do not reappear after a restart",
        arguments: DiskLayout.allCases)
    func departures(layout: DiskLayout) throws {
        let tier = try tier(layout, "ttl(lru(3 objects), lifetime: 10s)")
        for number in 0..<5 {
            try tier.store(
                sampleKey(number), .sample(number, count: number == 3 ? 30_000 : 100), at: Int64(number) * 1_000_000)
        }
        #expect((0..<5).map { tier.contains(sampleKey($0)) } == [false, false, true, true, true])
        #expect(layout == .sqlite ? folder.objects.count == 1 : folder.objects.count == 3)
        try tier.removeExpired(at: 13_000_000)
        try tier.relaunch(at: 13_000_000)
        #expect((0..<5).map { tier.contains(sampleKey($0)) } == [false, false, false, false, true])
        #expect(folder.objects.count == (layout == .sqlite ? 0 : 1))
        #expect(try tier.read(sampleKey(4), at: 13_999_999)?.payload.array == Payload.sample(4, count: 100).array)
        #expect(try tier.read(sampleKey(4), at: 14_000_000) == nil)
    }

    @Test(
        "A torn file is a miss and can be stored again, in a running tier and after a restart",
        arguments: DiskLayout.allCases, [false, true])
    func torn(layout: DiskLayout, afterRestart: Bool) throws {
        let whole = Payload.sample(3, count: 30_000)
        for length in [0, 1, 23, 24, 25, 15_000, 29_999, 30_000, 30_023] {
            var tier = try tier(layout)
            try tier.store(sampleKey(1), whole)
            let file = try #require(folder.objects.first)
            try folder.file(file, try folder.bytes(file).prefix(length))
            if afterRestart { tier = try self.tier(layout) }
            #expect(try tier.read(sampleKey(1)) == nil, "\(length)")
            #expect(!tier.contains(sampleKey(1)) && tier.occupancy == Occupancy())
            #expect(tier.figures.corruptFiles == 1 || afterRestart)
            // Any program's file can have a spelled-out name; a file without the trailer is left alone.
            #expect(folder.objects.isEmpty || afterRestart && layout.spellsNames)
            #expect(try tier.store(sampleKey(1), whole))
            #expect(try tier.read(sampleKey(1))?.payload.array == whole.array)
            #expect(folder.objects == [file])
            try tier.removeAll()
        }
    }

    @Test(
        "Files that the tier has not written are neither delivered nor counted nor removed",
        arguments: DiskLayout.allCases)
    func aliens(layout: DiskLayout) throws {
        let subfolder = layout.subfolders.last.map { $0 + "/" } ?? (layout == .sqlite ? "data/" : "")
        let aliens = ["notes.txt", "README", subfolder + "x", subfolder + "cover%2F", subfolder + "thumbs.db"]
        var tier = try tier(layout)
        try tier.store(sampleKey(1), .sample(1, count: 30_000))
        for alien in aliens { try folder.file(alien, String(repeating: "mine", count: 100)) }
        try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/link", withDestinationPath: "README")
        try FileManager.default.createDirectory(atPath: "\(folder.path)/album", withIntermediateDirectories: false)
        tier = try self.tier(layout)
        #expect(tier.occupancy == Occupancy(objects: 1, bytes: 30_000))
        for key in ["notes.txt", "README", "x", "cover/", "link", "album", "thumbs.db"] {
            #expect(try tier.read(key) == nil)
        }
        try tier.removeAll()
        #expect(folder.objects == (aliens + ["link"]).sorted())
        for alien in aliens { #expect(try folder.bytes(alien).count == 400) }
    }

    @Test(
        "An object whose name cannot be a file name is not stored, is counted, and is not an error",
        arguments: [DiskLayout.escaped, .everyFifth, .path])
    func unwritable(layout: DiskLayout) throws {
        let tier = try tier(layout)
        var index = DiskIndex(try policy("lru(10MB)"), layout: layout)
        let long = "https://x.y/" + String(repeating: "0123456789", count: 130)
        for (number, key) in ["", long, "\u{0}"].enumerated() {
            #expect(try !tier.store(key, .sample(1, count: 10)))
            let (kept, found) = (index.admit(DiskKey(key), size: 10, at: 0), index.lookup(DiskKey(key), at: 0))
            #expect(try !kept && found == .miss && tier.read(key) == nil)
            #expect(!tier.contains(key) && !index.contains(DiskKey(key)) && !index.holdsAnother(DiskKey(key)))
            #expect(tier.figures.unwritable == number + 1 && index.unwritable == number + 1)
        }
        #expect(folder.objects == [] && tier.figures.writtenBytes == 0 && tier.occupancy == Occupancy())
    }

    @Test("Keys that share a file get each other's bytes, which the index reports, also after a restart")
    func sharedFiles() throws {
        // Every fifth character is the same; the path is.
        for (layout, one, other) in [
            (DiskLayout.everyFifth, "https://a.b/1234.jpg", "https://a.b/6784.jpg"),
            (.path, "https://x.y/photo?w=100", "http://z/photo?w=999#top"),
        ] {
            var tier = try tier(layout)
            var index = DiskIndex(try policy("lru(10MB)"), layout: layout)
            func check(_ key: String, _ number: Int, isAnother: Bool) throws {
                #expect(try tier.read(key)?.payload.array == Payload.sample(number, count: 100 + number).array)
                #expect(tier.contains(key) && index.contains(DiskKey(key)))
                #expect(index.holdsAnother(DiskKey(key)) == isAnother)
            }
            try tier.store(one, .sample(1, count: 101))
            _ = index.admit(DiskKey(one), size: 101, at: 0)
            try check(other, 1, isAnother: true)
            try check(one, 1, isAnother: false)
            tier = try self.tier(layout)
            index.relaunch(at: 0)
            try check(other, 1, isAnother: true)
            try tier.store(other, .sample(2, count: 102))
            _ = index.admit(DiskKey(other), size: 102, at: 0)
            try check(one, 2, isAnother: true)
            try check(other, 2, isAnother: false)
            #expect(tier.occupancy == Occupancy(objects: 1, bytes: 102) && index.occupancy == tier.occupancy)
            #expect(folder.objects.count == 1)
            #expect(try tier.read(one, variant: 0) == nil, "thumbnails are apart")
            try FileManager.default.removeItem(atPath: folder.path)
        }
        var index = DiskIndex(try policy("lru(10MB)"), layout: .sha1)
        _ = index.admit("a", size: 1, at: 0)
        #expect(index.contains("a") && !index.holdsAnother("a"))
    }

    @Test(
        "A store in place writes to the existing file; otherwise a new file replaces it",
        arguments: DiskLayout.allCases,
        [true, false])
    func inPlace(layout: DiskLayout, atomicWrites: Bool) throws {
        let tier = try tier(DiskFormat(layout: layout, atomicWrites: atomicWrites))
        try tier.store(sampleKey(1), .sample(1, count: 50_000))
        let path = try "\(folder.path)/\(#require(folder.objects.first))"
        // A second name keeps the first file's number from being given to another.
        try FileManager.default.linkItem(atPath: path, toPath: "\(folder.path)/second.name")
        func number() throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
        }
        let before = try number()
        try tier.store(sampleKey(1), .sample(2, count: 30_000))
        #expect(try (number() == before) == !atomicWrites)
        #expect(try tier.read(sampleKey(1))?.payload.array == Payload.sample(2, count: 30_000).array)
    }

    @Test("A store in place replaces a symbolic link, and does not follow it")
    func inPlaceLink() throws {
        let tier = try tier(DiskFormat(layout: .md5, atomicWrites: false))
        let other = try folder.file("other", "mine")
        let path = "\(folder.path)/0cc175b9c0f1b6a831c399e269772661"
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: other)
        try tier.store("a", .sample(1, count: 100))
        #expect(try tier.read("a")?.payload.count == 100)
        #expect(try folder.text("other") == "mine")
    }

    @Test(
        "A full disk is an error in every layout, and the index holds what is on the disk",
        .enabled(if: SmallDisk.isAvailable, "only root can mount one"), arguments: formats)
    func fullDisk(format: DiskFormat) throws {
        let disk = try SmallDisk(folder.path, kilobytes: 1024)
        defer { disk.unmount() }
        do {
            let tier = try tier(format, "lru(100MB)")
            var stored = 0
            let filled = #expect(throws: DiskTierError.self) {
                for number in 0..<1000 {
                    try tier.store(sampleKey(number), .sample(number, count: 10_000))
                    stored += 1
                }
            }
            #expect(filled?.kind == .full && filled?.description.contains("Make room") == true)
            #expect(tier.occupancy == Occupancy(objects: stored, bytes: stored * 10_000) && stored > 10)
            let error = #expect(throws: DiskTierError.self) { try tier.store(sampleKey(1), .sample(2, count: 2 << 20)) }
            #expect(error?.kind == .full && !tier.contains(sampleKey(1)))
            for number in 0..<1000 {
                guard let payload = try tier.read(sampleKey(number))?.payload else { continue }
                #expect(payload.array == Payload.sample(number, count: 10_000).array)
            }
            #expect(tier.figures.corruptFiles == 0 && tier.figures.wipes == 0)
        }
    }
}
