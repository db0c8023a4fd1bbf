import Basics
import CachePolicies
import CacheSimulation
import CacheTraces
import Foundation
import Runs

/// Traces that are read in windows.
extension SimulationRunner {
    /// Returns the policies that run over a trace in windows, and reports the others: those that know the future.
    ///
    /// - Parameter capacities: The number of capacities, each of which is a row of a policy without a size of its own.
    /// - Throws: ``CommandFailure`` if no policy is left.
    func leaveOutFuture(_ policies: [PolicyChoice], _ trace: String, capacities: Int) throws -> [PolicyChoice] {
        let suited = policies.filter { !$0.usesFuture }
        if suited.isEmpty, let first = policies.first {
            throw CommandFailure(
                .usage,
                "\(first.text) needs the future requests, which --stream does not have: leave one of the two out.")
        }
        for policy in policies where policy.usesFuture {
            leftOut.add(
                trace: trace, policy: policy.text, capacity: nil,
                "it needs the future requests, which a trace that is read in windows does not have")
            progress.advance(by: policy.hasOwnSize ? 1 : Double(max(1, capacities)))
        }
        return suited
    }

    /// Simulates all missing items in one pass over a file.
    ///
    /// - Parameters:
    ///   - items: The items of all shards.
    ///   - isOwn: Returns whether an item of a place is simulated here.
    ///   - cut: Which requests are simulated, and where counts are kept.
    /// - Throws: ``CommandFailure`` if no request counts, or if there are too many parts.
    func stream(
        _ file: TraceFile, _ options: DenseTrace.Options, _ items: [SimulationWork.Item], _ isOwn: (Int) -> Bool,
        _ cut: StreamedSweep.Parts, _ notes: inout ReadingNotes
    ) throws {
        let workload = Workload(uniqueBytes: 0, objects: 0, ignoresSizes: !options.usesSizes)
        let missing = begin(SimulationWork.own(try supported(items, of: workload), isOwn))
        let made = try missing.map { try $0.policy.policy(workload, $0.capacity?.size) }
        guard !missing.isEmpty else { return }
        let outcome: StreamedSweep.Outcome
        do {
            outcome = try StreamedSweep.run(file.place, options, made, of: cut, jobs: jobs, &notes)
        } catch is StreamedSweep.TooManyParts {
            throw SimulateCommand.tooManyParts(file.path, cut.every)
        }
        if cut.skip > 0, outcome.counts[0].requests == 0 {
            throw SimulateCommand.allSkipped(file.path, cut.skip, of: outcome.read)
        }
        if let warmup = cut.warmup, outcome.parts.count < 2 {
            let all = outcome.parts.first?.requests ?? 0
            throw SimulateCommand.onlyWarmUp(file.path, "\(warmup)", requests: all)
        }
        try plugins.check()
        progress.advance(by: Double(missing.count))
        let first = cut.warmup == nil ? 0 : 1
        let uncountedBytes = first == 0 ? 0 : outcome.parts.first?.bytes ?? 0
        for (index, item) in missing.enumerated() {
            let all = outcome.counts[index]
            let counts = all.since(first == 0 ? SimulationCounts() : outcome.marked[index].first ?? SimulationCounts())
            var row = MissRatioRow(
                item.identity, requests: counts.requests, misses: counts.misses,
                requestBytes: all.requestBytes - uncountedBytes, missBytes: counts.missBytes,
                requestsPerSecond: Double(all.requests) / outcome.seconds)
            row.warmupRequests = cut.warmup
            let parts = cut.every == nil ? [] : outcome.parts
            try keep(row, Self.parts(item.identity, outcome.marked[index] + [all], parts, from: first))
        }
    }
}
