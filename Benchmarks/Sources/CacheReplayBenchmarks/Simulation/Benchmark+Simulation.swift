import Basics
import CachePolicies
import CacheSimulation
import CacheTraces
import Foundation

/// Compares policies with PyPI's libcachesim, on the same requests with the same capacities in objects, one thread
/// each. The peer's time is that of opening its reader and of `process_trace`, which reads the file and simulates, all
/// in C; the time with loading includes reading the same file.
func simulationBenchmarks() throws -> [BenchmarkRow] {
    func progress(_ text: String) { FileHandle.standardError.write(Data("simulate: \(text)\n".utf8)) }
    let scratch = try ScratchFolder(prefix: "cachereplay-bench")
    defer { scratch.remove() }
    let folder = URL(fileURLWithPath: scratch.path)
    let peer = LibCacheSim()
    if peer == nil { progress("libcachesim is not installed; its rows are omitted (see the output of scripts/bench)") }

    progress("making the traces")
    let zipf = try SimulatedTrace.zipf(in: folder)
    let shared = try [
        ("cloudPhysicsIO", "cloudPhysicsIO.oracleGeneral.bin"), ("ARC OLTP", "arc_OLTP.lis.zst"),
        ("cache2k orm-night", "cache2k_orm-night.trace.xz"),
    ].compactMap { try SimulatedTrace.shared($0.0, $0.1, in: folder) }

    var rows: [BenchmarkRow] = []
    for trace in [zipf] + shared {
        progress("\(trace.name): \(ContestedPolicy.sweep.count) policies at \(trace.capacities.count) capacities")
        rows += try SimulationBenchmark(trace, peer, progress).rows(isZipf: trace.name == zipf.name)
    }
    if let oltp = shared.first(where: { $0.name == "ARC OLTP" }), let peer {
        progress("the other policies that both have")
        rows += try ContestedPolicy.others.flatMap { try SimulationBenchmark(oltp, peer, progress).singleRuns($0) }
    }
    progress("curves, two threads, and a policy of another module")
    return try rows + curveBenchmarks(zipf) + ownPolicyBenchmarks(zipf)
}

/// A policy that both implement, with the name in each.
struct ContestedPolicy {
    var ours: String
    var peers: String
    /// The bar on the loaded Zipf trace, in millions of requests per second.
    var bar: Double?

    static let sweep = [
        ContestedPolicy(ours: "lru", peers: "LRU", bar: 100), ContestedPolicy(ours: "fifo", peers: "FIFO", bar: 100),
        ContestedPolicy(ours: "clock", peers: "Clock", bar: 100),
        ContestedPolicy(ours: "sieve", peers: "Sieve", bar: 100),
        ContestedPolicy(ours: "s3fifo", peers: "S3FIFO", bar: 60),
        ContestedPolicy(ours: "slru", peers: "SLRU", bar: 60),
        ContestedPolicy(ours: "arc", peers: "ARC", bar: 60), ContestedPolicy(ours: "2q", peers: "TwoQ", bar: 60),
        ContestedPolicy(ours: "lfu", peers: "LFU", bar: 30), ContestedPolicy(ours: "lirs", peers: "LIRS", bar: 30),
        ContestedPolicy(ours: "w-tinylfu", peers: "WTinyLFU", bar: 30),
        ContestedPolicy(ours: "gdsf", peers: "GDSF", bar: 8),
    ]

    /// Measured on the Zipf trace without the peer.
    static let alone = [
        ContestedPolicy(ours: "lhd", peers: "LHD", bar: 8),
        ContestedPolicy(ours: "hyperbolic", peers: "Hyperbolic", bar: 8),
    ]

    static let others = [
        ContestedPolicy(ours: "lhd", peers: "LHD"), ContestedPolicy(ours: "hyperbolic", peers: "Hyperbolic"),
        ContestedPolicy(ours: "lfuda", peers: "LFUDA"), ContestedPolicy(ours: "random", peers: "Random"),
        ContestedPolicy(ours: "lecar", peers: "LeCaR"), ContestedPolicy(ours: "cacheus", peers: "Cacheus"),
        ContestedPolicy(ours: "lru-k", peers: "LRUK"), ContestedPolicy(ours: "mq", peers: "MQ"),
        ContestedPolicy(ours: "clock-pro", peers: "ClockPro"), ContestedPolicy(ours: "size", peers: "Size"),
        ContestedPolicy(ours: "belady", peers: "Belady"), ContestedPolicy(ours: "belady-size", peers: "BeladySize"),
    ]
}

/// How one policy runs, with the time to read its trace.
private enum SingleRun: String, CaseIterable {
    case oneThread = "loading included, one thread"
    /// What `cachereplay simulate` does with a file of 16 MB or more: the policy runs while the file is read.
    case twoThreads = "loading included, two threads"
    case compiled = "from a compiled trace, one thread"
}

private struct SimulationBenchmark {
    /// The number of rounds: five, or fewer by the environment, to save time.
    static let rounds = ProcessInfo.processInfo.environment["CACHEREPLAY_BENCH_ROUNDS"].flatMap { Int($0) } ?? 5
    let trace: SimulatedTrace
    let peer: LibCacheSim?
    let progress: (String) -> Void

    init(_ trace: SimulatedTrace, _ peer: LibCacheSim?, _ progress: @escaping (String) -> Void) {
        (self.trace, self.peer, self.progress) = (trace, peer, progress)
    }

    private struct Cell: Hashable {
        var policy: String
        var capacity: Int
    }

    /// The figures of all rounds.
    private struct Figures {
        /// Seconds.
        var sweeps: [Double] = []
        /// Requests per second on the loaded trace.
        var rates: [Cell: [Double]] = [:]
        /// The peer's seconds.
        var peers: [Cell: [Double]] = [:]
        /// Seconds, by policy.
        var singles: [String: [SingleRun: [Double]]] = [:]
        var missRatios: [Cell: Double] = [:]
    }

    func rows(isZipf: Bool) throws -> [BenchmarkRow] {
        var figures = Figures()
        // The sides alternate. The first sweep warms up.
        for round in 0...Self.rounds {
            if round > 0 { progress("round \(round) of \(Self.rounds)") }
            try sweep(round, into: &figures)
            guard round > 0 else { continue }
            if isZipf { try runAlone(into: &figures) }
            try runPeer(into: &figures)
        }
        return peerRows(figures) + (isZipf ? rateRows(figures) : [])
    }

    /// Measures the sweep; the round 0 gives miss ratios alone.
    private func sweep(_ round: Int, into figures: inout Figures) throws {
        let seconds = try seconds {
            let dense = try load(trace.oracleGeneral)
            for policy in ContestedPolicy.sweep {
                for capacity in trace.capacities {
                    let (seconds, counts) = try run(dense, policy.ours, capacity)
                    let cell = Cell(policy: policy.ours, capacity: capacity)
                    if round > 0 { figures.rates[cell, default: []].append(Double(trace.requests) / seconds) }
                    figures.missRatios[cell] = Double(counts.misses) / Double(counts.requests)
                }
            }
        }
        if round > 0 { figures.sweeps.append(seconds) }
    }

    /// Measures the policies that are measured without the peer.
    private func runAlone(into figures: inout Figures) throws {
        let dense = try load(trace.compiled)
        for policy in ContestedPolicy.alone {
            for capacity in trace.capacities {
                let seconds = try run(dense, policy.ours, capacity).seconds
                figures.rates[Cell(policy: policy.ours, capacity: capacity), default: []].append(
                    Double(trace.requests) / seconds)
            }
        }
    }

    /// Measures the peer, and beside it, at 1 % of the objects, each policy with the time to read the trace.
    private func runPeer(into figures: inout Figures) throws {
        guard let peer else { return }
        for policy in ContestedPolicy.sweep {
            for capacity in trace.capacities {
                let cell = Cell(policy: policy.ours, capacity: capacity)
                let run = try peer.simulate(
                    policy.peers, trace.oracleGeneral, capacity: capacity, requests: trace.requests)
                figures.peers[cell, default: []].append(run.seconds)
                try checkSameWork(cell, figures.missRatios[cell], run.missRatio)
            }
            for way in SingleRun.allCases {
                figures.singles[policy.ours, default: [:]][way, default: []].append(try time(policy.ours, way))
            }
        }
    }

    private func peerRows(_ figures: Figures) -> [BenchmarkRow] {
        guard peer != nil else { return [] }
        let sweep = BenchmarkRow(
            """
            sweep of \(ContestedPolicy.sweep.count) policies at \(trace.capacities.count) capacities, \
            \(trace.name), loading included
            """,
            metric: "time", unit: "s", .lowerIsBetter, ours: median(figures.sweeps), peerName: LibCacheSim.name,
            peer: figures.peers.values.map(median).reduce(0, +))
        return [sweep]
            + ContestedPolicy.sweep.flatMap { policy in
                SingleRun.allCases.map { way in
                    row(
                        policy, way, ours: median(figures.singles[policy.ours]?[way] ?? []),
                        peer: median(figures.peers[Cell(policy: policy.ours, capacity: trace.capacities[1])] ?? []))
                }
            }
    }

    private func rateRows(_ figures: Figures) -> [BenchmarkRow] {
        (ContestedPolicy.sweep + ContestedPolicy.alone).flatMap { policy in
            zip(trace.capacities, ["0.1 %", "1 %", "10 %"]).map { capacity, share in
                BenchmarkRow(
                    "\(policy.ours), \(trace.name), \(share) of the objects, loaded", metric: "requests",
                    unit: "1/s", .higherIsBetter,
                    ours: median(figures.rates[Cell(policy: policy.ours, capacity: capacity)] ?? []),
                    peerName: "the bar set for it",
                    peer: (policy.bar ?? 0) * 1e6)
            }
        }
    }

    /// Measures a policy outside the sweep at 1 % of the objects, with the time to read the trace.
    func singleRuns(_ policy: ContestedPolicy) throws -> [BenchmarkRow] {
        guard let peer else { throw BenchmarkError(description: "no peer") }
        // A window does not contain the future.
        let isStreamed = try !type(of: PolicyContext(capacity: .objects(1)).policy(policy.ours)).usesFuture
        let ways: [SingleRun] = isStreamed ? [.oneThread, .twoThreads] : [.oneThread]
        let theirs = {
            try peer.simulate(
                policy.peers, trace.oracleGeneral, capacity: trace.capacities[1], requests: trace.requests
            ).seconds
        }
        let times = try alternating(
            rounds: Self.rounds, ways.map { way in { try time(policy.ours, way) } } + [theirs])
        return zip(ways, times).map { way, time in row(policy, way, ours: time, peer: times[ways.count]) }
    }

    private func row(_ policy: ContestedPolicy, _ way: SingleRun, ours: Double, peer: Double) -> BenchmarkRow {
        BenchmarkRow(
            "\(policy.ours), \(trace.name), 1 % of the objects, \(way.rawValue)", metric: "time", unit: "s",
            .lowerIsBetter, ours: ours, peerName: "\(LibCacheSim.name): \(policy.peers)", peer: peer)
    }

    /// Returns the seconds of a policy at 1 % of the objects, with the time to read the trace.
    private func time(_ policy: String, _ way: SingleRun) throws -> Double {
        let capacity = trace.capacities[1]
        switch way {
        case .oneThread:
            return try seconds { _ = try run(try load(trace.oracleGeneral, for: policy), policy, capacity) }
        case .compiled: return try seconds { _ = try run(try load(trace.compiled, for: policy), policy, capacity) }
        case .twoThreads:
            var notes = ReadingNotes()
            let made = try PolicyContext(capacity: .objects(capacity)).policy(policy)
            var outcome: StreamedSweep.Outcome?
            let seconds = try seconds {
                outcome = try StreamedSweep.run(
                    trace.oracleGeneral, .init(usesSizes: false), [made], jobs: 2, &notes)
            }
            guard outcome?.counts.first?.requests == trace.requests else {
                throw BenchmarkError(description: "\(policy) did not run over all requests")
            }
            return seconds
        }
    }

    private func load(_ path: String) throws -> DenseTrace {
        var notes = ReadingNotes()
        return try DenseTrace(contentsOf: path, .init(usesSizes: false), &notes)
    }

    /// Loads what `cachereplay simulate` loads for a single policy.
    private func load(_ path: String, for policy: String) throws -> DenseTrace {
        var notes = ReadingNotes()
        let columns = DenseTrace.columns(for: [try PolicyContext(capacity: .objects(1)).policy(policy)])
        return try DenseTrace(contentsOf: path, .init(usesSizes: false, columns: columns), &notes)
    }

    private func run(_ dense: DenseTrace, _ policy: String, _ capacity: Int) throws -> (
        seconds: Double, counts: SimulationCounts
    ) {
        let policy = try PolicyContext(capacity: .objects(capacity)).policy(policy)
        var counts = SimulationCounts()
        let seconds = seconds { counts = Simulation.run(dense, policy) }
        guard counts.requests == trace.requests else {
            throw BenchmarkError(description: "\(counts.requests) requests were simulated")
        }
        return (seconds, counts)
    }

    /// Checks the misses: those of textbook algorithms must be equal, others similar.
    private func checkSameWork(_ cell: Cell, _ ours: Double?, _ theirs: Double) throws {
        guard let ours else { return }
        let tolerance = ["lru", "fifo", "clock", "sieve"].contains(cell.policy) ? 1e-6 : 0.05
        guard abs(ours - theirs) <= tolerance || theirs > 0.999 else {
            throw BenchmarkError(
                description: "\(cell.policy) at \(cell.capacity) of \(trace.name): misses \(ours), the peer \(theirs)")
        }
    }
}

/// LRU in another module, like a policy of a user's package.
private struct OwnLRU: QueuePolicy {
    var queue: BoundedQueue

    mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        guard queue.contains(access.object) else { return .miss }
        queue.moveToFront(access.object)
        return .hit
    }

    mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool { queue.push(access, &sink) }
}

private func ownPolicyBenchmarks(_ trace: SimulatedTrace) throws -> [BenchmarkRow] {
    let dense = try DenseTrace(contentsOf: trace.compiled)
    let capacity = trace.capacities[2]
    let rates = try alternating(
        rounds: 5,
        [
            {
                Double(trace.requests)
                    / seconds {
                        _ = Simulation.run(dense, OwnLRU(queue: BoundedQueue(limits: Limits(objects: capacity))))
                    }
            },
            {
                let policy = try PolicyContext(capacity: .objects(capacity)).policy("lru")
                return Double(trace.requests) / seconds { _ = Simulation.run(dense, policy) }
            },
        ])
    return [
        BenchmarkRow(
            "LRU written in another package, \(trace.name), 10 % of the objects, loaded", metric: "requests",
            unit: "1/s", .higherIsBetter,
            ours: rates[0], peerName: "lru in the tree", peer: rates[1])
    ]
}
