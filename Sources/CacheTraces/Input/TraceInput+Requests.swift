import SessionModel

extension TraceInput {
    /// Opens a file whose requests are to be read, with as little of it in memory as its format allows, and recognises
    /// its format.
    ///
    /// A text, and a compressed file whose first bytes identify it, are read from front to back. Other files are mapped
    /// or read as a whole.
    ///
    /// - Parameters:
    ///   - format: The format; nil to recognise it.
    ///   - mapsRecords: Whether a large binary file is mapped. Its pages are faster, and count as memory of the process
    ///     until the system takes them; otherwise it is read from front to back.
    /// - Returns: The input, and its format with the options applied. Only formats of requests can read the input; for
    ///   other formats it has all of the content.
    /// - Throws: `TraceError`.
    static func ofRequests(
        _ stream: TraceStream, _ format: TraceFormat?, _ options: ReadingOptions, mapsRecords: Bool = true
    ) throws -> (input: TraceInput, format: TraceFormat) {
        // A file that ends within the head is small.
        if stream.knownCount == nil, stream.head.count >= RawSource.headLength,
            let found = try (format ?? .sniffedStart(stream))?.applying(options, file: stream.path),
            found.requests != nil
        {
            return (TraceInput(headOf: stream, try ByteWindow.ofRequests(stream)), found)
        }
        var input = try TraceInput(stream)
        let found = try (format ?? .sniffed(input)).applying(options, file: stream.path)
        // The map is not touched again.
        if input.isMapped, found.requests != nil, found.readsText || !mapsRecords {
            input.content = try ByteWindow.ofRequests(stream)
        }
        return (input, found)
    }
}
