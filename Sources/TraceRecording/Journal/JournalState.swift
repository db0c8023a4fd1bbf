import SessionModel
import SessionRecorder

/// What a ``TraceJournal`` guards by its lock: the file, and which objects are in it.
struct JournalState: ~Copyable {
    private(set) var status = TraceJournal.Status()
    private var file: TraceFile
    private var isFinished = false
    private var encoder = JSONLinesEncoder()
    private var objects: [TraceObject] = []
    private var ids: [String: ObjectID] = [:]
    /// Objects whose line could not be written; it is tried again before the next event.
    private var unwritten: Set<ObjectID> = []
    private var lastTime: Int64 = 0

    init(file: TraceFile) {
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

    /// Writes what is encoded, after the objects that wait where nothing was encoded yet.
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
        // The lines at the end are those that are missing; which of the objects' lines are there is not looked at, as
        // they may come twice.
        let missing = encoder.bytes[accepted...].count { $0 == UInt8(ascii: "\n") }
        status.lost += min(events, missing)
        status.events += events - min(events, missing)
    }
}

extension TraceObject {
    /// Takes those facts that are not known yet, and says whether there were any.
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
