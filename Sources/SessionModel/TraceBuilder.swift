/// Collects a trace event by event: numbers the keys and keeps what is learned of each object.
public struct TraceBuilder {
    public var header = TraceHeader()
    public private(set) var objects: [TraceObject] = []
    public private(set) var events: [TraceEvent] = []
    private var ids: [String: ObjectID] = [:]

    public init() {}

    /// The number of the object that `key` names; a new one at its first appearance.
    public mutating func object(_ key: String) -> ObjectID {
        if let id = ids[key] { return id }
        let id = ObjectID(objects.count)
        ids[key] = id
        objects.append(TraceObject(key: key))
        return id
    }

    public mutating func append(_ event: TraceEvent) {
        events.append(event)
    }

    public mutating func update(_ id: ObjectID, _ change: (inout TraceObject) -> Void) {
        change(&objects[Int(id)])
    }

    /// The finished trace. Recorders write concurrent fetches when they end, so events are put in order of time
    /// here; those of one instant keep the order in which they were appended. Times then count from the first event,
    /// unless `keepingTimes`: for files whose times already count from the start of the session.
    public consuming func finish(keepingTimes: Bool = false) -> Trace {
        let unsorted = zip(events, events.dropFirst()).contains { $0.time > $1.time }
        if unsorted { events.sort { $0.time < $1.time } }  // Swift's sort is stable.
        if !keepingTimes, let start = events.first?.time, start != 0 {
            for index in events.indices { events[index].time -= start }
        }
        return Trace(header: header, objects: objects, events: events)
    }
}
