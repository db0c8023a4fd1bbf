/// Builds a trace event by event: numbers the keys and collects the facts of each object.
public struct TraceBuilder {
    public var header = TraceHeader()
    public private(set) var objects: [TraceObject] = []
    public private(set) var events: [TraceEvent] = []
    private var ids: [String: ObjectID] = [:]

    public init() {}

    /// Returns the number of the object that `key` names. The first call with a key adds the object.
    public mutating func object(_ key: String) -> ObjectID {
        if let id = ids[key] { return id }
        let id = ObjectID(objects.count)
        ids[key] = id
        objects.append(TraceObject(key: key))
        return id
    }

    /// Makes room for a number of events, so that appending them copies none.
    package mutating func reserve(events count: Int) { events.reserveCapacity(count) }

    /// Appends an event. Events may be out of order; ``finish(keepingTimes:)`` sorts them.
    public mutating func append(_ event: TraceEvent) {
        events.append(event)
    }

    public mutating func update(_ id: ObjectID, _ change: (inout TraceObject) -> Void) {
        change(&objects[Int(id)])
    }

    /// Returns the finished trace, with its events in order of time.
    ///
    /// Recorders write concurrent fetches when they end, so events may arrive out of order. Events with equal times
    /// keep the order in which they were appended.
    ///
    /// - Parameter keepingTimes: Whether times stay as they are, for files whose times count from the start of the
    ///   session. Otherwise they are shifted to count from the first event.
    public consuming func finish(keepingTimes: Bool = false) -> Trace {
        let unsorted = zip(events, events.dropFirst()).contains { $0.time > $1.time }
        if unsorted { events.sort { $0.time < $1.time } }  // Swift's sort is stable.
        if !keepingTimes, let start = events.first?.time, start != 0 {
            for index in events.indices { events[index].time -= start }
        }
        return Trace(header: header, objects: objects, events: events)
    }
}

/// The largest values that readers accept. They are far above any recording, and low enough that sums over a trace
/// cannot overflow.
package enum TraceLimits {
    /// Microseconds: 285 years.
    package static let time: Int64 = 1 << 53
    /// Bytes of one object: 1 TiB.
    package static let bytes: Int64 = 1 << 40
    /// Positions and rows of a list: one less than the largest number, so that the next position is a number too.
    package static let position = Int64(Int32.max) - 1
    /// Pixels of one side of an image.
    package static let pixels: Int64 = 1 << 20
    /// Frames of an animated image.
    package static let frames = Int64(UInt16.max)
}
