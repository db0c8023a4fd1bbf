import SessionModel

/// Sessions of Charles as JSON (`.chlsj`): an array of transactions, which become entries of a HAR.
///
/// <doc:HARRecordings> describes what is read. Charles has published no specification.
enum CharlesSession {
    /// The length of the text in which members of the first transaction are looked for.
    static let headLength = 64 << 10

    /// Returns whether a text begins with an array, and has members of a transaction.
    static func begins(_ text: UnsafeRawBufferPointer) -> Bool {
        let members: [StaticString] = ["\"scheme\"", "\"host\"", "\"path\"", "\"request\""]
        return text.first { $0 > 0x20 } == UInt8(ascii: "[") && members.allSatisfy { text.contains($0) }
    }
}

extension TraceFormat {
    /// Sessions of Charles; see <doc:HARRecordings>.
    public static let charles = TraceFormat(
        name: "charles", summary: "Charles' session as JSON: the images of a proxy's recording",
        fileEndings: [".chlsj"],
        sniff: { head in
            if head.bytes.withUnsafeBytes(CharlesSession.begins) { return .byContent }
            return head.hasEnding([".chlsj"]) ? .byName : .no
        },
        recording: HARFormat.Options())
}

extension HAREntry {
    /// Reads a transaction of Charles.
    init(transaction scanner: inout JSONScanner) throws(JSONError) {
        var target = Target()
        try scanner.object { key, scanner throws(JSONError) in
            switch key {
            case "method": method = try scanner.stringIfAny()
            case "protocolVersion": httpVersion = try scanner.stringIfAny()
            case "scheme": target.scheme = try scanner.stringIfAny()?.lowercased()
            case "host": target.host = try scanner.stringIfAny()
            case "actualPort": target.port = try scanner.amountIfAny()
            case "path": target.path = try scanner.stringIfAny()
            case "query": target.query = try scanner.stringIfAny()
            case "status": hasFailed = try scanner.stringIfAny().map { $0 != "COMPLETE" } ?? false
            case "times":
                try scanner.member("start") { scanner throws(JSONError) in startedDateTime = try scanner.stringIfAny() }
            case "durations": try readDurations(&scanner)
            case "request":
                try Self.headers(ofMessage: &scanner) { name, value in
                    if name == "sec-fetch-dest" { destination = value.lowercased() }
                    if name == ":authority" { target.authority = value }
                }
            case "response": try readResponse(ofTransaction: &scanner)
            default: try scanner.skipValue()
            }
        }
        url = target.url
    }

    /// Reads milliseconds. The latency is the time between request and response.
    private mutating func readDurations(_ scanner: inout JSONScanner) throws(JSONError) {
        try scanner.object { key, scanner throws(JSONError) in
            switch key {
            case "total": time = try scanner.amountIfAny()
            case "dns": timings.dns = try scanner.amountIfAny()
            case "connect": timings.connect = try scanner.amountIfAny()
            case "ssl": timings.ssl = try scanner.amountIfAny()
            case "request": timings.send = try scanner.amountIfAny()
            case "latency": timings.wait = try scanner.amountIfAny()
            case "response": timings.receive = try scanner.amountIfAny()
            default: try scanner.skipValue()
            }
        }
    }

    private mutating func readResponse(ofTransaction scanner: inout JSONScanner) throws(JSONError) {
        try scanner.object { key, scanner throws(JSONError) in
            switch key {
            case "status": try readStatus(&scanner)
            case "mimeType": mimeType = try scanner.stringIfAny()
            case "sizes":
                try scanner.member("body") { scanner throws(JSONError) in bodySize = try scanner.sizeIfAny() }
            case "header":
                try scanner.member("headers") { scanner throws(JSONError) in try readHeaders(&scanner) }
            default: try scanner.skipValue()
            }
        }
    }

    private static func headers(
        ofMessage scanner: inout JSONScanner, _ header: (_ name: String, _ value: String) -> Void
    ) throws(JSONError) {
        try scanner.member("header") { scanner throws(JSONError) in
            try scanner.member("headers") { scanner throws(JSONError) in try headers(&scanner, header) }
        }
    }

    /// The parts of the URL.
    private struct Target {
        var scheme: String?
        /// The host of the connection, which HTTP/2 can share between hosts.
        var host: String?
        /// The host of the request, and its port unless it is the scheme's.
        var authority: String?
        var port: Double?
        var path: String?
        var query: String?

        var url: String? {
            guard let host, !host.isEmpty else { return nil }
            let scheme = scheme ?? "http"
            var place = host.contains(":") ? "[\(host)]" : host
            if let port, port <= 65_535, Int(port) != (scheme == "https" ? 443 : 80) { place += ":\(Int(port))" }
            if let authority, !authority.isEmpty { place = authority }
            let path = path ?? "/"
            let query = query.map { $0.isEmpty ? "" : "?\($0)" } ?? ""
            return "\(scheme)://\(place)\(path.hasPrefix("/") ? "" : "/")\(path)\(query)"
        }
    }
}

extension JSONScanner {
    /// Reads a member of an object, if there is one, and skips the others.
    fileprivate mutating func member(
        _ name: StaticString, _ read: (inout JSONScanner) throws(JSONError) -> Void
    ) throws(JSONError) {
        try object { key, scanner throws(JSONError) in
            if name ~= key { try read(&scanner) } else { try scanner.skipValue() }
        }
    }
}
