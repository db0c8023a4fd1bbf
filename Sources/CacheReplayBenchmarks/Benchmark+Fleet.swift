import CachePolicies
import CacheTraces
import Foundation
import ReplayEngine
import SessionModel
import TraceSynthesis

func fleetProbe() throws -> [BenchmarkRow] {
    let folder = ProcessInfo.processInfo.environment["FLEET"]!
    let paths = try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map { "\(folder)/\($0)" }
    let presets = ["kingfisher-8", "nuke-13", "sdwebimage-5", "fresco", "glide-4", "coil-3", "urlcache", "yykit", "pinremoteimage-3", "alamofireimage-4"]
    let caches = CachePreset.all.prefix(10).map { try! CacheConfiguration($0) }
    _ = presets
    var parse = 0.0, link = 0.0, run = 0.0, json = 0.0, requests = 0, bytes = 0, runs = 0, context = 0.0
    for path in paths {
        var trace: Trace!
        parse += try seconds { trace = try TraceReading(contentsOf: path).trace }
        context += seconds { _ = CacheContext(trace, registry: .builtIn) }
        var network = ReplayJob.Network.recorded
        link += try seconds { if let shared = try ReplayJob.Network.sharedLink(of: trace) { network = shared } }
        for cache in caches {
            var job = ReplayJob(trace: "x", cache: cache)
            job.timing = .modelled(.standard)
            job.network = network
            var result: RunResult!
            run += try seconds { result = try job.run(trace) }
            requests += result.counts.requests
            runs += 1
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            json += try seconds { bytes += try encoder.encode(result).count }
        }
    }
    print("traces \(paths.count) runs \(runs) requests \(requests) parse/trace \(parse / Double(paths.count) * 1e3) ms context \(context / Double(paths.count) * 1e3) link/trace \(link / Double(paths.count) * 1e3) ms run/run \(run / Double(runs) * 1e3) ms json/run \(json / Double(runs) * 1e3) ms, bytes \(bytes / runs)")
    return []
}
