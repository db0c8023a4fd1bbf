import SessionModel

/// Reads the lines of one dialect, in the order of the file.
struct LogParser {
    let dialect: LogDialect
    let envelope: LogEnvelope
    /// The columns by name, for fields with names; a smaller rank counts.
    private let named: [String: (column: Int, rank: Int)]
    private(set) var form: LogDialect.Form
    /// The line, or the texts of a JSON object, while a line is read.
    private var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
    /// The places of the values in ``bytes``, by role.
    private var slots = [Slot](repeating: Slot(), count: LogRole.allCases.count)
    /// The candidates for the time of the end.
    private var ends: [Slot] = []
    /// The parts of the duration, in microseconds.
    private var phases: [Int64] = []
    /// The time in brackets, and a duration in parentheses behind it.
    private var bracketed: (time: Int64?, duration: Int64?)
    private var date = LogDate()
    private var texts: [UInt8] = []
    /// The names in the last line `#Fields:`, and the date in the last line `#Date:`.
    private var header: [String] = []
    private var headerDate: String?
    /// Whether whole numbers are milliseconds, if their unit is not known otherwise.
    private var countsMilliseconds: Bool
    /// What the first records of a JSON log tell.
    var meaning = LogMeaning()
    /// The JSON lines without a status, and what the first of them lacks.
    var messages = 0
    private(set) var messageError: LogLineError?

    private struct Slot {
        var range = 0..<0
        var column = -1
        var rank = 0
    }

    init(_ dialect: LogDialect) {
        self.dialect = dialect
        envelope = LogEnvelope(dialect)
        form = dialect.forms[0]
        let names = form.columns.enumerated().flatMap { index, column in column.names.map { ($0, index) } }
        named = Dictionary(
            names.enumerated().map { rank, name in (name.0, (column: name.1, rank: rank)) }, uniquingKeysWith: { $1 })
        countsMilliseconds = dialect.split != .header
    }

    /// Reads a line. Returns nil for lines that are not records, such as headers.
    mutating func record(_ wrapped: UnsafeRawBufferPointer) throws(LogLineError) -> LogRecord? {
        let line = envelope.content(of: wrapped)
        for index in slots.indices { slots[index].column = -1 }
        phases.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        (bytes, bracketed) = (line, (nil, nil))
        defer { bytes = UnsafeRawBufferPointer(start: nil, count: 0) }
        switch dialect.split {
        case .json:
            try readObject(line)
            // Servers write other messages to the same file. Those without a status are not records.
            guard slots[LogRole.status.rawValue].column >= 0 else {
                messages += 1
                if messageError == nil { messageError = missing("a status", .status, in: line) }
                return nil
            }
            let texts = texts
            return try texts.withUnsafeBytes { texts in
                bytes = texts
                return Result { () throws(LogLineError) in try recordOfSlots(line) }
            }.get()
        case .header:
            if line.first == UInt8(ascii: "#") {
                readDirective(line.string)
                return nil
            }
            try readNamed(line)
        case .words, .server, .quoted, .tabsOrBlanks: try readColumns(line)
        }
        return try recordOfSlots(line)
    }

    private func mismatch(_ line: UnsafeRawBufferPointer) -> LogLineError {
        LogLineError("expected \(form.expected), found \(line.excerpt)")
    }
}

// MARK: - Places of the values

extension LogParser {
    private mutating func set(_ role: LogRole, _ range: Range<Int>, column: Int = 0, rank: Int = 0) {
        let slot = Slot(range: range, column: column, rank: rank)
        if role == .end || role == .finish { ends.append(slot) }
        if slots[role.rawValue].column < 0 || rank <= slots[role.rawValue].rank { slots[role.rawValue] = slot }
    }

    /// Notes the fields of a line whose places count.
    private mutating func readColumns(_ line: UnsafeRawBufferPointer) throws(LogLineError) {
        var fields = LogFields(line, dialect.split)
        if dialect.hasDate { try readHead(line, &fields) }
        if dialect.forms.count > 1 {
            var (rest, count) = (fields, 0)
            while rest.next() != nil { count += 1 }
            form = dialect.forms.first { $0.columns.count == count } ?? dialect.forms[0]
        }
        for (index, role) in form.roles.enumerated() {
            if role == .kind, let byte = line.first, (0x30...0x39).contains(byte) { continue }
            var field = fields.next()
            // Behind the date can stand a duration in parentheses, and other fields.
            while role == .request, dialect.split == .server, let other = field, other.first != UInt8(ascii: "\"") {
                if other.first == UInt8(ascii: "("), bracketed.duration == nil {
                    let text = UnsafeRawBufferPointer(rebasing: line[other.range.dropFirst()])
                    bracketed.duration = LogDate.microseconds(text, unit: 1e6).flatMap { $0 >= 0 ? $0 : nil }
                }
                field = fields.next()
            }
            // Envoy's formats have different fields before the numbers.
            while role == .received, let other = field, !other.first.isDigit { field = fields.next() }
            if field == nil, dialect.split != .words { throw mismatch(line) }
            let range = field?.range ?? line.count..<line.count
            switch role {
            case .unused: break
            case .phase, .timers: try addPhases(UnsafeRawBufferPointer(rebasing: line[range]), role)
            default: set(role, range, column: index)
            }
        }
    }

    /// Reads what stands before the date in brackets, and the date.
    private mutating func readHead(_ line: UnsafeRawBufferPointer, _ fields: inout LogFields) throws(LogLineError) {
        fields.hasBrackets = true
        var words: [Range<Int>] = []
        var other: Range<Int>?
        var bracketCount = 0
        while let field = fields.next() {
            guard field.first == UInt8(ascii: "[") else {
                words.append(field.range)
                continue
            }
            bracketCount += 1
            other = other ?? field.range
            bracketed.time = date.microseconds(UnsafeRawBufferPointer(rebasing: line[field.range]))
            if bracketed.time != nil { break }
        }
        guard bracketed.time != nil else {
            guard let other else { throw LogLineError("expected a date in brackets, found \(line.excerpt)") }
            let text = UnsafeRawBufferPointer(rebasing: line[other])
            throw LogLineError("expected a date as 10/Oct/2000:13:55:36 -0700, found \(text.excerpt)")
        }
        fields.hasBrackets = false
        switch (dialect.name, words.count) {
        case (.s3, 2): set(.bucket, words[1])
        case (.s3, _): throw LogLineError("expected owner and bucket before the date, found \(line.excerpt)")
        case (.envoy, 1...): throw LogLineError("expected a date in brackets at the start, found \(line.excerpt)")
        case (.common, ..<3) where words.count + bracketCount < 4:
            throw LogLineError("expected client, identity and user before the date, found \(line.excerpt)")
        case (.common, 3...) where bracketCount == 1 && isHost(words, line): set(.host, words[0])
        default: break
        }
    }

    /// Returns whether the first of the words before a date is a virtual host. Other words there are, for example, a
    /// list of addresses, as in X-Forwarded-For.
    private func isHost(_ words: [Range<Int>], _ line: UnsafeRawBufferPointer) -> Bool {
        func word(_ index: Int) -> LogWord { LogWord(text: UnsafeRawBufferPointer(rebasing: line[words[index]])) }
        guard word(0).isHost else { return false }
        return word(1).isAddress || words.count == 4 && word(0).isHostWithPort && word(1).isName
    }

    /// Notes a part of the duration, or all of them.
    private mutating func addPhases(_ text: UnsafeRawBufferPointer, _ role: LogRole) throws(LogLineError) {
        if role == .phase {
            guard let part = LogDate.microseconds(text, unit: 1e6) else {
                throw LogLineError("expected a processing time in seconds, found \(text.excerpt)")
            }
            phases.append(part)
            return
        }
        for part in text.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard let part = LogDate.microseconds(UnsafeRawBufferPointer(rebasing: part).withoutPlus, unit: 1e3) else {
                break
            }
            phases.append(part)
        }
        guard phases.count == 5 else {
            throw LogLineError("expected five timers as 10/0/30/69/109, found \(text.excerpt)")
        }
        phases[4] = max(0, phases[4] - phases[..<4].reduce(0, +))
    }

    /// Notes the fields of a line that a header names.
    private mutating func readNamed(_ line: UnsafeRawBufferPointer) throws(LogLineError) {
        guard !header.isEmpty else {
            throw LogLineError(
                "expected a line '#Fields: …' with the names of the columns before the first record, found "
                    + line.excerpt)
        }
        var fields = LogFields(line, dialect.split)
        var count = 0
        while let field = fields.next() {
            if count < header.count { setNamed(header[count], field.range, isEmpty: line[field.range].isNoValue) }
            count += 1
        }
        guard count == header.count else {
            throw LogLineError("the line has \(count) fields; '#Fields:' names \(header.count)")
        }
        guard header.contains("cs-method") else {
            throw LogLineError("the line '#Fields:' does not name cs-method")
        }
    }

    private mutating func readDirective(_ line: String) {
        let parts = line.dropFirst().split(separator: ":", maxSplits: 1).map { $0.drop { $0 == " " || $0 == "\t" } }
        guard parts.count == 2 else { return }
        switch parts[0].lowercased() {
        case "fields": header = parts[1].split { $0 == " " || $0 == "\t" }.map { $0.lowercased() }
        case "software":
            // The unit of other software is not known.
            let software = parts[1].lowercased()
            countsMilliseconds = software.contains("microsoft") || software.contains("iis")
        case "date", "start-date": headerDate = parts[1].split(separator: " ").first.map(String.init)
        default: break
        }
    }

    private mutating func setNamed(_ name: String, _ range: Range<Int>, isEmpty: Bool) {
        guard !isEmpty, let place = named[name] else { return }
        set(form.columns[place.column].role, range, column: place.column, rank: place.rank)
    }

    /// Notes the numbers and texts of a JSON object. Members of inner objects have names such as `request.method`; of
    /// lists only the first text counts.
    private mutating func readObject(_ line: UnsafeRawBufferPointer) throws(LogLineError) {
        texts.removeAll(keepingCapacity: true)
        var scanner = JSONScanner(line)
        do {
            try readMembers(&scanner, prefix: "", depth: 0)
            try scanner.endOfInput()
        } catch {
            throw LogLineError("column \(error.offset + 1): \(error.message)")
        }
    }

    private mutating func readMembers(_ scanner: inout JSONScanner, prefix: String, depth: Int) throws(JSONError) {
        try scanner.beginObject()
        while let key = try scanner.nextKey() {
            let name = prefix + (try key.decoded())
            switch try scanner.peek() {
            case .object where depth < 2: try readMembers(&scanner, prefix: name + ".", depth: depth + 1)
            case .array:
                try scanner.beginArray()
                var isFirst = true
                while try scanner.nextElement() {
                    if isFirst, try scanner.peek() == .string {
                        addText(try scanner.string().utf8, name)
                    } else {
                        try scanner.skipValue()
                    }
                    isFirst = false
                }
            case .string: addText(try scanner.string().utf8, name)
            case .number: addText(scanner.bytes[try scanner.number().range], name)
            case .object, .boolean, .null: try scanner.skipValue()
            }
        }
    }

    private mutating func addText(_ text: some Collection<UInt8>, _ name: String) {
        let start = texts.count
        texts += text
        setNamed(name, start..<texts.count, isEmpty: text.isNoValue)
    }
}

// MARK: - Meaning of the values

extension LogParser {
    private func text(_ role: LogRole) -> UnsafeRawBufferPointer? {
        let slot = slots[role.rawValue]
        return slot.column >= 0 ? UnsafeRawBufferPointer(rebasing: bytes[slot.range]) : nil
    }

    /// Returns the meaning of the values. `line` is the text for errors.
    private mutating func recordOfSlots(_ line: UnsafeRawBufferPointer) throws(LogLineError) -> LogRecord {
        var (total, first) = (try duration(.total, line), try duration(.first, line))
        total = total ?? bracketed.duration
        var spent = total ?? 0
        if !phases.isEmpty {
            spent = phases.reduce(0) { $0 + max(0, $1) }
            let isMeasured = phases.allSatisfy { $0 >= 0 }
            (total, first) = isMeasured ? (spent, phases.dropLast().reduce(0, +)) : (nil, nil)
        }
        if total == nil, let first, let rest = try duration(.transfer, line) { total = first + rest }
        first = first.map { min($0, total ?? .max) }
        let time = try time(line, meaning.timesAreStarts ? 0 : spent)
        if total == nil, text(.start) != nil, let finish = text(.finish) {
            total = date.time(finish, allowsWhole: true).flatMap { $0 < time ? nil : $0 - time }
        }
        if let number = text(.number), number.unsignedNumber == nil, !hasNoNumber(.number, number) {
            throw mismatch(line)
        }
        let (result, alone) = (try result(), try number(.status, "a status", atMost: 999))
        let bytes = try number(.bytes, "the bytes of the response", atMost: Int(TraceLimits.bytes))
        let size = try number(.size, "the size of the object", atMost: Int(TraceLimits.bytes))
        let (method, host, target) = try request(line)
        return LogRecord(
            time: time, method: method, key: host.map { $0 + target } ?? target, status: result ?? alone, bytes: bytes,
            isCut: isCut, host: host, objectBytes: size,
            contentType: text(.type).flatMap { $0.isNoValue ? nil : $0.string }, timeToFirstByte: first ?? total,
            transferTime: first.flatMap { first in total.map { $0 - first } })
    }

    /// Returns whether `-`, or -1, stands in place of a number.
    private func hasNoNumber(_ role: LogRole, _ text: UnsafeRawBufferPointer) -> Bool {
        form.columns[slots[role.rawValue].column].absence != nil
            && (text.equals("-") || dialect.split == .server && text.equals("-1"))
    }

    private func number(_ role: LogRole, _ what: String, atMost limit: Int) throws(LogLineError) -> Int? {
        guard let text = text(role) else { return nil }
        let absence = form.columns[slots[role.rawValue].column].absence
        if hasNoNumber(role, text) { return absence == "-" ? 0 : nil }
        let digits =
            switch dialect.split {
            case .server: text.withoutPlus
            case .json: text.withoutDecimals
            default: text
            }
        guard let number = digits.unsignedNumber, number <= limit else {
            throw LogLineError("expected \(what)\(absence == nil ? "" : " or '-'"), found \(text.excerpt)")
        }
        return Int(number)
    }

    /// Returns the status of a word such as `TCP_MISS/200`.
    private func result() throws(LogLineError) -> Int? {
        guard let text = text(.result) else { return nil }
        var scanner = LineScanner(text)
        _ = scanner.field(until: UInt8(ascii: "/"))
        guard let status = scanner.rest.unsignedNumber, status < 1000 else {
            throw LogLineError("expected a result as TCP_MISS/200, found \(text.excerpt)")
        }
        return Int(status)
    }

    private func duration(_ role: LogRole, _ line: UnsafeRawBufferPointer) throws(LogLineError) -> Int64? {
        guard let text = text(role) else { return nil }
        let column = form.columns[slots[role.rawValue].column]
        if column.absence != nil, text.equals("-") { return column.absence == "-" ? 0 : nil }
        if dialect.split == .json, text.last?.isDigit == false {
            return LogDate.microseconds(withUnits: text)
        }
        let openUnit = dialect.split == .json ? meaning.unit : nil
        let unit = column.unit ?? openUnit ?? (text.contains(UInt8(ascii: ".")) ? 1e6 : countsMilliseconds ? 1e3 : nil)
        if let unit, let duration = LogDate.microseconds(text, unit: unit), duration >= 0 || dialect.split != .json {
            return max(0, duration)
        }
        if named.isEmpty { throw mismatch(line) }
        return nil
    }

    /// Returns the start of the request.
    private mutating func time(_ line: UnsafeRawBufferPointer, _ spent: Int64) throws(LogLineError) -> Int64 {
        if let time = bracketed.time { return time }
        if let time = text(.start).flatMap({ date.time($0, allowsWhole: true) }) { return time }
        if dialect.split == .header {
            let (day, clock) = (text(.day)?.string ?? headerDate ?? "", text(.clock))
            guard let time = clock.flatMap({ Timestamp.microseconds("\(day)T\($0.string)") }) else {
                throw LogLineError("expected \(form.expected), found '\(day)' and \(clock?.excerpt ?? "none")")
            }
            return time - spent
        }
        if ends.count > 1 { ends.sort { $0.rank < $1.rank } }
        for slot in ends {
            let text = UnsafeRawBufferPointer(rebasing: bytes[slot.range])
            if let end = date.time(text, allowsWhole: dialect.split == .json) { return end - spent }
        }
        if dialect.split == .json, ends.isEmpty { throw missing("a time", .end, .start, in: line) }
        throw mismatch(line)
    }

    /// The duration whose name states no unit.
    var durationWithoutUnit: Double? {
        let slot = slots[LogRole.total.rawValue]
        guard slot.column >= 0, form.columns[slot.column].unit == nil else { return nil }
        let text = String(decoding: texts[slot.range], as: UTF8.self)
        return Double(text).flatMap { $0 >= 0 && $0 < 1e15 ? $0 : nil }
    }

    /// Whether the server says that it sent a part of the body.
    private var isCut: Bool {
        if let result = text(.result), result.contains("ABORTED") || result.contains("TIMEDOUT") { return true }
        guard let cut = text(.cut), let first = cut.first else { return false }
        switch dialect.split {
        case .server: return first != UInt8(ascii: "-") && first != UInt8(ascii: "L")
        case .header:
            // Windows' codes for a connection that the client ended.
            return Self.abortCodes.contains(where: cut.equals) || cut.contains("Abort") || cut.contains("ClientComm")
        default:
            return cut.contains("partial") || cut.contains("disconnected") || cut.contains("ABORT")
                || cut.split(separator: UInt8(ascii: ",")).contains { flag in
                    let flag = UnsafeRawBufferPointer(rebasing: flag)
                    return Self.abortFlags.contains(where: flag.equals)
                }
        }
    }

    private static let abortCodes: [StaticString] = ["64", "121", "995", "1236"]
    /// Envoy's flags of a connection or stream that ended, or took too long.
    private static let abortFlags: [StaticString] = ["DC", "UC", "UR", "LR", "DT", "SI", "UT", "UPE", "DPE"]

    /// Returns the method, the target, and what stands before it in the key.
    private func request(
        _ line: UnsafeRawBufferPointer
    ) throws(LogLineError) -> (method: String, host: String?, target: String) {
        var method = text(.method)?.string ?? ""
        var target = (text(.url) ?? text(.absolute))?.string ?? ""
        if let operation = text(.operation) {
            guard operation.contains(UInt8(ascii: ".")) else {
                throw LogLineError("expected an operation as REST.GET.OBJECT, found \(operation.excerpt)")
            }
            method = operation.string
            if method.hasSuffix(".GET.OBJECT") { method = "GET" }
        }
        if let write = text(.write) { method = write.equals("-") ? "GET" : "POST" }
        if method.isEmpty || target.isEmpty, let request = text(.request).map(RequestLine.init), !request.target.isEmpty
        {
            (method, target) = (request.method, request.target)
        }
        if target.isEmpty, let path = text(.path) {
            target = path.string
            // The target of W3C's cs-uri is complete.
            let isPath = dialect.split == .header ? header.contains("cs-uri-stem") : !target.contains("?")
            if isPath, let query = text(.query) { target += "?" + query.string }
        }
        if let absolute = text(.absolute), !absolute.contains(UInt8(ascii: ":")) { throw mismatch(line) }
        guard !target.isEmpty || dialect.split != .json && text(.request) != nil else {
            throw missing("the request's method and URI", .url, .path, .request, in: line)
        }
        if let bucket = text(.bucket) { return (method, nil, bucket.string + "/" + target) }
        let site = text(.site).flatMap { target.contains("://") || $0.isNoValue ? nil : $0 }
        if dialect.split == .json, site != nil, !target.hasPrefix("/") { target = "/" + target }
        return (method, (text(.host) ?? site)?.string, target)
    }
}

extension UnsafeRawBufferPointer {
    /// The bytes without a plus at the start.
    fileprivate var withoutPlus: UnsafeRawBufferPointer {
        first == UInt8(ascii: "+") ? UnsafeRawBufferPointer(rebasing: self[1...]) : self
    }

    /// The bytes without `.0` at the end, which JSON of Envoy's structures has.
    fileprivate var withoutDecimals: UnsafeRawBufferPointer {
        guard let point = lastIndex(of: UInt8(ascii: ".")), self[(point + 1)...].allSatisfy({ $0 == 0x30 }) else {
            return self
        }
        return UnsafeRawBufferPointer(rebasing: self[..<point])
    }
}

extension Collection where Element == UInt8 {
    /// Whether a server writes this if a field has no value.
    fileprivate var isNoValue: Bool { isEmpty || count == 1 && first == UInt8(ascii: "-") }
}
