import CacheTraces
import ImageLibraries
import SessionModel
import Testing

@testable import ReplayEngine

@Suite("Recorded lists and sources in a replay")
struct RecordedListTests {
    /// The list names every object of the session, and as many that never appear: with sizes, without, with pixels.
    private static func withListsAndSources(_ trace: Trace) -> Trace {
        var trace = trace
        let seen = trace.objects.count
        for number in 0..<seen {
            trace.objects.append(
                TraceObject(
                    key: "https://example.com/unseen/\(number)", bytes: number % 2 == 0 ? nil : 1 << 20,
                    contentType: "image/jpeg", pixelWidth: number % 3 == 0 ? nil : 4_000, pixelHeight: 3_000))
        }
        let start = trace.events.first?.time ?? 0
        var events = (0..<Int32(seen * 2)).map {
            TraceEvent(time: start, .list($0, .thumbnail, position: $0, row: $0 / 3))
        }
        for event in trace.events {
            events.append(event)
            if case .appear(let object, let variant) = event.action {
                events.append(TraceEvent(time: event.time, .served(object, variant, .memory)))
            }
        }
        trace.events = events
        return trace
    }

    @Test(
        "They change no figure and no note but the blank area and the places of cells, to which lists give geometry",
        arguments: AgreementTests.bundled,
        ["kingfisher-8", "memory: lru(5%); disk: lru(10%); holds: decoded"])
    func noEffect(path: String, cache: String) throws {
        let trace = try TraceReading(contentsOf: path).trace
        var job = ReplayJob(trace: "feed", cache: try CacheConfiguration(specification: cache))
        job.timing = .modelled(.standard)
        let plain = try job.run(trace)
        var listed = try job.run(Self.withListsAndSources(trace))
        #expect(plain.counts.requests > 0)
        listed.blank.screenTime = plain.blank.screenTime
        listed.blank.worstSecond = plain.blank.worstSecond
        listed.places = plain.places
        #expect(listed == plain)
    }
}
