import ReplayEngine

extension MissCause {
    /// The words of tables and charts.
    public var title: String {
        switch self {
        case .firstRequest: "first request"
        case .similarKey: "first request, similar key"
        case .inFlight: "in flight"
        case .wrongPrefetch: "evicted for a wrong guess"
        case .capacity: "would not fit at this size"
        case .policy: "evicted by a poor choice"
        case .evictedAtOnce: "evicted at once"
        case .expired: "expired"
        case .validation: "stored, not confirmed"
        case .memoryWarning: "memory warning"
        case .background: "background"
        case .relaunch: "relaunch"
        case .removal: "removed by the app"
        case .damaged: "damaged or wrong file"
        case .refused: "refused"
        case .cancelled: "cancelled before"
        case .deferred: "deferred before"
        case .blocked: "blocked"
        case .failed: "failed before"
        }
    }
}

extension Wait {
    /// The words of tables and charts.
    public var title: String {
        switch self {
        case .mainLane: "busy main lane"
        case .diskQueue: "disk queue"
        case .diskRead: "disk read"
        case .decodeQueue: "decode queue"
        case .decode: "decoding"
        case .gate: "list at rest"
        case .connectionQueue: "connection queue"
        case .connect: "connect"
        case .firstByte: "first byte"
        case .transfer: "transfer"
        case .validation: "validation"
        case .retryPause: "pause before a retry"
        case .nothing: "no image is coming"
        }
    }
}

extension ReplayEvents.Work {
    /// The words of pictures and explanations.
    public var title: String {
        switch self {
        case .memoryLookup: "memory lookup"
        case .memoryStore: "memory store"
        case .diskRead: "disk read"
        case .diskStore: "disk store"
        case .diskTouch: "touch file"
        case .diskRemoval: "remove file"
        case .diskSweep: "remove expired files"
        case .decode: "decode"
        case .fetch: "fetch"
        }
    }
}
