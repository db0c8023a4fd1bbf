/// A HAR file as it was read, before a trace is made of it.
public struct HARRecording: Sendable {
    public internal(set) var summary = HARSummary()
    /// Program and version that wrote the file.
    public internal(set) var creator: String?
    /// The title of the first page.
    public internal(set) var title: String?
    let file: String
    /// Images only, in file order.
    var images: [(number: Int, entry: HAREntry)] = []

    /// Reads the file; throws ``TraceError`` where it is no HAR, or a damaged one.
    public init(_ input: TraceInput) throws {
        file = input.path
        let start = input.textStart
        try input.withBytes { bytes in
            guard let first = bytes[start...].first(where: { $0 > 0x20 }) else {
                throw TraceError(file: file, "the file is empty; expected a HAR, {\"log\": …}")
            }
            if first != UInt8(ascii: "{") { throw Self.notAnObject(bytes, from: start, file: file) }
            var scanner = JSONScanner(bytes, in: start..<bytes.count)
            do {
                try read(&scanner)
            } catch let error as JSONError {
                throw TraceError(
                    error.isCutShort ? error.adding("; the file is cut short, record or copy it again") : error, file: file, in: bytes)
            }
        }
    }

    private mutating func read(_ scanner: inout JSONScanner) throws {
        var hasEntries = false
        var hasLog = false
        try scanner.beginObject()
        while let key = try scanner.nextKey() {
            guard case "log" = key, try scanner.peek() == .object else {
                try scanner.skipValue()
                continue
            }
            hasLog = true
            try scanner.beginObject()
            while let key = try scanner.nextKey() {
                switch key {
                case "creator": creator = try readCreator(&scanner)
                case "pages": try readPages(&scanner)
                case "entries":
                    hasEntries = true
                    try readEntries(&scanner)
                default: try scanner.skipValue()
                }
            }
        }
        try scanner.endOfInput()
        guard hasLog else {
            throw TraceError(file: file, "this JSON has no \"log\" object, so it is no HAR; export the whole recording, not one entry")
        }
        guard hasEntries else { throw TraceError(file: file, "the \"log\" has no \"entries\"; nothing was recorded") }
    }

    private mutating func readEntries(_ scanner: inout JSONScanner) throws(JSONError) {
        guard try scanner.peek() == .array else { throw scanner.expected("the array of entries") }
        try scanner.beginArray()
        while try scanner.nextElement() {
            let entry = try HAREntry(&scanner)
            summary.count(entry)
            if entry.image != nil { images.append((summary.entries, entry)) }
        }
    }

    private mutating func readPages(_ scanner: inout JSONScanner) throws(JSONError) {
        guard try scanner.peek() == .array else { return try scanner.skipValue() }
        try scanner.beginArray()
        while try scanner.nextElement() {
            try scanner.object { key, scanner throws(JSONError) in
                guard case "title" = key else { return try scanner.skipValue() }
                let text = try scanner.stringIfAny()
                if title == nil, text != "" { title = text }
            }
        }
    }

    private func readCreator(_ scanner: inout JSONScanner) throws(JSONError) -> String? {
        var name: String?
        var version: String?
        try scanner.object { key, scanner throws(JSONError) in
            switch key {
            case "name": name = try scanner.stringIfAny()
            case "version": version = try scanner.stringIfAny()
            default: try scanner.skipValue()
            }
        }
        return name.map { [$0, version].compactMap(\.self).joined(separator: " ") }
    }

    private static func notAnObject(_ bytes: UnsafeRawBufferPointer, from start: Int, file: String) -> TraceError {
        let opening = bytes[start...].drop { $0 <= 0x20 }
        let identifier = opening.prefix {
            ($0 | 0x20 >= UInt8(ascii: "a") && $0 | 0x20 <= UInt8(ascii: "z")) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: ".")
        }
        if !identifier.isEmpty, opening.dropFirst(identifier.count).first == UInt8(ascii: "(") {
            let name = String(decoding: identifier, as: UTF8.self)
            return TraceError(
                file: file, at: .byte(opening.startIndex),
                "this is JSONP, a HAR wrapped in a call of \(name)(…); remove the wrapping and the closing parenthesis")
        }
        return TraceError(file: file, at: .byte(opening.startIndex), "this is no JSON object; expected a HAR, {\"log\": …}")
    }
}

extension JSONError {
    fileprivate func adding(_ text: String) -> JSONError {
        var error = self
        error.message += text
        return error
    }
}
