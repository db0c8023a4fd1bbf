import NIOHTTP1
import SessionModel

/// The phases of a transfer, in microseconds, and its protocol.
struct FetchTiming {
    /// nil if the transfer used an open connection.
    var connect: Int64?
    var first: Int64
    var transfer: Int64
    var networkProtocol: FetchProtocol?
}

/// The recorded facts of a response.
struct ResponseFacts {
    /// The HTTP status; 0 if no response came.
    var status = 0
    var contentType: String?
    var contentEncoding: String?
    /// The length of the whole content, also for a response with a range of it; nil if unknown.
    var contentLength: Int?
    var headers: [HTTPField] = []
    /// Bytes of body received.
    var bytes = 0
    var image: ImageHeader?
    var timing: FetchTiming?

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
        // The size is near the beginning of an image; if it is not in the first piece, it stays unknown.
        if bytes == 0, status == 200, contentEncoding == nil { image = ImageHeader(Array(piece)) }
        bytes += piece.count
    }
}

/// Parses the head of a response from libcurl's lines: a status line, fields, an empty line.
struct ResponseHeadParser {
    private(set) var status = 0
    private(set) var headers = HTTPHeaders()
    private(set) var isComplete = false
    private var size = 0

    /// The limit of a head, in bytes: libcurl limits each line, but not their number.
    private static let limit = 256 << 10

    /// Adds a line. Returns false if the head is too long or invalid.
    mutating func add(_ line: UnsafeRawBufferPointer) -> Bool {
        size += line.count
        guard size <= Self.limit else { return false }
        let text = String(decoding: line.prefix { $0 != 0x0D && $0 != 0x0A }, as: UTF8.self)
        if text.isEmpty {
            isComplete = true
        } else if status == 0 {
            // `HTTP/1.1 200 OK`, `HTTP/2 200`
            let words = text.split(separator: " ", maxSplits: 2)
            guard words.count > 1, let number = Int(words[1]), (100...999).contains(number) else { return false }
            status = number
        } else if let colon = text.firstIndex(of: ":") {
            let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            headers.add(name: String(text[..<colon]), value: String(value))
        }
        return true
    }
}

/// The header fields of a single connection, which a proxy does not forward (RFC 9110, 7.6.1): those listed here, and
/// those that `Connection` names.
enum HopByHop {
    private static let always: Set = [
        "connection", "proxy-connection", "keep-alive", "te", "transfer-encoding", "upgrade", "trailer",
        // For proxies that the client is configured for; this one is a reverse proxy.
        "proxy-authenticate", "proxy-authorization", "proxy-authentication-info",
    ]

    /// Returns the headers to forward, in order, without those in `others` (in lower case).
    static func removed(from headers: HTTPHeaders, and others: Set<String>) -> HTTPHeaders {
        let named = Set(headers[canonicalForm: "connection"].map { $0.lowercased() })
        var kept = HTTPHeaders()
        kept.reserveCapacity(headers.count)
        for (name, value) in headers {
            let lower = name.lowercased()
            guard !always.contains(lower), !others.contains(lower), !named.contains(lower), isToken(name),
                isValue(value)
            else { continue }
            kept.add(name: name, value: value)
        }
        return kept
    }

    /// Whether a text is a token (RFC 9110, 5.6.2).
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    /// Whether a text has no control characters, such as line breaks, which would inject a field.
    private static func isValue(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }
}
