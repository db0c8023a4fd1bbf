import Basics
import ImageLibraries
import ReplayEngine

/// The memory at which the system stops an app, and what the app holds beside the cache.
public struct AppMemory: Sendable, Encodable, Equatable {
    /// The name of the device; nil for a limit that was given.
    public let device: String?
    /// The limit in bytes.
    public let limit: Int
    /// The bytes that the rest of the app holds; nil if they are not known, and count as 0.
    public let baseline: Int?
    /// What happens at the limit, in a phrase after "at which".
    let consequence: String
    /// A sentence about what the limit does not bound; nil if it bounds all memory of the app.
    let caveat: String?

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
        let system = device.system.map { " (\(device.evidence.rawValue) for \($0))" } ?? ""
        switch device.consequence {
        case .processEnds:
            consequence = "iOS ends an app on \(device.name)\(system)"
            caveat = nil
        case .managedHeapIsFull:
            consequence = "the managed heap of \(device.name) is full\(system)"
            caveat = """
                From Android 8 on, the pixels of bitmaps are outside of the managed heap, and this limit does not hold \
                for them.
                """
        }
    }

    /// Uses a limit in bytes.
    public init(limit: Int, baseline: Int?) {
        device = nil
        self.limit = limit
        self.baseline = baseline
        consequence = "the app is stopped"
        caveat = nil
    }

    /// The sentences after the shares: what they count.
    func contents(_ near: NearLimit) -> [String] {
        let rest =
            baseline.map { "\(HumanText.bytes(Double($0))) for the rest of the app" }
            ?? "nothing for the rest of the app, because --app-baseline is not given"
        let text = """
            The memory is the peak of all images in a session, and \(rest). Images are those that the \
            cache holds, those that cells show, those in transfer, and those being decoded.
            """
        let cacheOnly = """
            Of \(FleetStatistics.count(near.cacheOnly, "session")) without a record of when cells vanish, only what \
            the cache holds counts.
            """
        return [text] + (near.cacheOnly > 0 ? [cacheOnly] : []) + (caveat.map { [$0] } ?? [])
    }
}

/// The share of sessions whose memory comes within a tenth of the limit of the app, or above it.
public struct NearLimit: Sendable, Encodable, Equatable {
    public let share: Double
    /// The 95 % interval of the share, after Wilson. Several sessions of one user make it too narrow.
    public let low: Double
    public let high: Double
    public let near: Int
    public let sessions: Int
    /// The sessions whose peak is that of the cache's memory alone, because they have no
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

    /// `12% (5% to 24%)`.
    var text: String { "\(HumanText.share(share)) (\(HumanText.share(low)) to \(HumanText.share(high)))" }
}

extension KnownDevice {
    /// The devices as a table for a terminal, with their sources below it.
    public static var table: String {
        let sources = all.map(\.source).unique()
        var grid = TextGrid(headings: [
            .init(title: "device", alignment: .left), .init(title: "limit, MiB"), .init(title: "memory, MiB"),
            .init(title: "system", alignment: .left), .init(title: "evidence", alignment: .left),
            .init(title: "source", alignment: .left),
        ])
        grid.rows = all.map { device in
            [
                device.name, "\(device.limit >> 20)", device.memory.map { "\($0 >> 20)" } ?? "–",
                device.system ?? "–", device.evidence.rawValue,
                "[\((sources.firstIndex(of: device.source) ?? 0) + 1)]",
            ]
        }
        return grid.plain() + "\n" + sources.enumerated().map { "[\($0 + 1)] \($1)\n" }.joined()
    }
}
