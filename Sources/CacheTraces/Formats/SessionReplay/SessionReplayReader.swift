import SessionModel

/// Reads the events of a session replay one at a time.
///
/// A file is a sequence of JSON values: arrays of events, objects that hold such arrays, or one event after the other.
/// Concatenated pieces of a recording are therefore a recording.
struct SessionReplayReader {
    private(set) var recording: SessionReplayRecording
    private var json: JSONStream

    init(_ window: ByteWindow) {
        recording = SessionReplayRecording(file: window.path)
        json = JSONStream(window)
    }

    /// Reads all events.
    ///
    /// - Throws: `TraceError` for a text that is not JSON, or that has no events.
    mutating func read() throws {
        while try json.part({ scanner throws(JSONError) in
            scanner.skipWhitespace()
            return scanner.position < scanner.end
        }) {
            try readValue()
        }
        recording.sortEvents()
        guard recording.events.isEmpty else { return }
        if recording.packed > 0 {
            throw TraceError(
                file: recording.file,
                "its \(recording.packed) events are packed texts; unpack them with `unpack` of rrweb, and save them")
        }
        throw TraceError(
            file: recording.file,
            """
            not a session replay: expected events with `type`, `timestamp` and `data` in an array, in an object with \
            `events`, `snapshots` or `records`, or one after the other
            """)
    }

    private mutating func readValue() throws {
        switch try json.part({ scanner throws(JSONError) in try scanner.peek() }) {
        case .array:
            try json.part { scanner throws(JSONError) in try scanner.beginArray() }
            while try json.part({ scanner throws(JSONError) in try scanner.nextElement() }) { try readValue() }
        case .object:
            // A copy of the scanner looks ahead, so that the object is still to be read.
            let isContainer = try json.part { scanner throws(JSONError) in
                var copy = scanner
                return try Self.isContainer(&copy)
            }
            if isContainer { try readContainer() } else { try readEvent() }
        case .string:
            // Newer recordings of PostHog have the name of a window before each event.
            let isPacked = try json.part { scanner throws(JSONError) in try scanner.text().bytes.count > 64 }
            if isPacked { recording.packed += 1 }
        case .number, .boolean, .null:
            try json.part { scanner throws(JSONError) in try scanner.skipValue() }
            recording.foreign += 1
        }
    }

    private mutating func readEvent() throws {
        let event = try json.part { scanner throws(JSONError) in try ReplayEvent(&scanner) }
        recording.add(event)
    }

    private enum Member { case events, view, other }

    private mutating func readContainer() throws {
        try json.part { scanner throws(JSONError) in try scanner.beginObject() }
        while let member = try json.part({ scanner throws(JSONError) in try Self.nextMember(&scanner) }) {
            let kind = try json.part { scanner throws(JSONError) in try scanner.peek() }
            switch member {
            case .events where kind == .array || kind == .object: try readValue()
            case .view where kind == .object:
                let view = try json.part { scanner throws(JSONError) in
                    var id: String?
                    try scanner.object { key, scanner throws(JSONError) in
                        switch key {
                        case "id": id = try scanner.stringIfAny()
                        default: try scanner.skipValue()
                        }
                    }
                    return id
                }
                recording.view = view ?? ""
            default: try json.part { scanner throws(JSONError) in try scanner.skipValue() }
            }
        }
        recording.view = ""
    }

    private static func nextMember(_ scanner: inout JSONScanner) throws(JSONError) -> Member? {
        guard let key = try scanner.nextKey() else { return nil }
        switch key {
        case "events", "snapshots", "records", "data": return .events
        case "view": return .view
        default: return .other
        }
    }

    /// Returns whether an object holds events, and is not one itself. It is decided by the first member that tells.
    private static func isContainer(_ scanner: inout JSONScanner) throws(JSONError) -> Bool {
        try scanner.beginObject()
        while let key = try scanner.nextKey() {
            switch key {
            case "type", "timestamp":
                if try scanner.peek() == .number { return false }
            case "events", "snapshots", "records":
                if try scanner.peek() == .array { return true }
            case "data":
                switch try scanner.peek() {
                case .array: return true
                case .object:
                    var copy = scanner
                    if try holdsEvents(&copy) { return true }
                default: break
                }
            default: break
            }
            try scanner.skipValue()
        }
        return true
    }

    /// Returns whether the next value is an object with an array of events.
    private static func holdsEvents(_ scanner: inout JSONScanner) throws(JSONError) -> Bool {
        try scanner.beginObject()
        while let key = try scanner.nextKey() {
            switch key {
            case "events", "snapshots", "records": if try scanner.peek() == .array { return true }
            default: break
            }
            try scanner.skipValue()
        }
        return false
    }
}

/// The events of a session replay, and what could not be read.
struct SessionReplayRecording {
    let file: String
    /// In order of time once ``sortEvents()`` was called.
    private(set) var events: [ReplayEvent] = []
    /// The view whose events are read, which Datadog names; empty if there is none.
    var view = ""
    /// Values that are no events.
    var foreign = 0
    /// Events that the recorder packed into texts.
    var packed = 0
    /// Events behind a later one.
    private(set) var late = 0

    init(file: String) { self.file = file }

    mutating func add(_ event: ReplayEvent) {
        switch event.content {
        case .packed: packed += 1
        case .invalid: foreign += 1
        default:
            var event = event
            if !view.isEmpty { event.view = view }
            events.append(event)
        }
    }

    mutating func sortEvents() {
        var last = -Double.infinity
        for event in events {
            if event.time < last { late += 1 }
            last = max(last, event.time)
        }
        if late > 0 { events.sort { $0.time < $1.time } }  // Swift's sort is stable.
    }
}
