import ReplayEngine
import ResultColumns

/// A figure whose distribution over the sessions and users of a fleet is reported.
///
/// The raw value is the name of the figure's column in `summary.csv`; `disk_hit_ratio` has no column.
public enum FleetFigure: String, Sendable, Codable, CaseIterable {
    case shown = "shown_ratio"
    case blank = "blank_ratio"
    case bytes = "origin_bytes"
    case memoryPeak = "memory_peak_bytes"
    case memoryHits = "memory_hit_ratio"
    case diskHits = "disk_hit_ratio"
    /// Without a value for sessions in which the list never moves, and where nothing takes time.
    case hitches = "hitch_60hz_ms_per_s"

    /// The way in which the sessions of a user make the user's value.
    package enum Pooling {
        /// The sum of the parts, or of the amounts, divided by the sum of the wholes.
        case share(of: FleetMeasure)
        case meanPerSession
        case largest
    }

    package var pooling: Pooling {
        switch self {
        case .shown, .memoryHits, .diskHits: .share(of: .requests)
        case .blank: .share(of: .visibleTime)
        case .hitches: .share(of: .scrollTime)
        case .bytes: .meanPerSession
        case .memoryPeak: .largest
        }
    }

    /// The part of a share, or the amount.
    package var measure: FleetMeasure {
        switch self {
        case .shown: .shown
        case .blank: .blankTime
        case .bytes: .originBytes
        case .memoryPeak: .memoryPeak
        case .memoryHits: .memoryHits
        case .diskHits: .diskHits
        case .hitches: .hitchTime
        }
    }

    private var column: Column<RunResult>? { SummaryColumns[rawValue] }

    public var unit: Unit { column?.unit ?? .ratio }

    /// The direction of an improvement. It is neutral for disk hits: fewer of them are an improvement when they became
    /// memory hits.
    public var polarity: Polarity { column?.polarity ?? .neutral }

    public var meaning: String { column?.meaning ?? "disk hits per request" }

    package var isShare: Bool { unit == .ratio }
}

/// A number of a run that can be added over runs.
package enum FleetMeasure: Int, CaseIterable, Sendable {
    case requests, shown, memoryHits, diskHits, originBytes, memoryPeak, blankTime, visibleTime
    /// The peak of all images; for a run without this figure, the peak of the cache's memory.
    case imageMemoryPeak
    /// 1 for a run without a peak of all images.
    case withoutImageMemory
    /// The delay of frames at 60 Hz, in milliseconds.
    case hitchTime
    /// The time in which the list moves, in seconds.
    case scrollTime
    /// 1 for a run whose images take up more than the memory of the device.
    case exceedsDevice

    package func value(_ result: RunResult) -> Double {
        switch self {
        case .requests: Double(result.counts.requests)
        case .shown: Double(result.counts.shown)
        case .memoryHits: Double(result.counts.memoryHits)
        case .diskHits: Double(result.counts.diskHits)
        case .originBytes: Double(result.tiers.originBytes)
        case .memoryPeak: result.knowsMemory ? Double(result.tiers.memoryPeakBytes) : 0
        case .blankTime: result.blank.blankTime
        case .visibleTime: result.blank.visibleTime
        case .imageMemoryPeak: Double(result.imageMemoryPeak ?? result.tiers.memoryPeakBytes)
        case .withoutImageMemory: result.imageMemoryPeak == nil ? 1 : 0
        case .hitchTime: Double(result.mainLane?.at60Hz.hitchTime ?? 0) / 1e6
        case .scrollTime: Double(result.mainLane?.scrollTime ?? 0) / 1e9
        case .exceedsDevice: result.exceedsDevice ? 1 : 0
        }
    }
}
