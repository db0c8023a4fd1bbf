import Advising
import Basics
import Foundation
import ImageLibraries
import ReplayEngine
import Runs

/// The sessions that are replayed, and what the first of them say.
extension AdviseCommand {
    /// Returns traces in the order of their replays.
    func ordered(_ files: [TraceFile]) -> [TraceFile] {
        guard files.count > sampleSessions || limit.timeLimit != nil else { return files }
        // The first sessions of a folder are often those of one user.
        var generator = SplitMix64(seed: seed)
        return files.shuffled(using: &generator)
    }

    func sessions(_ files: [TraceFile]) throws -> [AdviceSession] {
        let pattern = try userFrom.map { try UserPattern($0) }
        let choice = try networkOption.network().choice()
        let injected = try injection.events()
        let check = check
        return try files.map { file in
            AdviceSession(
                name: file.name, user: try pattern.map { UserPattern.alias(try $0.user(in: file.name)) },
                size: file.size, fingerprint: { try file.sha256() },
                load: {
                    let (trace, network) = try file.prepared(file.read().trace, choice, injecting: injected)
                    try check(file.name, trace)
                    return AdviceSession.Loaded(trace, network)
                })
        }
    }

    /// What the first sessions say before a search.
    struct Known {
        /// The sizes of the largest images: a smaller limit cannot hold them.
        var largestDecoded = 1
        var largestEncoded = 1
        var sessions = Lever.Sessions()
        private var platforms: Set<AppPlatform> = []

        /// The platform that all sessions have in common.
        var platform: AppPlatform { platforms.count == 1 ? platforms.first ?? .any : .any }

        mutating func add(_ prepared: PreparedTrace) {
            let trace = prepared.trace
            largestDecoded = max(largestDecoded, prepared.largestImage)
            largestEncoded = max(largestEncoded, trace.objects.compactMap { $0.bytes.map { Int($0) } }.max() ?? 1)
            sessions.add(trace)
            platforms.insert(AppPlatform(recorder: trace.header.recorder))
        }
    }

    /// The nanoseconds of a day.
    static let day = 86_400 * 1_000_000_000.0

    /// Returns what checks that a session can tell anything.
    private var check: @Sendable (_ session: String, PreparedTrace) throws -> Void {
        let needsDays = dataPerDay != nil && sessionsPerDay == nil
        let needsDisappearances = objective != .bytes
        return { session, prepared in
            let trace = prepared.trace
            guard trace.events.contains(where: { if case .appear = $0.action { true } else { false } }) else {
                throw CommandFailure(.badData, "\(session): no cell ever appears, so the session cannot tell.")
            }
            guard trace.objects.contains(where: { $0.bytes != nil }) else {
                throw CommandFailure(
                    .badData,
                    "\(session): the trace has no sizes, so a limit of memory means nothing; record sizes, or "
                        + "name other traces.")
            }
            guard !needsDisappearances || !prepared.cellsStay else {
                throw CommandFailure(
                    .badData,
                    """
                    \(session): the trace records no disappearance of a cell, so it does not say how long cells \
                    were blank. Use --objective bytes, or a recording of a list (record gallery, SessionRecorder).
                    """)
            }
            let nanoseconds = Double(trace.duration) * 1_000
            guard !needsDays || nanoseconds >= Self.day else {
                throw CommandFailure(
                    .badData,
                    """
                    --data-per-day: \(session) lasts \(HumanText.microseconds(nanoseconds / 1_000)), and a rate \
                    per day needs sessions of a day or more. Give the sessions of a user in a day, such as \
                    --sessions-per-day 5, or record sessions that last for days.
                    """)
            }
        }
    }

    /// The number of sessions that are read before a search.
    private static let firstSessions = 8

    /// Returns what the first sessions that can be read say.
    ///
    /// - Throws: ``CommandFailure`` for a limit that is smaller than the largest image.
    func known(_ sessions: [AdviceSession], _ files: [TraceFile]) throws -> Known {
        var known = Known()
        for (session, file) in zip(sessions, files).prefix(Self.firstSessions) {
            do { known.add(try session.load().trace) } catch {
                _ = try file.skipped(after: error, isStrict: input.strict)
            }
        }
        for (option, limit, least, place) in [
            ("--memory", memory, known.largestDecoded, "in memory"),
            ("--disk", disk, known.largestEncoded, "on disk"),
        ] {
            try Self.require(limit, of: option, least, place, "give at least that")
        }
        return known
    }

    /// Refuses a limit that is smaller than the largest image.
    ///
    /// - Parameters:
    ///   - limit: The limit in bytes; nil for none.
    ///   - option: What begins the sentence.
    ///   - least: What the largest image takes, in bytes.
    ///   - place: Where it takes it.
    ///   - remedy: What ends the sentence.
    static func require(
        _ limit: Int?, of option: String, _ least: Int, _ place: String, _ remedy: String
    ) throws {
        guard let limit, limit < least else { return }
        throw CommandFailure(
            .usage,
            """
            \(option) \(HumanText.bytes(Double(limit))) is less than the largest image takes \(place), \
            \(HumanText.bytes(Double(least))); \(remedy).
            """)
    }
}
