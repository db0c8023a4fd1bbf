import ReplayEngine
import Runs
import Statistics

/// The gain and the cost of a lever: the figures of a cache with the limits of the question minus those with the
/// change, on the sample of the sessions.
public struct LeverGain: Sendable, Encodable, Equatable {
    /// The cache, with its own rules.
    public let cache: String
    public let lever: Lever
    /// The figure of the objective with the change, in the mean over users: blank time, or bytes with the objective of
    /// bytes.
    public let value: Double
    /// By how much that figure falls. Below 0 if it rises.
    public let gain: Double
    /// The 95 % interval of the gain; nil for too few users.
    public let low: Double?
    public let high: Double?
    /// The share of users for whom the figure falls by more than the tolerance of the question.
    public let betterForUsers: Double?
    /// By how much the mean over users of the share of visible time that cells are blank rises.
    public let addedBlank: Double
    /// By how much the mean over users of the bytes that a session fetches rises.
    public let addedBytes: Double
    /// By how much the 95th percentile over users of the most bytes in memory rises.
    public let addedPeak: Double
    /// Whether the gain or the loss is above the tolerance of the question, and the users agree on it.
    public let isRelevant: Bool

    enum CodingKeys: String, CodingKey {
        case cache, lever, setting, value, gain, low, high
        case maker = "by"
        case betterForUsers = "better_for_users"
        case addedBlank = "added_blank_ratio"
        case addedBytes = "added_origin_bytes"
        case addedPeak = "added_memory_peak_bytes"
        case isRelevant = "relevant"
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(cache, forKey: .cache)
        try values.encode(lever.kind.rawValue, forKey: .lever)
        try values.encode(lever.setting.text, forKey: .setting)
        try values.encode(lever.kind.isOfApp ? "app" : "cache", forKey: .maker)
        try values.encode(value, forKey: .value)
        try values.encode(gain, forKey: .gain)
        try values.encodeIfPresent(low, forKey: .low)
        try values.encodeIfPresent(high, forKey: .high)
        try values.encodeIfPresent(betterForUsers, forKey: .betterForUsers)
        try values.encode(addedBlank, forKey: .addedBlank)
        try values.encode(addedBytes, forKey: .addedBytes)
        try values.encode(addedPeak, forKey: .addedPeak)
        try values.encode(isRelevant, forKey: .isRelevant)
    }

    /// - Parameters:
    ///   - own: The cache without the change.
    ///   - changed: The cache with the change.
    /// - Returns: nil without a figure.
    init?(
        _ lever: Lever, _ own: Advice.Candidate, _ changed: Advice.Candidate, _ question: Advice.Question,
        _ table: FleetTable, seed: UInt64
    ) {
        let (figure, tolerance) = (question.objective.figure, question.relevanceThreshold)
        let pair = table.with(caches: [own.name, changed.name])
        let figures = AdviceFigures(pair)
        func added(_ figure: FleetFigure) -> Double { figures.mean(figure, changed) - figures.mean(figure, own) }
        (addedBlank, addedBytes) = (added(.blank), added(.bytes))
        addedPeak = figures.peak(changed) - figures.peak(own)
        let (before, after) = (figures.mean(figure, own), figures.mean(figure, changed))
        let statistics = FleetStatistics(pair, seed: seed, threads: 1, relevanceThreshold: tolerance)
        let difference = FleetDifference(statistics, figure, from: changed.name, to: own.name)
        cache = own.cache
        self.lever = lever
        value = after
        gain = before - after
        (low, high) = (difference.low, difference.high)
        betterForUsers = difference.betterForUsers
        isRelevant = !tolerance.ties(before, after, figure.unit) && difference.isConsistent
        guard addedBlank.isFinite, addedBytes.isFinite, addedPeak.isFinite else { return nil }
    }
}

/// The 95 % interval of the difference of a figure between two caches, and for how many users one of them is better.
struct FleetDifference {
    /// nil for too few users.
    let low: Double?
    let high: Double?
    /// The share of users for whom the first cache is better by more than the tolerance of the statistics; nil without
    /// users.
    let betterForUsers: Double?

    /// Whether the users tell which cache is better: `FleetStatistics.Pair.isConsistent`.
    let isConsistent: Bool

    /// - Parameters:
    ///   - first: The name of the cache whose figure is subtracted.
    ///   - second: The name of the other cache.
    init(_ statistics: FleetStatistics, _ figure: FleetFigure, from first: String, to second: String) {
        let names = Set([first, second])
        let pair = statistics.pairs.first { $0.figure == figure && Set([$0.first, $0.second]) == names }
        let interval = pair?.difference.interval
        let isTurned = pair?.first == second
        low = interval.map { isTurned ? -$0.high : $0.low }
        high = interval.map { isTurned ? -$0.low : $0.high }
        betterForUsers = pair.flatMap { isTurned ? $0.better : $0.worse }
        isConsistent = pair?.isConsistent ?? false
    }
}
