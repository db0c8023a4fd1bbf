import Foundation
import ReplayEngine
import Testing

@testable import CacheReports
@testable import Runs

@Suite("The line of a run in runs.jsonl")
struct RunRecordTests {
    /// A result in which each number differs, and no optional member is nil.
    private static let full: RunResult = {
        var identity = Samples.identity(cache: "a \"quoted\"\\ name\n\t\u{1}é", seed: .max)
        identity.base = "lru"
        identity.swept = [SweptValue(parameter: "memory", value: "64MB")]
        var result = RunResult(identity: identity)
        result.counts = try! numbered(from: 100)
        result.tiers = try! numbered(from: 200)
        result.latencies = LatencyGroup.allCases.enumerated().map { index, group in
            var latency = LatencySummary(group: group)
            latency.count = 7
            latency.mean = 1.0 / 3 + Double(index)
            (latency.p50, latency.p90, latency.p99, latency.p999, latency.max) = (1, 2, 3, 4, .max)
            latency.distribution = [.init(latency: 5, fraction: 3.0 / 7), .init(latency: 6, fraction: 1)]
            return latency
        }
        var second = TimelineSecond(second: 1)
        (second.requests, second.memoryHits, second.diskHits, second.memoryBytes) = (2, 3, 4, 5)
        (second.diskBytes, second.fetchesInFlight, second.blankCells) = (6, 0.25, 8.000001)
        result.timeline = [second, TimelineSecond(second: 9)]
        result.marks = [SessionMark(.relaunch, at: 10)]
        result.omittedMarks = 11
        result.causes = CauseTotals()
        result.causes?.memory = ["capacity": 3, "first_request": 2]
        result.causes?.waits = ["transfer": 4]
        result.film = Film([.init(appeared: 1, delivered: 3, vanished: 7, source: .diskHit, isStale: true)])
        result.places = CellPlaces([CellPlace(row: 8, column: 1, columns: 3, isOpened: true)])
        result.memoryLimit = 12
        result.imageMemoryPeak = 13
        var delays = FrameDelays()
        (delays.hitchTime, delays.overrunFrames, delays.overrunP95) = (16, 17, 18)
        delays.hitchTimes = ["decode": 19, "disk_read": 20]
        result.mainLane = MainLaneFigures(workTime: 21, scrollTime: 22, at60Hz: delays, at120Hz: FrameDelays())
        result.rests = try! numbered(from: 250) as RestFigures
        result.revalidation = try! numbered(from: 300)
        result.blank.blankTime = 1e20
        result.blank.visibleTime = 0.1 + 0.2
        (result.blank.screenTime, result.blank.worstSecond) = (1e15 / 3, 2.0 / 3)
        result.traceDuration = -13
        result.machine = MachineFigures(residentPeakBytes: 14, wallTime: 15)
        result.notes = [.traceWarning("a / b"), .sizesAssumed(objects: 1, of: 2, bytes: 3), .queuesHidden]
        result.user = "0123456789abcdef"
        result.nsCacheModel = NSCacheModelChoice.allCases.last
        return result
    }()

    /// Returns figures whose numbers count up from `first`, in the order of their names.
    private static func numbered<Figures: Codable>(from first: Int) throws -> Figures
    where Figures: DefaultInitialised {
        let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(Figures()))
        let names = (object as? [String: Any] ?? [:]).keys.sorted()
        let numbers = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, first + $0) })
        return try JSONDecoder().decode(Figures.self, from: JSONSerialization.data(withJSONObject: numbers))
    }

    protocol DefaultInitialised { init() }

    @Test("decodes to the same result, and has the same members as the text of JSONEncoder")
    func sameAsEncoder() throws {
        for result in [Self.full, Samples.ten()] {
            let line = try RunRecord.json(result, file: "runs.jsonl")
            #expect(!line.contains(0x0A))
            #expect(try JSONDecoder().decode(RunResult.self, from: Data(line)) == result)
            let written = try JSONSerialization.jsonObject(with: Data(line)) as? NSDictionary
            let encoded = try JSONSerialization.jsonObject(with: JSONEncoder().encode(result)) as? NSDictionary
            #expect(written != nil && written == encoded)
        }
    }

    @Test("members of notes are sorted by their keys")
    func notes() throws {
        var result = RunResult(identity: Samples.identity())
        result.notes = [.sizesAssumed(objects: 1, of: 2, bytes: 3)]
        let text = String(decoding: try RunRecord.json(result, file: "runs.jsonl"), as: UTF8.self)
        #expect(text.hasSuffix(#""notes":[{"sizesAssumed":{"bytes":3,"objects":1,"of":2}}]}"#))
        #expect(text.contains(#""blank":{"blankTime":0.0,"visibleTime":0.0},"revalidation":{"revalidations":0,"#))
    }

    @Test("a figure that is not finite is an error")
    func notFinite() throws {
        var result = Samples.ten()
        result.blank.blankTime = .infinity
        #expect(throws: ResultsError.self) { try RunRecord.json(result, file: "runs.jsonl") }
    }

    @Test(
        "a distribution that no run has is refused",
        arguments: [
            #""count":1,"mean":1,"distribution":[1000,9223372036854775807]"#,
            #""count":10,"mean":1e308,"distribution":[]"#, #""count":0,"mean":0,"distribution":[5,3]"#,
            #""count":-1,"mean":0,"distribution":[]"#, #""count":1,"mean":1,"distribution":[-5,1]"#,
        ])
    func impossible(_ members: String) {
        let text = #"{"group":"memory_hit","p50":1,"p90":1,"p99":1,"p999":1,"max":1,\#(members)}"#
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(LatencySummary.self, from: Data(text.utf8)) }
        let possible = text.replacing(members, with: #""count":1,"mean":1,"distribution":[5,1]"#)
        #expect(throws: Never.self) { try JSONDecoder().decode(LatencySummary.self, from: Data(possible.utf8)) }
    }
}

extension OutcomeCounts: RunRecordTests.DefaultInitialised {}
extension RestFigures: RunRecordTests.DefaultInitialised {}
extension RevalidationFigures: RunRecordTests.DefaultInitialised {}
extension TierFigures: RunRecordTests.DefaultInitialised {}
