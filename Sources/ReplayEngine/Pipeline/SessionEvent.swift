import SessionModel

/// The effect of an event of a trace on a replay, in 16 bytes. A `TraceEvent` has seven times as many, most of them for
/// a recorded fetch.
///
/// All replays of a trace read all of its events, and many events have no effect. To bring them from memory took longer
/// than to pass over them.
struct SessionEvent: Sendable {
    /// Nanoseconds since the start of the trace.
    var time: Int64
    var action: Action

    enum Action: Sendable {
        case appear(ObjectID, Variant)
        case disappear(ObjectID, Variant)
        case prefetch(ObjectID, Variant)
        case scroll(ScrollPhase)
        case memoryWarning
        case background
        case terminate
        case remove(ObjectID)
        /// Without an effect of its own. A fetch is part of the network model: a cache meets it when it fetches.
        case noEffect
    }

    init(_ event: TraceEvent) {
        time = event.time * 1_000
        action =
            switch event.action {
            case .appear(let object, let variant): .appear(object, variant)
            case .disappear(let object, let variant): .disappear(object, variant)
            case .prefetch(let object, let variant): .prefetch(object, variant)
            case .scroll(let phase, _, _): .scroll(phase)
            case .memoryWarning: .memoryWarning
            case .background: .background
            case .terminate: .terminate
            case .remove(let object): .remove(object)
            case .fetch, .foreground, .list, .served, .cost: .noEffect
            }
    }
}
