import Basics
import CacheTiers
import CacheTraces
import ReplayEngine
import SessionModel

extension MeasuredParts {
    /// Real memory, files and connections, and child processes.
    public static let real = MeasuredParts(
        startProgram: { try OwnProgram($0, keys: $1) },
        measure: { try $0.measure($1, progress: $2) })
}

extension ReplayJob {
    /// Replays a trace on real tiers, on the virtual or the wall clock.
    fileprivate func measure(
        _ replay: MeasuredReplay, progress: (_ events: Int) throws -> Void
    ) throws -> (RunResult, [ReplayRequest], DeliveredBodies) {
        let prepared = replay.prepared
        let (trace, sizes, objects) = (prepared.trace, prepared.sizes, replay.objects)
        let kept = try bodies.map { try BodyIndex(folder: $0).bodies(of: trace) }
        var standIns: StandInImages?
        if decode {
            let needed = trace.shownObjects().enumerated().map { $1 && kept?[$0] == nil }
            standIns = StandInImages.shared(standInsFile, trace, objects.images, needed: needed)
        }
        let tiers = try RealTiers(
            objects, checks: PayloadCheck.checks(trace, kept), standIns: standIns,
            memory: try prepared.context.memoryPolicy(of: cache), disk: try prepared.context.diskPolicy(of: cache),
            folder: folder ?? "", recorder: replay.recorder)
        let clock = ContinuousClock()
        let start = clock.now
        var replayed: (result: RunResult, requests: [ReplayRequest])
        switch self.clock {
        case .virtual:
            let lanes = VirtualLanes(
                tiers, try OriginNetwork(tiers, origin: origin ?? ""), countsNetwork: true, link: replay.network.link)
            replayed = try self.replay(
                trace, sizes, replay.identity, lanes, replay.network, recorder: replay.recorder, progress)
        case .wall(let speed):
            let durations = trace.events.lazy.map { event -> Int64 in
                if case .fetch(_, let fetch) = event.action { fetch.duration ?? 0 } else { 0 }
            }
            let lanes = WallLanes(
                tiers, origin: origin ?? "", connections: cache.pipeline.connections ?? Self.mostConnections,
                longestFetch: durations.max() ?? 0, events: trace.events.count, speed: speed)
            replayed = try self.replay(
                trace, sizes, replay.identity, lanes, replay.network, recorder: replay.recorder, progress)
        }
        replayed.result.machine?.wallTime = (clock.now - start).nanoseconds
        var delivered = DeliveredBodies()
        delivered.kept = kept.map { $0.count { $0 != nil } }
        if let decoded = tiers.decodedCounts {
            (delivered.decoded, delivered.generated) = (decoded.kept, decoded.generated)
            delivered.modelled = decoded.modelled
        }
        return (replayed.result, replayed.requests, delivered)
    }

    /// On a wall clock, the largest number of fetches at a time: servers of HTTP/2 commonly allow 100 for a connection.
    private static let mostConnections = 100
}
