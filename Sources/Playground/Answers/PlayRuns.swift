import Basics
import CachePolicies
import ReplayEngine
import ResultColumns
import SessionModel

/// The replays of the page. Results are kept, bounded in bytes, so that a change of one cache replays that one alone.
///
/// Each replay is the one that `cachereplay replay --timing modelled` makes.
final class PlayRuns: Sendable {
    /// The settings that all replays of a question have in common.
    struct Settings: Sendable {
        /// In microseconds.
        var warnings: [Int64]
        var decodes: Bool
        var seed: UInt64
        /// Called between events; true ends the work.
        var isOvertaken: @Sendable () -> Bool

        /// - Throws: ``PlayFailure`` if a newer question has overtaken this one.
        func check() throws {
            if isOvertaken() {
                throw PlayFailure(.overtaken, "A newer question has taken the place of this one; ask again.")
            }
        }
    }

    private let parts: MeasuredParts?
    private let results: BoundedCache<RunResult>

    init(parts: MeasuredParts?, mostBytes: Int) {
        self.parts = parts
        results = BoundedCache(limit: mostBytes)
    }

    /// Returns the job of a cache, as `replay` makes it.
    static func job(
        _ cache: PlayCache, _ session: PlaySession, _ prepared: PlaySession.Prepared, _ settings: Settings
    ) -> ReplayJob {
        var job = ReplayJob(trace: session.name, cache: cache.configuration)
        job.seed = settings.seed
        job.timing = .modelled(.standard)
        job.network = prepared.network
        job.decode = settings.decodes
        job.injected = prepared.injected
        return job
    }

    /// Replays a session through a cache.
    ///
    /// - Parameters:
    ///   - settings: The common settings of the replays of a question.
    ///   - isFull: Whether the result has a timeline of every second, a film and causes. Its other figures do not
    ///     depend on this.
    /// - Throws: ``PlayFailure``.
    func result(
        _ cache: PlayCache, _ session: PlaySession, _ settings: Settings, isFull: Bool
    ) throws -> RunResult {
        try settings.check()
        let key = Self.key(cache, session, settings)
        if let known = results.value(of: "full \(key)") { return known }
        if !isFull, let known = results.value(of: "plain \(key)") { return known }
        do {
            let prepared = try session.prepared(settings.warnings, cache.network)
            var job = Self.job(cache, session, prepared, settings)
            if !isFull { job.timeline = .none }
            let result = try job.runForResults(prepared.trace, measured: parts) { _ in try settings.check() }
            results.keep(result, of: "\(isFull ? "full" : "plain") \(key)", bytes: Self.bytes(of: result))
            return result
        } catch {
            throw Self.failure(error, cache, session)
        }
    }

    /// Returns the results with the other plausible models of Darwin's NSCache, which `replay` shows too: none for a
    /// cache that does not rest on that class, or whose limits were not reached.
    func otherModels(
        of result: RunResult, _ cache: PlayCache, _ session: PlaySession, _ settings: Settings
    ) throws -> [RunResult] {
        guard cache.configuration.model != nil, result.tiers.memoryEvictions > 0 else { return [] }
        do {
            let prepared = try session.prepared(settings.warnings, cache.network)
            return try NSCacheModelChoice.allCases.dropFirst().map { model -> RunResult in
                try settings.check()
                let key = "\(model.rawValue) \(Self.key(cache, session, settings))"
                if let known = results.value(of: key) { return known }
                var job = Self.job(cache, session, prepared, settings)
                job.cache = job.cache.with(model)
                job.timeline = .none
                let result = try job.run(prepared.trace, measured: parts) { _ in try settings.check() }
                results.keep(result, of: key, bytes: Self.bytes(of: result))
                return result
            }
        } catch {
            throw Self.failure(error, cache, session)
        }
    }

    /// Returns a text that is equal for equal replays of a session.
    private static func key(_ cache: PlayCache, _ session: PlaySession, _ settings: Settings) -> String {
        """
        \(session.place) \(settings.warnings) \(settings.decodes) \(settings.seed) \(cache.network.name) \
        \(cache.held?.text ?? "-") \(cache.option)
        """
    }

    static func failure(_ error: any Error, _ cache: PlayCache, _ session: PlaySession) -> PlayFailure {
        switch error {
        case let failure as PlayFailure: failure
        case is SpecError, is RuleError:
            PlayFailure(
                .badQuestion, "\(VisibleText.line(cache.configuration.name)): \(PlayCache.sentence(error))")
        default:
            PlayFailure(
                .failed,
                "\(VisibleText.line(session.name)), \(VisibleText.line(cache.configuration.name)): "
                    + "\(PlayCache.sentence(error))")
        }
    }

    /// Returns the memory that a result takes, estimated.
    private static func bytes(of result: RunResult) -> Int {
        let film = (result.film?.cells.count ?? 0) * 64 + (result.places?.places.count ?? 0) * 24
        return 8_192 + result.identity.specification.utf8.count + result.timeline.count * 64 + result.marks.count * 32
            + film
    }
}

extension RunResult {
    /// Returns a figure of `summary.csv`; nil if there is none.
    func figure(_ metric: String) -> Double? { SummaryColumns[metric]?.value(self).number }
}
