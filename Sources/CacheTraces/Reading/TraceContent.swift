import SessionModel

/// The content of a trace file, in the form in which its format holds it.
package enum TraceContent: Sendable {
    case events(TraceReading)
    /// Columns without keys and events, for formats that hold only requests.
    case requests(RequestFile)

    /// Reads the file at `path`; the format is recognised from its content and name if `format` is nil.
    ///
    /// - Throws: ``TraceError``.
    package init(contentsOf path: String, format: TraceFormat? = nil, options: ReadingOptions = .init()) throws {
        let stream = try TraceStream(path: path)
        if let format = format ?? .sniffed(stream), format.stream != nil {
            var notes = ReadingNotes()
            self = .events(try TraceReading(stream, format: format, options, &notes))
        } else {
            let (input, found) = try TraceInput.ofRequests(stream, format, options)
            try self.init(input, format: found, options: options)
        }
    }

    package init(_ input: TraceInput, format: TraceFormat? = nil, options: ReadingOptions = .init()) throws {
        let format = try (format ?? .sniffed(input)).applying(options, file: input.path)
        guard let read = format.requests else {
            self = .events(try TraceReading(input, format: format))
            return
        }
        var notes = ReadingNotes()
        let requests = try read(input, &notes)
        notes.warnings += requests.warnings(varying: .first)
        self = .requests(RequestFile(requests, format, notes))
    }
}

package struct RequestFile: Sendable {
    /// The objects and times. Every object has size 1 here.
    package let trace: DenseTrace
    /// The recorded bytes by object; ``unknownSize`` if the file does not state them.
    package let sizes: [Int]
    package let format: TraceFormat
    package let notes: ReadingNotes

    package static let unknownSize = Requests.unknownSize
    /// The microseconds between two requests of formats without times.
    package static let timeStep = Requests.timeStep

    init(_ requests: consuming Requests, _ format: TraceFormat, _ notes: ReadingNotes) {
        sizes = Array(requests.sizes.elements)
        trace = requests.dense(usesSizes: false)
        self.format = format
        self.notes = notes
    }
}

/// Options that select a part of a recording, each for one kind of format, and the size of objects without one.
public struct ReadingOptions: Sendable, Equatable {
    /// HAR: the page or run to read, by its id, its title or its number from 1; nil for all.
    public var page: String?
    /// Access logs: which requests to read; nil for images if there are patterns in ``match``, otherwise for all.
    public var content: AccessLog.Content?
    /// Access logs: the paths of images; empty to recognise images by their types or the endings of their URLs.
    public var match: [PathPattern]
    /// Access logs: how many lines may be unreadable; nil for half of them.
    public var badLines: AccessLog.BadLineLimit?
    /// Any format but a compiled trace: the bytes of objects whose size is not recorded; nil to leave it unknown.
    public var missingSize: Int?

    public init(
        page: String? = nil, content: AccessLog.Content? = nil, match: [PathPattern] = [],
        badLines: AccessLog.BadLineLimit? = nil, missingSize: Int? = nil
    ) {
        self.page = page
        self.content = content
        self.match = match
        self.badLines = badLines
        self.missingSize = missingSize
    }
}

extension TraceFormat {
    /// Returns this format with options applied.
    ///
    /// - Throws: `TraceError` if the options are for another kind of format.
    func applying(_ options: ReadingOptions, file: String) throws -> TraceFormat {
        let isHAR = name == TraceFormat.har.name
        let dialect = AccessLog.Dialect(rawValue: name)
        if let page = options.page, !isHAR {
            throw TraceError(
                file: file,
                "a page ('\(page)') can only be selected in a HAR; the file is read as \(name)")
        }
        // To read all requests is what other formats do as well.
        if options.content == .images || !options.match.isEmpty || options.badLines != nil, dialect == nil {
            let dialects = AccessLog.Dialect.allCases.map(\.rawValue).joined(separator: ", ")
            throw TraceError(
                file: file, "options for access logs require one of \(dialects); the file is read as \(name)")
        }
        var format = self
        if let page = options.page { format = .har(HARFormat.Options(page: page)) }
        if let dialect, options != ReadingOptions() {
            let content = options.content ?? (options.match.isEmpty ? .all : .images)
            format = .accessLog(
                dialect, AccessLog.Options(content: content, match: options.match, badLines: options.badLines ?? .half))
        }
        return try options.missingSize.map { try format.assuming($0, file: file) } ?? format
    }

    /// Returns this format with a size for each object without a recorded one.
    ///
    /// - Throws: `TraceError` for a compiled trace, whose sizes were assumed when it was compiled.
    private func assuming(_ bytes: Int, file: String) throws -> TraceFormat {
        guard dense == nil else {
            throw TraceError(
                file: file, "a compiled trace has a size for each object; give --missing-size to `trace compile`")
        }
        @Sendable func sized(_ trace: Trace, _ notes: inout ReadingNotes) -> Trace {
            var trace = trace
            let known = trace.knownSizes()
            notes.warnMissingSizes(known.count { $0 == nil }, of: known.count, bytes)
            for place in known.indices where known[place] == nil { trace.objects[place].bytes = bytes }
            return trace
        }
        var format: TraceFormat
        if let requests {
            let sizedRequests: RequestReader.Read = { input, notes in
                var requests = try requests(input, &notes)
                let unknown = requests.assumeSizes(bytes)
                notes.warnMissingSizes(unknown, of: Int(requests.next), bytes)
                return requests
            }
            let reader: RequestReader = readsText ? .text(sizedRequests) : .whole(sizedRequests)
            format = TraceFormat(
                name: name, summary: summary, fileEndings: fileEndings, sniff: sniff, requests: reader, encode: encode)
        } else {
            let unsized = read
            let sizedTrace: @Sendable (TraceInput, inout ReadingNotes) throws -> Trace = { input, notes in
                let trace = try unsized(input, &notes)
                return sized(trace, &notes)
            }
            format = TraceFormat(
                name: name, summary: summary, fileEndings: fileEndings, sniff: sniff, read: sizedTrace, encode: encode)
        }
        format.encodeRequests = encodeRequests
        if let unsized = stream {
            format.stream = { stream, notes in
                let trace = try unsized(stream, &notes)
                return sized(trace, &notes)
            }
        }
        format.windows = windows
        return format
    }
}

extension ReadingNotes {
    /// Adds a warning about objects whose size the user gives.
    mutating func warnMissingSizes(_ unknown: Int, of all: Int, _ bytes: Int) {
        guard unknown > 0 else { return }
        warnings.append(
            "\(unknown) of \(all) objects have no recorded size; each counts as \(bytes) bytes (--missing-size)")
    }
}
