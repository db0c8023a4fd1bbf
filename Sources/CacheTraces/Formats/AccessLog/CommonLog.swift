import SessionModel

/// Common and Combined Log Format, with or without a virtual host in front: Apache, nginx and many others.
///
///     [vhost[:port] ]client ident user [10/Oct/2000:13:55:36 -0700] "GET /a.png HTTP/1.1" 200 2326[ "referer" "agent"[
///     …]]
///
/// - Time is when the request was received (Apache) or answered (nginx); the format has no duration. Gandi's logs have
///   one behind the date, `(0 s)`.
/// - Four words or more in front of the date, of which the second is not `-`: the first is the virtual host.
/// - Bytes are those of the body; `-` means none. What follows them is not used.
/// - Quotes within the request are escaped as `\"`; where they are not, the request ends at the quote that a status
///   follows.
///
/// Source: https://httpd.apache.org/docs/2.4/mod/mod_log_config.html
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
            throw LogLineError("expected client, identity and user ahead of the date, found \(line.excerpt)")
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

    /// The request up to the quote behind which a status stands.
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

    /// Of ` (12 s) `: microseconds.
    private static func duration(_ text: UnsafeRawBufferPointer) -> Int64? {
        guard let opening = text.firstIndex(of: UInt8(ascii: "(")) else { return nil }
        var scanner = LineScanner(UnsafeRawBufferPointer(rebasing: text[(opening + 1)...]))
        return LogSeconds.microseconds(scanner.word()).flatMap { $0 >= 0 ? $0 : nil }
    }
}

/// `GET /a.png HTTP/1.1`: a method, a target that may hold blanks where a client was careless, and mostly a protocol.
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
