import SessionModel
import TestSupport
import Testing

@testable import ImageLibraries
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
        var job = ReplayJob(
            trace: recorded.name, cache: try CacheConfiguration(specification: Self.specification(recorded)))
        job.timing = .modelled(.instant)
        let replayed = try job.runRecordingRequests(trace).requests.map(Self.letter)
        try #require(replayed.count == expected.count)
        let wrong = expected.indices.filter { expected[$0] != replayed[$0] }
        let message: Comment = "\(wrong.count) of \(expected.count) requests differ, the first is \(wrong.first ?? -1)"
        #expect(wrong.isEmpty, message)
    }

    /// What real libraries did, as an app that uses them would have recorded it. The longer recordings would take
    /// minutes, and are replayed above.
    @Test(
        "Presets agree with recorded libraries, by the way of served events",
        .enabled(if: SharedData.isPresent), arguments: LibraryCase.all.filter { $0.requests <= 10_000 })
    func libraries(recorded: LibraryCase) throws {
        let trace = try recorded.servedTrace()
        let cache = try CacheConfiguration(specification: Self.specification(recorded))
        var job = ReplayJob(trace: recorded.name, cache: cache)
        job.timing = .modelled(.instant)
        let comparison = try job.compareServed(try PreparedTrace(trace))
        #expect(comparison.compared == recorded.requests && comparison.unmatched == 0)
        #expect(comparison.agreement == 1)
        // With durations, a store can come after the next event; the libraries ran without them.
        job.timing = .modelled(.standard)
        let timed = try job.compareServed(try PreparedTrace(trace))
        #expect(try #require(timed.agreement) > 0.998)
    }

    /// Returns the specification of a case, with what it does not say itself.
    static func specification(_ recorded: LibraryCase) -> String {
        let (part, replacement) =
            switch recorded.name {
            // The recording limited the cache to a fifth of this memory, and a device so small gives it a tenth.
            case "nuke-12.8.0-memory-11-2000000": ("ram: 2000000B", "ram: 4000000B")
            case "nuke-12.8.0-memory-11-20000000": ("ram: 20000000B", "ram: 40000000B")
            // As by default. The other recordings of this class swept at every launch.
            case "nuke-13.2.0-disk-interval-409600": ("first: 5s", "first: 5s, interval: 30min")
            // The disk cache ran without the memory of encoded images before it.
            case "fresco-3.7.0-disk-1000000":
                ("to: 0.9)", "to: 0.9, below: true, beforeStore: true); encodedMemory: none")
            // Warnings were onLowMemory, as up to Android 13.
            case _ where recorded.cache.hasPrefix("glide;"): ("glide;", "glide; warningLevel: lowMemory;")
            case _ where recorded.cache.hasPrefix("coil-3;"): ("coil-3;", "coil-3; warningLevel: lowMemory;")
            default: ("", "")
            }
        return part.isEmpty ? recorded.cache : recorded.cache.replacing(part, with: replacement)
    }

    private static func letter(_ request: ReplayRequest) -> UInt8 {
        switch request.outcome {
        case .memoryHit: UInt8(ascii: "M")
        case .diskHit: UInt8(ascii: "D")
        default: UInt8(ascii: "-")
        }
    }
}

extension LibraryCase {
    /// The generated session, with the recorded outcomes as `served` events.
    fileprivate func servedTrace() throws -> Trace {
        var trace = try trace()
        let sources: [UInt8: ServedSource] = [UInt8(ascii: "M"): .memory, UInt8(ascii: "D"): .disk]
        var outcomes = try outcomes().makeIterator()
        trace.events = trace.events.flatMap { event -> [TraceEvent] in
            guard case .appear(let object, let variant) = event.action, let outcome = outcomes.next() else {
                return [event]
            }
            return [event, TraceEvent(time: event.time, .served(object, variant, sources[outcome] ?? .network))]
        }
        return trace
    }
}
