import MeasuredTiers
import SessionModel
import Testing
import TraceRecording

@testable import ReplayEngine

@Suite("Validation over real memory, files and sockets")
struct MeasuredRevalidationTests {
    /// Images of all kinds of validators, asked for again and again: out of their lifetime, within it, and after a
    /// relaunch.
    ///
    /// - Parameters:
    ///   - seconds: The lifetime of most images.
    ///   - rounds: The seconds at which all images are asked for.
    ///   - relaunch: The second at which the app is relaunched.
    ///   - spacing: The milliseconds between two images. Above 300, nothing overlaps, so that the speed of the machine
    ///     does not matter.
    private static func session(
        lifetime seconds: Int, rounds: [Int64], relaunch: Int64, spacing: Int64
    ) -> RevalidationSession {
        let lifetime = "max-age=\(seconds)"
        var session = RevalidationSession()
        let images: [(String, KeyValuePairs<String, String>, [Int])] = [
            ("tag", ["cache-control": lifetime, "etag": "\"5f\""], [200]),
            ("weak", ["cache-control": lifetime, "etag": "W/\"5f\""], [200]),
            ("unquoted", ["cache-control": lifetime, "etag": "5f"], [200]),
            ("list", ["cache-control": lifetime, "etag": "a, b"], [200]),
            ("date", ["cache-control": lifetime, "last-modified": "Sun, 15 Nov 2026 00:00:00 GMT"], [200]),
            ("epoch", ["expires": "Thu, 01 Jan 1970 00:00:00 GMT", "etag": "\"1\""], [200]),
            ("undated", ["cache-control": lifetime, "last-modified": "yesterday"], [200]),
            ("control", ["cache-control": lifetime, "etag": "\"a\r\nx-evil: 1\""], [200]),
            ("no-cache", ["cache-control": "no-cache", "etag": "\"2\""], [200, 200, 404, 200]),
            ("no-store", ["cache-control": "no-store", "etag": "\"2\""], [200]),
            ("window", ["cache-control": "\(lifetime), stale-while-revalidate=999", "etag": "\"3\""], [200]),
            ("error", ["cache-control": "\(lifetime), stale-if-error=999", "etag": "\"4\""], [200, 503, 0, 200]),
            ("lost", ["cache-control": lifetime, "etag": "\"4\""], [200, 503, 0, 200]),
            ("bare", [:], [200]),
        ]
        for (name, headers, statuses) in images { session.image(name, headers, statuses: statuses) }
        for round in rounds {
            for (number, image) in images.enumerated() {
                session.appear(image.0, at: round * 1_000 + Int64(number) * spacing)
            }
        }
        session.append(.terminate, at: relaunch * 1_000)
        return session
    }

    private static let caches =
        ["conditional", "staleWhileRevalidate", "cacheThenNetwork", "staleThenNetwork"].flatMap { rule in
            [
                "memory: unbounded; memoryLifetime: http; memoryRevalidate: \(rule)",
                "memory: none; disk: unbounded; diskLifetime: http; diskRevalidate: \(rule)",
                """
                memory: lru(8kB); memoryLifetime: http; memoryRevalidate: \(rule); disk: lru(12kB); diskLifetime: \
                http; \
                diskRevalidate: conditional; coalesce: false; connections: 3
                """,
            ]
        } + [
            // Files keep the end of a lifetime, which a relaunch reads.
            "memory: none; disk: ttl(unbounded, lifetime: 1d); diskLifetime: http; diskRevalidate: conditional",
            "urlcache",
        ]

    private static func measure(
        _ session: RevalidationSession, _ cache: String
    ) async throws -> (result: RunResult, served: OriginStatistics) {
        let trace = session.trace(until: 1_000_000)
        return try await replayed(trace, cache) { try $0.run(trace, measured: .real) }
    }

    @Test("Modelled and measured replays have the same validations, answers and outcomes", arguments: caches)
    func agreement(cache: String) async throws {
        let session = Self.session(
            lifetime: 100, rounds: [0, 40, 200, 240, 440, 640, 700], relaunch: 400, spacing: 1_000)
        let modelled = try session.replay(cache).result
        let (measured, served) = try await Self.measure(session, cache)
        Self.expectEqual(measured, modelled)
        #expect(modelled.revalidation.notModified > 5 && modelled.revalidation.notModified < 80)
        #expect(modelled.revalidation.revalidations > modelled.revalidation.notModified)
        #expect(measured.tiers.originBytes == modelled.tiers.originBytes)
        #expect(Int64(served.bytes) == measured.tiers.originBytes)
        #expect(measured.counts.wrong == 0)
    }

    private static func expectEqual(_ measured: RunResult, _ modelled: RunResult) {
        func outcomes(_ counts: OutcomeCounts) -> [Int] {
            [
                counts.memoryHits, counts.diskHits, counts.originFetches, counts.coalesced, counts.failed,
                counts.cancelled, counts.deferred, counts.wrong, counts.staleHits,
            ]
        }
        #expect(outcomes(measured.counts) == outcomes(modelled.counts))
        #expect(measured.revalidation.revalidations == modelled.revalidation.revalidations)
        #expect(measured.revalidation.notModified == modelled.revalidation.notModified)
        #expect(measured.revalidation.savedBytes == modelled.revalidation.savedBytes)
    }
}
