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
