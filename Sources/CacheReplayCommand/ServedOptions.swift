import ArgumentParser
import CacheReports
import MeasuredTiers
import ReplayEngine
import SessionModel

/// The options of `validate --cache`, which compares replays with the `served` events of traces.
struct ServedOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A cache to compare with the 'served' events, as for 'cachereplay replay'; repeat for each.",
            valueName: "[name=]spec"))
    var cache: [String] = []

    @Option(
        help: ArgumentHelp(
            "With --cache: the least share of requests that agree, such as 95%. Otherwise the exit code is 1.",
            valueName: "share"),
        transform: { try SimulateCommand.share($0, isAboveZero: false) })
    var atLeast: Double?

    @Option(
        help: ArgumentHelp("\(ReplayCommand.NetworkName.help.abstract) (default: auto)"),
        completion: .file(extensions: ["yaml", "yml"]))
    var network: [ReplayCommand.NetworkName] = []

    @Option(help: "With --cache: modelled, or instant, in which nothing takes time. (default: modelled)")
    var timing: ExplainCommand.TimingName?

    @Option(help: "With --cache: the number of disagreements. (default: 10)")
    var top: Int?

    func validate() throws {
        if cache.isEmpty, atLeast != nil || !network.isEmpty || timing != nil || top != nil {
            throw ValidationError("--at-least, --network, --timing and --top need --cache, the cache to compare.")
        }
        guard network.count <= 1 else {
            throw ValidationError("--network is given \(network.count) times; run the command once for each network.")
        }
        try network.first?.check(isInstant: timing == .instant)
        if let top, !(0...100_000).contains(top) { throw ValidationError("--top is from 0 to 100000.") }
    }

    /// Whether a comparison agrees as often as `--at-least` says.
    func accepts(_ comparison: ServedComparison) -> Bool {
        atLeast.map { (comparison.agreement ?? 0) >= $0 } ?? true
    }

    /// Returns the meaning of recorded transfer times.
    /// - Throws: ``CommandFailure`` for a file that describes no network.
    func networkChoice() throws -> ReplayPlan.NetworkChoice { try (timing ?? .modelled).choice(network.first ?? .auto) }

    /// Replays a trace through caches, and compares the requests.
    ///
    /// - Throws: ``CommandFailure`` for a trace that cannot be replayed, or records no source.
    func compare(
        _ trace: Trace, of file: TraceFile, _ caches: [CacheConfiguration], _ choice: ReplayPlan.NetworkChoice
    ) throws -> [ServedTable.Item] {
        guard trace.recordsSources || trace.recordsCosts else {
            throw CommandFailure(
                .badData,
                """
                \(file.path): the trace has no 'served' events, so there is nothing to compare. SessionRecorder \
                records them by served(_:variant:from:); other recorders write lines like \
                {"t":1200000,"e":"served","o":0,"variant":"thumbnail","from":"memory"}.
                """)
        }
        let (prepared, network) = try file.prepared(trace, choice)
        return try caches.map { cache in
            let job = (timing ?? .modelled).job(file.name, cache, network)
            let comparison = try job.compareServed(prepared, measured: .real, top: top ?? 10)
            return (file.name, cache.name, comparison)
        }
    }
}
