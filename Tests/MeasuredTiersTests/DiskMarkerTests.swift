import CachePolicies
import Foundation
import TestSupport
import Testing

@testable import CacheTiers
@testable import MeasuredTiers

@Suite("Disk layouts: markers")
struct DiskMarkerTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func tier(_ layout: DiskLayout) throws -> DiskTier {
        try DiskTier(policy("lru(10MB)"), at: folder.path, layout: layout, epoch: Date(timeIntervalSince1970: 0))
    }

    private func refusal(_ layout: DiskLayout) throws -> DiskTierError {
        try #require(#expect(throws: DiskTierError.self) { _ = try tier(layout) })
    }

    static let pairs = DiskLayout.allCases.flatMap { one in DiskLayout.allCases.filter { $0 != one }.map { (one, $0) } }

    @Test(
        "Every layout refuses the folder of another one, with both names and the remedy, and does not change it",
        arguments: pairs)
    func otherLayout(written: DiskLayout, wanted: DiskLayout) throws {
        try tier(written).store("a", .sample(1, count: 30_000))
        let before = folder.files
        let error = try refusal(wanted)
        #expect(error.kind == .otherLayout)
        #expect(
            error.description.contains("layout \(written.rawValue),")
                && error.description.contains("layout \(wanted.rawValue)."))
        #expect(error.description.contains("Choose another folder"))
        #expect(folder.files == before)
        #expect(try tier(written).read("a")?.payload.array == Payload.sample(1, count: 30_000).array)
    }

    @Test("Without the marker too, no layout delivers another key's bytes", arguments: pairs)
    func lostMarker(written: DiskLayout, wanted: DiskLayout) throws {
        let keys = ["a", "b", "photo", "README", "https://x.y/a"]
        do {
            let tier = try tier(written)
            for (number, key) in keys.enumerated() { try tier.store(key, .sample(number, count: 30_000)) }
        }
        if written == .md5Fanout {
            try FileManager.default.removeItem(atPath: "\(folder.path)/FF")
        } else {
            try FileManager.default.removeItem(atPath: "\(folder.path)/\(DiskMarker.file)")
        }
        guard let tier = try? tier(wanted) else { return }
        // Also each name that is now found there.
        for key in keys + folder.objects { #expect(try tier.read(key) == nil) }
    }

    @Test(
        "A missing marker is written again, and the objects are found",
        arguments: DiskLayout.allCases.filter { $0 != .sqlite })
    func recovered(layout: DiskLayout) throws {
        try tier(layout).store("a", .sample(1, count: 100))
        try? FileManager.default.removeItem(atPath: "\(folder.path)/\(DiskMarker.file)")
        #expect(try tier(layout).read("a")?.payload.count == 100)
        #expect(folder.files.contains(DiskMarker.file) == (layout != .md5Fanout))
    }

    @Test(
        "The marker names layout and version; other versions, damaged markers and unknown layouts are refused")
    func versions() throws {
        _ = try tier(.sha256)
        #expect(try folder.text(DiskMarker.file) == "CacheReplay disk tier\nlayout: sha256\nversion: 1\n")
        try folder.file(DiskMarker.file, "CacheReplay disk tier\nlayout: sha256\nversion: 2\n")
        #expect(
            try refusal(.sha256).description.contains(
                "layout sha256, version 2, and cannot be used in the layout sha256, version 1."))
        try folder.file(DiskMarker.file, "CacheReplay disk tier\nlayout: rot13\nversion: 1\n")
        #expect(try refusal(.sha256).description.contains("layout rot13,"))
        for damaged in [
            "", "CacheReplay disk tier\nlayout: sha256\n", "x",
            "CacheReplay disk tier\nlayout: \u{1b}[2J\nversion: 1\n",
        ] {
            try folder.file(DiskMarker.file, damaged)
            for layout in [DiskLayout.sha256, .md5Fanout, .sqlite] {
                let error = try refusal(layout)
                #expect(error.kind == .otherLayout && error.description.contains("Remove the folder"))
                #expect(!error.description.contains("\u{1b}"))
            }
        }
    }

    @Test(
        "A database or its subfolder without a marker belongs to another program, and is refused",
        arguments: ["manifest.sqlite", "data/x"])
    func foreignDatabase(file: String) throws {
        try FileManager.default.createDirectory(atPath: "\(folder.path)/data", withIntermediateDirectories: true)
        try folder.file(file, "mine")
        let error = try refusal(.sqlite)
        #expect(error.kind == .otherLayout && error.description.contains("Choose an empty folder"))
        #expect(folder.files == [file])
    }

    @Test(
        "A folder that cannot be written to is refused in every layout",
        .enabled(if: getuid() != 0, "root may write everywhere"),
        arguments: DiskLayout.allCases)
    func forbidden(layout: DiskLayout) throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder.path)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path) }
        #expect(try refusal(layout).kind == .notWritable)
    }
}
