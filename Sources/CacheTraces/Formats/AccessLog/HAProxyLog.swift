import SessionModel

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
