import CacheTraces
import Foundation
import SessionModel
import TestSupport
import Testing

/// One row of the reference counts, made by an independent reader of the same files.
struct HARExpectation: Sendable, CustomTestStringConvertible {
    let columns: [String: String]

    subscript(name: String) -> Int { Int(columns[name] ?? "") ?? -1 }
    var file: String { columns["file"] ?? "" }
    var isJSON: Bool { columns["json_ok"] == "yes" }
    var hasLog: Bool { columns["notes"] != "no log object" }
    var isSorted: Bool { columns["started_sorted"] == "True" }
    var testDescription: String { file }

    static let all: [HARExpectation] = {
        guard let text = try? String(contentsOfFile: SharedData.path("reference/har_expected.csv"), encoding: .utf8)
        else { return [] }
        let rows = text.split(whereSeparator: \.isNewline).map {
            $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        guard let names = rows.first else { return [] }
        return rows.dropFirst().map {
            HARExpectation(columns: Dictionary(zip(names, $0), uniquingKeysWith: { first, _ in first }))
        }
    }()
}

@Suite("HAR recordings of sixteen tools", .enabled(if: SharedData.isPresent))
struct HARSharedDataTests {
    @Test(
        "Every recording is counted as the reference counts it",
        arguments: HARExpectation.all.filter { $0.isJSON && $0.hasLog })
    func counts(expected: HARExpectation) throws {
        let summary = try HARRecording(TraceInput(path: SharedData.path("har/" + expected.file))).summary
        #expect(summary.entries == expected["entries"])
        #expect(summary.entriesWithURL == expected["with_url"])
        #expect(summary.uniqueURLs == expected["unique_urls"])
        #expect(summary.imageEntries == expected["image_entries"])
        #expect(summary.imageUniqueURLs == expected["image_unique_urls"])
        #expect(summary.imagesWithContentSize == expected["image_with_content_size"])
        #expect(summary.imageContentBytes == expected["image_content_bytes"])
        #expect(summary.notModified == expected["status_304"])
        #expect(summary.isSorted == expected.isSorted)
    }

    @Test(
        "Every image becomes one appear and one fetch, in order of time",
        arguments: HARExpectation.all.filter { $0["image_entries"] > 0 })
    func events(expected: HARExpectation) throws {
        let path = SharedData.path("har/" + expected.file)
        let summary = try HARRecording(TraceInput(path: path)).summary
        let reading = try TraceReading(contentsOf: path)
        #expect(reading.format.name == "har")
        let trace = reading.trace
        let requests = reading.pages.map(\.images).reduce(0, +)
        // Entries that redirects lead to are no requests, and redirects of other types are.
        let images = summary.imageEntries + summary.imagesByURLEnding
        #expect(summary.redirectsFollowed + summary.redirectsLost > 0 || requests == images)
        // The file with an invalid date says which entries it cost.
        let skipped = expected.file == "weird_invalid-date.har" ? 1 : 0
        #expect(reading.warnings.contains { $0.contains("startedDateTime") } == (skipped > 0))
        let fetched = trace.events.filter { $0.action.name != "disappear" }
        #expect(fetched.count == 2 * (requests - skipped))
        #expect(trace.events.first?.time == 0)
        #expect(zip(trace.events, trace.events.dropFirst()).allSatisfy { $0.time <= $1.time })
        for (appear, fetch) in stride(from: 0, to: fetched.count - 1, by: 2).map({ (fetched[$0], fetched[$0 + 1]) }) {
            #expect(appear.action.name == "appear")
            #expect(fetch.action.name == "fetch")
            #expect(appear.action.object == fetch.action.object)
        }
    }

    @Test(
        "A recording without images is refused in words",
        arguments: HARExpectation.all.filter { $0.isJSON && $0.hasLog && $0["image_entries"] == 0 })
    func noImages(expected: HARExpectation) throws {
        let error = #expect(throws: TraceError.self) { try Trace(contentsOf: SharedData.path("har/" + expected.file)) }
        #expect(error?.message.contains("no image entries among \(expected["entries"])") == true)
    }

    @Test(
        "A broken file is refused, with the place and the reason",
        arguments: [
            ("derived_truncated_firebug_cnn.har", "byte 200000", "incomplete"),
            ("weird_jsonp-wrapped.har", "byte 0", "JSONP"),
            ("weird_not-json.har", "byte 110", "expected ',' or '}'"),
            ("weird_single_entry_no_log.har", "not a HAR", "no \"log\""),
        ])
    func broken(file: String, place: String, reason: String) throws {
        let error = #expect(throws: TraceError.self) { try Trace(contentsOf: SharedData.path("har/" + file)) }
        let text = try #require(error?.description)
        #expect(text.contains(place))
        #expect(text.contains(reason))
        #expect(error?.kind == .badData)
    }
}
