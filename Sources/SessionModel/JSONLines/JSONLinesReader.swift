import Basics

/// Reads the native format line by line. <doc:NativeFormat> specifies it.
package struct JSONLinesReader {
    private let file: String
    private var builder = TraceBuilder()
    private var knownFields: [ObjectFieldSet] = []
    private var numbers = ObjectNumbers()
    private var fields = JSONLinesFields()
    private var lastTime = Int64.min
    private var warnings: [String] = []
    /// The objects with several versions in the lines.
    private var changed: Set<ObjectID> = []

    /// Reads a whole session.
    ///
    /// - Parameters:
    ///   - bytes: The file's content, with or without a byte order mark.
    ///   - file: The name that error messages give.
    ///   - report: Receives each error in a line behind the header. Throwing it ends the reading; returning skips the
    ///     line.
    /// - Throws: ``TraceError``.
    package static func read(
        _ bytes: UnsafeRawBufferPointer, file: String, report: (TraceError) throws -> Void = { throw $0 }
    ) throws -> (trace: Trace, warnings: [String]) {
        var reader = JSONLinesReader(file: file)
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        // Most lines are events, and none is shorter than 22 bytes: {"t":0,"e":"terminate"}. The lines of the first
        // part stand for all.
        let head = UnsafeRawBufferPointer(rebasing: bytes.prefix(1 << 16))
        let density = Double(head.count(of: 0x0A)) / Double(max(head.count, 1))
        reader.builder.reserve(events: min(Int(density * Double(bytes.count)), bytes.count / 22))
        try reader.readLines(bytes, from: start, report)
        if !reader.changed.isEmpty { reader.warnings.append(changedWarning(reader.changed.count)) }
        return (reader.builder.finish(keepingTimes: true), reader.warnings)
    }

    private static func changedWarning(_ count: Int) -> String {
        let objects = count == 1 ? "1 object changes" : "\(count) objects change"
        return """
            \(objects) during the session: another ETag, or another size. The trace has one version of each, the \
            last that object lines name, or else the first of its fetches. Every fetch brings it, and every \
            validation finds it current
            """
    }

    private init(file: String) { self.file = file }

    private mutating func readLines(
        _ bytes: UnsafeRawBufferPointer, from start: Int, _ report: (TraceError) throws -> Void
    ) throws {
        var lineStart = start
        var line = 0
        var hasHeader = false
        while lineStart < bytes.count {
            line += 1
            let lineEnd = bytes.endOfLine(from: lineStart)
            defer { lineStart = lineEnd + 1 }
            var scanner = JSONScanner(bytes, in: lineStart..<lineEnd)
            scanner.skipWhitespace()
            if scanner.position == lineEnd { continue }
            do {
                if hasHeader {
                    try readEvent(&scanner)
                } else {
                    try readHeader(&scanner)
                    hasHeader = true
                }
            } catch let error as JSONError where error.isCutShort && lineEnd == bytes.count && hasHeader {
                warnings.append(
                    """
                    line \(line) is incomplete after \(lineEnd - lineStart) bytes, as if the recorder was killed; it \
                    was \
                    dropped
                    """
                )
            } catch let error as JSONError {
                let problem = TraceError(error, file: file, line: line, lineStart: lineStart)
                // Without a header the file has another format, and each line would be an error.
                if hasHeader { try report(problem) } else { throw problem }
            } catch let error as JSONLineError {
                let problem = TraceError(file: file, at: .line(line), error.message)
                if hasHeader { try report(problem) } else { throw problem }
            }
        }
        if !hasHeader { throw TraceError(file: file, at: .line(1), JSONLineError.noHeader.message) }
    }

    private mutating func readHeader(_ scanner: inout JSONScanner) throws {
        var version: Int64?
        var header = TraceHeader()
        try scanner.beginObject()
        while let key = try scanner.nextKey() {
            switch key {
            case "cachereplay_trace": version = try scanner.integer()
            case "title": header.title = try scanner.stringOrNull()
            case "recorder": header.recorder = try scanner.stringOrNull()
            case "started": header.started = try scanner.stringOrNull()
            case "clock_error_us": header.clockError = try scanner.null() ? nil : try scanner.integer()
            case "user": header.user = try scanner.stringOrNull()
            case "synthetic": header.synthetic = try scanner.boolean()
            case "scripted": header.scripted = try scanner.boolean()
            default: try scanner.skipValue()
            }
        }
        try scanner.endOfInput()
        guard let version else { throw JSONLineError.noHeader }
        guard version == JSONLinesFormat.version else {
            throw JSONLineError(
                message:
                    """
                    the trace has version \(version); this program reads version \(JSONLinesFormat.version). Use a \
                    newer cachereplay
                    """
            )
        }
        builder.header = header
    }

    private mutating func readEvent(_ scanner: inout JSONScanner) throws {
        if let event = readPlainEvent(&scanner) { return try append(event) }
        if let time = readPlainFetch(&scanner) {
            return try append(TraceEvent(time: time, .fetch(try fetchedObject(scanner), fields.fetch)), isFetch: true)
        }
        try fields.read(&scanner)
        guard let event = fields.event else { throw JSONLineError(message: "\"e\", the kind of event, is missing") }
        if case "object" = event { return try readObject(scanner) }
        let action: TraceEvent.Action
        var isFetch = false
        var viewSize: ViewSize?
        switch event {
        case "appear":
            action = .appear(try object(), try fields.variant())
            viewSize = try fields.viewSize(scanner)
        case "disappear": action = .disappear(try object(), try fields.variant())
        case "prefetch":
            action = .prefetch(try object(), try fields.variant())
            viewSize = try fields.viewSize(scanner)
        case "scroll": action = .scroll(try fields.phase(), offset: fields.offset, velocity: fields.velocity)
        case "fetch":
            action = .fetch(try fetchedObject(scanner), fields.fetch)
            isFetch = true
        case "memory_warning": action = .memoryWarning
        case "background": action = .background
        case "foreground": action = .foreground
        case "terminate": action = .terminate
        case "remove": action = .remove(try object())
        case "list":
            let place = try fields.place(scanner)
            action = .list(try object(), try fields.variant(), position: place.position, row: place.row)
        case "served": action = .served(try object(), try fields.variant(), try fields.source(scanner))
        case "cost": action = .cost(try object(), try fields.variant(), bytes: try fields.cost())
        default: throw try JSONLineError.unknownEvent(event.decoded())
        }
        guard let time = fields.time else {
            throw JSONLineError(message: "\"t\", the time in microseconds, is missing")
        }
        try append(TraceEvent(time: time, action, viewSize: viewSize), isFetch: isFetch)
    }

    /// Reads a scroll event or an event of a cell in the form that ``JSONLinesEncoder`` writes. Most lines of a session
    /// are of this form, and reading them so takes a third of the time.
    ///
    /// - Returns: nil, without consuming anything, for another form or an error.
    private func readPlainEvent(_ scanner: inout JSONScanner) -> TraceEvent? {
        let start = scanner.position
        guard scanner.take("{\"t\":"), let time = scanner.takeCount(), scanner.take(",\"e\":\""),
            let event = readPlainAction(&scanner, at: time), scanner.take("}"), scanner.position == scanner.end
        else {
            scanner.position = start
            return nil
        }
        return event
    }

    /// Reads the fields of a fetch in the form that ``JSONLinesEncoder`` writes.
    ///
    /// - Returns: The time; nil, without consuming anything, for another form or an error.
    private mutating func readPlainFetch(_ scanner: inout JSONScanner) -> Int64? {
        let start = scanner.position
        guard scanner.take("{\"t\":"), let time = scanner.takeCount(), scanner.take(",\"e\":\"fetch\""),
            fields.readPlainFetch(&scanner), scanner.take("}"), scanner.position == scanner.end
        else {
            scanner.position = start
            return nil
        }
        return time
    }

    private func readPlainAction(_ scanner: inout JSONScanner, at time: Int64) -> TraceEvent? {
        if scanner.take("scroll\",\"phase\":\"") {
            let phase: ScrollPhase
            if scanner.take("dragged\"") {
                phase = .dragged
            } else if scanner.take("decelerating\"") {
                phase = .decelerating
            } else if scanner.take("at_rest\"") {
                phase = .atRest
            } else {
                return nil
            }
            guard scanner.take(",\"offset\":"), let offset = scanner.takeDecimal(), scanner.take(",\"velocity\":"),
                let velocity = scanner.takeDecimal()
            else { return nil }
            return TraceEvent(time: time, .scroll(phase, offset: offset, velocity: velocity))
        }
        var canHaveSize = true
        let makeAction: (ObjectID, Variant) -> TraceEvent.Action
        if scanner.take("appear\"") {
            makeAction = { .appear($0, $1) }
        } else if scanner.take("disappear\"") {
            makeAction = { .disappear($0, $1) }
            canHaveSize = false
        } else if scanner.take("prefetch\"") {
            makeAction = { .prefetch($0, $1) }
        } else {
            return nil
        }
        guard scanner.take(",\"o\":"), let number = scanner.takeCount(), let object = numbers[number]
        else { return nil }
        var event = TraceEvent(
            time: time, makeAction(object, scanner.take(",\"variant\":\"thumbnail\"") ? .thumbnail : .full))
        if canHaveSize, scanner.take(",\"width\":") {
            guard let width = scanner.takeCount(), scanner.take(",\"height\":"), let height = scanner.takeCount(),
                let size = ViewSize(width: Int(width), height: Int(height))
            else { return nil }
            event.viewSize = size
        }
        return event
    }

    /// - Parameter isFetch: Whether the event may be late: a recorder writes a fetch when it ends.
    private mutating func append(_ event: TraceEvent, isFetch: Bool = false) throws {
        if !isFetch {
            guard event.time >= lastTime else { throw JSONLineError.backwards(event.time, lastTime) }
            lastTime = event.time
        }
        builder.append(event)
    }

    private mutating func readObject(_ scanner: JSONScanner) throws {
        try fields.readImageSize(scanner)
        guard let key = fields.key else { throw JSONLineError(message: "\"key\" is missing; an object line needs one") }
        let id = track(builder.object(key))
        if let number = fields.number {
            guard numbers.assign(number, id) else {
                throw JSONLineError(
                    message: "\"o\":\(number) already names another key; give each object its own number")
            }
        }
        update(id, isObjectLine: true)
    }

    /// Returns the object of a fetch, after a successful fetch has added its facts.
    private mutating func fetchedObject(_ scanner: JSONScanner) throws -> ObjectID {
        try fields.readImageSize(scanner)
        let id = try object()
        if (200..<300).contains(fields.fetch.status) {
            update(id, isObjectLine: false)
        }
        return id
    }

    private mutating func update(_ id: ObjectID, isObjectLine: Bool) {
        builder.update(id) { object in
            if fields.update(&object, known: &knownFields[Int(id)], isObjectLine: isObjectLine) { changed.insert(id) }
        }
    }

    private mutating func object() throws -> ObjectID {
        if let number = fields.number {
            guard let id = numbers[number] else {
                throw JSONLineError(
                    message:
                        """
                        "o":\(number) is unknown; its object line {"e":"object","o":\(number),"key":…} must precede \
                        its events
                        """
                )
            }
            return id
        }
        guard let key = fields.key else {
            throw JSONLineError(message: "the object is missing: expected \"o\" or \"key\"")
        }
        return track(builder.object(key))
    }

    private mutating func track(_ id: ObjectID) -> ObjectID {
        if Int(id) == knownFields.count { knownFields.append([]) }
        return id
    }
}

/// A line of valid JSON that is not a valid header, object or event.
struct JSONLineError: Error {
    var message: String

    static let noHeader = JSONLineError(
        message: "expected the header {\"cachereplay_trace\":1,…} first; is this another format? Name it with --format")

    static func unknownEvent(_ name: String) -> JSONLineError {
        let names = JSONLinesFormat.eventNames
        let guess = nearestName(to: name, among: names).map { " Did you mean '\($0)'?" } ?? ""
        return JSONLineError(message: "'\(name)' is not an event.\(guess) Events: \(names.joined(separator: ", "))")
    }

    static func backwards(_ time: Int64, _ before: Int64) -> JSONLineError {
        JSONLineError(
            message: "time runs backwards: \(time) µs after \(before) µs. Only fetch lines may be late; "
                + "sort the events by \"t\", or record with a monotonic clock")
    }
}

extension Trace {
    /// Reads a session in the native format from bytes in memory.
    ///
    /// A last line that is incomplete is dropped, as when a recorder was killed.
    ///
    /// - Parameters:
    ///   - bytes: The content of a `.jsonl` file, not compressed.
    ///   - name: The name that error messages give.
    /// - Throws: ``TraceError``.
    public init(jsonLines bytes: some Collection<UInt8>, named name: String = "session") throws {
        self = try Array(bytes).withUnsafeBytes { try JSONLinesReader.read($0, file: name).trace }
    }
}
