import SessionModel

struct AccessLogReader {
    private let dialect: LogDialect
    private var builder = TraceBuilder()
    private var counts = AccessLogCounts()
    private var bad = BadLines()
    private var sizesThatVary: Set<ObjectID> = []
    private var latest = Int64.min
    private var earliest = Int64.max
    /// The requests that began before a request of a preceding line.
    private var reordered = 0
    private var requests = 0
    /// The JSON lines without a status, and what the first of them lacks.
    private var messages: (count: Int, error: LogLineError?) = (0, nil)
    /// The virtual hosts of the first records that have one. Members of JSON and columns with a name are hosts.
    private var hosts: (distinct: Set<String>, records: Int) = ([], 0)
    /// Receives the requests that are to be read in windows; nil if the builder receives their events.
    private let spool: AccessLogSpool?

    private init(_ dialect: LogDialect, _ spool: AccessLogSpool? = nil) {
        self.dialect = dialect
        self.spool = spool
    }

    /// Reads all requests of a log as a session.
    static func read(
        _ window: ByteWindow, _ dialect: LogDialect, _ options: AccessLog.Options, _ notes: inout ReadingNotes
    ) throws -> Trace {
        var reader = Self(dialect)
        try reader.readLines(window, options)
        try reader.check(file: window.path, options, &notes)
        notes.start = reader.earliest
        var trace = reader.builder.finish()
        if let text = options.thumbnails { trace.markThumbnails { $0.key.contains(text) } }
        return trace
    }

    /// Reads a log in windows, whose requests are the session's requests in order of time.
    static func read(
        _ window: ByteWindow, _ dialect: LogDialect, _ options: AccessLog.Options, into windows: RequestWindows,
        _ notes: inout ReadingNotes
    ) throws {
        let spool = AccessLogSpool(path: window.path, room: windows.room / 2)
        let trace = try Self(dialect, spool).objects(window, options, &notes)
        try spool.deliver(trace, thumbnails: options.thumbnails, to: windows, &notes)
    }

    /// Reads the requests into the spool, and returns the session without its events.
    private consuming func objects(
        _ window: ByteWindow, _ options: AccessLog.Options, _ notes: inout ReadingNotes
    ) throws -> Trace {
        var reader = self
        try reader.readLines(window, options)
        try reader.check(file: window.path, options, &notes)
        return reader.builder.finish()
    }

    /// Adds what was read to the notes.
    ///
    /// - Throws: `TraceError` if too many lines cannot be read, or none is a request.
    private func check(file: String, _ options: AccessLog.Options, _ notes: inout ReadingNotes) throws {
        notes.facts +=
            counts.facts + [
                .init(name: "bad_lines", value: bad.count),
                .init(name: "reordered_lines", value: reordered),
                .init(name: "lines_without_status", value: messages.count),
            ]
        notes.warnings += bad.warnings + counts.warnings(options)
        if messages.count > 0 {
            notes.warnings.append("\(messages.count) lines have no status, so they are no requests, and are left out")
        }
        let lines = bad.count + counts.records
        if !options.badLines.allows(bad.count, of: lines), let first = bad.first.first {
            let share = "\(bad.count) of \(lines) lines cannot be read as this format"
            throw TraceError(file: file, at: .line(first.line), "\(first.message) (\(share))")
        }
        if counts.records == 0, let error = messages.error { throw TraceError(file: file, error.message) }
        guard requests > 0 else { throw TraceError(file: file, counts.whyEmpty(options)) }
        if hosts.records >= 5, hosts.distinct.count * 10 >= hosts.records * 9, let host = hosts.distinct.min() {
            throw TraceError(
                file: file,
                """
                \(hosts.distinct.count) of \(hosts.records) records have different hosts, such as '\(host)'; what \
                stands there is not the host of the request, so remove it from the lines
                """)
        }
        if reordered > 0 {
            notes.warnings.append(
                """
                \(reordered) of \(lines) lines stand behind a line whose request began later; requests are put in \
                order of their start
                """
            )
        }
        if !sizesThatVary.isEmpty {
            notes.warnings.append(
                "\(sizesThatVary.count) URLs came with different sizes; the first is kept for each")
        }
        let unsized = builder.objects.count { $0.bytes == nil }
        if unsized > 0 {
            notes.warnings.append("\(unsized) of \(builder.objects.count) objects have no known size")
        }
    }

    private mutating func readLines(_ window: ByteWindow, _ options: AccessLog.Options) throws {
        var parser = LogParser(dialect)
        parser.learn(window.bytes)
        var lines = LineStream(window)
        while let line = try lines.next() {
            if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
            try readLine(line, &parser, lines.number, options)
        }
        messages = (parser.messages, parser.messageError)
    }

    private mutating func readLine(
        _ line: UnsafeRawBufferPointer, _ parser: inout LogParser, _ number: Int, _ options: AccessLog.Options
    ) throws {
        let record: LogRecord
        do throws(LogLineError) {
            guard let read = try parser.record(line) else { return }
            guard (0...TraceLimits.time).contains(read.time) else {
                throw LogLineError("the time is not between 1970 and 2255")
            }
            record = read
        } catch {
            bad.add(error.message, line: number)
            return
        }
        if dialect.name == .common, let host = record.host, hosts.records < 4096 {
            hosts.records += 1
            hosts.distinct.insert(host)
        }
        try add(record, options)
    }

    private mutating func add(_ record: LogRecord, _ options: AccessLog.Options) throws {
        let evidence = record.imageEvidence(options.match)
        counts.add(record, evidence)
        guard record.method == "GET" else { return }
        if options.content == .images, evidence == nil {
            counts.leftOut += 1
            return
        }
        if record.time < latest { reordered += 1 } else { latest = record.time }
        earliest = min(earliest, record.time)
        requests += 1
        let object = builder.object(record.key)
        if let spool {
            try spool.append(object, at: record.time, record.fetch)
        } else {
            builder.append(TraceEvent(time: record.time, .appear(object, .full)))
            if let fetch = record.fetch { builder.append(TraceEvent(time: record.time, .fetch(object, fetch))) }
        }
        var varies = false
        builder.update(object) { known in
            if known.contentType == nil { known.contentType = record.contentType }
            guard let size = record.completeSize else { return }
            if known.bytes == nil { known.bytes = size }
            varies = known.bytes != size
        }
        if varies { sizesThatVary.insert(object) }
    }

    /// Recognises the dialect, by its name in the head of the file or by a record in the first lines.
    static func sniff(_ head: TraceHead, _ dialect: LogDialect) -> Likelihood {
        if dialect.split == .header, head.bytes.first == UInt8(ascii: "#"), head.contains("#Fields:") {
            return .certain
        }
        return head.bytes.withUnsafeBytes { bytes in
            var parser = LogParser(dialect)
            var lines = TextLines(bytes)
            while lines.number < head.lineLimit, let line = lines.next() {
                if let record = try? parser.record(line), !record.key.isEmpty { return .byContent }
            }
            return .no
        }
    }
}

/// The number of unreadable lines, and the first of them.
private struct BadLines {
    private(set) var count = 0
    private(set) var first: [(line: Int, message: String)] = []

    mutating func add(_ message: String, line: Int) {
        count += 1
        if first.count < 3 { first.append((line, message)) }
    }

    var warnings: [String] {
        guard count > 0 else { return [] }
        let shown = first.map { "line \($0.line): \($0.message)" }.joined(separator: "; ")
        return ["\(count) lines cannot be read and are skipped; \(shown)\(count > first.count ? "; …" : "")"]
    }
}

/// Counts over all records, whether or not they become events.
private struct AccessLogCounts {
    var records = 0
    /// The requests that the options exclude.
    var leftOut = 0
    private var keys: Set<String> = []
    private var gets = 0
    private var images = 0
    /// The images that only the ending of their URL identifies.
    private var imagesByEnding = 0
    /// The requests that are neither known to be of images nor of another type.
    private var unknown = 0
    /// The responses of which a part was sent.
    private var partial = 0
    private var complete = 0
    private var completeKeys: Set<String> = []

    mutating func add(_ record: LogRecord, _ evidence: LogRecord.ImageEvidence?) {
        records += 1
        keys.insert(record.key)
        guard record.method == "GET" else { return }
        gets += 1
        if evidence != nil { images += 1 } else if record.contentType == nil { unknown += 1 }
        if evidence == .urlEnding { imagesByEnding += 1 }
        if record.isCut || record.status == 206 { partial += 1 }
        if record.status == 200, (record.bytes ?? 0) > 0 {
            complete += 1
            completeKeys.insert(record.key)
        }
    }

    var facts: [ReadingNotes.Fact] {
        [
            .init(name: "records", value: records), .init(name: "urls", value: keys.count),
            .init(name: "get_records", value: gets),
            .init(name: "image_records", value: images),
            .init(name: "images_by_url_ending", value: imagesByEnding),
            .init(name: "unknown_type_records", value: unknown),
            .init(name: "complete_records", value: complete),
            .init(name: "complete_urls", value: completeKeys.count),
            .init(name: "partial_records", value: partial),
        ]
    }

    func warnings(_ options: AccessLog.Options) -> [String] {
        var warnings: [String] = []
        if records > gets { warnings.append("\(records - gets) records of other methods than GET are left out") }
        guard options.content == .images else { return warnings }
        if leftOut > 0 { warnings.append("\(leftOut) requests that are not of images are left out") }
        if imagesByEnding > 0 {
            warnings.append(
                """
                \(imagesByEnding) of \(images) images have no recorded type; they are assumed by the endings of their \
                URLs
                """
            )
        }
        return warnings
    }

    func whyEmpty(_ options: AccessLog.Options) -> String {
        guard records > 0 else { return "the log holds no records" }
        return options.content == .images && gets > 0
            ? options.match.isEmpty
                ? "none of the \(gets) requests is of an image; use --content all, or name the paths with --match"
                : "none of the \(gets) requests matches \(options.match.map(\.text).joined(separator: " or ")); "
                    + "a pattern is compared with the whole path"
            : "none of the \(records) records is a GET; nothing was requested"
    }
}
