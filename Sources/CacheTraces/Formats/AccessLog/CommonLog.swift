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
