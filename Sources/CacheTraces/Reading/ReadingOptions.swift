import SessionModel

/// Options that select a part of a recording. Each applies to one kind of format.
public struct ReadingOptions: Sendable, Equatable {
    /// HAR: the page or run to read, by its id, its title or its number from 1; nil for all.
    public var page: String?
    /// Access logs: which requests to read; nil for images if there are patterns in ``match``, otherwise for all.
    public var content: AccessLog.Content?
    /// Access logs: the paths of images; empty to recognise images by their types or the endings of their URLs.
    public var match: [PathPattern]
    /// Access logs: how many lines may be unreadable; nil for half of them.
    public var badLines: AccessLog.BadLineLimit?

    public init(
        page: String? = nil, content: AccessLog.Content? = nil, match: [PathPattern] = [],
        badLines: AccessLog.BadLineLimit? = nil
    ) {
        self.page = page
        self.content = content
        self.match = match
        self.badLines = badLines
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
        if let page = options.page { return .har(HARFormat.Options(page: page)) }
        guard let dialect, options != ReadingOptions() else { return self }
        let content = options.content ?? (options.match.isEmpty ? .all : .images)
        return .accessLog(
            dialect, AccessLog.Options(content: content, match: options.match, badLines: options.badLines ?? .half))
    }
}
