import CachePolicies
import SessionModel
import Testing

@testable import ReplayEngine

/// What the answer to a failed fetch changes on disk. Outcomes were worked out by hand. A fetch that succeeds takes
/// 300 ms, and one that fails 100 ms.
@Suite("Failures on disk")
struct StoredFailureTests {
    private typealias Course = RevalidationSession.Course

    private static let stored = "memory: none; disk: unbounded; diskFailures: stored"

    @Test("A stored 404 fails without a fetch, also after a relaunch, until the app removes it")
    func untilItLeaves() throws {
        var session = RevalidationSession([:], statuses: [404, 200], at: [0, 5])
        session.append(.terminate, at: 10_000)
        session.appear("A", at: 20_000)
        session.append(.remove(0), at: 30_000)
        session.appear("A", at: 40_000)
        let (result, courses) = try session.replay(Self.stored)
        let failed = Course(.failed, nil)
        #expect(courses == [failed, failed, failed, Course(.origin, 300)])
        #expect(result.tiers.originBytes == 1_000)
        // Without the rule, the second request fetches the image, and the third finds it.
        let others = try session.replay("memory: none; disk: unbounded; diskFailures: ignored").courses
        #expect(others.map(\.outcome) == [.failed, .origin, .diskHit, .origin])
        // What no tier on disk stores is asked for again.
        let inMemory = try session.replay("\(Self.stored); store: memoryOnly").courses
        #expect(inMemory.prefix(2).map(\.outcome) == [.failed, .origin])
    }

    @Test(
        "Answers that the origin will repeat are stored, and no others",
        arguments: [
            (404, true), (405, true), (410, true), (414, true), (501, true), (0, false), (400, false), (403, false),
            (429, false), (500, false), (503, false),
        ])
    func statuses(status: Int, isStored: Bool) throws {
        let session = RevalidationSession([:], statuses: [status, 200], at: [0, 5])
        let courses = try session.replay(Self.stored).courses
        #expect(courses == [Course(.failed, nil), isStored ? Course(.failed, nil) : Course(.origin, 300)])
    }

    @Test("A stored failure takes up the bytes of its body, and leaves like an image")
    func bytes() throws {
        var story = Story(network: [("A", 10, 404), ("A", 10, 200), ("B", 10, 200)])
        for (second, name) in ["A", "B", "A"].enumerated() { story.appear(name, at: Int64(second) * 1_000) }
        let cache = "memory: none; diskFailures: stored; disk:"
        let small = try RevalidationSession.job("\(cache) lru(1000B)").runRecordingRequests(story.trace)
        #expect(small.requests.map(\.outcome) == [.failed, .origin, .origin])
        #expect(small.result.tiers.diskWrittenBytes == 3_000 && small.result.tiers.diskReadBytes == 0)
        #expect(small.result.tiers.diskEvictions == 2)
        let large = try RevalidationSession.job("\(cache) lru(2000B)").runRecordingRequests(story.trace)
        #expect(large.requests.map(\.outcome) == [.failed, .origin, .failed])
        #expect(large.result.tiers.diskWrittenBytes == 2_000 && large.result.tiers.diskReadBytes == 1_000)
        #expect(large.result.tiers.originBytes == 2_000 && large.result.tiers.diskPeakBytes == 2_000)
    }

    @Test(
        "Of two fetches that run at once, the later answer stays",
        arguments: [([404, 200], Int64(50), "failed origin diskHit"), ([200, 404], 250, "origin failed failed")])
    func twoAnswers(statuses: [Int], second: Int64, outcomes: String) throws {
        var session = RevalidationSession()
        session.image("A", [:], statuses: statuses)
        for time in [0, second, 5_000] { session.appear("A", at: time) }
        let courses = try session.replay("\(Self.stored); coalesce: false").courses
        #expect(courses.map { $0.outcome.map { "\($0)" } ?? "none" }.joined(separator: " ") == outcomes)
    }

    @Test("A prefetch stores a failure, and finds one")
    func prefetches() throws {
        var session = RevalidationSession()
        session.image("A", [:], statuses: [404, 200])
        for time: Int64 in [0, 5_000] { session.prefetch("A", at: time) }
        session.appear("A", at: 10_000)
        let (result, courses) = try session.replay(Self.stored)
        #expect(courses == [Course(.failed, nil)])
        #expect(result.prefetch.fetches == 1)
    }

    @Test("Flutter's files: a 404 to a validation removes the file, and no other error does")
    func removed() throws {
        func courses(_ status: Int, _ cache: String = "cached-network-image-3") throws -> [Course] {
            let session = RevalidationSession(
                ["cache-control": "max-age=60", "etag": "\"5f\""], statuses: [200, status, 200], at: [0, 61, 62])
            return try session.replay("\(cache); memory: none; live: none").courses
        }
        let stale = Course(.diskHit, 0, stale: true)
        #expect(try courses(404) == [Course(.origin, 300), stale, Course(.origin, 300)])
        #expect(try courses(500) == [Course(.origin, 300), stale, stale])
        #expect(try courses(410) == [Course(.origin, 300), stale, stale])
        let ignoring = try courses(404, "cached-network-image-3; diskFailures: ignored")
        #expect(ignoring == [Course(.origin, 300), stale, stale])
    }

    @Test("The cause of a miss is the stored failure, or the removal")
    func causes() throws {
        let session = RevalidationSession(
            ["cache-control": "max-age=60", "etag": "\"5f\""], statuses: [200, 404, 200], at: [0, 61, 62])
        let removed = try session.explain("cached-network-image-3; memory: none; live: none").explanations
        #expect(removed.map(\.diskCause) == [.firstRequest, nil, .removal])
        var failing = RevalidationSession()
        failing.image("B", [:], statuses: [404])
        for time: Int64 in [0, 5_000] { failing.appear("B", at: time) }
        let stored = try failing.explain(Self.stored).explanations
        #expect(stored.map(\.diskCause) == [.firstRequest, .failed])
    }

    @Test("Headers state no lifetimes of failures, so both rules together are refused")
    func exclusion() throws {
        for lifetime in ["http", "maxAge"] {
            let error = #expect(throws: SpecError.self) {
                try CacheConfiguration("\(Self.stored); diskLifetime: \(lifetime)")
            }
            #expect(error?.message.contains("write diskLifetime: policy") == true, "\(error?.message ?? "")")
        }
    }
}
