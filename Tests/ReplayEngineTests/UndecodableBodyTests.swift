import CachePolicies
import ImageLibraries
import SessionModel
import Testing

@testable import ReplayEngine

/// What becomes of a response with status 200 whose body is no image. Outcomes were worked out by hand. A fetch takes
/// 300 ms.
@Suite("Bodies that are no image")
struct UndecodableBodyTests {
    private typealias Course = RevalidationSession.Course

    private static let failed = Course(.failed, nil)
    private static let fetched = Course(.origin, 300)
    private static let onDisk = Course(.diskHit, 0)

    /// The first body is no image, and all later ones are.
    private static func session(
        _ headers: KeyValuePairs<String, String> = [:], at times: [Int64], bytes: Int = 1_000
    ) -> RevalidationSession {
        RevalidationSession(headers, statuses: [200, 200], broken: 1, bytes: bytes, at: times)
    }

    private static func courses(
        _ cache: String, _ headers: KeyValuePairs<String, String> = [:], at times: [Int64]
    ) throws -> [Course] {
        try session(headers, at: times).replay(cache).courses
    }

    // MARK: Libraries

    /// What four requests get whose first fetch has brought a page of HTML: the second and third come while the app
    /// runs, and the fourth after a relaunch. The number of fetches follows.
    private static func expectation(of preset: String) -> String {
        switch preset {
        // The file stays, and each request fetches again.
        case "glide", "fast-image-android": "failed failed failed failed 4"
        // The file stays, and no request fetches again.
        case "coil-3", "coil-3-ios", "cached-network-image-3": "failed failed failed failed 1"
        // HTTP's rules: no headers were recorded, so the response has a lifetime of a day.
        case "picasso-2", "picasso-3", "chromium", "urlcache", "corelibs-urlcache", "nuke-default", "alamofireimage-4",
            "rn-image-ios":
            "failed failed failed failed 1"
        // The URL is blocked until the relaunch.
        case "sdwebimage-5", "sdwebimage-5.19": "failed failed failed origin 2"
        // No memory.
        case "expo-image-ios", "expo-image-android": "failed origin diskHit diskHit 2"
        // No disk.
        case "flutter-3", "coalescing-memory", "nscache-100mb-as-written": "failed origin memoryHit origin 3"
        // The list of waiting requests is never removed: the second and third wait until the relaunch.
        case "coalescing-memory-as-written": "failed cancelled cancelled origin 2"
        default: "failed origin memoryHit diskHit 2"
        }
    }

    @Test("Each library stores such a body, or not", arguments: CachePreset.all.map(\.name))
    func presets(name: String) throws {
        var session = RevalidationSession()
        session.image("A", [:], statuses: [200, 200], broken: 1)
        for time: Int64 in [0, 2_000, 4_000] {
            session.appear("A", at: time)
            session.disappear("A", at: time + 1_000)
        }
        session.append(.terminate, at: 6_000)
        session.appear("A", at: 8_000)
        let (result, courses) = try session.replay(name)
        let outcomes = courses.map { $0.outcome.map { "\($0)" } ?? "none" }.joined(separator: " ")
        // The page has the bytes of the image, so that bytes tell the number of fetches.
        #expect("\(outcomes) \(result.tiers.originBytes / 1_000)" == Self.expectation(of: name))
    }

    @Test("Every preset says what it does with such bodies")
    func facts() {
        for preset in CachePreset.all {
            let says = preset.facts.contains { $0.parameter == "bodies that are no image" }
            #expect(says, "\(preset.name) has no fact on bodies that are no image")
        }
    }

    // MARK: On disk

    @Test("stored: requests that find the body fail without a fetch, until the app removes it")
    func stored() throws {
        var session = Self.session(at: [0, 5], bytes: 300)
        session.append(.terminate, at: 10_000)
        session.appear("A", at: 20_000)
        session.prefetch("A", at: 25_000)
        session.append(.remove(0), at: 30_000)
        session.appear("A", at: 40_000)
        let cache = "memory: none; disk: unbounded; undecodable:"
        let (result, courses) = try session.replay("\(cache) stored")
        #expect(courses == [Self.failed, Self.failed, Self.failed, Self.fetched])
        #expect(result.tiers.diskWrittenBytes == 1_300 && result.tiers.diskReadBytes == 900)
        #expect(result.prefetch.fetches == 0)
        let discarding = try session.replay("\(cache) discarded").courses
        #expect(discarding.map(\.outcome) == [.failed, .origin, .diskHit, .origin])
        let blocking = try session.replay("\(cache) blocked").courses
        #expect(blocking.map(\.outcome) == [.failed, .failed, .origin, .origin])
    }

    @Test("storedAndFetched: the next fetch replaces the file, or fails because the file stays")
    func storedAndFetched() throws {
        let cache = "memory: none; disk: unbounded; undecodable: storedAndFetched"
        let replaced = try Self.session(at: [0, 5, 10], bytes: 300).replay(cache)
        #expect(replaced.courses == [Self.failed, Self.fetched, Self.onDisk])
        #expect(replaced.result.tiers.diskWrittenBytes == 1_300 && replaced.result.tiers.diskReadBytes == 1_300)
        var session = Self.session(at: [0, 5, 10], bytes: 300)
        session.append(.remove(0), at: 15_000)
        for time: Int64 in [20_000, 25_000] { session.appear("A", at: time) }
        let kept = try session.replay("\(cache); overwrites: false")
        #expect(kept.courses == [Self.failed, Self.failed, Self.failed, Self.fetched, Self.onDisk])
        #expect(kept.result.tiers.diskWrittenBytes == 1_300 && kept.result.tiers.diskReadBytes == 1_600)
        // A 404 that is stored too fails without a fetch.
        var missing = RevalidationSession()
        missing.image("A", [:], statuses: [404, 200])
        for time: Int64 in [0, 5_000] { missing.appear("A", at: time) }
        #expect(try missing.replay("\(cache); diskFailures: stored").courses == [Self.failed, Self.failed])
    }

    @Test("The body takes up its bytes, and leaves like an image")
    func bytes() throws {
        var session = Self.session(at: [0], bytes: 300)
        session.image("B", [:])
        session.appear("B", at: 5_000)
        session.appear("A", at: 10_000)
        let cache = "memory: none; undecodable: stored; disk:"
        #expect(try session.replay("\(cache) lru(1299B)").courses.map(\.outcome) == [.failed, .origin, .origin])
        #expect(try session.replay("\(cache) lru(1300B)").courses.map(\.outcome) == [.failed, .origin, .failed])
    }

    // MARK: Lifetimes

    private static let http =
        "memory: none; disk: ttl(unbounded, lifetime: 1d); diskLifetime: http; undecodable: stored"

    @Test("Headers say how long such a body is used, and whether it is stored")
    func lifetimes() throws {
        let minute: KeyValuePairs = ["cache-control": "max-age=60", "etag": "\"5f\""]
        for rule in ["never", "conditional"] {
            let cache = "\(Self.http); diskRevalidate: \(rule)"
            // The image meets no condition of the page, so that it is fetched in full.
            #expect(
                try Self.courses(cache, minute, at: [0, 30, 61, 62])
                    == [Self.failed, Self.failed, Self.fetched, Self.onDisk])
            #expect(
                try Self.courses(cache, ["cache-control": "no-store"], at: [0, 5]) == [Self.failed, Self.fetched])
            // No headers were recorded: the policy's lifetime.
            #expect(
                try Self.courses(cache, at: [0, 86_000, 87_000]) == [Self.failed, Self.failed, Self.fetched])
        }
    }

    @Test("Where what is stale is used meanwhile, the request fails, and the next one has the image")
    func meanwhile() throws {
        let minute: KeyValuePairs = ["cache-control": "max-age=60"]
        let flutter = "cached-network-image-3; memory: none; live: none"
        #expect(
            try Self.courses(flutter, minute, at: [0, 30, 61, 62])
                == [Self.failed, Self.failed, Self.failed, Self.onDisk])
        let week = try Self.courses(flutter, ["etag": "\"5f\""], at: [0, 604_000, 605_000, 606_000])
        #expect(week == [Self.failed, Self.failed, Self.failed, Self.onDisk])
    }

    // MARK: In memory

    @Test("A memory of responses holds such a body, and one of bitmaps does not")
    func memory() throws {
        var session = Self.session(at: [0, 5], bytes: 300)
        session.append(.memoryWarning, at: 7_000)
        session.appear("A", at: 10_000)
        let cache = "memory: ttl(lru(9kB), lifetime: 1d); undecodable: stored; holds:"
        let encoded = try session.replay("\(cache) encoded")
        #expect(encoded.courses == [Self.failed, Self.failed, Self.fetched])
        let small = try Self.session(at: [0, 5], bytes: 300).replay("\(cache) encoded")
        #expect(small.result.tiers.memoryPeakBytes == 300 && small.result.counts.memoryHits == 0)
        #expect(try session.replay("\(cache) decoded").courses.map(\.outcome) == [.failed, .origin, .origin])
        let http = "\(cache) encoded; memoryLifetime: http; memoryRevalidate: conditional"
        let courses = try Self.courses(http, ["cache-control": "max-age=60"], at: [0, 30, 61, 62])
        #expect(courses == [Self.failed, Self.failed, Self.fetched, Course(.memoryHit, 0)])
    }

    @Test("The cause of a miss is the stored body")
    func causes() throws {
        let disk = try Self.session(at: [0, 5]).explain("memory: none; disk: unbounded; undecodable: stored")
        #expect(disk.explanations.map(\.diskCause) == [.firstRequest, .failed])
        let memory = try Self.session(at: [0, 5]).explain("memory: unbounded; holds: encoded; undecodable: stored")
        #expect(memory.explanations.map(\.memoryCause) == [.firstRequest, .failed])
    }

    // MARK: Retries of libraries

    @Test(
        "Picasso and PINRemoteImage try a 404 once, and pause before they try again",
        arguments: [
            ("picasso-2", 404, nil), ("picasso-3", 404, nil), ("picasso-2", 503, nil), ("picasso-3", 503, nil),
            ("picasso-2", 0, 11 + 500 + 11), ("picasso-3", 0, 11 + 500 + 11), ("pinremoteimage", 404, nil),
            ("pinremoteimage", 499, nil), ("pinremoteimage", 500, 11 + 4_000 + 11),
            ("pinremoteimage", 0, 11 + 4_000 + 11),
        ] as [(String, Int, Int64?)])
    func retries(preset: String, status: Int, milliseconds: Int64?) throws {
        var story = Story(network: [("A", 11, status), ("A", 11, 200)])
        story.appear("A", at: 0)
        let (_, requests) = try RevalidationSession.job(preset).runRecordingRequests(story.trace)
        let expected = milliseconds.map { Course(.origin, $0) } ?? Self.failed
        #expect(RevalidationSession.courses(requests) == [expected])
    }
}
