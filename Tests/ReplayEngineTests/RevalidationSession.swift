import ImageLibraries
import SessionModel

@testable import ReplayEngine

/// A session of images with recorded headers. Times are milliseconds; each image has 1,000 bytes. A fetch takes 100 ms
/// to the first byte, and 200 ms for the body, so a conditional request that is answered with 304 takes 100 ms.
struct RevalidationSession {
    private var builder = TraceBuilder()

    /// 2026-11-22T00:00:00Z is time 0.
    init() {
        builder.header.started = "2026-11-22T00:00:00Z"
        builder.append(TraceEvent(time: 0, .foreground))
    }

    /// A session of one image, `A`, that appears at these seconds.
    init(
        _ headers: KeyValuePairs<String, String>, statuses: [Int] = [200], broken: Int = 0, bytes: Int = 1_000,
        at seconds: [Int64] = [0, 5, 20, 25]
    ) {
        self.init()
        image("A", headers, statuses: statuses, broken: broken, bytes: bytes)
        for second in seconds { appear("A", at: second * 1_000) }
    }

    /// Adds an image, and what its fetches meet: a status each. The bodies of the first `broken` ones are no image, and
    /// have so many bytes.
    mutating func image(
        _ name: String, _ headers: KeyValuePairs<String, String>, statuses: [Int] = [200], broken: Int = 0,
        bytes: Int = 1_000
    ) {
        let object = builder.object(name)
        builder.update(object) {
            $0.bytes = 1_000
            $0.headers = headers.map { HTTPField($0.key, $0.value) }
        }
        for (number, status) in statuses.enumerated() {
            var fetch = Fetch(status: status, timeToFirstByte: 100_000, transferTime: status == 200 ? 200_000 : 0)
            if number < broken { (fetch.isUndecodable, fetch.bytes) = (true, bytes) }
            builder.append(TraceEvent(time: 0, .fetch(object, fetch)))
        }
    }

    mutating func appear(_ name: String, at time: Int64, _ variant: Variant = .full) {
        append(.appear(builder.object(name), variant), at: time)
    }

    mutating func disappear(_ name: String, at time: Int64) {
        append(.disappear(builder.object(name), .full), at: time)
    }

    mutating func prefetch(_ name: String, at time: Int64) { append(.prefetch(builder.object(name), .full), at: time) }

    mutating func append(_ action: TraceEvent.Action, at time: Int64) {
        builder.append(TraceEvent(time: time * 1_000, action))
    }

    /// With the end of the session, so that no wait is cut off.
    func trace(until end: Int64 = 1_000_000) -> Trace {
        var builder = builder
        builder.append(TraceEvent(time: end * 1_000, .foreground))
        return builder.finish(keepingTimes: true)
    }

    /// One request of a replay: its outcome, the milliseconds to its image (nil if there was none), and whether the
    /// image was past its lifetime.
    struct Course: Equatable, CustomStringConvertible {
        var outcome: RequestOutcome?
        var milliseconds: Int64?
        var isStale = false

        init(_ outcome: RequestOutcome?, _ milliseconds: Int64?, stale: Bool = false) {
            self.outcome = outcome
            self.milliseconds = milliseconds
            isStale = stale
        }

        var description: String {
            let outcome = outcome.map { "\($0)" } ?? "none"
            let time = milliseconds.map { "\($0) ms" } ?? "never"
            return "\(outcome) \(time)\(isStale ? " stale" : "")"
        }
    }

    /// Replays the session; tiers take no time, the network does.
    func replay(_ cache: String) throws -> (result: RunResult, courses: [Course]) {
        let (result, requests) = try Self.job(cache).runRecordingRequests(trace())
        return (result, Self.courses(requests))
    }

    /// Replays the session, and explains its requests.
    func explain(_ cache: String) throws -> (result: RunResult, explanations: [RequestExplanation]) {
        let explained = try Self.job(cache).explain(PreparedTrace(trace()))
        return (explained.result, explained.requests.compactMap(\.explanation))
    }

    static func job(_ cache: String) throws -> ReplayJob {
        var job = ReplayJob(trace: "revalidation", cache: try CacheConfiguration(specification: cache))
        var costs = CostModel.instant
        // Nothing is encoded here. Costs that differ from the instant ones count the network.
        costs.jpegEncodeRate = 1
        job.timing = .modelled(costs)
        return job
    }

    static func courses(_ requests: [ReplayRequest]) -> [Course] {
        requests.map { request in
            let wait = request.delivered >= 0 ? (request.delivered - request.appeared) / 1_000_000 : nil
            return Course(request.outcome, wait, stale: request.isStale)
        }
    }
}
