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
        var method = values["request_method", "request.method", "RequestMethod", "http.request.method", "method"] ?? ""
        var target = values["request_uri", "request.uri", "RequestPath", "url.original"] ?? ""
        if method.isEmpty || target.isEmpty, var request = values["request", "request_line", "req"] {
            let line = request.withUTF8 { RequestLine(UnsafeRawBufferPointer($0)) }
            if !line.target.isEmpty { (method, target) = (line.method, line.target) }
        }
        if target.isEmpty { target = Self.separateTarget(values) }
        // Servers write other messages to the same file. Those without a status are not records.
        guard
            let statusText = values[
                "status", "DownstreamStatus", "response.status", "http.response.status_code", "status_code",
                "response_code", "response"]
        else { return nil }
        guard !target.isEmpty else { throw LogLineError("expected the request's method and URI") }
        guard let status = Int(statusText), (0..<1000).contains(status) else {
            throw LogLineError("expected a status, found '\(statusText.prefix(40))'")
        }
        let duration = duration(values)
        guard let time = time(values, duration: duration) else {
            throw LogLineError("expected a time, such as time_iso8601, msec, ts or StartUTC")
        }
        var bytes: Int?
        if let text = values[
            "body_bytes_sent", "DownstreamContentSize", "size", "bytes_sent", "http.response.body.bytes", "bytes"]
        {
            guard let count = Int(text), (0...Int(TraceLimits.bytes)).contains(count) else {
                throw LogLineError("expected the bytes of the body, found '\(text.prefix(40))'")
            }
            bytes = count
        }
        let isAbsolute = target.contains("://")
        let host =
            isAbsolute
            ? nil
            : values[
                "vhost", "host", "http_host", "request.host", "RequestHost", "url.domain", "domain", "server_name"]
        // nginx writes a list if several servers were asked, from which no time is taken.
        let header = values["upstream_header_time"].flatMap { microseconds($0, unit: 1e6) }
        let firstByte = header.map { min($0, duration ?? $0) } ?? duration
        return LogRecord(
            time: time, method: method, key: (host ?? "") + target, status: status, bytes: bytes,
            contentType: values[
                "sent_http_content_type", "content_type", "resp_headers.Content-Type", "downstream_Content-Type"],
            timeToFirstByte: firstByte,
            transferTime: header == nil ? nil : duration.flatMap { all in firstByte.map { all - $0 } })
    }

    /// Returns the target of logs that contain path and query separately.
    private static func separateTarget(_ values: JSONLogValues) -> String {
        guard let path = values["uri", "url", "url.path", "path"] else { return "" }
        guard !path.contains("?"), let query = values["args", "query_string", "url.query"] else { return path }
        return path + "?" + query
    }

    private func duration(_ values: JSONLogValues) -> Int64? {
        if let text = values["Duration", "event.duration"] { return microseconds(text, unit: 1e-3) }
        return values["request_time", "reqtime", "duration"].flatMap { microseconds($0, unit: 1e6) }
    }

    private mutating func time(_ values: JSONLogValues, duration: Int64?) -> Int64? {
        if let start = values["StartUTC"] { return Timestamp.microseconds(start) }
        for name in ["msec", "time_iso8601", "ts", "time_local", "timestamp", "@timestamp", "time"] {
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
