import CacheTiers

/// The limits of fetches from an origin.
public struct OriginOptions: Sendable, Equatable {
    /// The number of transfers at once. Further transfers wait in the order in which they were started.
    public var connections = 6
    public var connectTimeout: Duration = .seconds(10)
    /// For a whole transfer, from the request to the last byte, with redirects, without waiting for a connection.
    public var timeout: Duration = .seconds(60)
    /// The longest time without progress, before or after the first byte.
    public var stallTimeout: Duration = .seconds(30)
    /// Redirects followed within one transfer.
    public var redirects = 10
    /// The longest body accepted, in bytes. A longer body ends its transfer as soon as its length is known.
    public var responseLimit = 256 << 20

    public init() {}
}

/// A request with a method, fields and a body of its own. Redirects are not followed, and every status is a success.
public struct OriginRequest: Sendable {
    public var url: String
    public var method = "GET"
    /// Names and values. A name can occur several times. Characters above U+00FF are refused.
    public var fields: [(name: String, value: String)] = []
    public var body: [UInt8]?

    public init(_ url: String) { self.url = url }
}

/// The head of a response, interim (1xx) or final.
public struct OriginHead: Sendable {
    public var status: Int
    /// In the order in which they came. Bytes are read as ISO 8859-1, so that none are lost.
    public var fields: [(name: String, value: String)] = []
}

/// The result of one fetch from an origin.
public struct OriginResponse: Sendable {
    /// The number that `CurlOrigin.start` returned.
    public var id: Int
    /// The HTTP status; 0 if no response came.
    public var status: Int
    /// The body, exactly as sent; nil if the fetch failed.
    public var payload: Payload?
    public var failure: OriginFailure?
    /// Nanoseconds from the request to the first byte of the (last) response; 0 if none came.
    public var timeToFirstByte: Int64
    /// Nanoseconds from the request to the end of the transfer.
    public var totalTime: Int64
    /// Bytes of body that were received, also by a failed fetch.
    public var receivedBytes: Int
    /// The number of connections opened for this fetch: 0 if one was reused.
    public var newConnections: Int
    /// The heads of all responses to an ``OriginRequest``, the final one last; empty for other fetches.
    public var heads: [OriginHead] = []
}

/// The reason why a fetch failed.
public struct OriginFailure: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Kind: String, Sendable, CaseIterable {
        /// The fetch exceeded a time limit of ``OriginOptions``; the message names it.
        case timeout
        case unknownHost
        /// No server listens at the address.
        case refused
        /// The connection broke.
        case reset
        /// The body is shorter than announced.
        case truncated
        case tooLarge
        case tooManyRedirects
        /// A complete response whose status is not 2xx.
        case status
        /// The text is not a URL, or its scheme is neither http nor https.
        case badURL
        /// The method or a header field of the request cannot be sent.
        case badRequest
        case security
        case other
    }

    public var kind: Kind
    public var message: String

    public init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    public var description: String { message }
}

/// The body of a response while it arrives: allocated once if its length is announced, otherwise grown by doubling.
struct OriginBody {
    private var buffer = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private(set) var count = 0

    /// Makes room for an announced length, which must be within the response limit.
    mutating func reserve(_ capacity: Int) {
        guard capacity > buffer.count else { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
        if count > 0 { larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
        buffer.deallocate()
        buffer = larger
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if buffer.count - count < bytes.count { reserve(max(count + bytes.count, 2 * buffer.count)) }
        UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(from: bytes)
        count += bytes.count
    }

    /// Returns the bytes received so far, without a copy if the buffer is full. The body is empty afterwards.
    mutating func takePayload() -> Payload {
        guard count == buffer.count, count > 0 else {
            defer { discard() }
            return Payload(copying: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
        let payload = Payload(adopting: buffer)
        buffer = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        count = 0
        return payload
    }

    mutating func discard() {
        buffer.deallocate()
        buffer = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        count = 0
    }
}
