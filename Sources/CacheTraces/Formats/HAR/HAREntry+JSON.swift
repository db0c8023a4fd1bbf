import SessionModel

extension HAREntry {
    init(_ scanner: inout JSONScanner) throws(JSONError) {
        try scanner.object { key, scanner throws(JSONError) in
            switch key {
            case "startedDateTime": startedDateTime = try scanner.stringIfAny()
            case "time": time = try scanner.amountIfAny()
            case "request": try readRequest(&scanner)
            case "response": try readResponse(&scanner)
            case "timings": try readTimings(&scanner)
            case "cache": try readCache(&scanner)
            case "pageref": pageref = try scanner.stringIfAny()
            case "_run": run = try scanner.amountIfAny().flatMap { $0 <= 1e6 ? Int($0) : nil }
            case "_cached": isRepeatView = try scanner.amountIfAny() == 1
            case "_transferSize", "_bytesIn": transferSize = try scanner.sizeIfAny() ?? transferSize
            case "_protocol": networkProtocol = try scanner.stringIfAny()
            default: try readCacheMark(key, &scanner)
            }
        }
    }

    private mutating func readRequest(_ scanner: inout JSONScanner) throws(JSONError) {
        try scanner.object { key, scanner throws(JSONError) in
            switch key {
            case "url": url = try scanner.stringIfAny()
            default: try scanner.skipValue()
            }
        }
    }

    private mutating func readResponse(_ scanner: inout JSONScanner) throws(JSONError) {
        try scanner.object { key, scanner throws(JSONError) in
            switch key {
            case "status": status = try scanner.amountIfAny().flatMap { $0 <= 999 ? Int($0) : nil } ?? 0
            case "redirectURL": redirectURL = try scanner.stringIfAny()
            case "httpVersion": httpVersion = try scanner.stringIfAny()
            case "content": try readContent(&scanner)
            case "bodySize": bodySize = try scanner.sizeIfAny()
            case "_transferSize", "_bytesIn": transferSize = try scanner.sizeIfAny() ?? transferSize
            case "headers": try readHeaders(&scanner)
            default: try readCacheMark(key, &scanner)
            }
        }
    }

    /// Reads a member of the entry or the response if it is a mark, and otherwise skips it.
    private mutating func readCacheMark(_ key: RawJSONString, _ scanner: inout JSONScanner) throws(JSONError) {
        switch key {
        case "_fromCache", "_servedFromCache", "_fetchedViaServiceWorker":
            if try scanner.isAffirmative() { cacheMarks.isNamed = true }
        case "_fetchType":
            let type = try scanner.stringIfAny()
            if ["Memory Cache", "Disk Cache", "Service Worker"].contains(type) { cacheMarks.isNamed = true }
        default: try scanner.skipValue()
        }
    }

    private mutating func readCache(_ scanner: inout JSONScanner) throws(JSONError) {
        try scanner.object { key, scanner throws(JSONError) in
            switch key {
            case "beforeRequest", "afterRequest":
                if try scanner.peek() == .object { cacheMarks.hasStoredCopy = true }
                try scanner.skipValue()
            default: try scanner.skipValue()
            }
        }
    }

    private mutating func readContent(_ scanner: inout JSONScanner) throws(JSONError) {
        var text: RawJSONString?
        var isBase64 = false
        try scanner.object { key, scanner throws(JSONError) in
            switch key {
            case "size": contentSize = try scanner.sizeIfAny()
            case "mimeType": mimeType = try scanner.stringIfAny()
            case "text": text = try scanner.textIfAny()
            case "encoding": isBase64 = try scanner.stringIfAny()?.lowercased() == "base64"
            default: try scanner.skipValue()
            }
        }
        // Only if needed, because the text may be megabytes long.
        guard contentSize ?? 0 == 0, let text, !text.bytes.isEmpty else { return }
        textLength = isBase64 ? text.base64DecodedCount : text.decodedCount()
    }

    private mutating func readHeaders(_ scanner: inout JSONScanner) throws(JSONError) {
        guard try scanner.peek() == .array else { return try scanner.skipValue() }
        try scanner.beginArray()
        while try scanner.nextElement() {
            var name: String?
            var value: RawJSONString?
            try scanner.object { key, scanner throws(JSONError) in
                switch key {
                case "name": name = try scanner.textIfAny()?.headerName
                case "value": value = try scanner.textIfAny()
                default: try scanner.skipValue()
                }
            }
            guard let name, let value = try value?.decoded() else { continue }
            if name == "content-length" {
                contentLength = Int64(value).flatMap { (0...TraceLimits.bytes).contains($0) ? Int($0) : nil }
            } else if name == "location" {
                location = value
            } else {
                headers.append(HTTPField(name, value))
            }
        }
    }

    private mutating func readTimings(_ scanner: inout JSONScanner) throws(JSONError) {
        try scanner.object { key, scanner throws(JSONError) in
            switch key {
            case "blocked": timings.blocked = try scanner.amountIfAny()
            case "dns": timings.dns = try scanner.amountIfAny()
            case "connect": timings.connect = try scanner.amountIfAny()
            case "send": timings.send = try scanner.amountIfAny()
            case "wait": timings.wait = try scanner.amountIfAny()
            case "receive": timings.receive = try scanner.amountIfAny()
            default: try scanner.skipValue()  // ssl is part of connect.
            }
        }
    }
}

extension RawJSONString {
    /// The name in lower case, if the header is one that a trace keeps or that contains the size.
    fileprivate var headerName: String? {
        let names = ["cache-control", "etag", "expires", "last-modified", "age", "vary", "content-length", "location"]
        guard bytes.count <= 14, let name = try? decoded().lowercased() else { return nil }
        return names.contains(name) ? name : nil
    }

    /// The number of bytes that base64 text encodes. Line breaks and other foreign characters do not count.
    fileprivate var base64DecodedCount: Int {
        guard !hasEscapes else {
            guard let text = try? decoded() else { return 0 }
            return text.utf8.count { Self.isBase64($0) } * 3 / 4
        }
        return bytes.count { Self.isBase64($0) } * 3 / 4
    }

    private static func isBase64(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

/// Lenient reading of files of other programs: a value of the wrong type counts as missing, but invalid JSON is an
/// error.
extension JSONScanner {
    /// Reads an object member by member; another value is skipped.
    mutating func object(_ member: (RawJSONString, inout JSONScanner) throws(JSONError) -> Void) throws(JSONError) {
        guard try peek() == .object else { return try skipValue() }
        try beginObject()
        while let key = try nextKey() { try member(key, &self) }
    }

    mutating func textIfAny() throws(JSONError) -> RawJSONString? {
        if try peek() == .string { return try text() }
        try skipValue()
        return nil
    }

    mutating func stringIfAny() throws(JSONError) -> String? {
        try textIfAny()?.decoded()
    }

    /// Returns whether the next value is `true`, a number above 0, or a word such as `memory`.
    mutating func isAffirmative() throws(JSONError) -> Bool {
        switch try peek() {
        case .boolean: return try boolean()
        case .number: return try double() > 0
        case .string: return try !["", "0", "false", "none"].contains(string().lowercased())
        case .object, .array, .null:
            try skipValue()
            return false
        }
    }

    /// Reads a number that is not negative, also as text ("1234"). HAR writes -1 for unknown.
    mutating func amountIfAny() throws(JSONError) -> Double? {
        let value: Double?
        switch try peek() {
        case .number: value = try double()
        case .string: value = Double(try string())
        default:
            try skipValue()
            return nil
        }
        guard let value, value.isFinite, value >= 0 else { return nil }
        return value
    }

    mutating func sizeIfAny() throws(JSONError) -> Int? {
        try amountIfAny().flatMap { $0 <= Double(TraceLimits.bytes) ? Int($0) : nil }
    }
}
