import SessionModel

/// Common and Combined Log Format, with or without a virtual host; see <doc:AccessLogs>.
struct CommonLog: LogDialect {
    private var date = LogDate()

    mutating func record(_ line: UnsafeRawBufferPointer) throws(LogLineError) -> LogRecord? {
        guard let opening = line.firstIndex(of: UInt8(ascii: "[")),
            let closing = line[opening...].firstIndex(of: UInt8(ascii: "]"))
        else {
            throw LogLineError("expected a date in brackets, found \(line.excerpt)")
        }
        let words = line[..<opening].split(separator: 0x20)
        guard words.count >= 3 else {
            throw LogLineError("expected client, identity and user before the date, found \(line.excerpt)")
        }
        let dateText = UnsafeRawBufferPointer(rebasing: line[opening + 1..<closing])
        guard let time = date.microseconds(dateText) else {
            throw LogLineError("expected a date as 10/Oct/2000:13:55:36 -0700, found \(dateText.excerpt)")
        }
        var scanner = LineScanner(UnsafeRawBufferPointer(rebasing: line[(closing + 1)...]))
        let between = scanner.field(until: UInt8(ascii: "\""))
        guard let request = Self.request(scanner.rest) else {
            throw LogLineError("expected a request in quotes and a status, found \(scanner.rest.excerpt)")
        }
        scanner = LineScanner(UnsafeRawBufferPointer(rebasing: scanner.rest[(request.count + 1)...]))
        let status = scanner.word()
        let bytes = scanner.word()
        guard let code = status.unsignedNumber, code < 1000 else {
            throw LogLineError("expected a status, found \(status.excerpt)")
        }
        guard bytes.equals("-") || bytes.unsignedNumber.map({ $0 <= TraceLimits.bytes }) == true else {
            throw LogLineError("expected the bytes of the body or '-', found \(bytes.excerpt)")
        }
        let line = RequestLine(request)
        let hasHost = words.count >= 4 && !UnsafeRawBufferPointer(rebasing: words[1]).equals("-")
        return LogRecord(
            time: time, method: line.method,
            key: (hasHost ? UnsafeRawBufferPointer(rebasing: words[0]).string : "") + line.target,
            status: Int(code), bytes: Int(bytes.unsignedNumber ?? 0), timeToFirstByte: Self.duration(between))
    }

    /// Returns the request, up to the quote before the status.
    private static func request(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        var index = 0
        while index < text.count {
            if text[index] == UInt8(ascii: "\\") {
                index += 2
                continue
            }
            if text[index] == UInt8(ascii: "\""), index + 4 < text.count, text[index + 1] == 0x20,
                text[index + 2..<index + 5].allSatisfy({ (0x30...0x39).contains($0) })
            {
                return UnsafeRawBufferPointer(rebasing: text[..<index])
            }
            index += 1
        }
        return nil
    }

    /// Returns the microseconds of a duration such as ` (12 s) `.
    private static func duration(_ text: UnsafeRawBufferPointer) -> Int64? {
        guard let opening = text.firstIndex(of: UInt8(ascii: "(")) else { return nil }
        var scanner = LineScanner(UnsafeRawBufferPointer(rebasing: text[(opening + 1)...]))
        return LogSeconds.microseconds(scanner.word()).flatMap { $0 >= 0 ? $0 : nil }
    }
}

/// A request line such as `GET /a.png HTTP/1.1`: a method, a target, which may contain blanks, and usually a protocol.
struct RequestLine {
    var method = ""
    var target = ""

    init(_ text: UnsafeRawBufferPointer) {
        var scanner = LineScanner(text)
        let method = scanner.word()
        scanner.skipBlanks()
        var target = scanner.rest
        if let blank = target.lastIndex(of: 0x20), target[(blank + 1)...].starts(with: "HTTP/".utf8) {
            target = UnsafeRawBufferPointer(rebasing: target[..<blank])
        }
        guard !target.isEmpty, method.count <= 32 else { return }
        self.method = method.string
        self.target = target.string
    }
}

/// Reads the dates of Common Log Format, such as `10/Oct/2000:13:55:36 -0700`.
struct LogDate {
    /// The last date, which the lines of one second share.
    private var lastText: [UInt8] = []
    private var lastTime: Int64 = 0

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Returns the microseconds since 1970; nil if the text is not such a date. A missing zone means UTC.
    mutating func microseconds(_ text: UnsafeRawBufferPointer) -> Int64? {
        if !lastText.isEmpty, lastText.elementsEqual(text) { return lastTime }
        let parts = text.string.split(separator: ":", maxSplits: 1)
        guard text.count <= 40, parts.count == 2, case let date = parts[0].split(separator: "/"), date.count == 3,
            let month = Self.months.firstIndex(of: String(date[1])), date[0].count == 2
        else { return nil }
        let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
        let clock = parts[1].filter { $0 != " " }
        guard let time = Timestamp.microseconds("\(date[2])-\(number)-\(date[0])T\(clock)") else { return nil }
        lastText = Array(text)
        lastTime = time
        return time
    }
}

/// Reads seconds with decimals, such as `1286536308.779`.
enum LogSeconds {
    /// Returns microseconds; nil if the text is not a number or is beyond `TraceLimits.time`.
    static func microseconds(_ text: UnsafeRawBufferPointer, unit: Double = 1e6) -> Int64? {
        guard (1...32).contains(text.count), let value = Double(text.string) else { return nil }
        let microseconds = (value * unit).rounded()
        guard abs(microseconds) <= Double(TraceLimits.time) else { return nil }
        return Int64(microseconds)
    }
}

/// Squid's native access log; see <doc:AccessLogs>.
struct SquidLog: LogDialect {
    func record(_ line: UnsafeRawBufferPointer) throws(LogLineError) -> LogRecord? {
        var scanner = LineScanner(line)
        let timeText = scanner.word()
        guard let end = LogSeconds.microseconds(timeText), timeText.contains(UInt8(ascii: ".")),
            let elapsed = LogSeconds.microseconds(scanner.word(), unit: 1000)
        else {
            throw LogLineError("expected a time as 1286536308.779 and the elapsed milliseconds, found \(line.excerpt)")
        }
        _ = scanner.word()
        var result = LineScanner(scanner.word())
        _ = result.field(until: UInt8(ascii: "/"))
        guard let status = result.rest.unsignedNumber, status < 1000 else {
            throw LogLineError("expected a result as TCP_MISS/200, found \(result.bytes.excerpt)")
        }
        guard let bytes = scanner.number(), bytes <= TraceLimits.bytes else {
            throw LogLineError("expected the bytes of the response in \(line.excerpt)")
        }
        let method = scanner.word()
        let url = scanner.word()
        guard !url.isEmpty else { throw LogLineError("the line ends before the URL") }
        _ = scanner.word()
        _ = scanner.word()
        let type = scanner.word()
        return LogRecord(
            time: end - max(0, elapsed), method: method.string, key: url.string, status: Int(status), bytes: Int(bytes),
            contentType: type.isEmpty || type.equals("-") ? nil : type.string, timeToFirstByte: max(0, elapsed))
    }
}

/// HAProxy's HTTP log, with or without the prefix of syslog; see <doc:AccessLogs>.
struct HAProxyLog: LogDialect {
    private var date = LogDate()

    mutating func record(_ line: UnsafeRawBufferPointer) throws(LogLineError) -> LogRecord? {
        guard let (time, fields) = afterDate(line) else {
            throw LogLineError("expected a date as [06/Feb/2009:12:14:14.655], found \(line.excerpt)")
        }
        var scanner = LineScanner(fields)
        _ = scanner.word()
        _ = scanner.word()
        let timers = scanner.word()
        let parts = try Self.timers(timers)
        let status = scanner.word()
        // -1 means that no response was sent.
        guard status.equals("-1") || status.unsignedNumber.map({ $0 < 1000 }) == true else {
            throw LogLineError("expected a status, found \(status.excerpt)")
        }
        let bytes = scanner.word()
        // A plus marks a log that was written before the end of the response.
        guard let count = bytes.withoutPlus.unsignedNumber, count <= TraceLimits.bytes else {
            throw LogLineError("expected the bytes read, found \(bytes.excerpt)")
        }
        guard let opening = scanner.rest.firstIndex(of: UInt8(ascii: "\"")) else {
            throw LogLineError("expected a request in quotes; is the frontend's log an HTTP log (option httplog)?")
        }
        let quoted = UnsafeRawBufferPointer(rebasing: scanner.rest[(opening + 1)...])
        let end = quoted.lastIndex(of: UInt8(ascii: "\"")) ?? quoted.count
        let request = RequestLine(UnsafeRawBufferPointer(rebasing: quoted[..<end]))
        let isAnswered = parts.count == 5 && parts[..<4].allSatisfy { $0 >= 0 }
        let firstByte = isAnswered ? parts[..<4].reduce(0, +) : nil
        return LogRecord(
            time: time, method: request.method, key: request.target, status: Int(status.unsignedNumber ?? 0),
            bytes: Int(count), timeToFirstByte: firstByte, transferTime: firstByte.map { max(0, parts[4] - $0) })
    }

    /// Returns the time in the first brackets that contain a date, and the text behind them. The prefix of syslog may
    /// contain the process in brackets.
    private mutating func afterDate(_ line: UnsafeRawBufferPointer) -> (Int64, UnsafeRawBufferPointer)? {
        var rest = line
        while let opening = rest.firstIndex(of: UInt8(ascii: "[")),
            let closing = rest[opening...].firstIndex(of: UInt8(ascii: "]"))
        {
            let text = UnsafeRawBufferPointer(rebasing: rest[(opening + 1)..<closing])
            rest = UnsafeRawBufferPointer(rebasing: rest[(closing + 1)...])
            if text.contains(UInt8(ascii: "/")), let time = date.microseconds(text) { return (time, rest) }
        }
        return nil
    }

    /// Reads milliseconds such as `10/0/30/69/109`; -1 means that the phase did not begin.
    private static func timers(_ text: UnsafeRawBufferPointer) throws(LogLineError) -> [Int64] {
        var parts: [Int64] = []
        for part in text.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            let part = UnsafeRawBufferPointer(rebasing: part).withoutPlus
            guard let value = LogSeconds.microseconds(part, unit: 1000) else { break }
            parts.append(value)
        }
        guard parts.count == 5 else {
            throw LogLineError("expected five timers as 10/0/30/69/109, found \(text.excerpt)")
        }
        return parts
    }
}

extension UnsafeRawBufferPointer {
    /// The bytes without a plus at the start.
    fileprivate var withoutPlus: UnsafeRawBufferPointer {
        first == UInt8(ascii: "+") ? UnsafeRawBufferPointer(rebasing: self[1...]) : self
    }
}

/// W3C Extended Log Format: IIS, CloudFront and others; see <doc:AccessLogs>.
struct W3CLog: LogDialect {
    private var columns: [String: Int] = [:]
    private var width = 0
    private var software = ""
    private var date: String?

    static func isNamed(in head: TraceHead) -> Bool {
        head.bytes.first == UInt8(ascii: "#") && head.contains("#Fields:")
    }

    mutating func record(_ line: UnsafeRawBufferPointer) throws(LogLineError) -> LogRecord? {
        if line.first == UInt8(ascii: "#") {
            try directive(line.string)
            return nil
        }
        guard width > 0 else {
            throw LogLineError("expected a line '#Fields: …' before the first record, found \(line.excerpt)")
        }
        let fields = LogFields.split(line, separator: line.contains(0x09) ? 0x09 : 0x20)
        guard fields.count == width else {
            throw LogLineError("the line has \(fields.count) fields; '#Fields:' names \(width)")
        }
        func field(_ names: String...) -> UnsafeRawBufferPointer? {
            for name in names {
                if let column = columns[name], !fields[column].equals("-"), !fields[column].isEmpty {
                    return fields[column]
                }
            }
            return nil
        }
        guard columns["cs-method"] != nil else { throw LogLineError("the line '#Fields:' does not name cs-method") }
        guard let stem = field("cs-uri-stem", "cs-uri") else {
            throw LogLineError("the URL is missing: expected cs-uri-stem or cs-uri")
        }
        let day = field("date", "date-local")?.string ?? date ?? ""
        guard let clock = field("time", "time-local"), let time = Timestamp.microseconds("\(day)T\(clock.string)")
        else {
            throw LogLineError(
                """
                expected a date and a time as 2015-01-13 00:32:17, found '\(day)' and \
                \(field("time", "time-local")?.excerpt ?? "none")
                """
            )
        }
        let status = field("sc-status", "c-status")
        if let status, status.unsignedNumber.map({ $0 < 1000 }) != true {
            throw LogLineError("expected a status, found \(status.excerpt)")
        }
        let bytes = field("sc-bytes", "bytes")
        if let bytes, bytes.unsignedNumber.map({ $0 <= TraceLimits.bytes }) != true {
            throw LogLineError("expected the bytes of the response, found \(bytes.excerpt)")
        }
        let query = columns["cs-uri-stem"] == nil ? nil : field("cs-uri-query")
        let duration = duration(field("time-taken"), milliseconds: field("timetakenms"))
        let firstByte = field("time-to-first-byte").flatMap { LogSeconds.microseconds($0) }.map {
            min(max(0, $0), duration ?? .max)
        }
        return LogRecord(
            time: time - (duration ?? 0), method: field("cs-method")?.string ?? "",
            key: (field("x-host-header", "cs(host)", "cs-host")?.string ?? "") + stem.string
                + (query.map { "?" + $0.string } ?? ""),
            status: status?.unsignedNumber.map { Int($0) }, bytes: bytes?.unsignedNumber.map { Int($0) },
            contentType: field("sc-content-type", "sc(content-type)")?.string, timeToFirstByte: firstByte ?? duration,
            transferTime: firstByte.flatMap { first in duration.map { $0 - first } })
    }

    private mutating func directive(_ line: String) throws(LogLineError) {
        let parts = line.dropFirst().split(separator: ":", maxSplits: 1).map { $0.drop { $0 == " " || $0 == "\t" } }
        guard parts.count == 2 else { return }
        switch parts[0].lowercased() {
        case "fields":
            let names = parts[1].split { $0 == " " || $0 == "\t" }.map { $0.lowercased() }
            columns = Dictionary(zip(names, names.indices), uniquingKeysWith: { first, _ in first })
            width = names.count
        case "software": software = parts[1].lowercased()
        case "date", "start-date": date = parts[1].split(separator: " ").first.map(String.init)
        default: break
        }
    }

    private func duration(_ taken: UnsafeRawBufferPointer?, milliseconds: UnsafeRawBufferPointer?) -> Int64? {
        if let milliseconds { return LogSeconds.microseconds(milliseconds, unit: 1000).map { max(0, $0) } }
        guard let taken else { return nil }
        if taken.contains(UInt8(ascii: ".")) { return LogSeconds.microseconds(taken).map { max(0, $0) } }
        let isMicrosoft = software.contains("microsoft") || software.contains("iis")
        return isMicrosoft ? LogSeconds.microseconds(taken, unit: 1000).map { max(0, $0) } : nil
    }
}
