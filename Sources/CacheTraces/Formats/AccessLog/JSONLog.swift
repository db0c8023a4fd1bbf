import SessionModel

/// Access logs with one JSON object per line: nginx, Caddy and Traefik; see <doc:AccessLogs>.
struct JSONLog: LogDialect {
    private var date = LogDate()

    mutating func record(_ line: UnsafeRawBufferPointer) throws(LogLineError) -> LogRecord? {
        let values: JSONLogValues
        do {
            values = try JSONLogValues(line)
        } catch {
            throw LogLineError("column \(error.offset + 1): \(error.message)")
        }
        var method = values["request_method", "request.method", "RequestMethod", "method"] ?? ""
        var target = values["request_uri", "request.uri", "RequestPath", "uri", "url", "path"] ?? ""
        if method.isEmpty || target.isEmpty, var request = values["request"] {
            let line = request.withUTF8 { RequestLine(UnsafeRawBufferPointer($0)) }
            (method, target) = (line.method, line.target)
        }
        // Servers write other messages to the same file. Those without a status are not records.
        guard let statusText = values["status", "DownstreamStatus", "response.status"] else { return nil }
        guard !target.isEmpty else { throw LogLineError("expected the request's method and URI") }
        guard let status = Int(statusText), (0..<1000).contains(status) else {
            throw LogLineError("expected a status, found '\(statusText.prefix(40))'")
        }
        let duration = duration(values)
        guard let time = time(values, duration: duration) else {
            throw LogLineError("expected a time, such as time_iso8601, msec, ts or StartUTC")
        }
        var bytes: Int?
        if let text = values["body_bytes_sent", "DownstreamContentSize", "size", "bytes_sent", "bytes"] {
            guard let count = Int(text), (0...Int(TraceLimits.bytes)).contains(count) else {
                throw LogLineError("expected the bytes of the body, found '\(text.prefix(40))'")
            }
            bytes = count
        }
        let isAbsolute = target.contains("://")
        let host = isAbsolute ? nil : values["host", "http_host", "request.host", "RequestHost", "server_name"]
        return LogRecord(
            time: time, method: method, key: (host ?? "") + target, status: status, bytes: bytes,
            contentType: values[
                "sent_http_content_type", "content_type", "resp_headers.Content-Type", "downstream_Content-Type"],
            timeToFirstByte: duration)
    }

    private func duration(_ values: JSONLogValues) -> Int64? {
        if let text = values["Duration"] { return microseconds(text, unit: 1e-3) }
        return values["request_time", "duration"].flatMap { microseconds($0, unit: 1e6) }
    }

    private mutating func time(_ values: JSONLogValues, duration: Int64?) -> Int64? {
        if let start = values["StartUTC"] { return Timestamp.microseconds(start) }
        for name in ["time_iso8601", "msec", "ts", "time_local", "timestamp", "@timestamp", "time"] {
            guard var text = values[name] else { continue }
            let end =
                microseconds(text, unit: 1e6) ?? Timestamp.microseconds(text)
                ?? text.withUTF8 { date.microseconds(UnsafeRawBufferPointer($0)) }
            if let end { return end - (duration ?? 0) }
        }
        return nil
    }

    private func microseconds(_ text: String, unit: Double) -> Int64? {
        guard let value = Double(text), value >= 0 else { return nil }
        let microseconds = (value > 1e11 && unit == 1e6 ? value * 1e3 : value * unit).rounded()
        return microseconds <= Double(TraceLimits.time) ? Int64(microseconds) : nil
    }
}

/// The numbers and texts of one JSON object by their names. Members of inner objects have names such as
/// `request.method`; of lists only the first text is kept.
struct JSONLogValues {
    private var values: [String: String] = [:]

    init(_ line: UnsafeRawBufferPointer) throws(JSONError) {
        var scanner = JSONScanner(line)
        try read(&scanner, prefix: "", depth: 0)
        try scanner.endOfInput()
    }

    /// Returns the value of the first of `names` that has one. nginx writes `-` if there is no value.
    subscript(names: String...) -> String? {
        for name in names {
            if let value = values[name], value != "-", !value.isEmpty { return value }
        }
        return nil
    }

    private mutating func read(_ scanner: inout JSONScanner, prefix: String, depth: Int) throws(JSONError) {
        try scanner.beginObject()
        while let key = try scanner.nextKey() {
            let name = prefix + (try key.decoded())
            switch try scanner.peek() {
            case .object where depth < 2: try read(&scanner, prefix: name + ".", depth: depth + 1)
            case .array:
                try scanner.beginArray()
                var isFirst = true
                while try scanner.nextElement() {
                    if isFirst, try scanner.peek() == .string {
                        values[name] = try scanner.string()
                    } else {
                        try scanner.skipValue()
                    }
                    isFirst = false
                }
            case .string: values[name] = try scanner.string()
            case .number: values[name] = try Self.text(scanner.number(), scanner.bytes)
            case .object, .boolean, .null: try scanner.skipValue()
            }
        }
    }

    private static func text(_ number: JSONScanner.Number, _ bytes: UnsafeRawBufferPointer) -> String {
        String(decoding: bytes[number.range], as: UTF8.self)
    }
}
