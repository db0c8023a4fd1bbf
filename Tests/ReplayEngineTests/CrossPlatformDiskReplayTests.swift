import ImageLibraries
import SessionModel
import Testing

@testable import ReplayEngine

/// The sequences M7, M10, M11 and C10 of the disk caches of Flutter and Chromium, as replays. Their outcomes were
/// worked out by hand from the sources; `CrossPlatformDiskTests` has the list of all sequences.
@Suite("Replays of the disk caches of Flutter and Chromium")
struct CrossPlatformDiskReplayTests {
    private typealias Course = RevalidationSession.Course

    /// Without memory and without the images that widgets show, each request reaches the files.
    private static let flutter = "cached-network-image-3; memory: none; live: none"
    private static let tag = "\"5f\""

    @Test("M7: past its lifetime a file is shown at once, and a 304 confirms it")
    func staleFirst() throws {
        let session = RevalidationSession(["cache-control": "max-age=60", "etag": Self.tag], at: [0, 30, 61, 62])
        let (result, courses) = try session.replay(Self.flutter)
        #expect(
            courses == [
                Course(.origin, 300), Course(.diskHit, 0), Course(.diskHit, 0, stale: true), Course(.diskHit, 0),
            ])
        #expect(result.revalidation.revalidations == 1 && result.revalidation.notModified == 1)
        #expect(result.tiers.originBytes == 1_000)
        // A hit in memory asks nothing.
        let inMemory = try session.replay("cached-network-image-3").result
        #expect(inMemory.counts.memoryHits == 3 && inMemory.revalidation.revalidations == 0)
    }

    @Test("M7: a 304 has the file decoded again, which keeps the decoder busy")
    func decodedTwice() throws {
        var session = RevalidationSession()
        session.image("A", ["cache-control": "max-age=60", "etag": Self.tag])
        session.image("B", ["cache-control": "max-age=600"])
        session.appear("B", at: 0)
        session.appear("A", at: 10_000)
        session.appear("A", at: 80_000)
        session.appear("B", at: 80_500)
        func last(_ cache: String) throws -> Course {
            var job = try RevalidationSession.job(cache)
            var costs = CostModel.instant
            costs.jpegDecode.fixed = 1_000_000_000
            costs.jpegEncodeRate = 1
            job.timing = .modelled(costs)
            job.decode = true
            return RevalidationSession.courses(try job.runRecordingRequests(session.trace()).requests)[3]
        }
        // A is decoded from 80 to 81 s; the 304 comes at 80.1 s, so A is decoded until 82 s, and then B.
        #expect(try last(Self.flutter) == Course(.diskHit, 2_500))
        let once = "; diskRevalidate: cacheThenNetwork; diskLifetime: http"
        #expect(try last(Self.flutter + once) == Course(.diskHit, 1_500))
    }

    @Test("M7: without an ETag, the file is fetched in full although it has a date")
    func tagAlone() throws {
        let session = RevalidationSession(
            ["cache-control": "max-age=60", "last-modified": "Sun, 15 Nov 2026 00:00:00 GMT"], at: [0, 61])
        let (result, courses) = try session.replay(Self.flutter)
        #expect(courses == [Course(.origin, 300), Course(.diskHit, 0, stale: true)])
        #expect(result.revalidation.notModified == 0 && result.tiers.originBytes == 2_000)
    }

    @Test("M10: ten downloads run, the eleventh waits; of one URL there is one")
    func downloads() throws {
        var session = RevalidationSession()
        for number in 0..<11 { session.image("\(number)", [:]) }
        for number in 0..<11 { session.appear("\(number)", at: 0) }
        session.appear("0", at: 10)
        let (result, courses) = try session.replay(Self.flutter)
        #expect(courses.prefix(11).allSatisfy { $0.outcome == .origin })
        #expect(courses[11].outcome == .coalesced)
        #expect(result.counts.originFetches == 11)
        let longest = courses.prefix(10).compactMap(\.milliseconds).max() ?? 0
        #expect((courses[10].milliseconds ?? 0) > longest)
    }

    @Test("M11: a failed download stores nothing")
    func failure() throws {
        let session = RevalidationSession([:], statuses: [0, 200], at: [0, 5, 10])
        let courses = try session.replay(Self.flutter).courses
        #expect(courses == [Course(.failed, nil), Course(.origin, 300), Course(.diskHit, 0)])
    }

    @Test("C10: what has no-store is not stored; what is stale waits for the origin")
    func chromium() throws {
        var session = RevalidationSession()
        session.image("A", ["cache-control": "no-store"])
        session.image("B", ["cache-control": "max-age=10", "etag": Self.tag])
        for time: Int64 in [0, 5_000, 20_000] {
            session.appear("A", at: time)
            session.appear("B", at: time + 1_000)
        }
        let courses = try session.replay("chromium").courses
        #expect(
            courses == [
                Course(.origin, 300), Course(.origin, 300), Course(.origin, 300), Course(.diskHit, 0),
                Course(.origin, 300), Course(.diskHit, 100),
            ])
    }

    @Test("After a relaunch, Flutter's files and Chromium's dates are known")
    func relaunch() throws {
        for cache in [Self.flutter, "chromium"] {
            var session = RevalidationSession()
            session.image("A", ["cache-control": "max-age=600"])
            session.appear("A", at: 0)
            session.append(.terminate, at: 20_000)
            session.appear("A", at: 30_000)
            #expect(try session.replay(cache).courses == [Course(.origin, 300), Course(.diskHit, 0)], "\(cache)")
        }
    }
}
