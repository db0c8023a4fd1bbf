import SessionModel

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
