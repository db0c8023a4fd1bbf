import ArgumentParser
import CachePolicies
import CacheReports
import CacheSimulation
import CacheTraces
import Foundation

struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Run traces through policies alone: no tiers, no waiting, only hits and misses.",
        discussion: """
            Every policy is run at every capacity, on every trace. A fetch takes no time here, so a request that a replay
            would let wait for one under way counts as a hit.

            Example: cachereplay simulate Traces/photo-feed.jsonl --policy lru,fifo --capacity 5MB,20MB,10%
            """)

    @Argument(help: "Traces in any known format.", completion: .file())
    var traces: [String]

    @Option(help: "Policies, separated by commas; see `cachereplay policies`.")
    var policy: String

    @Option(help: "Capacities, separated by commas, for policies without a size of their own: 20MB, 100 objects, 5%.")
    var capacity: String?

    @Flag(help: "Count every object as 1: capacities are numbers of objects.")
    var ignoreSize = false

    @Option(help: "Write miss_ratio.csv into this folder.")
    var output: String?

    @Flag(help: "Print JSON instead of a table.")
    var json = false

    @OptionGroup var plugins: PluginOptions

    @OptionGroup(title: "Reading") var input: InputFormatOptions

    func run() throws {
        let plugins = try plugins.load()
        let policies = Self.list(policy)
        let capacities = try capacity.map { try Self.list($0).map { try Size($0) } } ?? []
        // A mistake in a policy shows before a long trace is read.
        for policy in policies { _ = try context(nil, capacities.first ?? .share(1)).policy(policy) }
        var rows: [MissRatioRow] = []
        for path in traces {
            var notes = ReadingNotes()
            let trace = try DenseTrace(
                contentsOf: path, format: input.chosenFormat(), options: input.recording.options, usesSizes: !ignoreSize, &notes)
            printWarnings(notes.warnings, file: path)
            let workload = Workload(
                uniqueBytes: trace.uniqueBytes, objects: trace.objectCount, ignoresSizes: ignoreSize)
            for policy in policies {
                for capacity in try hasOwnSize(policy) ? [nil] : capacities.map(Optional.some) {
                    let row = try simulate(trace, TraceFile(path: path).name, policy, capacity, workload)
                    try plugins.check()
                    rows.append(row)
                    if let output { try MissRatioFile.write(rows, to: output) }
                }
            }
        }
        if json { try printJSON(rows.map(JSONRow.init)) } else { print(MissRatioFile.table(rows), terminator: "") }
    }

    private func simulate(
        _ trace: DenseTrace, _ name: String, _ text: String, _ capacity: Size?, _ workload: Workload
    ) throws -> MissRatioRow {
        let policy = try context(workload, capacity).policy(text)
        let clock = ContinuousClock()
        let start = clock.now
        let counts = Simulation.run(trace, policy)
        let seconds = max((clock.now - start) / .seconds(1), 1e-9)
        let resolved = capacity.map { $0.resolved(in: workload) }
        return MissRatioRow(
            trace: name, policy: text, capacity: resolved?.value, unit: resolved?.unit ?? "", requests: counts.requests,
            misses: counts.misses, requestBytes: counts.requestBytes, missBytes: counts.missBytes,
            requestsPerSecond: Double(counts.requests) / seconds)
    }

    private func context(_ workload: Workload?, _ capacity: Size?) -> PolicyContext {
        PolicyContext(
            workload: workload ?? Workload(uniqueBytes: 1, objects: 1), capacity: capacity,
            registry: CacheReplay.policies)
    }

    /// Whether the policy is whole without a capacity from the command line.
    private func hasOwnSize(_ policy: String) throws -> Bool {
        do {
            _ = try context(nil, nil).policy(policy)
            return true
        } catch let error as SpecError {
            guard capacity == nil else { return false }
            throw CommandFailure(.usage, "\(error)\nor give --capacity, such as --capacity 20MB")
        }
    }

    /// The parts between commas, except commas within parentheses.
    static func list(_ text: String) -> [String] {
        var parts = [""]
        var depth = 0
        for character in text {
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            if character == ",", depth == 0 { parts.append("") } else { parts[parts.count - 1].append(character) }
        }
        return parts.map { $0.trimmingCharacters(in: .whitespaces) }
    }

    private struct JSONRow: Encodable {
        var trace, policy: String
        var capacity: Int?
        var unit: String
        var requests, misses, request_bytes, miss_bytes: Int
        var miss_ratio, byte_miss_ratio, requests_per_s: Double

        init(_ row: MissRatioRow) {
            trace = row.trace
            policy = row.policy
            capacity = row.capacity
            unit = row.unit
            requests = row.requests
            misses = row.misses
            request_bytes = row.requestBytes
            miss_bytes = row.missBytes
            miss_ratio = Double(row.misses) / Double(max(row.requests, 1))
            byte_miss_ratio = Double(row.missBytes) / Double(max(row.requestBytes, 1))
            requests_per_s = row.requestsPerSecond
        }
    }
}
