import CacheTraces
import MeasuredTiers
import SessionModel
import TestSupport
import TraceRecording

@testable import ReplayEngine

/// Runs a job in measured timing against a loopback origin of its own, in a folder of its own.
///
/// - Returns: The result of the body, and what the origin says that it served.
func replayed<Result>(
    _ trace: Trace, _ cache: String, options: LoopbackOriginOptions = LoopbackOriginOptions(),
    _ body: (inout ReplayJob) throws -> Result
) async throws -> (result: Result, served: OriginStatistics) {
    let origin = try LoopbackOrigin(trace: trace, options: options)
    let folder = try TemporaryFolder()
    var job = ReplayJob(trace: "t", cache: try CacheConfiguration(specification: cache))
    job.origin = "\(origin.address)/run"
    job.folder = folder.path + "/disk"
    let result = try body(&job)
    let served = origin.served()
    try await origin.stop()
    return (result, served)
}
