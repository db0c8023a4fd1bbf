import SessionModel

/// The receiver of a trace that is read in windows: a number of requests at a time, instead of all of them.
///
/// `@unchecked Sendable`: one reader uses it, on the thread that reads.
final class RequestWindows: @unchecked Sendable {
    /// The number of requests of a window, or a few more.
    let room: Int
    let usesSizes: Bool
    /// The bytes of objects of logs whose size is not recorded; nil for the median.
    let missingSize: Int?
    let varying: VaryingSizes
    /// Whether the size of an object is its bitmap's size. Formats of requests record no images.
    let bitmaps: DenseTrace.Bitmaps
    /// Keeps the sizes that differ from their objects' sizes; nil if they are dropped.
    private let otherSizes: OtherSizes?
    private let path: String
    private let body: (DenseTrace) throws -> Bool
    private var failure: (any Error)?
    /// Whether the receiver wants no further window.
    private(set) var isEnded = false

    init(
        path: String, _ options: DenseTrace.Options, keeping otherSizes: OtherSizes? = nil,
        body: @escaping (DenseTrace) throws -> Bool
    ) {
        self.path = path
        self.otherSizes = otherSizes
        room = max(1, options.window)
        missingSize = options.reading.missingSize
        (usesSizes, varying, bitmaps) = (options.usesSizes, options.varying, options.bitmaps)
        self.body = body
    }

    /// Reads all requests of a file, and hands them over in windows.
    ///
    /// - Parameter otherSizes: Receives the sizes that differ from their objects' sizes; nil to drop them.
    /// - Returns: The keys and sizes of the objects, and warnings.
    /// - Throws: `TraceError` for a format of sessions and from the reader, and the error of `body`.
    static func read(
        _ input: TraceInput, _ format: TraceFormat, window: Int, keeping otherSizes: OtherSizes?,
        _ notes: inout ReadingNotes, body: @escaping (DenseTrace) throws -> Void
    ) throws -> Requests {
        // Unreachable by a user: only formats of requests are compiled or transferred.
        guard let read = format.requests else {
            throw TraceError(file: input.path, "a file in the format \(format.name) holds a session")
        }
        let windows = RequestWindows(
            path: input.path, DenseTrace.Options(usesSizes: false, window: window), keeping: otherSizes
        ) { requests in
            try body(requests)
            return true
        }
        var windowed = input
        windowed.windows = windows
        var requests = try read(windowed, &notes)
        requests.deliverWindow()
        try windows.finish()
        return requests
    }

    /// Refuses sizes that only the end of the file determines.
    func check(hasUnknownSizes: Bool, hasReplacedSizes: Bool) {
        guard usesSizes, hasUnknownSizes || hasReplacedSizes, !isEnded else { return }
        let reason =
            hasUnknownSizes
            ? "some requests have no size, and objects without one get the median of all"
            : "some objects have the size 0 at first, which a later size replaces"
        failure = TraceError(
            file: path,
            """
            \(reason); only the end of the file determines it, so the trace cannot be read in windows. Leave --stream \
            out, count objects with --ignore-size, or compile the trace (`cachereplay trace compile`)
            """)
        isEnded = true
    }

    /// Keeps the sizes of requests that differ from their objects' sizes.
    ///
    /// - Parameter earlier: The number of requests in earlier windows.
    func keep(
        _ positions: UnsafeMutableBufferPointer<Int>, _ bytes: UnsafeMutableBufferPointer<Int>, behind earlier: Int
    ) {
        guard let otherSizes, !isEnded else { return }
        do {
            for (position, bytes) in zip(positions, bytes) {
                try otherSizes.append(position: earlier + position, bytes: bytes)
            }
        } catch {
            failure = error
            isEnded = true
        }
    }

    func receive(_ window: DenseTrace) {
        guard !isEnded else { return }
        do { isEnded = try !body(window) } catch {
            failure = error
            isEnded = true
        }
    }

    /// Throws the error that ended the windows early, if there is one.
    func finish() throws { if let failure { throw failure } }
}
