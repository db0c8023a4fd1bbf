import SessionModel

/// What the first records of a JSON log tell about members whose names do not say it.
struct LogMeaning {
    /// The microseconds of a duration whose name states no unit.
    var unit = 1e6
    /// Whether the time of a record is when its request began.
    var timesAreStarts = false
}

/// The first records of a JSON log.
private struct LogSample {
    private var count = 0
    private var envoyRecords = 0
    private var caddyRecords = 0
    /// The records of Fastly and Google, which state the time of the start.
    private var startRecords = 0
    /// The durations without a unit, and the times of their ends.
    private var durations: [(value: Double, end: Int64)] = []

    static let maximumCount = 500
    static let maximumBytes = 1 << 20

    private static let envoyNames: [StaticString] = [
        #""response_code""#, #"authority""#, #""start_time""#, #""response_flags""#, #""upstream_cluster""#,
        #""bytes_received""#,
    ]
    private static let caddyNames: [StaticString] = [#""resp_headers""#, #""request":{"#, #""request": {"#]
    private static let startNames: [StaticString] = [#""httpRequest""#, #""fastly_"#, #""response_body_size""#]

    var isFull: Bool { count >= Self.maximumCount }

    mutating func add(_ line: UnsafeRawBufferPointer, end: Int64, duration: Double?) {
        count += 1
        if Self.envoyNames.contains(where: line.contains) { envoyRecords += 1 }
        if Self.caddyNames.contains(where: line.contains) { caddyRecords += 1 }
        if Self.startNames.contains(where: line.contains) { startRecords += 1 }
        if let duration { durations.append((duration, end)) }
    }

    var meaning: LogMeaning {
        let isWhole = durations.allSatisfy { $0.value == $0.value.rounded() }
        let isEnvoy = envoyRecords * 2 > count && isWhole
        return LogMeaning(
            unit: isEnvoy ? 1e3 : unit(isWhole: isWhole),
            timesAreStarts: isEnvoy && !durations.isEmpty || startRecords * 2 > count)
    }

    /// Returns the largest unit with which the durations are plausible.
    private func unit(isWhole: Bool) -> Double {
        let isCaddy = caddyRecords * 2 > count
        guard !durations.isEmpty, isWhole || !isCaddy else { return 1e6 }
        let median = durations.map(\.value).sorted()[durations.count / 2]
        // Caddy writes seconds with decimals, and whole milliseconds or nanoseconds.
        return (isCaddy ? [1e3] : [1e6, 1e3, 1]).first { unit in
            // Most requests take less than two seconds, and less than ten seconds.
            if isWhole, unit == 1e6, median >= 2 { return false }
            if isCaddy, median >= 10_000 { return false }
            return median * unit <= 60e6 && (median * unit <= 1e6 || !isOverlapping(unit))
        } ?? 1e-3
    }

    /// Whether more than a quarter of the requests would begin more than a second before the one that ended before
    /// them.
    private func isOverlapping(_ unit: Double) -> Bool {
        let starts = durations.map { Double($0.end) - $0.value * unit }
        return zip(starts, starts.dropFirst()).count { $1 < $0 - 1e6 } * 4 > starts.count
    }
}

extension LogParser {
    /// Learns from the first records of a JSON log what members without a unit mean. The same bytes give the same
    /// meaning.
    mutating func learn(_ bytes: UnsafeRawBufferPointer) {
        guard dialect.split == .json else { return }
        meaning = LogMeaning(unit: 0)
        var sample = LogSample()
        var lines = TextLines(UnsafeRawBufferPointer(rebasing: bytes.prefix(LogSample.maximumBytes)))
        while !sample.isFull, let line = lines.next() {
            guard let record = try? record(line) else { continue }
            sample.add(envelope.content(of: line), end: record.time, duration: durationWithoutUnit)
        }
        (meaning, messages) = (sample.meaning, 0)
    }

    /// Returns the error of a JSON object without a member: the names that were sought and found.
    func missing(_ what: String, _ roles: LogRole..., in line: UnsafeRawBufferPointer) -> LogLineError {
        let sought = form.columns.filter { roles.contains($0.role) }.flatMap(\.names).joined(separator: ", ")
        var found: [String] = []
        var scanner = JSONScanner(line)
        try? Self.collectNames(&scanner, prefix: "", depth: 0, &found)
        let more = found.count > 30 ? ", …" : ""
        let names = found.prefix(30).joined(separator: ", ") + more
        return LogLineError("expected \(what) as one of the members \(sought); found \(names)")
    }

    private static func collectNames(
        _ scanner: inout JSONScanner, prefix: String, depth: Int, _ names: inout [String]
    ) throws(JSONError) {
        try scanner.beginObject()
        while let key = try scanner.nextKey() {
            let name = prefix + (try key.decoded())
            if depth < 2, try scanner.peek() == .object {
                try collectNames(&scanner, prefix: name + ".", depth: depth + 1, &names)
            } else {
                names.append(name)
                try scanner.skipValue()
            }
        }
    }
}

extension AccessLogReader {
    /// Returns what a file that no format fits lacks to be a log; nil if it does not look like one.
    static func advice(_ head: TraceHead) -> String? {
        guard let json = LogDialect.all.first(where: { $0.split == .json }) else { return nil }
        return head.bytes.withUnsafeBytes { bytes in
            var parser = LogParser(json)
            var lines = TextLines(bytes)
            while lines.number < 20, let line = lines.next() {
                let content = parser.envelope.content(of: line)
                if content.first == UInt8(ascii: "{") {
                    do throws(LogLineError) {
                        guard try parser.record(content) == nil, let error = parser.messageError else { continue }
                        return "as a log of JSON lines, \(error.message)"
                    } catch {
                        return error.message.hasPrefix("column") ? nil : "as a log of JSON lines, \(error.message)"
                    }
                }
                let words = content.string.split(maxSplits: 12) { $0 == "\t" || $0 == " " }
                if words.count > 5, words.contains("GET"), Timestamp.microseconds("\(words[0])T\(words[1])") != nil {
                    return """
                        the lines begin with a date and a time, as those of CloudFront and other W3C Extended logs, \
                        but the line '#Fields: …' that names their columns is missing; put it before the first line
                        """
                }
            }
            return nil
        }
    }
}
