import SessionModel

/// What of a response is written down.
struct ResponseFacts {
    /// 0: none came.
    var status = 0
    var contentType: String?
    var contentEncoding: String?
    /// Of the whole content, where the response says so: of a range, that of what it is a range of.
    var contentLength: Int?
    var headers: [HTTPField] = []
    /// Bytes of body that came.
    var bytes = 0
    var image: ImageHeader?
    /// Microseconds to the first byte, and from there to the last.
    var timing: (first: Int64, transfer: Int64)?

    private static let caching: Set = ["cache-control", "etag", "expires", "last-modified", "age", "vary"]

    mutating func read(_ head: ResponseHeadParser) {
        status = head.status
        contentType = head.headers.first(name: "content-type")
        contentEncoding = head.headers.first(name: "content-encoding")
        if status == 206 {
            contentLength = head.headers.first(name: "content-range").flatMap { $0.split(separator: "/").last }.flatMap
            { Int($0) }
        }
        for (name, value) in head.headers where Self.caching.contains(name.lowercased()) {
            headers.append(HTTPField(name.lowercased(), value))
        }
    }

    mutating func received(_ piece: UnsafeRawBufferPointer) {
        // The size stands at the beginning of an image; where the first piece does not hold it, it stays unknown.
        if bytes == 0, status == 200, contentEncoding == nil { image = ImageHeader(Array(piece)) }
        bytes += piece.count
    }
}
