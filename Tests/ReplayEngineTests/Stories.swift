import CachePolicies
import MeasuredTiers
import SessionModel

@testable import ReplayEngine

/// Builds traces a line at a time. Times are milliseconds; objects are letters, each of 1,000 bytes, fetched in
/// `network` milliseconds.
struct Story {
    private var builder = TraceBuilder()
    private var lastTime: Int64 = 0

    /// `network`: what each fetch of an object takes, and its status. Objects that are not named have no recorded
    /// fetch.
    init(network: [(object: String, milliseconds: Int64, status: Int)] = []) {
        for sample in network {
            let id = object(sample.object)
            let fetch = Fetch(
                status: sample.status, bytes: 1_000, timeToFirstByte: sample.milliseconds * 1_000, transferTime: 0)
            builder.append(TraceEvent(time: 0, .fetch(id, fetch)))
        }
    }

    mutating func appear(_ name: String, at time: Int64, _ variant: Variant = .full) {
        append(.appear(object(name), variant), at: time)
    }

    mutating func disappear(_ name: String, at time: Int64, _ variant: Variant = .full) {
        append(.disappear(object(name), variant), at: time)
    }

    mutating func list(
        _ name: String, _ variant: Variant = .full, position: Int32, row: Int32, at time: Int64 = 0
    ) {
        append(.list(object(name), variant, position: position, row: row), at: time)
    }

    mutating func prefetch(_ name: String, at time: Int64) { append(.prefetch(object(name), .full), at: time) }

    mutating func remove(_ name: String, at time: Int64) { append(.remove(object(name)), at: time) }

    mutating func scroll(_ phase: ScrollPhase, at time: Int64) {
        append(.scroll(phase, offset: 0, velocity: 0), at: time)
    }

    mutating func append(_ action: TraceEvent.Action, at time: Int64) {
        // The first event stands at 0, so that times in the story are times of the replay.
        if builder.events.isEmpty, time > 0 { builder.append(TraceEvent(time: 0, .foreground)) }
        builder.append(TraceEvent(time: time * 1_000, action))
    }

    /// Replays the story through a cache; without network or tier costs where `timing` is instant.
    func replay(
        _ cache: String, _ timing: ReplayJob.Timing = .modelled(.standard), seed: UInt64 = 1
    ) throws -> RunResult {
        var job = ReplayJob(trace: "story", cache: try CacheConfiguration(cache))
        job.timing = timing
        job.seed = seed
        return try job.run(trace, measured: .real)
    }

    var trace: Trace { builder.finish() }

    private mutating func object(_ name: String) -> ObjectID {
        let id = builder.object(name)
        builder.update(id) { $0.bytes = 1_000 }
        return id
    }
}

extension RunResult {
    func latency(_ group: LatencyGroup) -> LatencySummary {
        latencies.first { $0.group == group } ?? LatencySummary(group: group)
    }
}

extension Trace {
    /// The working set that shares such as `5%` refer to.
    func workload(_ sizes: ResolvedSizes) -> Workload {
        Workload(uniqueBytes: sizes.bytes.reduce(0, +), objects: objects.count)
    }
}
