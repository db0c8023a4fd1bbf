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

    /// The 95 % confidence interval of the share, after Wilson (1927).
    ///
    /// With *p* the share, *n* the sessions and *z* = 1.959964, the interval is
    /// (*p* + *z*² / 2*n* ± *z* · √(*p*(1 − *p*) / *n* + *z*² / 4*n*²)) / (1 + *z*² / *n*).
    /// It assumes that sessions are independent: several sessions of one user make it too narrow.
    public var interval: ClosedRange<Double> { Self.interval(of: Double(near), in: sessions) }

    /// Returns the 95 % confidence interval, after Wilson, of a share of so many of so many; from 0 to 1 of none.
    public static func interval(of near: Double, in sessions: Int) -> ClosedRange<Double> {
        guard sessions > 0 else { return 0...1 }
        let z = 1.959963984540054
        let n = Double(sessions)
        let share = near / n
        let scale = 1 + z * z / n
        let centre = (share + z * z / (2 * n)) / scale
        let half = z * (share * (1 - share) / n + z * z / (4 * n * n)).squareRoot() / scale
        // At the ends, the formula yields exactly 0 or 1; rounding must not move them.
        let low = near == 0 ? 0 : max(centre - half, 0)
        let high = near == n ? 1 : min(centre + half, 1)
        return low...high
    }
}
