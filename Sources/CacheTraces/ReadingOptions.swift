import SessionModel

/// What to take from a recording that holds more than one trace needs; which of these a format knows stands beside
/// each.
public struct ReadingOptions: Sendable, Equatable {
    /// HAR: the page or run, by its id, its title or its number from 1; nil: all.
    public var page: String?
    /// Access logs: all requests, or those of images; nil: all.
    public var content: AccessLog.Content?
    /// Access logs: how many lines may be unreadable; nil: half of them.
    public var badLines: AccessLog.BadLineLimit?

    public init(page: String? = nil, content: AccessLog.Content? = nil, badLines: AccessLog.BadLineLimit? = nil) {
        self.page = page
        self.content = content
        self.badLines = badLines
    }
}

extension TraceFormat {
    /// This format, reading as `options` say; throws ``TraceError`` where they are for another kind of file.
    func applying(_ options: ReadingOptions, file: String) throws -> TraceFormat {
        let isHAR = name == TraceFormat.har.name
        let dialect = AccessLog.Dialect(rawValue: name)
        if let page = options.page, !isHAR {
            throw TraceError(
                file: file,
                "this is no recording of pages, of which '\(page)' could be chosen: it is read as \(name), not har")
        }
        if options.content != nil || options.badLines != nil, dialect == nil {
            let dialects = AccessLog.Dialect.allCases.map(\.rawValue).joined(separator: ", ")
            throw TraceError(
                file: file, "options for access logs do not fit: this is read as \(name); they fit \(dialects)")
        }
        if let page = options.page { return .har(HARFormat.Options(page: page)) }
        guard let dialect, options != ReadingOptions() else { return self }
        return .accessLog(
            dialect, AccessLog.Options(content: options.content ?? .all, badLines: options.badLines ?? .half))
    }
}
