import SessionModel

/// The receiver of a trace that is read in windows: a number of requests at a time, instead of all of them.
///
/// `@unchecked Sendable`: one reader uses it, on the thread that reads.
final class RequestWindows: @unchecked Sendable {
    /// The number of requests of a window, or a few more.
    let room: Int
    let usesSizes: Bool
    let varying: VaryingSizes
    /// The text to read, from front to back; nil if the input has all of it.
    let content: ByteWindow?
    /// Whether the size of an object is that of its bitmap. Formats of requests record no images.
    let bitmaps: DenseTrace.Bitmaps
    private let path: String
    private let body: (DenseTrace) throws -> Bool
    private var failure: (any Error)?
    /// Whether the receiver wants no further window.
    private(set) var isEnded = false

    init(
        path: String, room: Int, usesSizes: Bool, varying: VaryingSizes, bitmaps: DenseTrace.Bitmaps,
        content: ByteWindow? = nil,
        body: @escaping (DenseTrace) throws -> Bool
    ) {
        self.path = path
        self.room = max(1, room)
        self.usesSizes = usesSizes
        self.varying = varying
        self.content = content
        self.bitmaps = bitmaps
        self.body = body
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
