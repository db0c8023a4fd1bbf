import SessionModel

/// The content of a HAR file, or of a session of Charles, from which traces are made.
///
/// Entries are read one at a time and reduced to what a trace needs. <doc:HARRecordings> describes what is read.
public struct HARRecording: Sendable {
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
        if first == UInt8(ascii: "["), CharlesSession.begins(try json.lookAhead(CharlesSession.headLength)) {
            try readSession(&json)
        } else if first == UInt8(ascii: "{") {
            try read(&json)
        } else {
            throw try Self.notAnObject(&json)
        }
    }

    private mutating func readSession(_ json: inout JSONStream) throws {
        var redirects = HARRedirects()
        creator = "Charles"
        try readEntries(&json, &redirects) { scanner throws(JSONError) in try HAREntry(transaction: &scanner) }
        try json.part { scanner throws(JSONError) in try scanner.endOfInput() }
        settle(redirects)
    }

    private enum Member { case log, creator, pages, entries, other }

    private mutating func read(_ json: inout JSONStream) throws {
        var hasEntries = false
        var hasLog = false
        var redirects = HARRedirects()
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
                    try readEntries(&json, &redirects) { scanner throws(JSONError) in try HAREntry(&scanner) }
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
        settle(redirects)
    }

    private mutating func settle(_ redirects: consuming HARRedirects) {
        redirects.settle(HARHabits(creator: creator, measuresTime: summary.hasTimes))
        images = redirects.requests()
        for image in images {
            pageList.countRequest(image.page)
            summary.count(image.redirection)
        }
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

    private mutating func readEntries(
        _ json: inout JSONStream, _ redirects: inout HARRedirects,
        _ readEntry: (inout JSONScanner) throws(JSONError) -> HAREntry
    ) throws {
        try json.part { scanner throws(JSONError) in
            guard try scanner.peek() == .array else { throw scanner.expected("the array of entries") }
            try scanner.beginArray()
        }
        while try json.part({ scanner throws(JSONError) in try scanner.nextElement() }) {
            let entry = try json.part(readEntry)
            summary.count(entry)
            let page = pageList.count(entry)
            let isRedirect = entry.redirectTarget != nil
            guard entry.isGet, isRedirect || entry.image != nil else { continue }
            redirects.append(HARImage(number: summary.entries, page: page, entry), isRedirect: isRedirect)
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

    mutating func settle(_ habits: HARHabits) {
        entry.habits = habits
        fetch = entry.fetch
    }
}

extension HARRecording {
    /// Returns the events of the recording's images, in order of time.
    ///
    /// - Parameters:
    ///   - page: The index in ``pages`` of the page to read; nil for all pages.
    ///   - notes: Receives warnings.
    /// - Throws: `TraceError` if there are no images.
    public func trace(page: Int? = nil, _ notes: inout ReadingNotes) throws -> Trace {
        let images = page.map { page in self.images.filter { $0.page == page } } ?? self.images
        guard !images.isEmpty else { throw TraceError(file: file, whyEmpty(page)) }
        var requests = HARRequests()
        for image in images { requests.append(image) }
        notes.warnings += requests.skipped.warnings
        if let first = summary.otherMethods.first {
            notes.warnings.append(
                """
                \(summary.otherMethods.count) image entries with another method than GET skipped, because they show no \
                image (the first is entry \(first))
                """)
        }
        let lost = images.filter { $0.redirection == .lost }
        if let first = lost.first {
            notes.warnings.append(
                """
                \(lost.count) requests were redirected to a URL of which no image is recorded; they fail (the first is \
                entry \(first.number))
                """)
        }
        guard !requests.cells.isEmpty else {
            let reasons = requests.skipped.warnings.joined(separator: "; ")
            throw TraceError(file: file, "none of the \(images.count) image entries can be used: \(reasons)")
        }
        // Events of equal times keep this order: the cells of a page leave before the cells of the next page appear.
        let ends = page == nil ? pageList.ends(of: requests.cells) : []
        for (cell, end) in zip(requests.cells, ends) {
            if let end { requests.builder.append(TraceEvent(time: end, .disappear(cell.object, .full))) }
        }
        for cell in requests.cells {
            requests.builder.append(TraceEvent(time: cell.time, .appear(cell.object, .full)))
            requests.builder.append(TraceEvent(time: cell.time, .fetch(cell.object, cell.fetch)))
        }
        notes.facts.append(.init(name: "cells_ended_by_next_page", value: ends.count { $0 != nil }))
        if page == nil, pageList.withImages.count > 1 {
            notes.warnings.append(
                """
                \(pageList.withImages.count) pages or runs with images are read as one trace, in order of time; --page \
                selects one: \(pageList.listWithImages)
                """)
        }
        notes.warnings += requests.warningsOnObjects
        requests.builder.header = TraceHeader(title: title(page), recorder: creator, started: requests.started?.text)
        return requests.builder.finish()
    }

    /// Returns the index in ``pages`` of the page with an id, a title or a number from 1.
    ///
    /// - Throws: `TraceError`, which lists the pages.
    public func page(named name: String) throws -> Int {
        if let page = pageList.named(name) { return page }
        throw TraceError(
            file: file,
            pages.isEmpty
                ? "the recording has no pages to choose from"
                : "'\(name)' is not the name of exactly one page; select one by its number: \(pageList.list)")
    }

    private func title(_ page: Int?) -> String? {
        page.map { pages[$0].title ?? pages[$0].id } ?? pages.lazy.compactMap(\.title).first
    }

    private func whyEmpty(_ page: Int?) -> String {
        if let page {
            return
                """
                no image entries among the \(pages[page].entries) of page \(pages[page].label(page + 1)); choose \
                another: \(pageList.list)
                """
        }
        return "no image entries among \(summary.entries) entries; record a page that shows images"
    }
}

extension TraceObject {
    /// Returns whether an entry has another entity tag than the entries before, by the weak comparison (RFC 9110,
    /// section 8.8.3.2).
    fileprivate func hasOtherTag(than entry: HAREntry) -> Bool {
        func tag(_ headers: [HTTPField]) -> Substring? {
            headers.last { $0.name == "etag" }.map { $0.value.hasPrefix("W/") ? $0.value.dropFirst(2) : $0.value[...] }
        }
        guard (200..<300).contains(entry.status) || entry.status == 304 else { return false }
        guard let known = tag(headers), let received = tag(entry.headers) else { return false }
        return known != received
    }

    /// Adds the facts of an entry. Returns false if the entry has a different size than an earlier one.
    fileprivate mutating func update(from entry: HAREntry) -> Bool {
        let isImage = (200..<300).contains(entry.status) && entry.status != 204 && entry.status != 205
        if contentType == nil, let type = entry.mimeType, !type.isEmpty { contentType = type }
        guard isImage || entry.status == 304 else { return true }
        if headers.isEmpty { headers = entry.headers }
        // The size of a 304 is the size of the stored image, which only `content.size` contains.
        let size = isImage ? entry.imageBytes : entry.contentSize.flatMap { $0 > 0 ? $0 : nil }
        guard let size else { return true }
        if bytes == nil { bytes = size }
        return bytes == size
    }
}

/// A cell of a page, with the fetch of its image.
struct PageCell {
    /// The index in ``HARRecording/pages``.
    var page: Int
    /// Microseconds.
    var time: Int64
    var object: ObjectID
    var fetch: Fetch
}

extension HARPages {
    /// Returns the time at which each cell disappears; nil if it stays until the end of the recording.
    ///
    /// The cells of a page disappear when the next page begins to load. They stay if there is no next page, if the
    /// entry names no page, and if a request of the page follows the beginning of the next one: such pages were open
    /// at the same time, in several windows.
    fileprivate func ends(of cells: [PageCell]) -> [Int64?] {
        var latest = [Int64](repeating: .min, count: all.count)
        for cell in cells { latest[cell.page] = max(latest[cell.page], cell.time) }
        let starts = all.indices.compactMap { page in
            all[page].id.isEmpty ? nil : all[page].started.map { (page: page, time: $0) }
        }.sorted { ($0.time, $0.page) < ($1.time, $1.page) }
        var ends = [Int64?](repeating: nil, count: all.count)
        for (start, next) in zip(starts, starts.dropFirst()) where latest[start.page] < next.time {
            ends[start.page] = next.time
        }
        return cells.map { ends[$0.page] }
    }
}

/// The requests for images, as they are added to a trace.
private struct HARRequests {
    var builder = TraceBuilder()
    private(set) var cells: [PageCell] = []
    private(set) var skipped = SkippedEntries()
    private(set) var started: (time: Int64, text: String)?
    private var sizesThatVary: Set<ObjectID> = []
    private var tagsThatVary: Set<ObjectID> = []

    mutating func append(_ image: HARImage) {
        let entry = image.entry
        guard let url = entry.url else { return skipped.noURL.append(image.number) }
        guard Self.isOfNetwork(url) else { return skipped.local.append(image.number) }
        guard let text = entry.startedDateTime, let time = Timestamp.microseconds(text) else {
            return skipped.noDate.append(image.number)
        }
        if started.map({ time < $0.time }) ?? true { started = (time, text) }
        let object = builder.object(url)
        cells.append(PageCell(page: image.page, time: time, object: object, fetch: image.fetch))
        builder.update(object) { known in
            if known.hasOtherTag(than: entry) { tagsThatVary.insert(object) }
            if !known.update(from: entry) { sizesThatVary.insert(object) }
        }
    }

    /// Whether a URL is fetched over a network. Others, such as `data:`, `blob:`, `file:`, `about:` or the URLs of a
    /// browser's extensions, name what the device has.
    private static func isOfNetwork(_ url: String) -> Bool {
        guard let colon = url.firstIndex(of: ":") else { return true }
        let scheme = url[..<colon].lowercased()
        guard scheme.first?.isLetter == true, scheme.allSatisfy({ $0.isLetter || $0.isNumber || "+-.".contains($0) })
        else { return true }
        // A host with a port has a digit behind its colon.
        return ["http", "https", "ftp"].contains(scheme) || url[url.index(after: colon)...].first?.isNumber == true
    }

    var warningsOnObjects: [String] {
        var warnings: [String] = []
        if !sizesThatVary.isEmpty {
            warnings.append("\(sizesThatVary.count) URLs came with different sizes; the first is kept for each")
        }
        if !tagsThatVary.isEmpty {
            warnings.append(
                """
                \(tagsThatVary.count) URLs came with different ETags: their content changed during the recording. The \
                trace has the first version of each. Every fetch brings it, and every validation finds it current
                """)
        }
        let unsized = builder.objects.count { $0.bytes == nil }
        if unsized > 0 { warnings.append("\(unsized) of \(builder.objects.count) objects have no known size") }
        return warnings
    }
}

/// The numbers (from 1) of the image entries that were skipped, by reason.
private struct SkippedEntries {
    var noURL: [Int] = []
    var noDate: [Int] = []
    var local: [Int] = []

    var warnings: [String] {
        [
            (noURL, "without a URL skipped"), (noDate, "without a valid startedDateTime skipped"),
            (local, "with a local URL (data:, blob:, file: and others) skipped, because no network brings them"),
        ].compactMap { numbers, reason in
            numbers.first.map { "\(numbers.count) image entries \(reason) (the first is entry \($0))" }
        }
    }
}
