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
    ///   - part: Which requests are simulated, where counts are kept, and whether hits are noted; with the warm-up.
    /// - Throws: ``CommandFailure`` if no request counts, if there are too many parts, or too many files of hits.
    func stream(
        _ file: TraceFile, _ options: DenseTrace.Options, _ items: [SimulationWork.Item], _ isOwn: (Int) -> Bool,
        _ part: (options: TracePartOptions, warmup: PartMarks.Length?), _ notes: inout ReadingNotes
    ) throws {
        let workload = Workload(uniqueBytes: 0, objects: 0, ignoresSizes: !options.usesSizes)
        let missing = begin(SimulationWork.own(try supported(items, of: workload), isOwn))
        let made = try missing.map { try $0.policy.policy(workload, $0.capacity?.size) }
        guard !missing.isEmpty else { return }
        let hits = part.options.hits ? try beginHits(missing, file.path) : []
        var cut = part.options.streamed(warmup: part.warmup)
        if !hits.isEmpty { cut.hits = { item, bytes in try hits[item].append(bytes) } }
        let outcome: StreamedSweep.Outcome
        do {
            outcome = try StreamedSweep.run(file.place, options, made, of: cut, jobs: jobs, &notes)
        } catch is StreamedSweep.TooManyParts {
            throw SimulateCommand.tooManyParts(file.path, part.options.every?.text ?? "", "parts")
        }
        let all = outcome.counts[0].requests
        if cut.skip > 0, all == 0 {
            throw SimulateCommand.allSkipped(file.path, cut.skip, of: outcome.read)
        }
        if let length = part.options.warmup, outcome.warmup.map({ $0 >= all }) ?? true {
            throw SimulateCommand.onlyWarmUp(file.path, length.text, requests: all)
        }
        try plugins.check()
        progress.advance(by: Double(missing.count))
        let warmup = outcome.warmup ?? 0
        let first = warmup > 0 ? 1 : 0
        let uncountedBytes = first == 0 ? 0 : outcome.parts.first?.bytes ?? 0
        for (index, item) in missing.enumerated() {
            let all = outcome.counts[index]
            let counts = all.since(first == 0 ? SimulationCounts() : outcome.marked[index].first ?? SimulationCounts())
            var row = MissRatioRow(
                item.identity, requests: counts.requests, misses: counts.misses,
                requestBytes: all.requestBytes - uncountedBytes, missBytes: counts.missBytes,
                requestsPerSecond: Double(all.requests) / outcome.seconds)
            row.warmupRequests = cut.warmup == nil ? nil : warmup
            let parts = cut.every == nil ? [] : outcome.parts
            // The hits come first: a row that is not simulated again has its file.
            if !hits.isEmpty { try hits[index].finish(requests: all.requests, firstCounted: warmup) }
            try keep(row, Self.parts(item.identity, outcome.marked[index] + [all], parts, from: first))
        }
    }

    /// The most files of hits that one pass writes at a time, below the usual limit of open files.
    private static let mostHitFiles = 900

    /// Begins the files of the hits of items, in their order.
    /// - Throws: ``CommandFailure`` if there are too many, and `ResultsError`.
    private func beginHits(_ items: [SimulationWork.Item], _ path: String) throws -> [GrowingHits] {
        guard let folder else { return [] }
        guard items.count <= Self.mostHitFiles else {
            throw CommandFailure(
                .usage,
                """
                \(path): --hits of a trace that is read in windows writes \(items.count) files at a time, more than \
                \(Self.mostHitFiles); give fewer policies or capacities, or simulate parts of them with --shard
                """)
        }
        return try items.map { try folder.beginHits($0.identity) }
    }
}
