import Basics
import CachePolicies
import Foundation
import ReplayEngine
import ResultColumns
import SessionModel
import TestSupport
import Testing

@testable import CacheReplayTesting

@Suite("Sessions through a cache of an app")
struct SessionTests {
    static let traces = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Traces").path

    @Test(
        "A policy behind the protocol has the figures of the engine's own memory, in each request",
        arguments: ["lru(20MB)", "fifo(20MB)", "sieve(20MB)", "s3fifo(20MB)", "slru(20MB)", "nscache(cost: 20MB)"],
        ["stress-flicks", "stress-return", "photo-feed", "synthetic-gallery"])
    func twin(policy: String, trace: String) async throws {
        let session = try Session("\(Self.traces)/\(trace).jsonl")
        for timing in [ReplayOptions.Timing.modelled, .instant] {
            var options = ReplayOptions.timing(timing)
            options.rules = "disk: lru(30MB); connections: 4"
            let context = PolicyContext(workload: Workload(uniqueBytes: 1, objects: 1))
            let cache = PolicyCache(try context.policy(try PolicySpec(policy)))
            let own = try await session.replay(through: cache, options: options)

            var job = try session.job(cache: "own", .automatic, options)
            job.cache = try CacheConfiguration("memory: \(policy); \(options.rules)", name: "own")
            let engine = try job.explain(try PreparedTrace(session.trace))
            #expect(own.run.counts == engine.result.counts)
            #expect(own.run.latencies == engine.result.latencies)
            #expect(own.run.blank == engine.result.blank)
            #expect(own.run.timeline.map(\.memoryBytes) == engine.result.timeline.map(\.memoryBytes))
            #expect(own.run.tiers.memoryPeakBytes == engine.result.tiers.memoryPeakBytes)
            #expect(own.run.tiers.diskWrittenBytes == engine.result.tiers.diskWrittenBytes)
            #expect(own.rows.map(\.source) == engine.requests.map(\.source))
            #expect(own.rows.map(\.latency) == engine.requests.map(\.latency))
            #expect(own.faults.isEmpty && own.provenMemoryBytes <= (own.memoryPeakBytes ?? 0))
            // Each miss has a cause; first requests are the same ones.
            let misses = own.run.counts.requests - own.run.counts.memoryHits
            #expect(own.memoryMisses.values.reduce(0, +) == misses)
            #expect(own.memoryMisses["first_request"] == engine.result.causes?.memory["first_request"])
        }
    }

    /// a is fetched, found 10 s later, lost by a memory warning, and fetched again. Each fetch takes 0.1 s.
    private func warned() throws -> Session {
        var story = SmallSession("a", "b")
        story.add("a", from: 1, to: 5)
        story.add("a", from: 11, to: 15)
        story.add(.memoryWarning, at: 16)
        story.add("a", from: 21, to: 25)
        story.add("b", from: 26, to: 31)
        return try story.session()
    }

    @Test("A small session, by hand: two hits of memory would be one with a warning, and blank time is that of fetches")
    func story() async throws {
        var options = ReplayOptions.timing(.modelled)
        options.decodes = false
        let result = try await warned().replay(through: FaultyCache(.none), options: options)
        #expect(result["requests"] == 4 && result["memory_hits"] == 1 && result["origin_fetches"] == 3)
        // Three fetches of 0.1 s in 4 + 4 + 4 + 5 s; lookups and stores take microseconds.
        #expect(abs(result.blank.share - 0.3 / 17) < 1e-4, "\(result.blank)")
        #expect(result.blank < .percent(2) && result.blank > .percent(1.7))
        #expect(result.hits == .percent(25) && result.fetchedBytes == 3_000)
        #expect(result.faults.isEmpty && result.description.hasPrefix("small: 4 requests, hits 25.0 %"))
        // It does not say what it holds: that it held a, 40,000 bytes, follows from the hit.
        #expect(result.memoryPeakBytes == nil && result.provenMemoryBytes == 40_000)
        #expect(result["memory_peak_bytes"] == nil && result["memory_evictions"] == nil)
        #expect(result.notes.contains { $0.contains("does not say how many bytes") })
        #expect(try result.violations(of: "blank_ratio<2%", "hit_ratio>=0.25").isEmpty)
        #expect(
            try result.violations(of: "blank_ratio<1%", "memory_peak_bytes<1MB") == [
                "blank_ratio<1%: it is 1.76 %",
                "memory_peak_bytes<1MB: there is no figure for memory_peak_bytes",
            ])
        #expect(throws: BudgetError.self) { try result.violations(of: "blnk<1%") }
        #expect(result.csv.hasPrefix("trace,cache,") && result.csv.split(separator: "\n").count == 2)

        options.timing = .instant
        #expect(try await warned().replay(through: FaultyCache(.none), options: options).blank == .percent(0))
        let timed = try await warned().replay(through: FaultyCache(.none))
        #expect(timed.calls > 0 && timed.meanCall > 0 && timed["memory_hits"] == 1)
    }

    @Test("Each defect has its name, and its image is wrong, not a hit")
    func faults() async throws {
        func kinds(_ defect: FaultyCache.Defect, _ session: Session) async throws -> (SessionResult, [String]) {
            let result = try await session.replay(through: FaultyCache(defect), options: .timing(.modelled))
            return (result, result.faults.map(\.kind.rawValue))
        }
        let (throwing, threw) = try await kinds(.throwsErrors, warned())
        #expect(threw == ["threw"] && throwing["memory_hits"] == 0)
        #expect(throwing.faults[0].description.hasSuffix("4 times; first: a: looking it up: the shelf is full"))

        // b is looked up after a was stored, and gets a.
        let (wrong, mixed) = try await kinds(.wrongImage, warned())
        #expect(mixed == ["wrongImage"] && wrong["wrong"] == 1)
        #expect(wrong.faults[0].first == "b: returned the image of a")

        var story = SmallSession("a")
        story.add("a", from: 1, to: 2)
        story.add(.remove(0), at: 3)
        story.add("a", from: 4, to: 5)
        #expect(try await kinds(.afterRemoval, story.session()).1 == ["removed"])

        // A cache that was filled before the replay. The memory warning of the first session empties it.
        func filled(of session: Session) -> FaultyCache {
            let cache = FaultyCache(.none)
            let early = session.images(session.names()).image(OwnCacheKey(object: 1, isThumbnail: false))
            cache.store(early, forKey: "b", cost: 1)
            return cache
        }
        let emptied = try await warned().replay(through: filled(of: warned()), options: .timing(.modelled))
        #expect(emptied.faults.isEmpty)
        var short = SmallSession("a", "b")
        short.add("b", from: 1, to: 2)
        let result = try await short.session().replay(
            through: filled(of: short.session()), options: .timing(.modelled))
        #expect(result.faults.map(\.kind) == [.neverStored])
    }

    @Test("A call that never returns ends the replay, and names the call")
    func blocking() async throws {
        var options = ReplayOptions()
        options.longestCall = 2
        await #expect {
            _ = try await warned().replay(through: FaultyCache(.blocks), options: options)
        } throws: {
            "\($0)".hasPrefix("looking up a has not returned for 2.0 s")
        }
    }

    private actor ActorCache: AsyncImageCaching {
        private var images: [String: SessionImage] = [:]

        func image(forKey key: String) -> SessionImage? { images[key] }
        func store(_ image: SessionImage, forKey key: String, cost: Int) { images[key] = image }
        func removeImage(forKey key: String) { images[key] = nil }
        func removeAllImages() { images = [:] }
        func didReceiveMemoryWarning() async { images = [:] }
    }

    private struct FileCache: DataCaching {
        var data: [String: Data] = [:]
        var damages = false

        func data(forKey key: String) -> Data? {
            guard var data = data[key], damages else { return data[key] }
            data[data.count - 1] ^= 1
            return data
        }
        mutating func store(_ data: Data, forKey key: String) { self.data[key] = data }
        mutating func removeData(forKey key: String) { data[key] = nil }
        var heldBytes: Int? { data.values.reduce(0) { $0 + $1.count } }
    }

    @Test("An actor has the same figures; a disk answers what memory lost, and each of its bytes counts")
    func actorsAndDisks() async throws {
        let options = ReplayOptions.timing(.modelled)
        let plain = try await warned().replay(through: FaultyCache(.none), options: options)
        let actor = try await warned().replay(through: ActorCache(), options: options)
        #expect(plain.csv == actor.csv)

        let disk = try await warned().replay(through: ActorCache(), disk: FileCache(), options: options)
        #expect(disk["disk_hits"] == 1 && disk["origin_fetches"] == 2 && disk["disk_written_bytes"] == 2_000)
        #expect(disk["disk_peak_bytes"] == 2_000)
        let damaged = try await warned().replay(
            through: ActorCache(), disk: FileCache(damages: true), options: options)
        #expect(damaged["wrong"] == 1 && damaged.faults.map(\.kind) == [.unknownImage])
    }

    /// Notes the threads on which it is called.
    private actor NotingCache: AsyncImageCaching {
        private var images: [String: Picture] = [:]
        private(set) var threads: Set<ObjectIdentifier> = []

        private func note() { threads.insert(SessionTests.thread()) }

        func image(forKey key: String) async -> Picture? {
            await Task.yield()
            note()
            return images[key]
        }
        func store(_ image: Picture, forKey key: String, cost: Int) { images[key] = image }
        func removeImage(forKey key: String) { images[key] = nil }
        func removeAllImages() { images = [:] }
        func didReceiveMemoryWarning() async { note() }
    }

    private static func thread() -> ObjectIdentifier { ObjectIdentifier(Thread.current) }

    @Test("An asynchronous cache is called on the thread of the replay, which waits for no other test")
    func callingThread() async throws {
        let cache = NotingCache()
        let made = Locked<Set<ObjectIdentifier>>([])
        _ = try await warned().replay(
            through: cache,
            images: .objects { id in
                made.withLock { _ = $0.insert(SessionTests.thread()) }
                return Picture(id.bitmapBytes)
            }, options: .timing(.modelled))
        let threads = made.withLock { $0 }
        #expect(await cache.threads == threads && threads.count == 1)
    }

    private final class Picture: Sendable {
        let size: Int
        init(_ size: Int) { self.size = size }
    }

    private final class PictureCache: ImageCaching {
        private var pictures: [String: Picture] = [:]
        func image(forKey key: String) -> Picture? { pictures[key] }
        func store(_ image: Picture, forKey key: String, cost: Int) { pictures[key] = image }
        func removeImage(forKey key: String) { pictures[key] = nil }
        func removeAllImages() { pictures = [:] }
        func didReceiveMemoryWarning() { pictures = [:] }
        var heldBytes: Int? { pictures.values.reduce(0) { $0 + $1.size } }
    }

    @Test("Objects of another class are recognized by their identity")
    func conversions() async throws {
        let result = try await warned().replay(
            through: PictureCache(), images: .objects { Picture($0.bitmapBytes) }, options: .timing(.modelled))
        #expect(result["memory_hits"] == 1 && result.faults.isEmpty && result.memoryPeakBytes == 80_000)
    }

    @Test("A baseline finds what became worse, and refuses other sessions and timed calls")
    func baselines() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url("baseline.csv")
        let good = try await warned().replay(through: FaultyCache(.none), options: .timing(.modelled))
        #expect(throws: BaselineError.self) { try good.regressions(since: file) }
        try good.write(baseline: file)
        #expect(try good.regressions(since: file).isEmpty)
        let bad = try await warned().replay(through: FaultyCache(.throwsErrors), options: .timing(.modelled))
        let worse = try bad.regressions(since: file)
        #expect(
            worse.contains("hit_ratio: 25 % before, 0 % now")
                && worse.contains("origin_bytes: 3 kB before, 4 kB now"), "\(worse)")
        #expect(throws: CheckFailure.self) { try bad.check(since: file) }
        try good.check(since: file)
        let instant = try await warned().replay(through: FaultyCache(.none), options: .timing(.instant))
        #expect { try instant.regressions(since: file) } throws: {
            "\($0)".contains("has timing modelled+decode, and this")
        }
        let timed = try await warned().replay(through: FaultyCache(.none))
        #expect { try timed.regressions(since: file) } throws: { "\($0)".contains("calls of this replay were timed") }
    }

    private final class SharedCache: ImageCaching, Sendable {
        private let images: LockedImages

        final class LockedImages: @unchecked Sendable {  // The lock guards the images.
            let lock = NSLock()
            var images: [String: SessionImage] = [:]
        }

        private let mixesUp: Bool

        init(mixesUp: Bool = false) { (images, self.mixesUp) = (LockedImages(), mixesUp) }

        func image(forKey key: String) -> SessionImage? {
            images.lock.withLock { mixesUp ? images.images.values.first : images.images[key] }
        }
        func store(_ image: SessionImage, forKey key: String, cost: Int) {
            images.lock.withLock { images.images[key] = image }
        }
        func removeImage(forKey key: String) { images.lock.withLock { images.images[key] = nil } }
        func removeAllImages() { images.lock.withLock { images.images = [:] } }
    }

    @Test("Calls from four threads: every request once, and wrong images are found")
    func threads() async throws {
        let session = try Session("\(Self.traces)/stress-flicks.jsonl")
        let sound = try await session.call(SharedCache(), fromThreads: 4)
        #expect(sound.faults.isEmpty && sound.hits > 0 && sound.calls >= session.requests)
        let mixed = try await session.call(SharedCache(mixesUp: true), fromThreads: 4)
        #expect(mixed.faults.count == 10)
    }

    @Test("Sessions that cannot be read, and rules that do not exist, are named")
    func errors() async throws {
        let folder = try TemporaryFolder()
        #expect { try Session(folder.url("feed.jsonl").path) } throws: { "\($0)".contains("cannot be read") }
        let file = try folder.file("broken.jsonl", "{\"cachereplay\":1}\nnonsense\n")
        #expect(throws: TraceError.self) { try Session(file) }
        var options = ReplayOptions()
        options.rules = "conections: 4"
        await #expect {
            _ = try await warned().replay(through: FaultyCache(.none), options: options)
        } throws: { "\($0)".contains("did you mean 'connections'?") }
    }
}
