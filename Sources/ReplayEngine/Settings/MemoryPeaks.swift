import Statistics

/// The sessions whose memory comes close to the limit at which the system ends an app.
public struct NearLimitShare: Sendable, Equatable {
    /// The sessions that are within a tenth of the limit, or above it.
    public let near: Int
    /// All sessions; at least 1.
    public let sessions: Int

    /// The share of the sessions that are near the limit, from 0 to 1.
    public var share: Double { Double(near) / Double(sessions) }

    /// Counts the sessions that are near a limit.
    ///
    /// A session is near the limit if its peak and the baseline together are at least nine tenths of the limit.
    ///
    /// - Parameters:
    ///   - peaks: The largest number of bytes of each session, such as ``RunResult/imageMemoryPeak``.
    ///   - baseline: The bytes that the rest of the app holds.
    ///   - limit: The bytes at which the system ends the app.
    /// - Returns: nil if there is no session, or if a number of bytes is below 0, or if the limit is 0.
    public init?(peaks: some Collection<Int>, baseline: Int, limit: Int) {
        guard !peaks.isEmpty, baseline >= 0, limit > 0, peaks.allSatisfy({ $0 >= 0 }) else { return nil }
        // The smallest whole number of bytes that is at least 0.9 · limit.
        let threshold = limit - limit / 10
        near = peaks.count { peak in
            let (total, isTooLarge) = peak.addingReportingOverflow(baseline)
            return isTooLarge || total >= threshold
        }
        sessions = peaks.count
    }

    /// The 95 % confidence interval of the share, after Wilson (1927). It assumes that sessions are independent:
    /// several sessions of one user make it too narrow.
    public var interval: ClosedRange<Double> { WilsonInterval.ofShare(Double(near), of: sessions) }
}
