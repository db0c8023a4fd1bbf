import CachePolicies
import Foundation
import TestSupport
import Testing

@testable import CacheTiers
@testable import MeasuredTiers

@Suite("Disk layouts: names")
struct DiskLayoutNameTests {
    private static let url = "https://photos.example/album/IMG_1001.jpg?w=640"

    /// Digests by md5sum, sha1sum and sha256sum; the shard by hand from the Base64, as Java hashes a string.
    static let documented: [(DiskLayout, full: String, thumbnail: String)] = [
        (.md5Fanout, "12/124FD697ACC2F403C51248AFB46720AC", "12/124FD697ACC2F403C51248AFB46720AC-0"),
        (.md5, "124fd697acc2f403c51248afb46720ac", "124fd697acc2f403c51248afb46720ac-0"),
        (.md5Extension, "124fd697acc2f403c51248afb46720ac.jpg", "124fd697acc2f403c51248afb46720ac-0.jpg"),
        (.sha1, "42f5b4d5f9f6d52b806f44e7e0d67f2c2deae791", "42f5b4d5f9f6d52b806f44e7e0d67f2c2deae791-0"),
        (
            .sha256, "fc9ac9260ac8f7ba3760352c855b946cd2459f464aba5732b9bf84dcdea6a402",
            "fc9ac9260ac8f7ba3760352c855b946cd2459f464aba5732b9bf84dcdea6a402-0"
        ),
        (
            .escaped, "https%3A%2F%2Fphotos%2Eexample%2Falbum%2FIMG_1001%2Ejpg?w=640",
            "https%3A%2F%2Fphotos%2Eexample%2Falbum%2FIMG_1001%2Ejpg?w=640%-0"
        ),
        (.shards, "48/QvW01fn21SuAb0Tn4NZ_LC3q55E.cnt", "48/QvW01fn21SuAb0Tn4NZ_LC3q55E-0.cnt"),
        (.everyFifth, "h:oelbM0g4", "h:oelbM0g4%-0"),
        (.path, "%2Falbum%2FIMG_1001.jpg", "%2Falbum%2FIMG_1001.jpg%-0"),
        (
            .hostPath, "cGhvdG9zLmV4YW1wbGUsLC9hbGJ1bS9JTUdfMTAwMS5qcGc.storedcachedurlresponse",
            "cGhvdG9zLmV4YW1wbGUsLC9hbGJ1bS9JTUdfMTAwMS5qcGc%-0.storedcachedurlresponse"
        ),
        (.sqlite, "data/124fd697acc2f403c51248afb46720ac", "data/124fd697acc2f403c51248afb46720ac-0"),
    ]

    @Test(
        "A URL and its thumbnail have the documented names on disk, and both are found again",
        arguments: documented)
    func documentedNames(layout: DiskLayout, full: String, thumbnail: String) throws {
        let folder = try TemporaryFolder()
        let epoch = Date(timeIntervalSince1970: 0)
        // Above what a row holds.
        let payloads = [Payload.sample(1, count: 30_000), .sample(2, count: 40_000)]
        try DiskTier(policy("lru(1MB)"), at: folder.path, layout: layout, epoch: epoch).store(Self.url, payloads[1])
        #expect(folder.objects == [full])
        try DiskTier(policy("lru(1MB)"), at: folder.path, layout: layout, epoch: epoch).store(
            Self.url, payloads[0], variant: 0)
        #expect(folder.objects == [full, thumbnail].sorted())
        let tier = try DiskTier(policy("lru(1MB)"), at: folder.path, layout: layout, epoch: epoch)
        for variant in UInt8(0)...1 {
            #expect(try tier.read(Self.url, variant: variant)?.payload.array == payloads[Int(variant)].array)
        }
        #expect(try Array(folder.bytes(full).prefix(40_000)) == payloads[1].array)
    }

    @Test("The list of documented names covers every layout")
    func all() throws {
        #expect(Self.documented.map(\.0) == DiskLayout.allCases)
        #expect(
            DiskLayout.allCases.map(\.rawValue) == [
                "md5-fanout", "md5", "md5-extension", "sha1", "sha256", "escaped", "shards", "every-fifth", "path",
                "host-path", "sqlite",
            ])
        let format = DiskFormat(layout: .everyFifth, keepsAccessDates: true, wholeSeconds: true, atomicWrites: false)
        #expect(try JSONDecoder().decode(DiskFormat.self, from: JSONEncoder().encode(format)) == format)
    }

    private func path(_ layout: DiskLayout, _ key: String, variant: UInt8 = 1) -> String? {
        layout.name(of: key, variant: variant)?.withPath { String(cString: $0) }
    }

    @Test(
        """
        The extension is the path's, not from the host, the query, a hidden file or an empty ending, and not if it is \
        too long
        """
    )
    func extensions() {
        func ending(_ key: String) -> String? { path(.md5Extension, key).map { String($0.dropFirst(32)) } }
        #expect(ending("https://x.y/a.b/photo.JPG#f.g") == ".JPG")
        #expect(ending("https://x.y/a.tar.gz") == ".gz")
        #expect(ending("photo.webp?x=a/b.c") == ".webp")
        for key in [
            "https://x.example", "https://x.y/", "https://x.y/a.b/c", "https://x.y/.hidden", "https://x.y/a.", "", "/",
            "a.b\u{0}c",
        ] {
            #expect(ending(key) == "", "\(key)")
        }
        #expect(ending("a." + String(repeating: "x", count: 222)) == "." + String(repeating: "x", count: 222))
        #expect(ending("a." + String(repeating: "x", count: 223)) == "")
        #expect(path(.md5Extension, "a." + String(repeating: "x", count: 221), variant: 0)?.utf8.count == 32 + 2)
    }

    @Test("Host and path ignore scheme, case of the host and query, but not the port")
    func hostAndPath() {
        for key in ["http://EX.com/i?w=999", "https://ex.com/i#x", "https://me:secret@ex.com/i"] {
            #expect(DiskLayout.hostAndPath(key) == "ex.com,,/i", "\(key)")
        }
        #expect(DiskLayout.hostAndPath("https://ex.com:8080/i") == "ex.com,8080,/i")
        #expect(DiskLayout.hostAndPath("https://ex.com") == "ex.com,,")
        #expect(DiskLayout.hostAndPath("a/b.jpg?w=1") == "a/b.jpg")
        // 220 characters of Base64 and the ending of 24 fill what is left of 255 beside ten digits and a point.
        let longest = String(repeating: "a", count: 165 - "x.y,,/".count)
        #expect(path(.hostPath, "https://x.y/\(longest)") != nil)
        #expect(path(.hostPath, "https://x.y/\(longest)a") == nil)
        #expect(path(.hostPath, "") == nil)
    }

    @Test("Names that cannot be file names: empty, too long, dots, with a zero byte, or reserved by the tier")
    func impossible() {
        let reserved = [DiskMarker.file, DiskFolder.temporaryPrefix + "x"]
        func fifths(_ name: String) -> String { name.map { "\($0)----" }.joined() }
        for key in ["", ".", "..", "/", "//", "a\u{0}b"].map(fifths) + reserved.map(fifths) {
            #expect(path(.everyFifth, key) == nil, "\(key)")
        }
        for key in ["", ".", "..", "a\u{0}b", "?q", "https://x.y", "https://x.y?a/b"] + reserved {
            #expect(path(.path, key) == nil, "\(key)")
        }
        for key in ["", "a\u{0}b"] { #expect(path(.escaped, key) == nil, "\(key)") }
        for layout in [DiskLayout.everyFifth, .path, .escaped] {
            let longest = layout == .everyFifth ? 255 * 5 - 4 : 255
            #expect(path(layout, String(repeating: "x", count: longest)) == String(repeating: "x", count: 255))
            #expect(path(layout, String(repeating: "x", count: longest + 1 + (layout == .everyFifth ? 4 : 0))) == nil)
            #expect(
                path(layout, String(repeating: "x", count: longest), variant: 0) == nil,
                "\(layout): with what a thumbnail's ends in")
        }
        for layout in DiskLayout.allCases where !layout.spellsNames {
            for key in ["", ".", "..", "/", "a\u{0}b", String(repeating: "x", count: 10_000)] {
                #expect(path(layout, key) != nil)
            }
        }
        #expect(path(.escaped, "é/") == "%C3%A9%2F")
        #expect(path(.path, "https://x.y/100%25/é") == "%2F100%2525%2Fé")
    }

    @Test(
        """
        Exactly the tier's names are parsed from files: over keys of all kinds, and every name with a byte changed, \
        cut or added
        """
    )
    func readBack() throws {
        let keys =
            ["a", "a-0", "a%-0", "https://x.y/a.b/c.d?e=f%20g", "é🏔️", "-0", "%2F", "photo.jpg-0", "x.-0"]
            + [Self.url] + (0..<20).map(sampleKey)
        for layout in DiskLayout.allCases where layout != .sqlite {
            func read(_ path: String) -> DiskName? {
                let parts = path.split(separator: "/")
                guard parts.count == 1 || layout.subfolders.contains(String(parts[0])) else { return nil }
                return layout.name(file: String(parts[parts.count - 1]), in: parts.count > 1 ? String(parts[0]) : ".")
            }
            var names: [String: DiskName] = [:]
            for key in keys {
                for variant in UInt8(0)...1 {
                    guard let name = layout.name(of: key, variant: variant) else { continue }
                    let path = name.withPath { String(cString: $0) }
                    #expect(read(path) == name && read(path)?.variant == name.variant, "\(layout): \(path)")
                    #expect(layout.sharesFiles || names[path] == nil && name.variant == variant, "\(layout): \(path)")
                    names[path] = name
                }
            }
            #expect(
                names.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map(\.value)
                    == names.values.sorted(), "\(layout)")
            // A damaged name that is parsed names the same file: no file is confused with another.
            for path in names.keys where path.utf8.allSatisfy({ $0 < 128 }) {
                for position in path.indices {
                    for change in ["x", "A", "%", "-", ""] {
                        let damaged = path.replacingCharacters(in: position...position, with: change)
                        guard !damaged.isEmpty, damaged.last != "/", damaged.first != "/", let name = read(damaged)
                        else { continue }
                        #expect(name.withPath { String(cString: $0) } == damaged, "\(layout)")
                    }
                }
            }
        }
        for (layout, file) in [
            (DiskLayout.md5, "124FD697ACC2F403C51248AFB46720AC"), (.md5Extension, "124fd697acc2f403c51248afb46720ac."),
            (.md5Extension, "124fd697acc2f403c51248afb46720ac.a.b"), (.sha1, "124fd697acc2f403c51248afb46720ac"),
            (.escaped, "notes.txt"), (.escaped, "a%2f"), (.escaped, "a%41"), (.escaped, "%"), (.escaped, "%-0"),
            (.path, "a%2E"),
            (.everyFifth, "%-0"), (.sqlite, "124fd697acc2f403c51248afb46720ac"),
        ] {
            #expect(layout.name(file: file, in: ".") == nil, "\(layout): \(file)")
        }
        #expect(DiskLayout.shards.name(file: "QvW01fn21SuAb0Tn4NZ_LC3q55E.cnt", in: "47") == nil, "in the wrong shard")
    }
}
