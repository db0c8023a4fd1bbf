import CachePolicies
import Foundation
import ReplayEngine
import ResultColumns
import SessionModel
import Testing

@testable import CacheReplayTesting

/// What a replay concludes about images that a cache no longer has, and about what it says of itself.
@Suite("Losses and claims of a cache of an app")
struct LossTests {
    private let options = ReplayOptions.timing(.modelled)

    /// A memory warning, a relaunch, and requests before and after both.
    private func session(_ event: TraceEvent.Action) throws -> Session {
        var story = SmallSession("a", "b")
        story.add("a", from: 1, to: 2)
        story.add("b", from: 3, to: 4)
        story.add("a", from: 5, to: 6)
        story.add(event, at: 7)
        story.add("a", from: 8, to: 9)
        story.add("b", from: 10, to: 11)
        return try story.session()
    }

    @Test(
        "A class that clears on a memory warning has the causes of the equivalent policy, even if it reports no bytes",
        arguments: [true, false])
    func equivalent(reports: Bool) async throws {
        // The bundled session with a memory warning, and one with three.
        let recorded = try Session("\(SessionTests.traces)/synthetic-gallery.jsonl")
        var trace = try Session("\(SessionTests.traces)/stress-return.jsonl").trace
        for share in [3, 5, 8] {
            let place = trace.events.count * share / 10
            trace.events.insert(TraceEvent(time: trace.events[place].time, .memoryWarning), at: place)
        }
        for session in [recorded, try Session(trace, name: "warned")] {
            let context = PolicyContext(workload: Workload(uniqueBytes: 1, objects: 1))
            let cache = PolicyCache(try context.policy(try PolicySpec("lru(1GB)")), reports: reports)
            let own = try await session.replay(through: cache, options: options)
            var job = try session.job(cache: "own", .automatic, options)
            job.cache = try CacheConfiguration("memory: lru(1GB)", name: "own")
            let engine = try job.explain(try PreparedTrace(session.trace))
            let expected = try #require(engine.result.causes?.memory)
            #expect(expected["memory_warning"] ?? 0 > 0)
            #expect(own.memoryMisses == expected, "\(session.name)")
            #expect(own.faults.isEmpty)
        }
    }

    @Test("Each event that clears memory is the cause of the misses after it")
    func events() async throws {
        for (event, cause) in [(TraceEvent.Action.memoryWarning, "memory_warning"), (.terminate, "relaunch")] {
            for held: (@Sendable (Int) -> Int)? in [nil, { $0 }] {
                let result = try await session(event).replay(through: FaultyCache(.none, held: held), options: options)
                #expect(result.memoryMisses == ["first_request": 2, cause: 2] && result.faults.isEmpty)
            }
        }
        // It has room for one image, so b was gone before the warning: three losses without an event prove that.
        var story = SmallSession("a", "b")
        for second in stride(from: 1.0, to: 7, by: 2) {
            story.add("a", from: second, to: second + 0.5)
            story.add("b", from: second + 1, to: second + 1.5)
        }
        story.add(.memoryWarning, at: 8)
        story.add("a", from: 9, to: 10)
        let context = PolicyContext(workload: Workload(uniqueBytes: 1, objects: 1))
        let small = PolicyCache(try context.policy(try PolicySpec("lru(1 objects)")), reports: false)
        let result = try await story.session().replay(through: small, options: options)
        #expect(result.memoryMisses["memory_warning"] == nil && result["memory_hits"] == 0)
    }

    @Test("A warning at which nothing is freed is a note, and an image that is found after it is a hit")
    func unheeded() async throws {
        for held: (@Sendable (Int) -> Int)? in [nil, { $0 }] {
            let result = try await session(.memoryWarning).replay(
                through: FaultyCache(.ignoresWarnings, held: held), options: options)
            #expect(result["memory_hits"] == 3 && result.faults.isEmpty)
            #expect(result.notes.contains { $0.hasPrefix("1 of 1 memory warnings freed nothing") }, "\(result.notes)")
            let good = try await session(.memoryWarning).replay(
                through: FaultyCache(.none, held: held), options: options)
            #expect(!good.notes.contains { $0.contains("freed nothing") })
        }
    }

    @Test("A relaunch that clears nothing is a fault, and its images are no hits")
    func relaunch() async throws {
        let silent = try await session(.terminate).replay(through: FaultyCache(.survivesRelaunch), options: options)
        #expect(silent.faults.map(\.kind) == [.survivedRelaunch] && silent.faults[0].count == 2)
        #expect(silent["memory_hits"] == 1 && silent["wrong"] == 2 && silent["cache_faults"] == 2)
        // It says so itself, before anything is looked up.
        let honest = try await session(.terminate).replay(
            through: FaultyCache(.survivesRelaunch, held: { $0 }), options: options)
        #expect(honest.faults.map(\.kind) == [.survivedRelaunch] && honest.faults[0].count == 3)
        #expect(honest.faults[0].first == "telling it of a relaunch: it says that it holds 80000 bytes")
    }

    @Test("More bytes than can be held are a fault, and no figure; a quarter and 4 KiB for each image are not")
    func impossibleBytes() async throws {
        for claim: @Sendable (Int) -> Int in [{ _ in 5_000_000_000 }, { _ in -1 }, { $0 * 3 + 1 }] {
            let result = try await session(.foreground).replay(
                through: FaultyCache(.none, held: claim), options: options)
            #expect(result.faults.map(\.kind) == [.impossibleBytes])
            #expect(result.memoryPeakBytes == nil || result.memoryPeakBytes == 0)
            #expect(result.faults[0].first.contains("are possible"), "\(result.faults)")
        }
        // Two images of 40,000 bytes.
        let rounding = try await session(.foreground).replay(
            through: FaultyCache(.none, held: { $0 + $0 / 4 + ($0 > 40_000 ? 8_192 : $0 > 0 ? 4_096 : 0) }),
            options: options)
        #expect(rounding.faults.isEmpty && rounding.memoryPeakBytes == 108_192)
    }

    @Test("A check fails with its sentences, in words; all digits that are needed are there")
    func checks() async throws {
        let result = try await session(.memoryWarning).replay(
            through: FaultyCache(.survivesRelaunch, held: { $0 }), options: options)
        // Five requests, of which one is a hit; four fetches of 1,000 bytes.
        try result.check("hit_ratio>=20%", "origin_bytes<=4000", "memory_peak_bytes<=80kB")
        #expect {
            try result.check("hit_ratio>=25%", "origin_bytes<4000", "memory_peak_bytes<=79999", "requests<5")
        } throws: {
            "\($0)" == """
                small:
                - hit_ratio>=25%: it is 20 %
                - origin_bytes<4000: it is 4 kB
                - memory_peak_bytes<=79999: it is 80 kB
                - requests<5: it is 5
                """ && $0.localizedDescription == "\($0)"
        }
        #expect {
            try result.check("hit_ratio>20.00001%")
        } throws: { "\($0)" == "small: hit_ratio>20.00001%: it is 20 %" }
        #expect(throws: BudgetError.self) { try result.check("hits>1") }
        // A fault fails each check.
        let faulty = try await session(.terminate).replay(through: FaultyCache(.survivesRelaunch), options: options)
        #expect { try faulty.check() } throws: {
            "\($0)".hasPrefix("small: the cache kept images when the app was relaunched")
        }
    }

    @Test("Figures have the unit that a person writes, and as many digits as tell them apart")
    func words() {
        func text(_ value: Double, _ unit: ResultColumns.Unit) -> String { FigureText.text(value, unit, digits: 3) }
        #expect(
            text(5_000_000_000, .bytes) == "5 GB" && text(999_999, .bytes) == "1 MB" && text(12, .bytes) == "12 bytes")
        #expect(
            text(0.80234, .ratio) == "80.2 %" && text(0, .ratio) == "0 %" && text(0.000_123_4, .ratio) == "0.0123 %")
        #expect(text(351_234, .microseconds) == "351 ms" && text(1_500_000, .microseconds) == "1.5 s")
        #expect(text(12_345, .count) == "12300" && text(0.25, .seconds) == "0.25 s")
        #expect(FigureText.text(0.020004, .ratio) { $0 > 0.02 } == "2.0004 %")
    }
}

#if !canImport(Darwin)
@Suite("Classes of the system in caches of apps")
struct PlatformNoteTests {
    private final class AppCache: ImageCaching {
        private struct Shelf { let pictures = NSCache<NSString, SessionImage>() }
        private let shelf = Shelf()

        func image(forKey key: String) -> SessionImage? { shelf.pictures.object(forKey: key as NSString) }
        func store(_ image: SessionImage, forKey key: String, cost: Int) {
            shelf.pictures.setObject(image, forKey: key as NSString, cost: cost)
        }
        func removeImage(forKey key: String) { shelf.pictures.removeObject(forKey: key as NSString) }
        func removeAllImages() { shelf.pictures.removeAllObjects() }
    }

    @Test("An NSCache on Linux is a note, also inside of properties; other caches have none")
    func nsCache() async throws {
        var story = SmallSession("a")
        story.add("a", from: 1, to: 2)
        let session = try story.session()
        let result = try await session.replay(through: AppCache(), options: .timing(.modelled))
        #expect(result.notes.contains(PlatformNotes.nsCache))
        let other = try await session.replay(through: FaultyCache(.none), options: .timing(.modelled))
        #expect(!other.notes.contains(PlatformNotes.nsCache))
        // Elements of collections are what a cache holds.
        #expect(!PlatformNotes.holdsNSCache([NSCache<NSString, NSString>()], depth: 4))
    }
}
#endif
