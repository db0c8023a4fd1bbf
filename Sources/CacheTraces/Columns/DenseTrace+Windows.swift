import SessionModel

extension DenseTrace {
    /// Reads a file of requests in windows, for traces larger than memory. Memory is bounded by the objects, of which
    /// each takes 51 bytes or less and those with texts as keys also their text, and not by the requests.
    ///
    /// A text and a file in the format oracleGeneral are read and decompressed as they go. An access log is too; its
    /// requests go to a temporary file, 16 bytes each, and from there to the windows in order of time. A binary file of
    /// another format is mapped; if it is compressed, its content goes to a temporary file first. A compiled trace is
    /// one window, because its columns are mapped.
    ///
    /// Objects keep their numbers, so that a policy continues with the next window. The ``objectCount`` of a window is
    /// that of all objects so far, or of a log, of all. Positions count from the start of the window, so next accesses
    /// are unknown. Windows of logs have ``exceptions``: the accesses to objects with failed fetches.
    ///
    /// - Parameters:
    ///   - path: A file of requests or an access log, compressed or not; not a session.
    ///   - options: What to read. In windows, the sum of the sizes of all objects is unknown.
    ///   - notes: Receives warnings.
    ///   - body: Receives one window after the other. A window is valid only within the call. Reading ends when `body`
    ///     returns false.
    /// - Throws: `TraceError`.
    public static func forEachWindow(
        of path: String, _ options: Options, _ notes: inout ReadingNotes,
        _ body: (DenseTrace) throws -> Bool
    ) throws {
        let stream = try TraceStream(path: path)
        let format = options.format
        if let read = try (format ?? .sniffed(stream))?.applying(options.reading, file: path).windows {
            return try withoutActuallyEscaping(body) { body in
                try read(stream, RequestWindows(path: path, options, body: body), &notes)
            }
        }
        if let text = try (format ?? .sniffedText(stream))?.applying(options.reading, file: path), text.readsText,
            stream.knownCount == nil, let read = text.requests
        {
            if options.bitmaps == .required { throw Bitmaps.noImages(path) }
            return try withoutActuallyEscaping(body) { body in
                let windows = RequestWindows(path: path, options, body: body)
                var input = TraceInput(headOf: stream, try ByteWindow.ofRequests(stream))
                input.windows = windows
                try deliver(read, input, windows, &notes)
            }
        }
        if holdsOracleRecords(path, format) {
            try forEachWindow(ofRecords: stream, path: path, options, &notes, body)
        } else {
            try forEachMappedWindow(of: stream, options, &notes, body)
        }
    }

    /// Returns the number of requests of a file, or `most` if it has more.
    ///
    /// The size of a file in the format oracleGeneral tells it. A file of another format, or a compressed one, is read
    /// in windows up to that request.
    ///
    /// - Parameters:
    ///   - path: A file that ``forEachWindow(of:_:_:_:)`` can read, and that can be read again.
    ///   - options: What the later reading has.
    ///   - most: The number of requests behind which counting ends.
    /// - Throws: `TraceError`.
    public static func countRequests(of path: String, _ options: Options, upTo most: Int) throws -> Int {
        let stream = try TraceStream(path: path)
        let readsItself = (options.format ?? .sniffed(stream))?.windows != nil
        if !readsItself, holdsOracleRecords(path, options.format), let bytes = stream.knownCount {
            return min(most, bytes / OracleGeneralFormat.recordLength)
        }
        var (count, notes) = (0, ReadingNotes())
        try forEachWindow(of: path, options, &notes) { window in
            count += window.objects.count - window.prefetchPositions.count
            return count < most
        }
        return min(most, count)
    }

    /// Returns whether a file has the format oracleGeneral, as its name or the user says. The content identifies the
    /// format only if the whole file is known.
    private static func holdsOracleRecords(_ path: String, _ format: TraceFormat?) -> Bool {
        let name = TraceInput.name(of: path)
        return format.map { $0.name == TraceFormat.oracleGeneral.name }
            ?? (name.contains("oraclegeneral") && !name.contains("opns"))
    }

    /// Reads a file in the format oracleGeneral.
    private static func forEachWindow(
        ofRecords stream: TraceStream, path: String, _ options: Options, _ notes: inout ReadingNotes,
        _ body: (DenseTrace) throws -> Bool
    ) throws {
        if options.bitmaps == .required { throw Bitmaps.noImages(path) }
        _ = try TraceFormat.oracleGeneral.applying(options.reading, file: path)
        let length = OracleGeneralFormat.recordLength
        let room = max(1, options.window) * length
        let buffer = UnsafeMutableRawPointer.allocate(byteCount: room, alignment: 16)
        defer { buffer.deallocate() }
        var (read, isEnd) = (0, false)
        var columns = Requests()
        var ids = NumberTable()
        while !isEnd {
            var filled = 0
            while filled < room, !isEnd {
                let count = try stream.read(into: buffer + filled, room: room - filled)
                filled += count
                isEnd = count == 0
            }
            guard filled % length == 0 else {
                throw TraceError(
                    file: path, at: .byte(read + filled - filled % length),
                    """
                    the last record has \(filled % length) of \(length) bytes; the file is cut short or is not \
                    oracleGeneral
                    """
                )
            }
            guard filled > 0 else { break }
            read += filled
            OracleGeneralFormat.append(
                UnsafeRawBufferPointer(start: buffer, count: filled), to: &columns, numbering: &ids)
            guard try columns.takeWindow(usesSizes: options.usesSizes, varying: options.varying, body) else { return }
        }
        guard read > 0 else {
            throw TraceError(file: path, "the file holds no records; expected records of \(length) bytes")
        }
        notes.warnings += columns.warnings(varying: options.usesSizes ? options.varying : .first)
        notes.hasSizesByRequest = true
    }

    private static func forEachMappedWindow(
        of stream: TraceStream, _ options: Options, _ notes: inout ReadingNotes, _ body: (DenseTrace) throws -> Bool
    ) throws {
        let input = try TraceInput(mapping: stream)
        let path = input.path
        let format = try (options.format ?? .sniffed(input)).applying(options.reading, file: path)
        if let dense = format.dense, try !CompiledFile(input).holdsSession {
            _ = try body(try dense(input, options.usesSizes, .times, &notes))
            return
        }
        guard let read = format.requests else {
            throw TraceError(
                file: path,
                """
                a file in the format \(format.name) cannot be read in windows, because it is a session; leave --stream \
                out, or compile it (`cachereplay trace compile`)
                """)
        }
        if options.bitmaps == .required { throw Bitmaps.noImages(path) }
        try withoutActuallyEscaping(body) { body in
            let windows = RequestWindows(path: path, options, body: body)
            var windowed = input
            windowed.windows = windows
            try deliver(read, windowed, windows, &notes)
        }
    }

    private static func deliver(
        _ read: (TraceInput, inout ReadingNotes) throws -> Requests, _ input: TraceInput, _ windows: RequestWindows,
        _ notes: inout ReadingNotes
    ) throws {
        var columns = try read(input, &notes)
        columns.deliverWindow()
        try windows.finish()
        notes.warnings += columns.warnings(varying: windows.usesSizes ? windows.varying : .first)
        notes.hasSizesByRequest = true
    }
}

/// Copies of the sizes of objects, with which a window of a trace outlives the call that delivers it.
///
/// The sizes of objects that earlier windows had are final, so that only those of new objects are copied.
package struct WindowSizes: ~Copyable {
    private var sizes = ColumnBuilder<Int>()

    package init() {}

    /// Returns the window with sizes that stay valid until the next call.
    package mutating func outliving(_ window: DenseTrace) -> DenseTrace {
        guard let borrowed = window.sizes, borrowed.isBorrowed else { return window }
        borrowed.withUnsafeBufferPointer { all in
            let known = sizes.count
            // Invariant: a later window has the objects of the windows before.
            sizes.append(all.count - known) { new in
                for index in known..<all.count { new[index - known] = all[index] }
            }
        }
        var window = window
        window.sizes = TraceColumn(UnsafeBufferPointer(sizes.elements), owner: nil)
        return window
    }
}
