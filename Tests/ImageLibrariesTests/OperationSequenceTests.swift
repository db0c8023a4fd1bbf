import CachePolicies
import SessionModel
import Testing

@testable import ImageLibraries
@testable import ReplayEngine

/// Sequences of operations on the caches of Flutter, React Native, Picasso and Coil, worked out by hand from the
/// sources of the libraries.
@Suite("Sequences of operations on cross-platform caches")
struct OperationSequenceTests {
    @Test("The memory tier of the preset has the outcomes and the contents", arguments: OperationSequence.ofMemory)
    func ledger(sequence: OperationSequence) throws {
        let run = try sequence.runOnLedger()
        #expect(run.outcomes == sequence.expected)
        #expect(run.differences == [])
    }

    @Test("A replay of the preset has the outcomes", arguments: OperationSequence.replayed)
    func replay(sequence: OperationSequence) throws {
        let run = try sequence.replay()
        #expect(run.outcomes == sequence.expected.replacing("L", with: "H"))
        // What is not delivered from a tier is fetched, unless a request joins or cancels a fetch.
        #expect(run.result.counts.originFetches >= sequence.expected.count { $0 == "M" })
    }

    @Test("A seventh of Android's memory class, and 15 % of 512 MiB on each iPhone")
    func limits() throws {
        func limit(_ cache: String) throws -> String {
            let cache = try CacheConfiguration(specification: cache)
                .resolvingShares(in: CacheContext(PolicyContext()))
            return "\(cache.memory) \(cache.memoryRules.entryRule?.limit ?? 0)"
        }
        // P1 and K1.
        #expect(try limit("picasso-3; memoryClass: 192MiB") == "lru(28760941B) 28760941")
        #expect(try limit("picasso-3; memoryClass: 256MiB") == "lru(38347922B) 38347922")
        #expect(try limit("picasso-3; memoryClass: 512MiB") == "lru(76695844B) 76695844")
        #expect(try limit("coil-3-ios; ram: 4GB") == "lru(80530636B) 80530636")
        #expect(try limit("coil-3-ios; ram: 12GB") == "lru(80530636B) 80530636")
    }

    @Test(
        "React Native's image cache counts lifetimes from Date, and ignores Age",
        arguments: [
            // R7: at 59 s and at 61 s. R8: Date 120 s ago. R9: a tenth of ten days. R10: no headers.
            (["cache-control": "max-age=60"], [0, 59, 61], "MHM"),
            (["cache-control": "max-age=60", "date": "Sun, 22 Nov 2026 00:00:00 GMT"], [0, 59, 61], "MHM"),
            (["cache-control": "max-age=60", "date": "Sat, 21 Nov 2026 23:58:00 GMT", "age": "120"], [0, 1], "MM"),
            (["cache-control": "max-age=60", "age": "120"], [0, 1], "MM"),
            (["cache-control": "max-age=60", "date": "Sun, 22 Nov 2026 00:00:00 GMT", "age": "50"], [0, 59], "MH"),
            (["last-modified": "Thu, 12 Nov 2026 00:00:00 GMT"], [0, 86_399, 86_401], "MHM"),
            (["expires": "Sun, 22 Nov 2026 00:01:00 GMT", "vary": "*"], [0, 59, 61], "MHM"),
            (["expires": "never"], [0, 900_000], "MH"), (["etag": "\"a\""], [0, 900_000], "MH"),
            (["cache-control": "no-store"], [0, 1], "MM"), (["cache-control": "no-cache"], [0, 1], "MM"),
            (["cache-control": "max-age=0"], [0, 1], "MM"), ([:], [0, 900_000], "MH"),
        ] as [([String: String], [Int64], String)])
    func dates(headers: [String: String], seconds: [Int64], outcomes: String) throws {
        var builder = TraceBuilder()
        builder.header.started = "2026-11-22T00:00:00Z"
        let image = builder.object("A")
        builder.update(image) { object in
            (object.bytes, object.pixelWidth, object.pixelHeight) = (100, 10, 1)
            object.headers = headers.sorted { $0.key < $1.key }.map { HTTPField($0.key, $0.value) }
        }
        for second in seconds {
            builder.append(TraceEvent(time: second * 1_000_000, .appear(image, .full)))
            builder.append(TraceEvent(time: second * 1_000_000 + 500_000, .disappear(image, .full)))
        }
        let cache = try CacheConfiguration(specification: "rn-image-ios; disk: none")
        var job = ReplayJob(trace: "dates", cache: cache)
        job.timing = .modelled(.instant)
        let requests = try job.runRecordingRequests(builder.finish()).requests
        #expect(requests.map { $0.outcome == .memoryHit ? "H" : "M" }.joined() == outcomes)
    }

    @Test("Pinned and live images exclude each other")
    func exclusion() throws {
        for text in ["glide; live: stays", "flutter-3; pinsShown: true", "lru(1MB); live: returns; pinsShown: true"] {
            let error = #expect(throws: SpecError.self) { try CacheConfiguration(specification: text) }
            #expect(error?.message.contains("write live: none or pinsShown: false") == true, "\(error?.message ?? "")")
        }
    }
}
