import ImageLibraries
import SessionModel
import Testing

@testable import ReplayEngine

/// Behaviour of libraries that surprises, on short sessions. A fetch takes no time, so each outcome has one cause.
@Suite("Surprises of libraries")
struct PresetStories {
    /// Returns the outcome of each request, in order of appearance. The files of all objects are damaged from
    /// `damagedAt` on, in seconds.
    private func outcomes(_ story: Story, _ cache: String, damagedAt: Int64? = nil) throws -> [String] {
        var job = ReplayJob(trace: "story", cache: try CacheConfiguration(specification: cache))
        job.timing = .modelled(.instant)
        let trace = story.trace
        var damaged: [ObjectID: Int64] = [:]
        if let damagedAt {
            for object in trace.objects.indices { damaged[ObjectID(object)] = damagedAt * 1_000_000_000 }
        }
        return try job.runRecordingRequests(trace, damaged: damaged).requests.map { request in
            let outcome = request.isForgotten ? "never" : request.outcome.map { "\($0)" } ?? "none"
            return outcome + (request.isStale ? ", stale" : "") + (request.isWrong ? ", wrong" : "")
        }
    }

    /// A lifetime of 10 s. Memory is cleared before the second and the third request.
    @Test(
        "SDWebImage delivers an expired file, and the read renews its lifetime; Kingfisher fetches again",
        arguments: [
            ("sdwebimage-5", ", checkOnRead: false", "diskHit, stale", "diskHit"),
            ("kingfisher-8", "", "origin", "diskHit"),
        ])
    func expiredFile(library: String, rule: String, second: String, third: String) throws {
        var story = Story()
        story.appear("A", at: 0)
        story.append(.memoryWarning, at: 10_500)
        story.appear("A", at: 11_000)
        story.append(.background, at: 12_000)
        story.append(.memoryWarning, at: 13_000)
        story.appear("A", at: 14_000)
        let cache = "\(library); disk: ttl(unbounded, lifetime: 10s, extendOnAccess: true\(rule))"
        #expect(try outcomes(story, cache) == ["origin", second, third])
    }

    @Test("An image that was promoted from disk expires in memory, unless promotion loses its lifetime")
    func promotion() throws {
        var story = Story()
        story.appear("A", at: 0)
        story.append(.memoryWarning, at: 5_000)
        story.appear("A", at: 9_000)
        story.appear("A", at: 60_000)
        let cache = "memory: ttl(unbounded, lifetime: 10s); disk: ttl(unbounded, lifetime: 10s)"
        #expect(try outcomes(story, "\(cache); promotedForever: true") == ["origin", "diskHit", "memoryHit"])
        #expect(try outcomes(story, "\(cache); promotedForever: false") == ["origin", "diskHit", "origin"])
    }

    /// The last request is more than 7 days after the store, and less than 7 days after the last read.
    @Test(
        "Kingfisher fails for a damaged file each time, and the read renews its 7 days; others fetch the image again",
        arguments: [
            ("kingfisher-8", "failed", "failed"), ("nuke-13", "origin", "diskHit"),
            ("sdwebimage-5", "origin", "diskHit"),
        ])
    func damagedFile(library: String, second: String, later: String) throws {
        let day: Int64 = 86_400_000
        var story = Story()
        story.appear("A", at: 0)
        for time in [2_000, 6 * day, 12 * day] {
            story.append(.memoryWarning, at: time - 1_000)
            story.appear("A", at: time)
        }
        #expect(try outcomes(story, library, damagedAt: 1) == ["origin", second, later, later])
    }

    @Test("A status of 404 does not block a URL, as a body that is no image does in SDWebImage")
    func missing() throws {
        var story = Story(network: [("A", 1, 404), ("A", 1, 200)])
        for time: Int64 in [0, 1_000] { story.appear("A", at: time) }
        #expect(try outcomes(story, "sdwebimage-5") == ["failed", "origin"])
    }

    @Test("Two URLs with the same key: a cell shows the image of the other one")
    func wrongImage() throws {
        var story = Story()
        story.appear("https://e.com/a/01.jpg", at: 0)
        story.appear("https://e.com/a/02.jpg", at: 1_000)
        #expect(try outcomes(story, "two-tier-as-written") == ["origin", "memoryHit, wrong"])
        #expect(try outcomes(story, "two-tier") == ["origin", "origin"])
    }

    @Test("A request joins a fetch that has ended, because the list of those that wait is never removed")
    func keptWaiters() throws {
        var story = Story()
        story.appear("A", at: 0)
        story.append(.memoryWarning, at: 1_000)
        story.appear("A", at: 2_000)
        #expect(try outcomes(story, "coalescing-memory-as-written") == ["origin", "never"])
        #expect(try outcomes(story, "coalescing-memory") == ["origin", "origin"])
    }

    @Test("A failure reaches every request that waits, or the first alone")
    func failures() throws {
        var story = Story(network: [("A", 1, 500)])
        for _ in 0..<2 { story.appear("A", at: 1_000) }
        #expect(try outcomes(story, "coalescing-memory-as-written") == ["failed", "never"])
        #expect(try outcomes(story, "coalescing-memory") == ["failed", "failed"])
    }
}
