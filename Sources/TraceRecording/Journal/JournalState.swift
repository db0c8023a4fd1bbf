import SessionModel
import SessionRecorder

/// The state of a ``TraceJournal``: the file, and the objects in it.
struct JournalState: ~Copyable {
    private(set) var status = TraceJournal.Status()
    private var file: RecordingFile
    private var isFinished = false
    private var encoder = JSONLinesEncoder()
    private var objects: [TraceObject] = []
    private var ids: [String: ObjectID] = [:]
    /// Objects whose line is not written yet; it is written before the next event.
    private var unwritten: Set<ObjectID> = []
    private var lastTime: Int64 = 0

    init(file: RecordingFile) {
        self.file = file
        status.bytes = file.size
    }

    mutating func object(_ facts: TraceObject) -> ObjectID {
        let id: ObjectID
        if let known = ids[facts.key] {
            id = known
            guard objects[Int(id)].learn(facts) else { return id }
        } else {
            id = ObjectID(objects.count)
            ids[facts.key] = id
            objects.append(facts)
        }
        unwritten.insert(id)
        write(events: 0)
        return id
    }

    mutating func append(_ events: some Sequence<TraceEvent>) {
        var count = 0
        encodeObjects()
        for var event in events {
            if case .fetch = event.action {
            } else {
                if event.time < lastTime {
                    event.time = lastTime
                    status.late += 1
                }
                lastTime = event.time
            }
            encoder.append(event)
            count += 1
        }
        if count > 0 { write(events: count) }
    }

    mutating func finish() {
        guard !isFinished else { return }
        isFinished = true
        file.finish()
    }

    private mutating func encodeObjects() {
        for id in unwritten.sorted() { encoder.append(objects[Int(id)], as: id) }
    }

    /// Writes the encoded lines, or the waiting objects if there are no events.
    private mutating func write(events: Int) {
        if events == 0 { encodeObjects() }
        defer { encoder.removeAll() }
        guard !isFinished else {
            status.lost += events
            return
        }
        let (accepted, problem) = file.append(encoder.bytes)
        status.bytes = file.size
        status.problem = problem?.description
        guard accepted < encoder.bytes.count else {
            status.events += events
            unwritten.removeAll()
            return
        }
        // The last lines are missing. The lines of all objects are written again, because duplicates are allowed.
        let missing = encoder.bytes[accepted...].count { $0 == UInt8(ascii: "\n") }
        status.lost += min(events, missing)
        status.events += events - min(events, missing)
    }
}

extension TraceObject {
    /// Adds the facts that are not known yet. Returns whether there were any.
    fileprivate mutating func learn(_ facts: TraceObject) -> Bool {
        let before = self
        bytes = bytes ?? facts.bytes
        contentType = contentType ?? facts.contentType
        pixelWidth = pixelWidth ?? facts.pixelWidth
        pixelHeight = pixelHeight ?? facts.pixelHeight
        if headers.isEmpty { headers = facts.headers }
        return self != before
    }
}
