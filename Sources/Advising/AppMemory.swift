import ImageLibraries
import Runs

/// The memory at which the system stops an app, and what the app holds besides the cache.
public struct AppMemory: Sendable, Encodable, Equatable {
    /// The name of the device; nil for a limit that was given.
    public let device: String?
    /// The behaviour of the device at the limit; nil for a limit that was given.
    package let known: KnownDevice?
    /// The limit in bytes.
    public let limit: Int
    /// The bytes that the rest of the app holds; nil if they are not known, and count as 0.
    public let baseline: Int?

    enum CodingKeys: String, CodingKey {
        case device
        case limit = "app_limit_bytes"
        case baseline = "app_baseline_bytes"
    }

    /// Uses the limit of a device.
    public init(_ device: KnownDevice, baseline: Int?) {
        self.device = device.name
        self.baseline = baseline
        limit = device.limit
        known = device
    }

    /// Uses a limit in bytes.
    public init(limit: Int, baseline: Int?) {
        device = nil
        self.limit = limit
        self.baseline = baseline
        known = nil
    }
}

/// The share of sessions whose memory comes within a tenth of the limit of the app, or above it.
public struct NearLimit: Sendable, Codable, Equatable {
    public let share: Double
    /// The 95 % interval of the share, after Wilson. Several sessions of one user make it too narrow.
    public let low: Double
    public let high: Double
    public let near: Int
    public let sessions: Int
    /// The sessions whose peak counts the cache's memory alone, because they have no
    /// `ReplayEngine.RunResult.imageMemoryPeak`.
    public let cacheOnly: Int

    enum CodingKeys: String, CodingKey {
        case share, low, high, near, sessions
        case cacheOnly = "cache_only_sessions"
    }

    /// Returns nil without a session.
    init?(_ table: FleetTable, cache: String, _ app: AppMemory) {
        guard let place = table.caches.firstIndex(of: cache) else { return nil }
        let peaks = table.sessions.indices.compactMap { session in
            table.value(.imageMemoryPeak, session: session, cache: place).map { Int($0) }
        }
        guard let counted = NearLimitShare(peaks: peaks, baseline: app.baseline ?? 0, limit: app.limit) else {
            return nil
        }
        share = counted.share
        low = counted.interval.lowerBound
        high = counted.interval.upperBound
        near = counted.near
        sessions = counted.sessions
        cacheOnly = table.sessions.indices.count { session in
            table.value(.withoutImageMemory, session: session, cache: place) ?? 0 > 0
        }
    }
}
