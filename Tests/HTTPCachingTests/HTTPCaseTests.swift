import Foundation
import HTTPCaching
import HTTPCases
import Synchronization
import TestSupport
import Testing

/// The project's cache in the public suite, over real sockets. The clock of the client and the origin is virtual:
/// `pause_after` moves it by 3 seconds, so nothing waits, and all dates are relative to it.
@Suite("The public suite of HTTP caches", .enabled(if: SharedData.isPresent), .serialized)
struct HTTPCaseTests {
    private static let folder = SharedData.path("http-caching")

    private static func results(_ cases: [CacheCase]) throws -> [String: CaseResult] {
        let clock = CaseClock.virtual()
        let origin = try CaseOrigin(cases, clock: clock)
        defer { try? origin.stop() }
        var results: [String: CaseResult] = [:]
        for test in cases {
            results[test.id] = CaseRunner(origin, clock: clock).run(test, try OwnCacheClient(clock: clock))
        }
        return results
    }

    private static func reasons(_ groups: [CaseCatalogue.Group]) -> [String: String] {
        Dictionary(groups.flatMap { group in group.ids.map { ($0, group.reason) } }) { first, _ in first }
    }

    @Test("Every case that applies passes, except those whose reason is listed; none of these is required")
    func all() throws {
        let cases = try CacheCase.all(in: Self.folder)
        #expect(cases.count == 370 && Set(cases.map(\.id)).count == 370)
        let shared = Self.reasons(CaseCatalogue.forSharedCaches)
        let failures = Self.reasons(CaseCatalogue.failures)
        #expect(shared.count == 11 && failures.count == 27)
        let applying = cases.filter { $0.cdnOnly != true && shared[$0.id] == nil }
        #expect(applying.count == 370 - 24 - 11)
        let results = try Self.results(applying)
        for test in applying {
            let result = results[test.id]
            if failures[test.id] == nil {
                #expect(result == .pass, "\(test.id)")
            } else {
                #expect(
                    result != .pass && (test.kind ?? .required) != .required, "\(test.id) passes: remove its reason")
            }
        }
        // A reason for a case that does not exist, or does not apply, explains nothing.
        let known = Set(cases.map(\.id))
        #expect(known.isSuperset(of: shared.keys) && Set(applying.map(\.id)).isSuperset(of: failures.keys))
    }

    @Test("More cases pass than in the best browser, of the same cases; the page has the table")
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
        #expect(table.passed("CacheReplay") == 276)
        #expect(table.passed("CacheReplay", .required) == 137 && table.count(.required) == 137)
        for (name, file) in Self.recordedClients { table.add(name, try Self.recorded(file)) }
        print(table.markdown)
        try Self.expectPage(contains: table.markdown)
        try Self.expectPage(contains: CaseTable.list(CaseCatalogue.failures))
        try Self.expectPage(contains: CaseTable.list(CaseCatalogue.forSharedCaches))
        let targeted = CaseCatalogue.Group(
            reason: CaseCatalogue.forCDNs, ids: cases.filter { $0.cdnOnly == true }.map(\.id))
        #expect(targeted.ids.count == 24)
        try Self.expectPage(contains: CaseTable.list([targeted]))
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
            let response = try OwnCacheClient(clock: clock).response(to: request, body: body)
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
        // Browsers pass 196 to 207.
        #expect(none.count < 160 && all.count < 160)
        #expect(none.contains("freshness-max-age-stale") && !all.contains("freshness-max-age-stale"))
        #expect(!none.contains("freshness-max-age") && all.contains("freshness-max-age"))
        #expect(!none.contains("304-etag-update-response-Test-Header"))
        #expect(!all.contains("304-etag-update-response-Test-Header"))
    }

    @Test("URLCache's recorded results have the same cases, and no case ended its process")
    func recordedURLCache() throws {
        let compared = Set(try CacheCase.all(in: Self.folder).filter(\.isRunByBrowsers).map(\.id))
        for (_, file) in Self.recordedClients {
            let results = try Self.recorded(file)
            #expect(Set(results.keys) == compared)
            #expect(results.values.filter { $0 == "crash" }.isEmpty)
        }
    }

    /// The uses of URLCache that `scripts/http-cases` has recorded.
    private static let recordedClients = [
        ("URLSession on Linux", "urlcache"), ("URLSession on Linux, the app stores", "urlcache-store"),
        ("URLCache on Linux, the app stores and asks", "urlcache-app"),
    ]

    private static func recorded(_ name: String) throws -> [String: String] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Results")
        let rows = try CaseTable.rows(ofFile: folder.appendingPathComponent("\(name)-linux.csv").path)
        return Dictionary(rows.map { ($0["id"] ?? "", $0["result"] ?? "") }) { first, _ in first }
    }

    private static func expectPage(contains text: String) throws {
        let path = "\(#filePath)/../../../Sources/HTTPCaching/HTTPCaching.docc/PublicSuite.md"
        let page = try String(contentsOf: URL(fileURLWithPath: path).standardized, encoding: .utf8)
        #expect(page.contains(text), "PublicSuite.md lacks this part:\n\(text)")
    }
}
