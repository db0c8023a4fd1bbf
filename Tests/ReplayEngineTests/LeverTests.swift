import CachePolicies
import ImageLibraries
import SessionModel
import Testing

@testable import ReplayEngine

@Suite("Levers")
struct LeverTests {
    private func settings(_ cache: String, _ trace: Trace = Trace()) throws -> [String] {
        try CacheConfiguration(specification: cache).levers(for: Lever.Sessions(trace)).map(\.setting.text)
    }

    @Test("Kingfisher can change all but images, each change once and none of its own values")
    func kingfisher() throws {
        #expect(
            try settings("kingfisher-8; memory: 64MB") == [
                "prefetch=rows(2)", "cancelOnDisappear=false", "order=lifo", "order=visibleFirst",
                "connectionsPerHost=12", "decodeOnMainLane=false", "disk=none", "lifetime=never", "policy=lru",
                "policy=s3fifo", "memory=32000000B", "memory=128000000B", "memory=unlimited",
            ])
    }

    @Test("What a cache has already, and what it cannot have, is left out")
    func leftOut() throws {
        let cache = "lru(8MB); prefetch: rows(2); order: lifo; connectionsPerHost: none"
        #expect(
            try settings(cache) == [
                "prefetch=none", "cancelOnDisappear=true", "order=fifo", "order=visibleFirst", "disk=lru(150MB)",
                "policy=s3fifo", "memory=4000000B", "memory=16000000B", "memory=unlimited",
            ])
        // Without memory, nothing is left of it; a limit of objects has neither half nor double.
        #expect(try settings("memory: none; disk: lru(9MB)").allSatisfy { !$0.hasPrefix("policy") })
        #expect(try settings("lru(20 objects)").filter { $0.hasPrefix("memory") } == ["memory=unlimited"])
        // An app that prefetches can do without.
        var story = Story()
        story.prefetch("a", at: 1)
        #expect(try settings("lru(8MB)", story.trace).prefix(2) == ["prefetch=rows(2)", "prefetch=none"])
    }

    @Test("The app makes three of the changes, and each of them is of one cache or one session")
    func makers() {
        #expect(Lever.Kind.allCases.filter(\.isOfApp) == [.prefetching, .thumbnails, .downsampling])
    }

    @Test("A change has a name of its own, and a disk or a lifetime that a specification could have")
    func applied() throws {
        let cache = try CacheConfiguration(specification: "kingfisher-8; memory: 64MB", name: "ours")
        let levers = cache.levers(for: Lever.Sessions())
        let changed = try levers.map { try $0.applied(to: cache, registry: .builtIn) }
        #expect(Set(changed.map(\.name)).count == levers.count && changed.allSatisfy { $0.name.hasPrefix("ours ") })
        for (lever, changed) in zip(levers, changed) {
            if lever.kind == .disk { #expect(changed.disk == nil && changed.memory == cache.memory) }
            guard lever.kind == .lifetime else { continue }
            var expected = cache.withoutLifetimes
            expected.name = changed.name
            #expect(changed == expected)
        }
    }

    /// A grid of three columns, 360 pixels each. `a` has 1200 x 900 pixels, `d` 300 x 300. Each has 1,000 bytes.
    private var grid: Trace {
        var story = Story(network: [("a", 100, 200)])
        for (place, name) in ["a", "b", "c", "d"].enumerated() {
            story.list(name, position: Int32(place), row: Int32(place / 3))
        }
        story.appear("a", at: 10)
        story.appear("d", at: 20)
        story.disappear("a", at: 1_000)
        story.disappear("d", at: 1_000)
        var trace = story.trace
        for (object, width, height) in [(0, 1_200, 900), (3, 300, 300)] {
            trace.objects[object].pixelWidth = width
            trace.objects[object].pixelHeight = height
        }
        return trace
    }

    @Test("Images larger than their cells are decoded smaller, or come as thumbnails with fewer bytes")
    func images() throws {
        let levers = try CacheConfiguration("lru(8MB)").levers(for: Lever.Sessions(grid)).prefix(2)
        #expect(levers.map(\.kind) == [.thumbnails, .downsampling])
        // 360 / 900 = 0.4: 480 x 360 pixels, and 0.16 of the bytes.
        let smaller = try #require(levers.last?.applied(to: grid))
        #expect(smaller.objects[0].pixelWidth == 480 && smaller.objects[0].pixelHeight == 360)
        #expect(smaller.objects[0].bytes == 1_000 && smaller.objects[3] == grid.objects[3])
        #expect(smaller.events == grid.events)
        let thumbnails = try #require(levers.first?.applied(to: grid))
        #expect(thumbnails.objects[0].bytes == 160 && thumbnails.objects[0].pixelWidth == 480)
        #expect(thumbnails.objects[3] == grid.objects[3])
        let fetched = thumbnails.events.compactMap { event in
            if case .fetch(_, let fetch) = event.action { fetch.bytes } else { nil }
        }
        #expect(fetched == [160])
        // A list of unknown positions has cells of unknown size, and so have images of unknown pixels.
        var unlisted = grid
        unlisted.events.removeAll { if case .list = $0.action { true } else { false } }
        #expect(try settings("lru(8MB)", unlisted).first == "prefetch=rows(2)")
        var unsized = grid
        unsized.objects[0].pixelWidth = nil
        #expect(try settings("lru(8MB)", unsized).first == "prefetch=rows(2)")
    }

    @Test("A replay with smaller images holds fewer bytes: 480 x 360 x 4 in place of 1200 x 900 x 4")
    func replay() throws {
        let cache = try CacheConfiguration("lru(8MB)")
        let lever = try #require(cache.levers(for: Lever.Sessions(grid)).first { $0.kind == .downsampling })
        var job = ReplayJob(trace: "grid", cache: cache)
        job.timing = .modelled(.standard)
        let prepared = try PreparedTrace(grid)
        let (own, changed) = (try job.run(prepared), try job.run(prepared.applying(lever, network: .recorded)))
        // The image of 300 x 300 is smaller than its cell, and takes 360,000 bytes in both.
        #expect(own.tiers.memoryPeakBytes == 4_320_000 + 360_000)
        #expect(changed.tiers.memoryPeakBytes == 691_200 + 360_000)
    }
}
