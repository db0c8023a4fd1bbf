import SessionModel

/// The content of a HAR file, from which traces are made.
///
/// Entries are read one at a time and reduced to what a trace needs. <doc:HARRecordings> describes what is read.
public struct HARRecording: Sendable {
    /// The counts over all entries.
    public internal(set) var summary = HARSummary()
    /// The name and version of the program that wrote the file.
    public internal(set) var creator: String?
    /// The pages in the order of the file. A page without an id contains the entries without a page.
    public var pages: [HARPage] { pageList.all }
    let file: String
    var pageList = HARPages()
    /// The requests for images, in the order of the file.
    var images: [HARImage] = []

    /// Reads a file.
    ///
    /// - Throws: `TraceError`.
    public init(contentsOf path: String) throws {
        try self.init(ByteWindow(TraceStream(path: path)))
    }

    /// Reads a HAR in memory.
    ///
    /// - Throws: `TraceError`.
    public init(_ input: TraceInput) throws {
        try self.init(ByteWindow(input))
    }

    init(_ window: ByteWindow) throws {
        file = window.path
        var json = JSONStream(window)
        let first = try json.part { scanner throws(JSONError) in
            scanner.skipWhitespace()
            return scanner.position < scanner.end ? scanner.bytes[scanner.position] : nil
        }
        guard let first else { throw TraceError(file: file, "the file is empty; expected a HAR, {\"log\": …}") }
        guard first == UInt8(ascii: "{") else { throw try Self.notAnObject(&json) }
        try read(&json)
    }

    private enum Member { case log, creator, pages, entries, other }

    private mutating func read(_ json: inout JSONStream) throws {
        var hasEntries = false
        var hasLog = false
        try json.part { scanner throws(JSONError) in try scanner.beginObject() }
        while let member = try Self.nextMember(&json) {
            guard member == .log, try json.part({ scanner throws(JSONError) in try scanner.peek() }) == .object else {
                try json.part { scanner throws(JSONError) in try scanner.skipValue() }
                continue
            }
            hasLog = true
            try json.part { scanner throws(JSONError) in try scanner.beginObject() }
            while let member = try Self.nextMember(&json) {
                switch member {
                case .creator: creator = try json.part(Self.readCreator)
                case .pages: try readPages(&json)
                case .entries:
                    hasEntries = true
                    try readEntries(&json)
                case .log, .other: try json.part { scanner throws(JSONError) in try scanner.skipValue() }
                }
            }
        }
        try json.part { scanner throws(JSONError) in try scanner.endOfInput() }
        guard hasLog else {
            throw TraceError(
                file: file,
                "the JSON has no \"log\" object and is therefore not a HAR; export the whole recording, not one entry")
        }
        guard hasEntries else { throw TraceError(file: file, "the \"log\" has no \"entries\"; nothing was recorded") }
    }

    private static func nextMember(_ json: inout JSONStream) throws -> Member? {
        try json.part { scanner throws(JSONError) in
            guard let key = try scanner.nextKey() else { return nil }
            switch key {
            case "log": return .log
            case "creator": return .creator
            case "pages": return .pages
            case "entries": return .entries
            default: return .other
            }
        }
    }

    private mutating func readEntries(_ json: inout JSONStream) throws {
        try json.part { scanner throws(JSONError) in
            guard try scanner.peek() == .array else { throw scanner.expected("the array of entries") }
            try scanner.beginArray()
        }
        var redirects = HARRedirects()
        while try json.part({ scanner throws(JSONError) in try scanner.nextElement() }) {
            let entry = try json.part { scanner throws(JSONError) in try HAREntry(&scanner) }
            summary.count(entry)
            let page = pageList.count(entry)
            let isRedirect = entry.redirectTarget != nil
            guard isRedirect || entry.image != nil else { continue }
            redirects.append(HARImage(number: summary.entries, page: page, entry), isRedirect: isRedirect)
        }
        images = redirects.requests()
        for image in images {
            pageList.countRequest(image.page)
            summary.count(image.redirection)
        }
    }

    private mutating func readPages(_ json: inout JSONStream) throws {
        let isArray = try json.part { scanner throws(JSONError) in
            guard try scanner.peek() == .array else {
                try scanner.skipValue()
                return false
            }
            try scanner.beginArray()
            return true
        }
        while isArray, try json.part({ scanner throws(JSONError) in try scanner.nextElement() }) {
            let page = try json.part { scanner throws(JSONError) in
                var id: String?
                var title: String?
                var started: Int64?
                try scanner.object { key, scanner throws(JSONError) in
                    switch key {
                    case "id": id = try scanner.stringIfAny()
                    case "title": title = try scanner.stringIfAny()
                    case "startedDateTime": started = try scanner.stringIfAny().flatMap(Timestamp.microseconds)
                    default: try scanner.skipValue()
                    }
                }
                return (id: id, title: title, started: started)
            }
            pageList.declare(page.id, title: page.title, started: page.started)
        }
    }

    private static func readCreator(_ scanner: inout JSONScanner) throws(JSONError) -> String? {
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

    private static func notAnObject(_ json: inout JSONStream) throws -> TraceError {
        let opening = try json.lookAhead(64)
        let identifier = opening.prefix {
            ($0 | 0x20 >= UInt8(ascii: "a") && $0 | 0x20 <= UInt8(ascii: "z")) || $0 == UInt8(ascii: "_")
                || $0 == UInt8(ascii: ".")
        }
        guard !identifier.isEmpty, opening.dropFirst(identifier.count).first == UInt8(ascii: "(") else {
            return json.error("expected a HAR, {\"log\": …}, found no JSON object")
        }
        let name = String(decoding: identifier, as: UTF8.self)
        return json.error(
            "the file is JSONP, a HAR wrapped in a call of \(name)(…); remove the wrapping and the closing parenthesis")
    }
}

/// A request for an image: one entry, or a chain of redirects to an image.
struct HARImage: Sendable {
    /// The number among all entries, from 1.
    var number: Int
    /// The index in ``HARRecording/pages``.
    var page: Int
    /// The response, with the URL and the time of the request.
    var entry: HAREntry
    var fetch: Fetch
    var redirection = Redirection.none

    enum Redirection {
        case none
        /// Redirects led to an image.
        case followed
        /// The last redirect leads to a URL that was not recorded, or was not an image.
        case lost
    }

    init(number: Int, page: Int, _ entry: HAREntry) {
        self.number = number
        self.page = page
        self.entry = entry
        fetch = entry.fetch
    }
}
