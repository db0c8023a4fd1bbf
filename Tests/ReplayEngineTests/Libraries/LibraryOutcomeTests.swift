import SessionModel
import TestSupport
import Testing

@testable import ReplayEngine

/// Replays the sequences that libraries' own cache classes have run, and compares every request.
@Suite("Presets do what the libraries did, request by request", .enabled(if: SharedData.isPresent))
struct LibraryOutcomeTests {
    @Test("Cases are present")
    func present() { #expect(LibraryCase.all.count >= 24) }

    @Test("Every request has the recorded outcome", arguments: LibraryCase.all)
    func outcomes(of recorded: LibraryCase) throws {
        let trace = try recorded.trace()
        let expected = try recorded.outcomes()
        #expect(expected.count == recorded.requests)
        #expect(expected.count { $0 != UInt8(ascii: "-") } == recorded.hits)
        var job = ReplayJob(trace: recorded.name, cache: try CacheConfiguration(recorded.cache))
        job.timing = .modelled(.instant)
        let replayed = try job.runRecordingRequests(trace).requests.map(Self.letter)
        try #require(replayed.count == expected.count)
        let wrong = expected.indices.filter { expected[$0] != replayed[$0] }
        let message: Comment = "\(wrong.count) of \(expected.count) requests differ, the first is \(wrong.first ?? -1)"
        withKnownIssue(isIntermittent: true) { #expect(wrong.isEmpty, message) } when: {
            Self.disagreeing.contains(recorded.name)
        }
    }

    /// Cases that no preset follows yet.
    private static let disagreeing: Set = [
        "nuke-13.2.0-disk-409600", "nuke-13.2.0-disk-interval-409600", "glide-5.0.9-engine-6-shown",
        "fresco-3.7.0-disk-1000000", "foundation-urlcache-disk-200000",
    ]

    private static func letter(_ request: ReplayRequest) -> UInt8 {
        switch request.outcome {
        case .memoryHit: UInt8(ascii: "M")
        case .diskHit: UInt8(ascii: "D")
        default: UInt8(ascii: "-")
        }
    }
}
