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
            valueName: "share"))
    var atLeast: Share?

    @OptionGroup var networkOption: NetworkOptionGroup

    @Option(help: "With --cache: modelled, or instant, in which nothing takes time. (default: modelled)")
    var timing: ExplainCommand.TimingName?

    @Option(help: "With --cache: the number of disagreements. (default: 10)")
    var top: Int?

    func validate() throws {
        if cache.isEmpty, atLeast != nil || networkOption.network != .auto || timing != nil || top != nil {
            throw ValidationError("--at-least, --network, --timing and --top need --cache, the cache to compare.")
        }
        if let top, !(0...100_000).contains(top) { throw ValidationError("--top is from 0 to 100000.") }
    }

    /// A share of requests.
    struct Share: ExpressibleByArgument {
        var value: Double

        /// Reads `95%` or `0.95`.
        init?(argument: String) {
            let isPercent = argument.hasSuffix("%")
            guard let number = Double(isPercent ? String(argument.dropLast()) : argument) else { return nil }
            value = isPercent ? number / 100 : number
            guard (0...1).contains(value) else { return nil }
        }
    }

    /// Whether a comparison agrees as often as `--at-least` says.
    func accepts(_ comparison: ServedComparison) -> Bool {
        guard let atLeast else { return true }
        return (comparison.agreement ?? 0) >= atLeast.value
    }

    /// Replays a trace through caches, and compares the requests.
    ///
    /// - Throws: `ReplayError` for a trace that cannot be replayed, `CommandFailure` for one that records no source.
    func compare(_ trace: Trace, of file: TraceFile, _ caches: [CacheConfiguration]) throws -> [ServedTable.Item] {
        guard trace.recordsSources else {
            throw CommandFailure(
                .badData,
                """
                \(file.path): the trace has no 'served' events, so there is nothing to compare. SessionRecorder \
                records them by served(_:variant:from:); other recorders write lines like \
                {"t":1200000,"e":"served","o":0,"variant":"thumbnail","from":"memory"}.
                """)
        }
        let chosen = timing == .instant ? ReplayPlan.NetworkChoice.recorded : try networkOption.network.choice()
        let network = try ReplayPlan.network(of: trace, file, chosen)
        let prepared = try PreparedTrace(trace, network: network, registry: CacheReplay.policies)
        return try caches.map { cache in
            let job = (timing ?? .modelled).job(file.name, cache, network)
            let comparison = try job.compareServed(
                prepared, registry: CacheReplay.policies, measured: .real, top: top ?? 10)
            return (file.name, cache.name, comparison)
        }
    }
}
