#if canImport(FoundationNetworking)
import Basics
import Foundation
import FoundationNetworking

// Classes of Foundation on Linux. Each step runs the class itself, not a model of it.
extension Demonstration {
    static let foundationDemonstrations = [
        Demonstration(
            "linked-list",
            """
            NSCache of swift-corelibs-foundation leaks the objects of a released cache, and its inserts become slower \
            as it grows.
            """,
            meaning:
                """
                Its entries retain each other. Call removeAllObjects before you release the last reference. An insert \
                walks past all cheaper entries.
                """
        ) { report in
            report.begin("NSCache of this machine's Foundation")
            report.step("store 10 objects, release the cache", expected: "0 of 10 freed", freed(Holder.cache))
            report.step(
                "the same, with removeAllObjects before", expected: "10 of 10 freed", freed(Holder.emptiedCache))
            for count in [1_000, 2_000, 4_000, 8_000] {
                report.note("\(count) inserts with increasing costs", inserting(count, cost: { $0 }))
            }
            report.note("8000 inserts with equal costs", inserting(8_000, cost: { _ in 1 }))
            report.begin("a dictionary")
            report.step(
                "store 10 objects, release the dictionary", expected: "10 of 10 freed", freed(Holder.dictionary))
        },
        Demonstration(
            "urlsession-never-stores",
            "URLSession of swift-corelibs-foundation fetches an image again that may be cached for an hour.",
            meaning:
                """
                The session's URLCache stays empty, on disk and in memory. An app on Linux must store its responses \
                itself.
                """
        ) { report in
            report.begin("URLSession with a URLCache of 10 MB, of this machine's Foundation, in a separate process")
            let outcome = try report.run(isolated: "urlsession-fetches-twice")
            for (index, (action, expected)) in [
                ("fetch an image with max-age=3600", "200, 1000 bytes"), ("fetch it again", "200, 1000 bytes"),
                ("requests that reached the server", "2"), ("bytes in the URLCache", "0"),
                ("store the image in the URLCache directly, look it up", "hit"),
            ].enumerated() {
                report.step(
                    action, expected: expected, index < outcome.steps.count ? outcome.steps[index] : outcome.end)
            }
        },
        Demonstration(
            "urlcache-trap",
            "URLCache of swift-corelibs-foundation crashes when it evicts an object that was stored twice.",
            meaning:
                """
                The second store adds its key to the eviction order again. The second eviction of that key finds no \
                object.
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
                report.begin("URLCache of this machine's Foundation, in a separate process")
                let outcome = try report.run(isolated: name)
                report.step(action, expected: end, outcome.end)
                report.step(
                    "stores that completed", expected: end == "the process traps" ? "a a b" : "a b c",
                    outcome.steps.joined(separator: " "))
            }
        },
        Demonstration(
            "wrong-bytes-from-urlcache",
            "URLCache of swift-corelibs-foundation returns the response of another URL.",
            meaning:
                """
                Its keys consist of host, port and path, without scheme and query. All sizes of an image service share \
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
                The file name is the path in Base64, and a file name has at most 255 bytes. A path of about 180 \
                characters is too long.
                """
        ) { report in
            for (length, expected) in [(20, "hit"), (180, "miss")] {
                report.begin("URLCache of this machine's Foundation, on disk only")
                let folder = try ScratchFolder(prefix: Demonstration.scratchPrefix)
                defer { folder.remove() }
                var isFound = false
                // URLCache creates its folder by its path.
                try TemporaryPaths.delayingExit {
                    let cache = URLCache(memoryCapacity: 0, diskCapacity: 10_000_000, diskPath: folder.path + "/cache")
                    let address = "https://ex.com/" + String(repeating: "a", count: length)
                    try cache.store("bytes", at: address)
                    isFound = try cache.response(at: address) != nil
                }
                report.step(
                    "store a path of \(length) characters, look it up", expected: expected,
                    isFound ? "hit" : "miss")
            }
        },
    ]

    /// The container of the objects.
    private enum Holder { case cache, emptiedCache, dictionary }

    private final class Witness {}

    /// Returns how many of 10 objects are released after their container was released.
    private static func freed(_ holder: Holder) -> String {
        struct Tag { weak var witness: Witness? }
        var tags: [Tag] = []
        // Releases the container when it returns.
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

    /// Returns the time for the given number of inserts.
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
    /// These classes exist only in swift-corelibs-foundation.
    static let foundationDemonstrations: [Demonstration] = []
}
#endif
