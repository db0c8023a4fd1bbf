import Basics
import CacheTiers
import CacheTraces
import ReplayEngine
import SessionModel

extension MeasuredParts {
    /// Real memory, files and connections, and child processes.
    public static let real = MeasuredParts(
        startProgram: { try OwnProgram($0, keys: $1) },
        measure: { try $0.measure($1) })
}

extension PreparedRun {
    /// Replays a trace on real tiers, on the virtual or the wall clock.
    fileprivate func measure(_ progress: (_ events: Int) throws -> Void) throws -> FinishedReplay {
        let kept = try job.bodies.map { try BodyIndex(folder: $0).bodies(of: trace) }
        let tiers = try RealTiers(
            objects, checks: PayloadCheck.checks(trace, kept), standIns: standIns(for: kept), memory: memoryPolicy(),
            disk: diskPolicy(), folder: job.folder ?? "")
        if let recorder { tiers.keepJournals(for: recorder) }
        let clock = ContinuousClock()
        let start = clock.now
        var replayed =
            switch job.clock {
            case .virtual:
                try replay(on: tiers, OriginNetwork(tiers, origin: job.origin ?? ""), progress)
            case .wall(let speed): try replay(on: wallLanes(tiers, speed: speed), progress)
            }
        replayed.result.machine?.wallTime = (clock.now - start).nanoseconds
        replayed.delivered.kept = kept.map { $0.count { $0 != nil } }
        if let decoded = tiers.decodedCounts {
            (replayed.delivered.decoded, replayed.delivered.generated) = (decoded.kept, decoded.generated)
            replayed.delivered.modelled = decoded.modelled
        }
        return replayed
    }

    /// Returns what is decoded in place of bodies that were not kept; nil if images are not decoded.
    private func standIns(for kept: [BodyIndex.Entry?]?) -> StandInImages? {
        guard job.decode else { return nil }
        let needed = trace.shownObjects().enumerated().map { $1 && kept?[$0] == nil }
        return StandInImages.shared(job.standInsFile, trace, objects.images, needed: needed)
    }

    private func wallLanes(_ tiers: RealTiers, speed: Double) -> WallLanes {
        let durations = trace.events.lazy.map { event -> Int64 in
            if case .fetch(_, let fetch) = event.action { fetch.duration ?? 0 } else { 0 }
        }
        return WallLanes(
            tiers, origin: job.origin ?? "", connections: cache.pipeline.connections ?? Self.mostConnections,
            longestFetch: durations.max() ?? 0, events: trace.events.count, speed: speed)
    }

    /// On a wall clock, the largest number of fetches at a time: servers of HTTP/2 commonly allow 100 for a connection.
    private static let mostConnections = 100
}
