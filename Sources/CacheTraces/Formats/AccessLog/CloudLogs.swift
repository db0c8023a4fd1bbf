import SessionModel

/// Server access logs of Amazon S3; see <doc:AccessLogs>.
struct S3Log: LogDialect {
    private var date = LogDate()

    mutating func record(_ line: UnsafeRawBufferPointer) throws(LogLineError) -> LogRecord? {
        guard let opening = line.firstIndex(of: UInt8(ascii: "[")),
            let closing = line[opening...].firstIndex(of: UInt8(ascii: "]"))
        else { throw LogLineError("expected owner, bucket and a date in brackets, found \(line.excerpt)") }
        let head = LogFields.split(UnsafeRawBufferPointer(rebasing: line[..<opening]), separator: 0x20)
        guard head.count == 2 else {
            throw LogLineError("expected owner and bucket before the date, found \(line.excerpt)")
        }
        let dateText = UnsafeRawBufferPointer(rebasing: line[(opening + 1)..<closing])
        guard let time = date.microseconds(dateText) else {
            throw LogLineError("expected a date as 06/Feb/2019:00:00:38 +0000, found \(dateText.excerpt)")
        }
        // Client, requester, request id, operation, key, request, status, error, bytes, object size, two durations.
        let fields = LogFields.split(UnsafeRawBufferPointer(rebasing: line[(closing + 1)...]), separator: 0x20)
        guard fields.count >= 12 else {
            throw LogLineError("the line has \(fields.count) fields behind the date; expected at least 12")
        }
        func number(_ field: Int, _ what: String, below limit: UInt64) throws(LogLineError) -> Int? {
            if fields[field].equals("-") { return nil }
            guard let number = fields[field].unsignedNumber, number <= limit else {
                throw LogLineError("expected \(what) or '-', found \(fields[field].excerpt)")
            }
            return Int(number)
        }
        let operation = fields[3]
        guard operation.contains(UInt8(ascii: ".")) else {
            throw LogLineError("expected an operation as REST.GET.OBJECT, found \(operation.excerpt)")
        }
        let status = try number(6, "a status", below: 999)
        let bytes = try number(8, "the bytes sent", below: UInt64(TraceLimits.bytes))
        let objectBytes = try number(9, "the size of the object", below: UInt64(TraceLimits.bytes))
        let milliseconds = UInt64(TraceLimits.time) / 1000
        let total = try number(10, "the total time", below: milliseconds).map { Int64($0) * 1000 }
        let turnAround = try number(11, "the turn-around time", below: milliseconds).map { Int64($0) * 1000 }
        let firstByte = turnAround.map { first in total.map { min(first, $0) } ?? first }
        let operationName = operation.string
        return LogRecord(
            time: time, method: operationName.hasSuffix(".GET.OBJECT") ? "GET" : operationName,
            key: head[1].string + "/" + fields[4].string, status: status ?? 0, bytes: bytes ?? 0,
            objectBytes: objectBytes, timeToFirstByte: firstByte ?? total,
            transferTime: firstByte.flatMap { first in total.map { $0 - first } })
    }
}

/// The access logs of AWS load balancers, Application and Classic; see <doc:AccessLogs>.
struct ELBLog: LogDialect {
    func record(_ line: UnsafeRawBufferPointer) throws(LogLineError) -> LogRecord? {
        let fields = LogFields.split(line, separator: 0x20)
        // A line of the Classic balancer begins with the time.
        let first = fields.first?.first.map { (0x30...0x39).contains($0) } == true ? 0 : 1
        guard fields.count > first + 11, let end = Timestamp.microseconds(fields[first].string) else {
            throw LogLineError("expected the fields of a load balancer's log, time and 11 more, found \(line.excerpt)")
        }
        var parts: [Int64] = []
        for field in fields[first + 4..<first + 7] {
            guard let part = LogSeconds.microseconds(field) else {
                throw LogLineError("expected a processing time in seconds, found \(field.excerpt)")
            }
            parts.append(part)
        }
        let status = fields[first + 7]
        guard status.equals("-") || status.unsignedNumber.map({ $0 < 1000 }) == true else {
            throw LogLineError("expected a status, found \(status.excerpt)")
        }
        guard let bytes = fields[first + 10].unsignedNumber, bytes <= TraceLimits.bytes else {
            throw LogLineError("expected the bytes sent, found \(fields[first + 10].excerpt)")
        }
        let request = RequestLine(fields[first + 11])
        let isMeasured = parts.allSatisfy { $0 >= 0 }
        return LogRecord(
            time: end - parts.reduce(0) { $0 + max(0, $1) }, method: request.method, key: request.target,
            status: Int(status.unsignedNumber ?? 0),
            bytes: Int(bytes), timeToFirstByte: isMeasured ? parts[0] + parts[1] : nil,
            transferTime: isMeasured ? parts[2] : nil)
    }
}

/// Splits lines into fields, some of which are quoted.
enum LogFields {
    /// Splits a line. Several separators count as one. Quotes in a quoted field are doubled or escaped by `\`, and stay
    /// so in the result.
    static func split(_ line: UnsafeRawBufferPointer, separator: UInt8) -> [UnsafeRawBufferPointer] {
        var fields: [UnsafeRawBufferPointer] = []
        var index = 0
        while index < line.count {
            if line[index] == separator {
                index += 1
                continue
            }
            var start = index
            let isQuoted = line[index] == UInt8(ascii: "\"")
            if isQuoted {
                start += 1
                index = endOfQuoted(line, from: start)
            } else {
                while index < line.count, line[index] != separator { index += 1 }
            }
            fields.append(UnsafeRawBufferPointer(rebasing: line[start..<index]))
            index += isQuoted ? 1 : 0
        }
        return fields
    }

    /// Splits a line at each separator. Quotes have no meaning.
    static func unquoted(_ line: UnsafeRawBufferPointer, separator: UInt8) -> [UnsafeRawBufferPointer] {
        line.split(separator: separator).map { UnsafeRawBufferPointer(rebasing: $0) }
    }

    /// Returns the place of the closing quote, or the end of the line.
    private static func endOfQuoted(_ line: UnsafeRawBufferPointer, from start: Int) -> Int {
        var index = start
        while index < line.count {
            if line[index] == UInt8(ascii: "\\") {
                index += 2
            } else if line[index] != UInt8(ascii: "\"") {
                index += 1
            } else if index + 1 < line.count, line[index + 1] == UInt8(ascii: "\"") {
                index += 2
            } else {
                return index
            }
        }
        return line.count
    }
}

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
