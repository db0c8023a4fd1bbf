#if canImport(FoundationNetworking)
import Basics
import Foundation
import FoundationNetworking

// Linux's own classes, as specimens: what an app meets that is built there. Each step runs the class itself, not a
// model of it.
extension Demonstration {
    static let foundationDemonstrations = [
        Demonstration(
            "linked-list",
            """
            NSCache of swift-corelibs-foundation never frees what a dropped cache held, and stores slower the more it \
            holds.
            """,
            meaning:
                """
                Its entries hold each other: call removeAllObjects before the last reference goes. An insert walks \
                past everything that is cheaper.
                """
        ) { report in
            report.begin("NSCache of this machine's Foundation")
            report.step("store 10 objects, drop the cache", expected: "0 of 10 freed", freed(Holder.cache))
            report.step("the same, removeAllObjects before", expected: "10 of 10 freed", freed(Holder.emptiedCache))
            for count in [1_000, 2_000, 4_000, 8_000] {
                report.note("\(count) inserts, each costlier than the last", inserting(count, cost: { $0 }))
            }
            report.note("8000 inserts of one cost", inserting(8_000, cost: { _ in 1 }))
            report.begin("a dictionary")
            report.step("store 10 objects, drop the dictionary", expected: "10 of 10 freed", freed(Holder.dictionary))
        },
        Demonstration(
            "urlsession-never-stores",
            "URLSession of swift-corelibs-foundation fetches again what it was told to keep for an hour.",
            meaning:
                """
                The URLCache that a session is given stays empty, on disk and in memory: an app on Linux must store \
                what it fetches by itself.
                """
        ) { report in
            report.begin("URLSession with a URLCache of 10 MB, of this machine's Foundation, in a process of its own")
            let fared = try report.run(isolated: "urlsession-fetches-twice")
            for (index, (action, expected)) in [
                ("fetch an image with max-age=3600", "200, 1000 bytes"), ("fetch it again", "200, 1000 bytes"),
                ("requests that reached the server", "2"), ("bytes in the URLCache", "0"),
                ("the URLCache itself works: store by hand, look up", "hit"),
            ].enumerated() {
                report.step(action, expected: expected, index < fared.steps.count ? fared.steps[index] : fared.end)
            }
        },
        Demonstration(
            "urlcache-trap",
            """
            URLCache of swift-corelibs-foundation ends the process when an object that was stored twice must make room.
            """,
            meaning:
                """
                The second store enters its name into the order of eviction once more, and the second eviction of that \
                name finds nothing.
                """
        ) { report in
            for (name, action, end) in [
                (
                    "urlcache-stored-twice", "capacity 1000: store a (300 bytes) twice, b (600), c (900)",
                    "the process traps"
                ),
                (
                    "urlcache-stored-once", "capacity 1000: store a (300 bytes) once, b (600), c (900)",
                    "the process survives"
                ),
            ] {
                report.begin("URLCache of this machine's Foundation, in a process of its own")
                let fared = try report.run(isolated: name)
                report.step(action, expected: end, fared.end)
                report.step(
                    "stores that returned", expected: end == "the process traps" ? "a a b" : "a b c",
                    fared.steps.joined(separator: " "))
            }
        },
        Demonstration(
            "wrong-bytes-from-urlcache",
            "URLCache of swift-corelibs-foundation answers one URL with the bytes of another.",
            meaning:
                """
                Its names hold host, port and path. Scheme and query are left out: every size of an image service is \
                one entry.
                """
        ) { report in
            report.begin("URLCache of this machine's Foundation")
            let cache = URLCache(memoryCapacity: 1_000_000, diskCapacity: 0, diskPath: nil)
            try cache.store("100 pixels wide", at: "https://ex.com/i?w=100")
            let other = try cache.response(at: "http://EX.com/i?w=999")
            report.step(
                "store https://ex.com/i?w=100, look up http://EX.com/i?w=999", expected: "100 pixels wide",
                other.map { String(decoding: $0.data, as: UTF8.self) } ?? "miss")
        },
        Demonstration(
            "long-paths-never-stored", "URLCache of swift-corelibs-foundation never finds a long path on disk.",
            meaning:
                """
                The path in base64 is the file's name, and names end at 255 bytes: a path of some 180 characters is \
                too long.
                """
        ) { report in
            for (length, expected) in [(20, "hit"), (180, "miss")] {
                report.begin("URLCache of this machine's Foundation, on disk alone")
                let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
                    "cachereplay-\(UUID().uuidString)")
                defer { try? FileManager.default.removeItem(at: folder) }
                let cache = URLCache(memoryCapacity: 0, diskCapacity: 10_000_000, diskPath: folder.path)
                let address = "https://ex.com/" + String(repeating: "a", count: length)
                try cache.store("bytes", at: address)
                let found = try cache.response(at: address)
                report.step(
                    "store a path of \(length) characters, look it up", expected: expected,
                    found == nil ? "miss" : "hit")
            }
        },
    ]

    /// What holds the objects whose end is looked for.
    private enum Holder { case cache, emptiedCache, dictionary }

    private final class Witness {}

    private static func freed(_ holder: Holder) -> String {
        struct Tag { weak var witness: Witness? }
        var tags: [Tag] = []
        // The holder is gone when this returns.
        func hold() {
            let cache = NSCache<NSNumber, Witness>()
            var dictionary: [Int: Witness] = [:]
            for number in 0..<10 {
                let witness = Witness()
                tags.append(Tag(witness: witness))
                if holder == .dictionary {
                    dictionary[number] = witness
                } else {
                    cache.setObject(witness, forKey: NSNumber(value: number))
                }
            }
            if holder == .emptiedCache { cache.removeAllObjects() }
            withExtendedLifetime((cache, dictionary)) {}
        }
        hold()
        return "\(tags.count { $0.witness == nil }) of \(tags.count) freed"
    }

    private static func inserting(_ count: Int, cost: (Int) -> Int) -> String {
        let cache = NSCache<NSNumber, Witness>()
        let witness = Witness()
        let (_, nanoseconds) = MonotonicClock.timing {
            for number in 0..<count { cache.setObject(witness, forKey: NSNumber(value: number), cost: cost(number)) }
        }
        cache.removeAllObjects()
        return "\((nanoseconds + 500_000) / 1_000_000) ms"
    }
}
#else
extension Demonstration {
    /// Specimens of Linux's Foundation: not here.
    static let foundationDemonstrations: [Demonstration] = []
}
#endif
