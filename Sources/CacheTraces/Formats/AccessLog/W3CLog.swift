import SessionModel

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
