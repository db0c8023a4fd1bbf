import Foundation
import ReplayEngine
import SessionModel

/// A session whose `served` events are what a known cache did in a replay of it.
enum ServedSession {
    /// The cache that served the session: memory for 60 images, and a disk for 150.
    static let cache = "memory: lru(60 objects); disk: lru(150 objects)"

    /// Writes the bundled session `stress-return` with the outcomes of a cache, and returns its path.
    static func write(to folder: URL, of cache: String = cache) throws -> String {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Traces/stress-return.jsonl")
        var trace = try Trace(jsonLines: try Data(contentsOf: file))
        var job = ReplayJob(trace: "served", cache: try CacheConfiguration(cache))
        job.timing = .modelled(.standard)
        job.network = try ReplayJob.Network.sharedLink(of: trace) ?? .recorded
        let rows = try job.explain(try PreparedTrace(trace, network: job.network)).requests
        let objects = trace.events.compactMap { event -> ObjectID? in
            guard case .appear(let object, _) = event.action else { return nil }
            return object
        }
        var served: [TraceEvent] = []
        for (row, object) in zip(rows, objects) {
            guard let latency = row.latency, let source = source(row) else { continue }
            let time = (row.time + latency) / 1_000
            served.append(TraceEvent(time: time, .served(object, row.variant, source)))
        }
        // A source at the time of its request stands behind the request.
        var builder = TraceBuilder()
        builder.header = trace.header
        for object in trace.objects { builder.update(builder.object(object.key)) { $0 = object } }
        for event in trace.events + served { builder.append(event) }
        trace = builder.finish(keepingTimes: true)
        var encoder = JSONLinesEncoder()
        encoder.append(trace)
        let path = folder.appendingPathComponent("served.jsonl").path
        try Data(encoder.bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    private static func source(_ row: RequestRow) -> ServedSource? {
        switch row.source {
        case "memory_hit": .memory
        case "disk_hit": .disk
        case "origin", "coalesced": .network
        default: nil
        }
    }
}
