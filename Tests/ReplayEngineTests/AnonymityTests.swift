import CacheTiers
import CacheTraces
import Foundation
import HTTPCaching
import ImageLibraries
import SessionModel
import TestSupport
import Testing
import TraceAnalysis

@testable import ReplayEngine

@Suite("A trace that is anonymized")
struct AnonymityTests {
    private static func anonymizer(_ salt: String = "7f1e") throws -> Anonymizer {
        try #require(Anonymizer(salt: salt))
    }

    private static func anonymous(_ keys: [String], salt: String = "7f1e") throws -> [String] {
        let trace = Trace(objects: keys.map { TraceObject(key: $0) })
        return try anonymizer(salt).anonymized(trace).objects.map(\.key)
    }

    /// Bundled traces, and the recordings beside the package that have pictures, by their paths.
    private static let traces: [String: Trace] = {
        let folder = SharedData.path("har")
        let recordings = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let paths = AgreementTests.bundled + recordings.map { "\(folder)/\($0)" }
        return Dictionary(
            uniqueKeysWithValues: paths.compactMap { path in
                (try? Trace(contentsOf: path)).map { (path, $0) }
            })
    }()

    private static let paths = traces.keys.sorted()

    // MARK: Names

    @Test("The same salt gives a text the same name in all traces; another salt gives it another name")
    func salts() throws {
        let (one, other) = (["https://a.example/1.png", "x"], ["y", "https://a.example/1.png"])
        #expect(try Self.anonymous(one)[0] == Self.anonymous(other)[1])
        #expect(try Self.anonymous(one)[0] != Self.anonymous(one, salt: "7f1f")[0])
        var trace = Trace(header: TraceHeader(title: "Anna's feed", recorder: "Shop 3.1", synthetic: true))
        trace.header.user = "anna"
        let headers = try [Self.anonymizer(), Self.anonymizer(), Self.anonymizer("other")].map {
            $0.anonymized(trace).header
        }
        #expect(headers[0] == headers[1] && headers[0].user != headers[2].user && headers[0].title != headers[2].title)
        #expect(headers[0].synthetic && headers[0].user != headers[0].title && headers[0].recorder?.utf8.count == 14)
    }

    @Test("An empty salt is refused", arguments: ["", " ", "\n"])
    func emptySalt(salt: String) { #expect(Anonymizer(salt: salt) == nil) }

    @Test("Numbers become numbers where a format has no other keys")
    func numbers() throws {
        let trace = Trace(objects: ["17", "18446744073709551615"].map { TraceObject(key: $0) })
        let keys = try Self.anonymizer().anonymized(trace, keysAreNumbers: true).objects.map(\.key)
        #expect(keys.allSatisfy { UInt64($0) != nil } && Set(keys + trace.objects.map(\.key)).count == 4)
        let mixed = Trace(objects: ["17", "a"].map { TraceObject(key: $0) })
        #expect(try Self.anonymizer().anonymized(mixed, keysAreNumbers: true).objects[0].key.hasPrefix("x"))
    }

    @Test("The start and the dates of headers move by one time, to the microsecond")
    func dates() throws {
        var trace = Trace(header: TraceHeader(started: "2026-11-21T08:51:22.182Z"))
        trace.objects = [
            TraceObject(key: "a", headers: [HTTPField("last-modified", "Sat, 21 Nov 2026 08:51:01 GMT")])
        ]
        let moved = try Self.anonymizer().anonymized(trace)
        let started = try #require(moved.header.started.flatMap(Timestamp.microseconds))
        let modified = try #require(HTTPDates.microseconds(moved.objects[0].headers[0].value))
        #expect(started - modified == 21_182_000)
        let years = (started - 1_795_251_082_182_000) / (365 * 86_400 * 1_000_000)
        #expect((20..<80).contains(years))
        #expect(moved.header.started?.hasSuffix(".182000Z") == true)
        trace.header.started = "yesterday"
        #expect(try Self.anonymizer().anonymized(trace).header.started == nil)
    }

    // MARK: Relations

    /// What caches and connections have in common for keys.
    private static let relations: [(name: String, of: @Sendable (String) -> String)] = [
        ("key", { $0 }), ("host", { String(RecordedHosts.name($0)) }), ("host and path", DiskLayout.hostAndPath),
        ("file of the path", { DiskLayout.path.fileName(for: $0) ?? "none \($0)" }),
        ("text before the query", { String($0.prefix { $0 != "?" }) }),
    ]

    private static let keys = [
        "https://img.example/a/1.jpg", "http://img.example/a/1.jpg", "https://img.example/a/1.jpg?w=1",
        "https://img.example/a/1.jpg?w=2", "https://img.example/a/1.jpg#top", "https://IMG.example/a/1.jpg",
        "https://anna@img.example/a/1.jpg", "https://img.example:8080/a/1.jpg", "https://other.example/a/1.jpg",
        "https://img.example", "https://img.example?q", "https://img.example/", "file:///a/1.jpg", "/c/1.jpg",
        "a/1.jpg", "//img.example/a/1.jpg", "//img.example/b", "proxy?url=https://img.example/a/1.jpg", "proxy?url=b",
        "", "?", "1",
    ]

    @Test("Keys have the same in common as before", arguments: relations.indices)
    func common(index: Int) throws {
        let relation = Self.relations[index].of
        let keys = try Self.anonymous(Self.keys)
        for (one, first) in zip(Self.keys, keys) {
            for (other, second) in zip(Self.keys, keys) {
                #expect(
                    (relation(one) == relation(other)) == (relation(first) == relation(second)),
                    "\(Self.relations[index].name): \(one) and \(other) became \(first) and \(second)")
            }
        }
    }

    @Test("Keys of one form that share every fifth character share it afterwards, and others do not")
    func everyFifth() throws {
        // The digits stand in the places 21 and 25.
        let keys = (0..<4).map { "https://photos.test/a\($0 / 2)abc\($0 % 2).jpg" }
        let fifths = try Self.anonymous(keys).map(DiskLayout.everyFifth)
        #expect(keys.map(DiskLayout.everyFifth)[0] == keys.map(DiskLayout.everyFifth)[2])
        #expect(fifths[0] == fifths[2] && fifths[1] == fifths[3] && fifths[0] != fifths[1])
        #expect(try Set(Self.anonymous(keys)).count == 4)
    }

    @Test("What is too long for a file's name stays too long", arguments: DiskLayout.allCases)
    func longNames(layout: DiskLayout) throws {
        let host = "https://img.example/"
        let keys = [
            host + String(repeating: "p", count: 150), host + String(repeating: "p", count: 200),
            host + String(repeating: "p", count: 300), host + String(repeating: "/", count: 100),
            host + "a?" + String(repeating: "q", count: 150), host + "a?" + String(repeating: "q", count: 400),
            host + "a?" + String(repeating: "q", count: 1_500), String(repeating: "k", count: 254),
        ]
        for (key, replacement) in zip(keys, try Self.anonymous(keys)) {
            let names = [key, replacement].map { layout.name(of: $0, variant: 1) != nil }
            #expect(names[0] == names[1], "\(key) became \(replacement)")
        }
    }

    // MARK: Figures

    @Test("The sessions of people and the recordings of sixteen tools are there", .enabled(if: SharedData.isPresent))
    func present() { #expect(AgreementTests.bundled.count >= 7 && Self.paths.count >= 22) }

    /// Caches whose keys, files or lifetimes depend on texts.
    private static let caches = [
        "kingfisher-8", "two-tier-as-written", "pincache-3", "corelibs-urlcache",
        "memory: none; disk: lru(3MB); diskLifetime: httpExplicit; layout: path",
        """
        memory: lru(3MB); disk: lru(20MB); memoryLifetime: http; memoryRevalidate: conditional; diskLifetime: http; \
        diskRevalidate: conditional
        """,
    ]

    @Test("Caches have the same figures before and after, of the short recordings all presets", arguments: paths)
    func figures(path: String) throws {
        let before = try #require(Self.traces[path])
        let after = try Self.anonymizer().anonymized(before)
        let prepared = try (PreparedTrace(before), PreparedTrace(after))
        for name in Self.caches + (path.hasSuffix(".jsonl") ? [] : CachePreset.all.map(\.name)) {
            var job = ReplayJob(trace: "t", cache: try CacheConfiguration(specification: name))
            job.timing = .modelled(.standard)
            let results = try (job.run(prepared.0), job.run(prepared.1))
            #expect(results.0 == results.1, "\(name)")
        }
    }

    @Test("Requests have the same explanations, and the trace the same counts", arguments: paths)
    func explanations(path: String) throws {
        let before = try #require(Self.traces[path])
        let after = try Self.anonymizer().anonymized(before)
        var job = ReplayJob(trace: "t", cache: try CacheConfiguration(specification: "two-tier-as-written"))
        job.timing = .modelled(.standard)
        var rows = try [before, after].map { try job.explain(PreparedTrace($0)).requests }
        for index in rows[0].indices { rows[0][index].key = rows[1][index].key }
        #expect(rows[0] == rows[1])
        var counts = [before, after].map { TraceSummary($0) }
        for index in counts.indices { counts[index].header = TraceHeader() }
        #expect(counts[0] == counts[1])
        #expect(after.events == before.events && before.recordsImages == after.recordsImages)
    }

    // MARK: Leaks

    /// The values of six successive bytes in texts.
    private static func pieces(_ texts: some Sequence<String>) -> Set<UInt64> {
        var pieces: Set<UInt64> = []
        for text in texts {
            let bytes = Array(text.utf8)
            for start in bytes.indices.dropLast(5) {
                pieces.insert(bytes[start..<start + 6].reduce(0) { $0 << 8 | UInt64($1) })
            }
        }
        return pieces
    }

    /// The texts of a trace that must not be found in an anonymous one, except dates, and the words and numbers of
    /// HTTP.
    private static func texts(_ trace: Trace) -> [String] {
        let kept = ["cache-control", "age", "date", "expires", "last-modified"]
        let fields = trace.objects.flatMap(\.headers).filter { !kept.contains($0.name) }
        return trace.objects.map(\.key) + fields.map(\.value)
            + [trace.header.title, trace.header.recorder, trace.header.user].compactMap(\.self)
    }

    /// The dates of headers, without those that stand for none.
    private static func dates(_ trace: Trace) -> Set<Int64> {
        Set(trace.objects.flatMap(\.headers).compactMap { HTTPDates.microseconds($0.value) }.filter { $0 > 1 << 45 })
    }

    @Test("No six successive characters of a key, a host or a header are left, and no date", arguments: paths)
    func leaks(path: String) throws {
        let before = try #require(Self.traces[path])
        let after = try Self.anonymizer().anonymized(before)
        #expect(Self.pieces(Self.texts(before)).isDisjoint(with: Self.pieces(Self.texts(after))))
        #expect(Self.dates(before).isDisjoint(with: Self.dates(after)))
        // What else is left of headers are these words, with numbers.
        let words = /no-store|no-cache|must-revalidate|immutable|(max-age|stale-while-revalidate|stale-if-error)=\d+/
        for field in after.objects.flatMap(\.headers) where field.name == "cache-control" {
            #expect(field.value.replacing(words, with: "").allSatisfy { $0 == "," || $0 == " " }, "\(field.value)")
        }
    }
}
