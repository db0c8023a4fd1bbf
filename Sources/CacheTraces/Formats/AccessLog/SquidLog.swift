import SessionModel

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
