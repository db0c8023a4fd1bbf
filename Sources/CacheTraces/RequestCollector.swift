/// Builds the trace of formats that know requests alone: a time, an id, a size. Each record becomes an `appear`.
///
/// The order of the records is the order of the requests, whatever their times say.
struct RequestCollector {
    private(set) var objects: [TraceObject] = []
    private var events: [TraceEvent] = []
    private var firstTime: Int64?
    private var lastTime: Int64 = 0
    private var timesHeld = 0
    private var otherSizes = 0

    mutating func reserve(_ requests: Int) { events.reserveCapacity(requests) }

    /// A new object; the caller makes sure that its key is new.
    mutating func addObject(_ key: String, bytes: Int?) -> ObjectID {
        objects.append(TraceObject(key: key, bytes: bytes))
        return ObjectID(objects.count - 1)
    }

    /// `time` in microseconds from any origin.
    mutating func request(_ object: ObjectID, at time: Int64, bytes: Int?) {
        if objects[Int(object)].bytes != bytes { otherSizes += 1 }
        if firstTime == nil {
            firstTime = time
            lastTime = time
        }
        if time < lastTime { timesHeld += 1 }
        lastTime = max(lastTime, time)
        events.append(TraceEvent(time: lastTime - (firstTime ?? 0), .appear(object, .full)))
    }

    consuming func finish(_ notes: inout ReadingNotes) -> Trace {
        if otherSizes > 0 {
            notes.warnings.append("\(otherSizes) requests have another size than the first of their object; each object keeps its first size")
        }
        if timesHeld > 0 {
            notes.warnings.append("the time of \(timesHeld) requests is before that of a request ahead of them; the order is kept, their time raised")
        }
        return Trace(objects: objects, events: events)
    }
}
