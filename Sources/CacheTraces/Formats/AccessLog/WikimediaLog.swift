import SessionModel

/// The log of Wikimedia's caches, and WikiBench's extract of it; see <doc:AccessLogs>.
struct WikimediaLog: LogDialect {
    func record(_ line: UnsafeRawBufferPointer) throws(LogLineError) -> LogRecord? {
        let fields = LogFields.unquoted(line, separator: line.contains(0x09) ? 0x09 : 0x20)
        if fields.count == 4 { return try Self.extract(fields, line) }
        guard fields.count >= 11 else {
            throw LogLineError("expected host, sequence number, time and at least 8 more fields, found \(line.excerpt)")
        }
        guard fields[1].unsignedNumber != nil || fields[1].equals("-"), let end = Self.time(fields[2]),
            let elapsed = Self.elapsed(fields[3])
        else {
            throw LogLineError(
                "expected a sequence number, a time as 2010-12-01T21:57:22.331 and a duration, found \(line.excerpt)")
        }
        var result = LineScanner(fields[5])
        _ = result.field(until: UInt8(ascii: "/"))
        guard let status = result.rest.unsignedNumber, status < 1000 else {
            throw LogLineError("expected a result as TCP_MEM_HIT/200, found \(fields[5].excerpt)")
        }
        guard fields[6].equals("-") || fields[6].unsignedNumber.map({ $0 <= TraceLimits.bytes }) == true else {
            throw LogLineError("expected the bytes of the response, found \(fields[6].excerpt)")
        }
        let type = fields[10]
        return LogRecord(
            time: end - elapsed, method: fields[7].string, key: fields[8].string, status: Int(status),
            bytes: Int(fields[6].unsignedNumber ?? 0), contentType: type.equals("-") ? nil : type.string,
            timeToFirstByte: elapsed)
    }

    /// Reads a line of WikiBench: counter, seconds, URL, and whether the request changed the database.
    private static func extract(_ fields: [UnsafeRawBufferPointer], _ line: UnsafeRawBufferPointer)
        throws(LogLineError) -> LogRecord
    {
        guard fields[0].unsignedNumber != nil, fields[1].contains(UInt8(ascii: ".")),
            let time = LogSeconds.microseconds(fields[1]), fields[2].contains(UInt8(ascii: ":"))
        else {
            throw LogLineError("expected a counter, a time as 1190146243.326, a URL and '-', found \(line.excerpt)")
        }
        return LogRecord(time: time, method: fields[3].equals("-") ? "GET" : "POST", key: fields[2].string)
    }

    private static func time(_ text: UnsafeRawBufferPointer) -> Int64? {
        if let date = Timestamp.microseconds(text.string) { return date }
        return text.contains(UInt8(ascii: ".")) ? LogSeconds.microseconds(text) : nil
    }

    /// Squid wrote whole milliseconds, nginx and Varnish write seconds with decimals.
    private static func elapsed(_ text: UnsafeRawBufferPointer) -> Int64? {
        if text.equals("-") { return 0 }
        return LogSeconds.microseconds(text, unit: text.contains(UInt8(ascii: ".")) ? 1e6 : 1000).map { max(0, $0) }
    }
}
