import ArgumentParser
import Basics
import CacheReports
import CacheSimulation
import Foundation
import MeasuredTiers
import Playground
import ReplayEngine
import ResultColumns
import Runs
import SessionModel
import Synchronization

/// `explain`: replays traces in modelled timing, and says why requests were no hits and what blank cells waited for.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Say why requests were no hits, and what blank cells waited for.",
        usage: "cachereplay explain <trace> ... --cache <spec> [<options>]",
        discussion: """
            Replays traces in modelled timing. Each request that memory did not answer has one cause, and each \
            millisecond of blank time one wait. Other replays then show what each change would bring by itself: of \
            the app, such as prefetching, and of the cache, such as more connections or another limit of memory. A \
            bound says how much blank time no cache can avoid. For up to 20,000 requests, another one says how few \
            misses any policy with the same memory could have if fetches took no time. The folder of --output gets \
            causes.csv, waits.csv, requests.csv, explanation.json, charts and \
            explanation.html.

            Example: cachereplay explain Traces/stress-return.jsonl --cache kingfisher-8
            --cache "nuke-13; memory: 64MB"
            """)

    @OptionGroup var input: TraceOptions

    @Option(
        help: ArgumentHelp(
            "A cache, as for 'cachereplay replay'; repeat for each.", valueName: "[name=]spec"))
    var cache: [String] = []

    @OptionGroup var results: OutputOptions

    enum TimingName: String, ExpressibleByArgument, CaseIterable {
        case modelled, instant

        /// Returns a replay without a timeline.
        func job(_ trace: String, _ cache: CacheConfiguration, _ network: ReplayJob.Network) -> ReplayJob {
            var job = ReplayJob(trace: trace, cache: cache)
            job.timing = .modelled(self == .instant ? .instant : .standard)
            job.decode = self != .instant
            job.network = network
            job.timeline = .none
            return job
        }

        /// Returns the meaning of recorded transfer times. Instant timing uses no network, so nothing is estimated.
        /// - Throws: ``CommandFailure`` for a file that describes no network.
        func choice(_ network: ReplayCommand.NetworkName) throws -> ReplayPlan.NetworkChoice {
            self == .instant ? .recorded : try network.choice()
        }
    }

    @Option(help: "modelled: a cost model gives every duration. instant: nothing takes time.")
    var timing = TimingName.modelled

    @OptionGroup var injection: InjectionOptions

    @OptionGroup var networkOption: NetworkOptionGroup

    @Flag(inversion: .prefixedNo, help: "Deliver an image when its bitmap is ready.")
    var decode = true

    @Option(help: "The seed of latencies that the recording does not have.")
    var seed: UInt64 = 1

    @Option(help: "The number of worst keys and worst seconds.")
    var top = 5

    @OptionGroup private var relevance: RelevanceOption

    @OptionGroup var charts: ChartsOption

    @OptionGroup var printing: PrintOptions

    @OptionGroup var nscache: NSCacheOption

    @OptionGroup var appRules: AppRulesOption

    @OptionGroup var csv: CSVOutputOptions

    func validate() throws {
        try input.require()
        if cache.isEmpty {
            throw ValidationError(
                "Which cache? Give --cache kingfisher-8, or another one of `cachereplay list caches`.")
        }
        try networkOption.network().check(isInstant: timing == .instant)
        guard (0...1_000).contains(top) else { throw ValidationError("--top is from 0 to 1000.") }
        try csv.require(results.output)
    }

    func run() throws {
        let caches = try appRules.applied(to: nscache.applied(to: cache.map { try ReplayCommand.cache($0) }))
        let network = try timing.choice(networkOption.network())
        let sources = try input.sources()
        var folder = try results.output.map {
            try ExplanationStore(at: $0, csvSafe: csv.csvSafe, replaces: results.force)
        }
        let progress = ProgressBar(total: sources.files.count * caches.count, unit: "runs", quiet: printing.quiet)
        let explained = try explain(sources, caches, network, folder, progress)
        let (runs, staying) = (explained.runs, explained.staying)
        folder = explained.folder
        progress.finish()
        try TraceSources.report(explained.skipped.sorted { $0.key < $1.key }.map(\.value), of: sources.files.count)
        try folder?.write()
        try show(
            runs,
            drawn: folder.map { folder in
                try charts.draw(quiet: printing.quiet) { try folder.drawCharts(staying: staying) }
            } ?? [], staying: staying)
        for failure in explained.ended { printToStandardError("cachereplay: \(failure)") }
        if let first = explained.ended.first { throw ExitCode(first.status.rawValue) }
    }

    private struct Explained {
        var run: RunExplanation
        var identity: RunIdentity
        var rows: [RequestRow]
        /// Set if the cache ended before the replay did.
        var end: CommandFailure?
    }

    /// The explanations, in the order of the command line.
    private struct Explanations {
        var folder: ExplanationStore?
        var runs: [RunExplanation] = []
        var ended: [CommandFailure] = []
        /// By number of the session.
        var skipped: [Int: SkippedSource] = [:]
        /// The names of sessions in which no cell disappears.
        var staying: Set<String> = []
        var failures: [Int: any Error] = [:]
        /// By place: the runs that wait for an earlier place; nil for a skipped session.
        private var waiting: [Int: Explained?] = [:]
        private var next = 0

        init(folder: ExplanationStore?) { self.folder = folder }

        /// Takes a run, and those that waited for it.
        mutating func add(_ explained: Explained?, at place: Int) {
            waiting[place] = .some(explained)
            while let found = waiting.removeValue(forKey: next) {
                next += 1
                guard let found else { continue }
                folder?.add(found.run, found.identity, found.rows)
                runs.append(found.run)
                if let failure = found.end { ended.append(failure) }
            }
        }
    }

    /// Explains all sessions with all caches, on all processors.
    private func explain(
        _ sources: TraceSources, _ caches: [CacheConfiguration], _ network: ReplayPlan.NetworkChoice,
        _ folder: ExplanationStore?, _ progress: ProgressBar
    ) throws -> Explanations {
        let state = Mutex(Explanations(folder: folder))
        let batch = Batch<Session>(groups: sources.files.count)
        let files = sources.files
        @Sendable func attempt<Value>(_ number: Int, _ body: () throws -> Value?) -> Value? {
            do { return try body() } catch {
                batch.cancel()
                state.withLock { $0.failures[number] = error }
                return nil
            }
        }
        batch.run(
            threads: ProcessInfo.processInfo.activeProcessorCount,
            prepare: { number in
                let session = attempt(number) {
                    do { return try prepare(files[number], network) } catch {
                        let skipped = try files[number].skipped(after: error, isStrict: input.strict)
                        state.withLock { state in
                            state.skipped[number] = skipped
                            for cache in caches.indices { state.add(nil, at: number * caches.count + cache) }
                        }
                        return nil
                    }
                }
                guard let session else {
                    progress.advance(by: Double(caches.count))
                    return nil
                }
                if session.trace.cellsStay { state.withLock { _ = $0.staying.insert(files[number].name) } }
                return (session, items: caches.count)
            },
            work: { session, number, cache in
                _ = attempt(number) {
                    let explained = try explain(files[number].name, caches[cache], session)
                    state.withLock { $0.add(explained, at: number * caches.count + cache) }
                }
                progress.advance(by: 1)
            })
        let explanations = state.withLock { $0 }
        if let first = explanations.failures.min(by: { $0.key < $1.key }) { throw first.value }
        return explanations
    }

    /// A session that is ready for replays.
    private typealias Session = (trace: PreparedTrace, network: ReplayJob.Network)

    private func explain(
        _ name: String, _ cache: CacheConfiguration, _ session: Session
    ) throws -> Explained {
        let job = try job(name, cache, session.network)
        let (result, rows, demand) = try job.explainWithDemand(session.trace, measured: .real)
        var run = RunExplanation(result, rows, top: top)
        run.relevanceThreshold = relevance.relevanceThreshold
        if let demand, run.limitedMisses > 0, run.requests <= Self.mostBounded {
            let misses = LeastMisses(demand)
            run.leastMisses = .init(least: misses.bound, known: misses.known)
        }
        let end = CommandFailure(endOfCache: result, name: "\(name), \(cache.name)")
        if end == nil { run.changes = try changes(run, job, session.trace) }
        run.leastBlank = try RunExplanation.LeastBlank(of: job, in: session.trace, result)
        return Explained(
            run: run, identity: result.identity, rows: results.output == nil ? [] : rows, end: end)
    }

    /// The requests of a session up to which the fewest misses are bounded, which takes up to a second then.
    private static let mostBounded = 20_000

    private func prepare(_ file: TraceFile, _ choice: ReplayPlan.NetworkChoice) throws -> Session {
        let trace = try file.read().trace
        guard trace.events.contains(where: { if case .appear = $0.action { true } else { false } }) else {
            throw CommandFailure(
                .badData,
                "\(file.path): nothing to explain, no cell ever appears; `cachereplay trace info` shows its events.")
        }
        return try file.prepared(trace, choice, injecting: injection.events())
    }

    private func job(_ trace: String, _ cache: CacheConfiguration, _ network: ReplayJob.Network) throws -> ReplayJob {
        var job = timing.job(trace, cache, network)
        job.injected = try injection.events().text
        job.decode = job.decode && decode
        job.seed = seed
        return job
    }

    /// The levers without an effect where nothing takes time.
    private static let aboutTime: Set<Lever.Kind> = [.cancelling, .order, .connections, .decoding]

    /// Replays the session with each lever, and without its memory warnings.
    private func changes(
        _ run: RunExplanation, _ job: ReplayJob, _ trace: PreparedTrace
    ) throws -> [RunExplanation.Change] {
        let idle: Set<Lever.Kind> = timing == .instant ? Self.aboutTime : job.decode ? [] : [.decoding]
        let levers = job.cache.levers(for: Lever.Sessions(trace.trace), registry: CacheReplay.policies)
        var changes = try levers.filter { !idle.contains($0.kind) }.map { lever in
            var changed = job
            changed.cache = try lever.applied(to: job.cache, registry: CacheReplay.policies)
            let result = try changed.run(trace.applying(lever, network: job.network), measured: .real)
            return RunExplanation.Change(
                lever.title, by: lever, removing: lever.removesCauses ? lever.kind.causes : [], result, run)
        }
        if run.memoryMisses(.memoryWarning) > 0 {
            var calm = trace.trace
            calm.events.removeAll { $0.action == .memoryWarning }
            let prepared = try PreparedTrace(calm, network: job.network, registry: CacheReplay.policies)
            let result = try job.run(prepared, measured: .real)
            changes.append(.init("no memory warnings", by: nil, removing: [.memoryWarning], result, run))
        }
        return changes
    }

    private func show(_ runs: [RunExplanation], drawn: [String], staying: Set<String>) throws {
        if printing.json { return try printJSON(runs) }
        let document = RunExplanation.document(runs, staying: printing.quiet ? [] : staying)
        CommandOutput.print(document)
        CommandOutput.print("")
        if let output = results.output, !printing.quiet { printWritten(to: output, pictures: drawn.count) }
    }
}

extension LeastMisses {
    /// Bounds the misses of a memory's demand, if fetches took no time.
    fileprivate init(_ demand: MemoryDemand) {
        var reuse = ReuseIntervals(
            capacity: demand.capacity, objectCount: demand.imageCount, accessCount: demand.steps.count)
        for step in demand.steps {
            switch step {
            case .lookup(let image, let size, let key, let isRequest):
                if let outcomes = demand.outcomes[key] { reuse.doubt(image, key: key, outcomes) }
                reuse.access(image, size: size, weight: isRequest ? 1 : 0)
            case .removal(let image): reuse.remove(image)
            case .loss: reuse.clear()
            }
        }
        reuse.finish()
        self.init(reuse)
    }
}
