import SessionModel

/// What became of one request, as results record it.
public struct RequestRow: Sendable, Equatable {
    /// The number of the request, from 0, in order of appearance.
    public var index: Int
    /// When the cell appeared, in nanoseconds of trace time.
    public var time: Int64
    public var key: String
    public var variant: Variant
    /// The outcome: `memory_hit`, `disk_hit`, `origin`, `coalesced`, `deferred`, `cancelled`, `failed` or `wrong`.
    public var source: String
    public var shown: Visibility
    /// From the appearance to the delivery, in nanoseconds; nil if the cell never showed the image.
    public var latency: Int64?
    /// Why tiers missed, and what the cell waited for.
    public var explanation: RequestExplanation?

    /// Whether the cell showed its image.
    public enum Visibility: String, Sendable, CaseIterable {
        case shown
        /// The image arrived after the cell had disappeared.
        case late
        /// No image arrived, or that of another key.
        case never
    }

    /// - Parameter keys: The keys of the trace's objects.
    @inline(__always) init(
        _ request: ReplayRequest, index: Int, keys: [String], _ explanation: RequestExplanation? = nil
    ) {
        self.explanation = explanation
        self.index = index
        time = request.appeared
        key = keys[request.cell.object]
        variant = Variant(rawValue: request.cell.variant) ?? .full
        source = request.isWrong ? "wrong" : request.outcome?.name ?? RequestOutcome.cancelled.name
        let isDelivered = request.outcome?.latencyGroup != nil && !request.isWrong
        shown = request.delivered >= 0 ? .shown : isDelivered ? .late : .never
        latency = request.delivered >= 0 ? request.delivered - request.appeared : nil
    }
}

extension RequestOutcome {
    /// The name in results.
    package var name: String {
        switch self {
        case .memoryHit: "memory_hit"
        case .diskHit: "disk_hit"
        case .origin: "origin"
        case .coalesced: "coalesced"
        case .deferred: "deferred"
        case .cancelled: "cancelled"
        case .failed: "failed"
        }
    }
}
