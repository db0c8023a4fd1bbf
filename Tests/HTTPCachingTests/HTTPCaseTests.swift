import Foundation
import HTTPCaching
import HTTPCases
import Synchronization
import TestSupport
import Testing

/// The rules of replays in the public suite, over real sockets. The clock of the client and the origin is virtual:
/// `pause_after` moves it by 3 seconds, so nothing waits, and all dates are relative to it.
@Suite("The public suite of HTTP caches", .enabled(if: SharedData.isPresent), .serialized)
struct HTTPCaseTests {
    private static let folder = SharedData.path("http-caching")

    /// The numbers of passed cases.
    private enum Passed {
        /// Of the 300 cases that browsers run.
        static let total = 184
        /// Of the 137 cases of these that the standard requires.
        static let required = 109
        /// Of the 35 cases that browsers do not run, and that apply to a private cache.
        static let beyondBrowsers = 11
    }

    private static func results(_ cases: [CacheCase]) throws -> [String: CaseResult] {
        let clock = CaseClock.virtual()
        let origin = try CaseOrigin(cases, clock: clock)
        defer { try? origin.stop() }
        var results: [String: CaseResult] = [:]
        for test in cases {
            results[test.id] = CaseRunner(origin, clock: clock).run(test, try ReplayRulesClient(clock: clock))
        }
        return results
    }

    private static func reasons(_ groups: [CaseCatalogue.Group]) -> [String: String] {
        Dictionary(groups.flatMap { group in group.ids.map { ($0, group.reason) } }) { first, _ in first }
    }

    @Test("Every case that applies passes, except those whose reason is listed")
    func all() throws {
        let cases = try CacheCase.all(in: Self.folder)
        #expect(cases.count == 370 && Set(cases.map(\.id)).count == 370)
        let shared = Self.reasons(CaseCatalogue.forSharedCaches)
        let failures = Self.reasons(CaseCatalogue.failures)
        #expect(shared.count == 11 && failures.count == CaseCatalogue.failures.reduce(0) { $0 + $1.ids.count })
        let applying = cases.filter { $0.cdnOnly != true && shared[$0.id] == nil }
        #expect(applying.count == 370 - 24 - 11)
        let results = try Self.results(applying)
        let added = applying.filter { results[$0.id] != .pass && failures[$0.id] == nil }
        let removed = applying.filter { results[$0.id] == .pass && failures[$0.id] != nil }
        let texts = added.map { "\($0.id): \(results[$0.id]?.message ?? "")" }
        #expect(added.isEmpty, "Add these to CaseCatalogue.failures:\n\(texts.joined(separator: "\n"))")
        #expect(removed.isEmpty, "Remove these from CaseCatalogue.failures: \(removed.map(\.id))")
        #expect(applying.count { !$0.isRunByBrowsers && results[$0.id] == .pass } == Passed.beyondBrowsers)
        // A reason for a case that does not exist, or does not apply, explains nothing.
        let known = Set(cases.map(\.id))
        #expect(known.isSuperset(of: shared.keys) && Set(applying.map(\.id)).isSuperset(of: failures.keys))
    }

    @Test("The published results of browsers have the same cases, and the rules of replays pass as many as they did")
    func table() throws {
        let cases = try CacheCase.all(in: Self.folder)
        let browsers = try CaseTable.rows(ofFile: Self.folder + "/browsers.csv")
        let compared = cases.filter(\.isRunByBrowsers)
        // The published results have exactly these cases.
        #expect(Set(compared.map(\.id)) == Set(browsers.filter { $0["chrome"] != "" }.compactMap { $0["id"] }))
        let results = try Self.results(compared)
        var table = CaseTable(cases: compared)
        table.add("CacheReplay", results.mapValues(\.name))
        for name in ["chrome", "safari", "firefox"] {
            let pairs = browsers.map { ($0["id"] ?? "", $0[name] ?? "") }
            table.add(name.capitalized, Dictionary(pairs) { first, _ in first })
        }
        #expect(table.passed("Firefox") == 207 && table.passed("Chrome") == 202 && table.passed("Safari") == 196)
        #expect(table.passed("CacheReplay") == Passed.total && table.count() == 300)
        #expect(table.passed("CacheReplay", .required) == Passed.required && table.count(.required) == 137)
        #expect(cases.count { $0.cdnOnly == true } == 24)
    }

    /// Stores nothing, or everything for ever.
    private final class WrongClient: CaseClient {
        private let clock: CaseClock
        private let storesAll: Bool
        private let stored = Mutex<[String: CaseResponse]>([:])

        init(clock: CaseClock, storesAll: Bool) {
            self.clock = clock
            self.storesAll = storesAll
        }

        func response(to request: RequestHead, body: String?) throws -> CaseResponse {
            if storesAll, let response = stored.withLock({ $0[request.url] }) { return response }
            let response = try ReplayRulesClient(clock: clock).response(to: request, body: body)
            stored.withLock { $0[request.url] = response }
            return response
        }

        func settle() {}
    }

    @Test("The cases notice a cache that stores nothing, and one that stores everything for ever")
    func wrongCaches() throws {
        let cases = try CacheCase.all(in: Self.folder).filter(\.isRunByBrowsers)
        func passed(storesAll: Bool) throws -> Set<String> {
            let clock = CaseClock.virtual()
            let origin = try CaseOrigin(cases, clock: clock)
            defer { try? origin.stop() }
            let runner = CaseRunner(origin, clock: clock)
            return Set(
                cases.filter { runner.run($0, WrongClient(clock: clock, storesAll: storesAll)) == .pass }.map(\.id))
        }
        let (none, all) = (try passed(storesAll: false), try passed(storesAll: true))
        // Far fewer than the rules of replays.
        #expect(none.count < 160 && all.count < 160)
        #expect(none.contains("freshness-max-age-stale") && !all.contains("freshness-max-age-stale"))
        #expect(!none.contains("freshness-max-age") && all.contains("freshness-max-age"))
        #expect(!none.contains("304-lm-use-stored-Test-Header") && !all.contains("304-lm-use-stored-Test-Header"))
    }

    @Test("URLCache's recorded results have the same cases, and no case ended its process")
    func recordedURLCache() throws {
        let compared = Set(try CacheCase.all(in: Self.folder).filter(\.isRunByBrowsers).map(\.id))
        for file in Self.recordedClients {
            let results = try Self.recorded(file)
            #expect(Set(results.keys) == compared)
            #expect(results.values.filter { $0 == "crash" }.isEmpty)
        }
    }

    /// The uses of URLCache that `scripts/checks/http-cases` has recorded.
    private static let recordedClients = ["urlcache", "urlcache-store", "urlcache-app"]

    private static func recorded(_ name: String) throws -> [String: String] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Results")
        let rows = try CaseTable.rows(ofFile: folder.appendingPathComponent("\(name)-linux.csv").path)
        return Dictionary(rows.map { ($0["id"] ?? "", $0["result"] ?? "") }) { first, _ in first }
    }
}
