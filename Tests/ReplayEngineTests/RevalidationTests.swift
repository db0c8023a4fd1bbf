import CachePolicies
import SessionModel
import Testing

@testable import ReplayEngine

@Suite("Objects past their lifetime by HTTP headers")
struct RevalidationTests {
    private typealias Course = RevalidationSession.Course

    private static let tag = "\"5f\""
    private static let weekAgo = "Sun, 15 Nov 2026 00:00:00 GMT"

    private static func memory(_ rule: String, _ more: String = "") -> String {
        "memory: unbounded; memoryLifetime: http; memoryRevalidate: \(rule)\(more)"
    }

    @Test("never: it expires, and is fetched in full")
    func never() throws {
        let session = RevalidationSession(["cache-control": "max-age=10", "etag": Self.tag])
        let (result, courses) = try session.replay("memory: ttl(unbounded, lifetime: 1d); memoryLifetime: http")
        #expect(courses == [Course(.origin, 300), Course(.memoryHit, 0), Course(.origin, 300), Course(.memoryHit, 0)])
        #expect(result.revalidation == RevalidationFigures())
        #expect(result.tiers.originBytes == 2_000)
    }

    @Test(
        "conditional: a round trip confirms it, and its lifetime starts anew",
        arguments: [
            ["cache-control": "max-age=10", "etag": tag], ["cache-control": "max-age=10", "etag": "W/\"5f\""],
            ["cache-control": "max-age=10", "last-modified": weekAgo],
            // Sent as it was received.
            ["cache-control": "max-age=10", "etag": "5f"],
            // An invalid date is no validator; the tag is one.
            ["cache-control": "max-age=10", "etag": tag, "last-modified": "yesterday"],
            ["expires": "Sun, 22 Nov 2026 00:00:10 GMT", "etag": tag],
        ] as [KeyValuePairs<String, String>])
    func conditional(headers: KeyValuePairs<String, String>) throws {
        let (result, courses) = try RevalidationSession(headers).replay(Self.memory("conditional"))
        #expect(
            courses == [Course(.origin, 300), Course(.memoryHit, 0), Course(.memoryHit, 100), Course(.memoryHit, 0)])
        #expect(result.counts.memoryHits == 3 && result.counts.originFetches == 1)
        #expect(result.revalidation.revalidations == 1 && result.revalidation.notModified == 1)
        #expect(result.revalidation.savedBytes == 1_000)
        #expect(result.revalidation.waitTime == 100e6)
        #expect(result.counts.staleHits == 0 && result.revalidation.stalenessShown == 0)
        #expect(result.tiers.originBytes == 1_000)
        #expect(result.tiers.memoryExpirations == 0)
    }

    @Test("Without a validator, it is fetched in full", arguments: ["yesterday", ""])
    func noValidator(date: String) throws {
        let session = RevalidationSession(["cache-control": "max-age=10", "last-modified": date])
        let (result, explanations) = try session.explain(Self.memory("conditional"))
        #expect(result.counts.originFetches == 2 && result.counts.memoryHits == 2)
        #expect(result.revalidation == RevalidationFigures())
        #expect(explanations.map(\.memoryCause) == [.firstRequest, nil, .expired, nil])
    }

    @Test("An origin that answers 200 sends another body, which takes the place of the stored one")
    func changed() throws {
        // The tag is sent as it was received: a list of two tags, neither of which is "a, b".
        let session = RevalidationSession(["cache-control": "max-age=10", "etag": "a, b"])
        let (result, courses) = try session.replay(Self.memory("conditional"))
        #expect(courses == [Course(.origin, 300), Course(.memoryHit, 0), Course(.origin, 300), Course(.memoryHit, 0)])
        #expect(result.revalidation.revalidations == 1 && result.revalidation.notModified == 0)
        #expect(result.revalidation.savedBytes == 0)
        #expect(result.revalidation.waitTime == 300e6)
        let (_, explanations) = try session.explain(Self.memory("conditional"))
        #expect(explanations.map(\.memoryCause) == [.firstRequest, nil, .validation, nil])
        #expect(explanations[2].waits[Wait.validation.rawValue] == 300_000_000)
    }

    @Test(
        "A validation that fails fails the request, unless stale-if-error allows the stored object",
        arguments: [
            // 10 s past the lifetime.
            ("max-age=10", Course(.failed, nil)),
            ("max-age=10, stale-if-error=11", Course(.memoryHit, 100, stale: true)),
            ("max-age=10, stale-if-error=9", Course(.failed, nil)),
            ("max-age=10, stale-if-error=11, must-revalidate", Course(.failed, nil)),
            ("max-age=10, stale-if-error=11, no-cache", Course(.failed, nil)),
        ])
    func failure(control: String, expected: RevalidationSession.Course) throws {
        for status in [503, 0] {
            let session = RevalidationSession(
                ["cache-control": control, "etag": Self.tag], statuses: [200, status], at: [0, 20])
            let (result, courses) = try session.replay(Self.memory("conditional"))
            #expect(courses[1] == expected, "\(status)")
            #expect(result.counts.staleHits == (expected.isStale ? 1 : 0))
            // Shown at 20.1 s; the lifetime began with the fetch that ended at 0.3 s.
            #expect(result.revalidation.stalenessShown == (expected.isStale ? 9.8e9 : 0))
            #expect(result.revalidation.revalidations == 1 && result.revalidation.notModified == 0)
        }
        // A response of the client's fault is none of the errors of RFC 5861.
        let gone = RevalidationSession(
            ["cache-control": "max-age=10, stale-if-error=99", "etag": Self.tag], statuses: [200, 404], at: [0, 20])
        #expect(try gone.replay(Self.memory("conditional")).courses[1] == Course(.failed, nil))
    }

    @Test("A validation is tried again like any fetch, and a later attempt confirms")
    func retry() throws {
        let session = RevalidationSession(
            ["cache-control": "max-age=10", "etag": Self.tag], statuses: [200, 503, 200], at: [0, 20])
        let (result, courses) = try session.replay(Self.memory("conditional", "; retries: 1; retryDelay: 1s"))
        #expect(courses[1] == Course(.memoryHit, 1_200))
        #expect(result.revalidation.revalidations == 2 && result.revalidation.notModified == 1)
        #expect(result.revalidation.waitTime == 1_200e6)
    }

    @Test(
        "staleWhileRevalidate: within the window it is shown at once, and confirmed meanwhile",
        arguments: [
            ("max-age=10, stale-while-revalidate=10", [Course(.memoryHit, 0, stale: true), Course(.memoryHit, 0)]),
            // The second is the first second out of the window.
            ("max-age=10, stale-while-revalidate=9", [Course(.memoryHit, 100), Course(.memoryHit, 0)]),
            ("max-age=10", [Course(.memoryHit, 100), Course(.memoryHit, 0)]),
            (
                "max-age=10, stale-while-revalidate=10, must-revalidate",
                [Course(.memoryHit, 100), Course(.memoryHit, 0)]
            ),
            ("max-age=10, stale-while-revalidate=10, no-cache", [Course(.memoryHit, 100), Course(.memoryHit, 100)]),
        ])
    func staleWhileRevalidate(control: String, expected: [RevalidationSession.Course]) throws {
        let session = RevalidationSession(["cache-control": control, "etag": Self.tag], at: [0, 20, 25])
        let (result, courses) = try session.replay(Self.memory("staleWhileRevalidate"))
        #expect(Array(courses[1...]) == expected)
        let isStale = expected[0].isStale
        #expect(result.counts.staleHits == (isStale ? 1 : 0))
        #expect(result.revalidation.stalenessShown == (isStale ? 9.7e9 : 0))
        #expect(result.revalidation.waitTime == 1e6 * Double(expected.compactMap(\.milliseconds).reduce(0, +)))
        #expect(result.revalidation.notModified == (control.contains("no-cache") ? 2 : 1))
        #expect(result.tiers.originBytes == 1_000)
    }

    @Test("cacheThenNetwork: every request shows what is stored and asks, one validation at a time")
    func cacheThenNetwork() throws {
        var session = RevalidationSession(["cache-control": "max-age=10", "etag": Self.tag], at: [0, 5, 20])
        // 50 ms later, the validation is in progress.
        session.appear("A", at: 20_050)
        let (result, courses) = try session.replay(Self.memory("cacheThenNetwork"))
        #expect(
            courses == [
                Course(.origin, 300), Course(.memoryHit, 0), Course(.memoryHit, 0, stale: true),
                Course(.memoryHit, 0, stale: true),
            ])
        #expect(result.revalidation.revalidations == 2 && result.revalidation.notModified == 2)
        #expect(result.revalidation.waitTime == 0)
        // The lifetime of the 304 that came at 5.1 s ended at 15.1 s.
        #expect(result.revalidation.stalenessShown == 4.9e9 + 4.95e9)
        // Requests that do not share fetches have one validation at a time too.
        let alone = try session.replay(Self.memory("cacheThenNetwork", "; coalesce: false"))
        #expect(alone.result.revalidation.revalidations == 2)
        // What never changes is not asked for while it is fresh.
        let immutable = RevalidationSession(
            ["cache-control": "max-age=10, immutable", "etag": Self.tag], at: [0, 5, 20])
        #expect(try immutable.replay(Self.memory("cacheThenNetwork")).result.revalidation.revalidations == 1)
    }

    @Test(
        "no-cache is stored and always validated, no-store is not stored, Vary: * is always validated",
        arguments: [
            (["cache-control": "no-cache, max-age=10", "etag": tag], 100, 2),
            (["cache-control": "max-age=0", "etag": tag], 100, 2),
            // Neither a lifetime nor a date to derive one from.
            (["etag": tag], 100, 2), (["cache-control": "max-age=10", "vary": "*", "etag": tag], 100, 2),
            (["expires": "Thu, 01 Jan 1970 00:00:00 GMT", "etag": tag], 100, 2),
            (["expires": "0", "etag": tag], 100, 2),
            (["cache-control": "max-age=10", "vary": "accept", "etag": tag], 0, 0),
            // A tenth of a week.
            (["last-modified": weekAgo], 0, 0), (["cache-control": "no-store", "etag": tag], 300, 0),
            (["cache-control": "no-store, no-cache", "etag": tag], 300, 0),
        ] as [(KeyValuePairs<String, String>, Int64, Int)])
    func directives(headers: KeyValuePairs<String, String>, milliseconds: Int64, confirmed: Int) throws {
        let (result, courses) = try RevalidationSession(headers, at: [0, 1, 2]).replay(Self.memory("conditional"))
        #expect(courses[1].milliseconds == milliseconds && courses[2].milliseconds == milliseconds)
        #expect(result.revalidation.notModified == confirmed && result.revalidation.revalidations == confirmed)
    }

    @Test("Objects without headers follow the lifetime of the policy, and are not validated")
    func policyLifetime() throws {
        let session = RevalidationSession([:])
        let cache = "memory: ttl(unbounded, lifetime: 10s); memoryLifetime: http; memoryRevalidate: conditional"
        let (result, courses) = try session.replay(cache)
        #expect(courses.map(\.outcome) == [.origin, .memoryHit, .origin, .memoryHit])
        #expect(result.revalidation == RevalidationFigures())
        #expect(result.notes.contains(.lifetimesAssumed(objects: 1, of: 1)))
    }

    @Test("Files are validated like memory, and promoted when they are confirmed; a relaunch keeps their lifetime")
    func disk() throws {
        var session = RevalidationSession(["cache-control": "max-age=10", "etag": Self.tag], at: [0, 5, 20])
        session.append(.terminate, at: 2_000)
        session.append(.terminate, at: 10_000)
        session.appear("A", at: 20_500)
        let cache = "memory: unbounded; disk: unbounded; diskLifetime: http; diskRevalidate: conditional"
        let (result, courses) = try session.replay(cache)
        #expect(courses == [Course(.origin, 300), Course(.diskHit, 0), Course(.diskHit, 100), Course(.memoryHit, 0)])
        #expect(result.revalidation.notModified == 1 && result.tiers.originBytes == 1_000)
        // The memory knows no lifetime; with one, it is confirmed together with the file.
        let (both, _) = try session.replay(
            "\(cache); memoryLifetime: http; memoryRevalidate: staleWhileRevalidate")
        #expect(both.revalidation.notModified == 1)
        let onMainLane = try session.replay("\(cache); diskOnMainLane: true")
        #expect(onMainLane.courses == courses)
    }

    @Test("A request joins a validation in progress; without coalescing, it sends its own")
    func joined() throws {
        var session = RevalidationSession(["cache-control": "max-age=10", "etag": Self.tag], at: [0, 20])
        session.appear("A", at: 20_040)
        // Nothing in memory has the thumbnail: the confirmed image is shared.
        session.appear("A", at: 20_060, .thumbnail)
        session.appear("A", at: 25_000, .thumbnail)
        let (result, courses) = try session.replay(Self.memory("conditional"))
        #expect(
            courses == [
                Course(.origin, 300), Course(.memoryHit, 100), Course(.memoryHit, 60), Course(.coalesced, 40),
                Course(.memoryHit, 0),
            ])
        #expect(result.revalidation.revalidations == 1)
        #expect(result.revalidation.waitTime == 200e6)
        let alone = try session.replay(Self.memory("conditional", "; coalesce: false"))
        #expect(
            alone.courses == [
                Course(.origin, 300), Course(.memoryHit, 100), Course(.memoryHit, 100), Course(.origin, 300),
                Course(.memoryHit, 0),
            ])
        #expect(alone.result.revalidation.revalidations == 2)
    }

    @Test("A cell that vanishes ends its wait, and cancels the validation if the cache cancels")
    func cancelled() throws {
        var session = RevalidationSession(["cache-control": "max-age=10", "etag": Self.tag], at: [0, 20])
        session.disappear("A", at: 19_000)
        session.disappear("A", at: 20_030)
        session.appear("A", at: 22_000)
        let cancels = try session.replay(Self.memory("conditional", "; cancelOnDisappear: true"))
        #expect(cancels.courses == [Course(.origin, 300), Course(.cancelled, nil), Course(.memoryHit, 100)])
        #expect(cancels.result.revalidation.revalidations == 2 && cancels.result.revalidation.notModified == 1)
        #expect(cancels.result.revalidation.waitTime == 130e6)
        let goesOn = try session.replay(Self.memory("conditional"))
        #expect(goesOn.courses == [Course(.origin, 300), Course(.memoryHit, nil), Course(.memoryHit, 0)])
        #expect(goesOn.result.counts.late == 1)
        #expect(goesOn.result.revalidation.waitTime == 30e6)
        let (_, explanations) = try session.explain(Self.memory("conditional", "; cancelOnDisappear: true"))
        #expect(explanations.map(\.memoryCause) == [.firstRequest, .validation, nil])
    }

    @Test("A relaunch ends validations in progress")
    func relaunch() throws {
        var session = RevalidationSession(["cache-control": "max-age=10", "etag": Self.tag], at: [0, 20])
        session.append(.terminate, at: 20_050)
        session.appear("A", at: 30_000)
        let (result, courses) = try session.replay(
            "memory: none; disk: unbounded; diskLifetime: http; diskRevalidate: conditional")
        #expect(courses == [Course(.origin, 300), Course(.cancelled, nil), Course(.diskHit, 100)])
        #expect(result.revalidation.revalidations == 2 && result.revalidation.notModified == 1)
    }

    @Test("Validations wait for a connection like fetches, and their connections are reused")
    func connections() throws {
        var session = RevalidationSession()
        for name in ["A", "B"] {
            session.image(name, ["cache-control": "max-age=10", "etag": Self.tag])
            session.appear(name, at: 0)
            session.appear(name, at: 20_000)
        }
        let (result, courses) = try session.replay(Self.memory("conditional", "; connections: 1"))
        #expect(courses.map(\.milliseconds) == [300, 600, 100, 200])
        #expect(result.revalidation.waitTime == 300e6)
    }

    @Test("A validation that is held back while the list moves asks when it is at rest")
    func gate() throws {
        var session = RevalidationSession(["cache-control": "max-age=10", "etag": Self.tag], at: [0, 20])
        session.append(.scroll(.dragged, offset: 0, velocity: 0), at: 19_000)
        session.append(.scroll(.atRest, offset: 0, velocity: 0), at: 21_000)
        let (result, courses) = try session.replay(Self.memory("conditional", "; fetchWhileScrolling: false"))
        #expect(courses == [Course(.origin, 300), Course(.memoryHit, 1_100)])
        #expect(result.revalidation.notModified == 1 && result.revalidation.waitTime == 100e6)
    }

    @Test("A prefetch validates what it finds, so that the request after it does not wait")
    func prefetch() throws {
        for tiers in [
            Self.memory("conditional"),
            "memory: none; disk: unbounded; diskLifetime: http; diskRevalidate: conditional",
        ] {
            var session = RevalidationSession(["cache-control": "max-age=10", "etag": Self.tag], at: [0])
            session.prefetch("A", at: 20_000)
            session.appear("A", at: 21_000)
            let (result, courses) = try session.replay(tiers)
            #expect(courses.map(\.milliseconds) == [300, 0], "\(tiers)")
            #expect(result.revalidation.notModified == 1 && result.revalidation.waitTime == 0)
            #expect(result.prefetch.fetches == 1 && result.prefetch.used == 1)
            #expect(result.prefetch.bytes == 0 && result.prefetch.unusedBytes == 0)
        }
    }

    @Test("The memory of encoded bytes is validated like memory")
    func encodedMemory() throws {
        let session = RevalidationSession(["cache-control": "max-age=10", "etag": Self.tag], at: [0, 20, 25])
        let (result, courses) = try session.replay(
            """
            memory: none; encodedMemory: 1MB; disk: unbounded; memoryLifetime: http; memoryRevalidate: conditional
            """)
        #expect(courses == [Course(.origin, 300), Course(.memoryHit, 100), Course(.memoryHit, 0)])
        #expect(result.revalidation.notModified == 1)
    }

    @Test("Causes sum to misses and waits to blank time, whatever becomes of a validation")
    func sums() throws {
        var session = RevalidationSession()
        session.image("A", ["cache-control": "max-age=2", "etag": Self.tag], statuses: [200, 200, 503, 200, 0])
        session.image("B", ["cache-control": "max-age=2, stale-while-revalidate=3", "etag": "a, b"])
        session.image("C", ["cache-control": "no-cache"], statuses: [200, 200, 404])
        session.image("D", ["cache-control": "max-age=1, stale-if-error=9", "etag": "5"], statuses: [200, 0, 500])
        for step in 0..<60 {
            let name = ["A", "B", "C", "D"][step * 7 % 4]
            session.appear(name, at: Int64(step) * 370, step % 5 == 0 ? .thumbnail : .full)
            if step % 3 == 0 { session.disappear(name, at: Int64(step) * 370 + 140) }
        }
        session.append(.terminate, at: 9_000)
        let rules = ["never", "conditional", "staleWhileRevalidate", "cacheThenNetwork", "staleThenNetwork"]
        for memory in rules {
            for disk in rules {
                for more in [
                    "", "; coalesce: false", "; cancelOnDisappear: true; connections: 1", "; coalesceDisk: true",
                ] {
                    let cache = """
                        memory: lru(2kB); memoryLifetime: http; memoryRevalidate: \(memory); disk: lru(6kB); \
                        diskLifetime: http; diskRevalidate: \(disk)\(more)
                        """
                    let (result, explanations) = try session.explain(cache)
                    let counts = result.counts
                    #expect(counts.requests == 60, "\(cache)")
                    #expect(explanations.count { $0.memoryCause != nil } == 60 - counts.memoryHits, "\(cache)")
                    let waited = explanations.reduce(0) { $0 + Double($1.blank) }
                    #expect(abs(waited - result.blank.blankTime) < 1e3, "\(cache)")
                    let validation = explanations.reduce(0) { $0 + Double($1.waits[Wait.validation.rawValue]) }
                    #expect(abs(validation - result.revalidation.waitTime) < 1e3, "\(cache)")
                    #expect(result.revalidation.notModified <= result.revalidation.revalidations)
                    let plain = try session.replay(cache).result
                    #expect(plain.counts == counts && plain.revalidation == result.revalidation, "\(cache)")
                }
            }
        }
    }

    @Test("Lifetimes of the policy leave nothing to validate, and the error says so")
    func needsLifetimes() throws {
        for (text, column) in [
            ("memory: lru(1MB); memoryRevalidate: conditional", 18), ("lru(1MB); diskRevalidate: cacheThenNetwork", 10),
        ] {
            let error = #expect(throws: SpecError.self) { try CacheConfiguration(text) }
            #expect(error?.column == column)
            #expect(error?.message.contains("Lifetime: policy no header counts; add") == true)
        }
        #expect(throws: SpecError.self) {
            try CacheConfiguration("memory: lru(1MB); memoryLifetime: http; memoryRevalidate: always")
        }
        let cache = try CacheConfiguration("lru(1MB); memoryLifetime: http; memoryRevalidate: conditional")
        #expect(throws: RuleError.self) { try cache.sweeping(SweptValue(parameter: "memoryLifetime", value: "policy")) }
        #expect(!cache.withoutLifetimes.revalidates)
    }

    @Test("Defects of headers are counted and named")
    func defects() throws {
        var session = RevalidationSession()
        session.image("unquoted", ["etag": "5f"])
        session.image("control", ["etag": "\"a\r\nx-evil: 1\""])
        session.image("undated", ["last-modified": "0", "etag": "\"1\""])
        session.image("epoch", ["expires": "Thu, 01 Jan 1970 00:00:00 GMT"])
        session.image("known", ["etag": "\"1\""], statuses: [304])
        for name in ["unquoted", "control", "undated", "epoch", "known"] {
            session.appear(name, at: 0)
            session.appear(name, at: 5_000)
        }
        let (result, courses) = try session.replay(Self.memory("conditional"))
        var defects = HeaderDefects()
        (defects.unquotedTags, defects.unusableTags, defects.invalidDates) = (1, 1, 1)
        (defects.datesOf1970, defects.notModifiedFirst) = (1, 1)
        #expect(result.notes.contains(.headerDefects(defects, of: 5)))
        #expect(courses.count { $0.outcome == .failed } == 0)
        #expect(result.tiers.originBytes >= 5_000)
        let plain = try session.replay("memory: unbounded; memoryLifetime: http")
        #expect(!plain.result.notes.contains(.headerDefects(defects, of: 5)))
    }
}
