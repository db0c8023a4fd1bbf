import Basics
import Foundation
import ReplayEngine
import ResultColumns

/// A share, for comparisons such as `result.blank < .percent(2)`.
public struct Percentage: Comparable, Sendable, CustomStringConvertible {
    /// From 0 to 1.
    public let share: Double

    public init(share: Double) { self.share = share }

    public static func percent(_ number: Double) -> Percentage { Percentage(share: number / 100) }

    public static func < (one: Percentage, other: Percentage) -> Bool { one.share < other.share }

    public var description: String { "\((share * 10_000).rounded() / 100) %" }
}

/// The figures of one replay.
public struct SessionResult: Sendable, CustomStringConvertible {
    /// The result as the `cachereplay` package has it.
    package let run: RunResult
    package let rows: [RequestRow]
    private let isTimed: Bool
    private let platformNotes: [String]

    package init(_ run: RunResult, _ rows: [RequestRow], isTimed: Bool, platformNotes: [String] = []) {
        self.run = run
        self.rows = rows
        self.isTimed = isTimed
        self.platformNotes = platformNotes
    }

    /// The figure of a column of `summary.csv`, such as `latency_p99_us`; nil if the column does not exist or has no
    /// figure.
    public subscript(column: String) -> Double? {
        SummaryColumns[column]?.value(run).number
    }

    /// The columns of `summary.csv` that have figures.
    public static var columns: [String] { SummaryColumns.metrics.map(\.name) }

    /// The share of the time of visible cells without their image.
    public var blank: Percentage { percentage("blank_ratio") }
    /// The share of requests that memory or disk answers.
    public var hits: Percentage { percentage("hit_ratio") }
    /// The share of requests that memory answers.
    public var memoryHits: Percentage { percentage("memory_hit_ratio") }
    /// The bytes fetched from the network.
    public var fetchedBytes: Int { Int(run.tiers.originBytes) }
    /// The most bytes in memory at once; nil if the cache does not say what it holds.
    public var memoryPeakBytes: Int? { run.knowsMemory ? Int(run.tiers.memoryPeakBytes) : nil }
    /// The most bytes that memory is known to have held at once: stored before, and found later.
    public var provenMemoryBytes: Int { run.driven?.provenBytes ?? 0 }
    /// Why memory did not answer requests, and how many requests that were, for example `policy` for those that a
    /// better policy of the same size would have answered.
    public var memoryMisses: [String: Int] { run.causes?.memory ?? [:] }
    public var diskMisses: [String: Int] { run.causes?.disk ?? [:] }
    /// The defects of the cache. An error that it throws is one.
    public var faults: [CacheFault] { run.driven?.faults ?? [] }
    /// The number of calls of the cache, and the mean time of those that were timed, in nanoseconds.
    public var calls: Int { run.driven?.calls ?? 0 }
    public var meanCall: Double {
        guard isTimed, let driven = run.driven, driven.calls > 0 else { return 0 }
        return Double(driven.callTime) / Double(driven.calls)
    }
    /// The notes that a reader of the figures must know.
    public var notes: [String] { run.notes.map(\.text) + platformNotes }

    /// The columns and the figures, as `summary.csv` has them: for an attachment of a test.
    public var csv: String { CSVText.render(SummaryColumns.all, [run]) }

    public var description: String {
        var lines = [
            "\(run.identity.trace): \(run.counts.requests) requests, hits \(hits), blank \(blank), "
                + "\(fetchedBytes) bytes fetched"
        ]
        lines += faults.map { "fault: the cache \($0)" }
        return lines.joined(separator: "\n")
    }

    private func percentage(_ column: String) -> Percentage { Percentage(share: self[column] ?? .nan) }

    // MARK: Limits

    /// Checks that the cache has no faults, and that limits such as `blank_ratio<2%` or `memory_peak_bytes<64MB` are
    /// kept.
    ///
    /// A test that throws the error fails with its sentences, in Swift Testing and in XCTest. To go on after a failure,
    /// write `#expect(throws: Never.self) { try result.check(…) }` or `XCTAssertNoThrow(try result.check(…))`.
    ///
    /// - Throws: ``CheckFailure`` with a sentence for each fault, and for each limit that is exceeded or whose figure
    ///   is unknown; `BudgetError` for a limit that cannot be read.
    public func check(_ limits: String...) throws {
        let sentences = faults.map { "the cache \($0)" } + (try violations(of: limits))
        if !sentences.isEmpty { throw CheckFailure(run.identity.trace, sentences) }
    }

    /// Checks limits as ``check(_:)`` does, without faults.
    ///
    /// - Returns: A sentence for each limit that is exceeded, or whose figure is unknown.
    /// - Throws: `BudgetError` for a limit that cannot be read.
    public func violations(of limits: String...) throws -> [String] { try violations(of: limits) }

    private func violations(of limits: [String]) throws -> [String] {
        try limits.compactMap { text in
            let limit = try FigureBudget(text)
            guard let column = SummaryColumns[limit.metric],
                let value = column.value(run).number
            else { return "\(limit): there is no figure for \(limit.metric)" }
            guard !limit.isKept(by: value) else { return nil }
            // As many digits as show that the limit is exceeded.
            return "\(limit): it is \(FigureText.text(value, column.unit) { !limit.isKept(by: $0) })"
        }
    }

    // MARK: Baselines

    /// Writes the figures to a file, for ``regressions(since:)``.
    ///
    /// - Throws: ``BaselineError`` if calls were timed: their times differ from run to run.
    public func write(baseline file: URL) throws {
        try checkRepeatable()
        try Data(csv.utf8).write(to: file, options: .atomic)
    }

    /// Checks that no figure is worse than in a file, as ``regressions(since:)`` finds them.
    ///
    /// - Throws: ``CheckFailure`` with a sentence for each figure that is worse; ``BaselineError`` as
    ///   ``regressions(since:)``.
    public func check(since file: URL) throws {
        let sentences = try regressions(since: file)
        if !sentences.isEmpty { throw CheckFailure(run.identity.trace, sentences) }
    }

    /// Compares the figures that a person notices or pays for with the figures of a file.
    ///
    /// If the environment has `CACHEREPLAY_UPDATE_BASELINES=1`, the file is written anew, and there are no regressions.
    /// - Returns: A sentence for each figure that is worse.
    /// - Throws: ``BaselineError`` if the file does not exist or is of another session, or if calls were timed.
    public func regressions(since file: URL) throws -> [String] {
        try checkRepeatable()
        if ProcessInfo.processInfo.environment["CACHEREPLAY_UPDATE_BASELINES"] == "1" {
            try write(baseline: file)
            return []
        }
        guard let text = try? String(contentsOf: file, encoding: .utf8) else {
            throw BaselineError(
                "\(file.path) does not exist; write it by a run with CACHEREPLAY_UPDATE_BASELINES=1 in the environment")
        }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: true).map {
            $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        guard lines.count == 2, lines[0].count == lines[1].count, lines[0] == SummaryColumns.all.map(\.name) else {
            throw BaselineError(
                "\(file.path) is not a baseline of this version: expected are the columns of summary.csv and one row")
        }
        let stored = Dictionary(uniqueKeysWithValues: zip(lines[0], lines[1]))
        for column in ["trace", "timing", "network", "seed"] {
            let now = SummaryColumns.all.first { $0.name == column }?.written(run) ?? ""
            guard stored[column] == now else {
                throw BaselineError(
                    "\(file.path) has \(column) \(stored[column] ?? "none"), and this result has \(now); write it anew")
            }
        }
        return SummaryColumns.metrics.compactMap { column in
            guard column.isGated, let polarity = column.polarity, polarity != .neutral,
                let before = stored[column.name].flatMap(Double.init), let now = Double(column.written(run))
            else { return nil }
            let isWorse = polarity == .lowerIsBetter ? now > before : now < before
            guard isWorse else { return nil }
            // As many digits as tell the two apart.
            let digits = FigureText.digits { FigureText.rounded(before, $0) != FigureText.rounded(now, $0) }
            let texts = [before, now].map { FigureText.text($0, column.unit, digits: digits) }
            return "\(column.name): \(texts[0]) before, \(texts[1]) now"
        }
    }

    private func checkRepeatable() throws {
        guard isTimed else { return }
        throw BaselineError("the calls of this replay were timed, so its figures vary; use options: .timing(.modelled)")
    }
}

/// The failure that a check of a result has found.
public struct CheckFailure: LocalizedError, Sendable, Equatable, CustomStringConvertible {
    /// One sentence for each fault, limit or figure.
    public let sentences: [String]
    /// The session and the sentences, each on a line of its own.
    public let description: String

    public var errorDescription: String? { description }

    init(_ session: String, _ sentences: [String]) {
        self.sentences = sentences
        description =
            sentences.count == 1
            ? "\(session): \(sentences[0])" : "\(session):" + sentences.map { "\n- \($0)" }.joined()
    }
}

/// A baseline that cannot be compared.
public struct BaselineError: Error, Sendable, Equatable, CustomStringConvertible {
    public var description: String

    init(_ description: String) { self.description = description }
}
