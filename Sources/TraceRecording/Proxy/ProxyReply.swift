import NIOHTTP1

/// The head of the response to one request: its framing, and whether the connection stays open.
struct ProxyReply {
    private(set) var hasBegun = false
    private(set) var keepsAlive = false
    private(set) var expectsContinue = false
    private var version = HTTPVersion.http1_1
    /// Whether the client supports HTTP/1.1: chunked bodies and persistent connections.
    private var isModern = true
    private var isHead = false

    init() {}

    init(to request: HTTPRequestHead) {
        version = request.version
        isModern = version.major > 1 || version.major == 1 && version.minor >= 1
        isHead = request.method == .HEAD
        keepsAlive = request.isKeepAlive
        expectsContinue =
            isModern && request.headers[canonicalForm: "expect"].contains { $0.lowercased() == "100-continue" }
    }

    /// The interim response to `Expect: 100-continue`. The body is always read.
    var continueHead: HTTPResponseHead { HTTPResponseHead(version: version, status: .continue) }

    /// Converts the upstream's head for the client.
    mutating func head(
        _ status: Int, _ fields: HTTPHeaders, _ upstream: UpstreamAddress, requestHasEnded: Bool
    ) -> HTTPResponseHead {
        hasBegun = true
        var headers = HopByHop.removed(from: fields, and: ["alt-svc", "location", "content-length"])
        for location in fields["location"] {
            headers.add(name: "Location", value: upstream.rewritten(location: location))
        }
        let hasBody = !isHead && status != 204 && status != 304
        if status != 204, let length = Self.length(fields) {
            headers.add(name: "Content-Length", value: String(length))
        } else if hasBody, isModern {
            headers.add(name: "Transfer-Encoding", value: "chunked")
        } else if hasBody {
            // In HTTP/1.0, the end of the connection is the end of the body.
            keepsAlive = false
        }
        return finish(
            HTTPResponseHead(version: version, status: HTTPResponseStatus(statusCode: status), headers: headers),
            requestHasEnded)
    }

    /// Returns the proxy's own response with an error.
    mutating func answer(_ status: HTTPResponseStatus, _ sentence: String, requestHasEnded: Bool) -> (
        HTTPResponseHead, String
    ) {
        hasBegun = true
        let text = sentence + "\n"
        let headers: HTTPHeaders = [
            "Content-Type": "text/plain; charset=utf-8", "Content-Length": String(text.utf8.count),
        ]
        return (
            finish(HTTPResponseHead(version: version, status: status, headers: headers), requestHasEnded),
            isHead ? "" : text
        )
    }

    /// Returns the length of the body if it is announced without contradiction. Otherwise the body is sent in chunks.
    private static func length(_ fields: HTTPHeaders) -> Int? {
        let lengths = fields["content-length"]
        guard lengths.count == 1, !fields.contains(name: "transfer-encoding"), let length = Int(lengths[0]), length >= 0
        else { return nil }
        return length
    }

    private mutating func finish(_ head: HTTPResponseHead, _ requestHasEnded: Bool) -> HTTPResponseHead {
        // The unread rest of the request would be parsed as the next request.
        if !requestHasEnded { keepsAlive = false }
        var head = head
        if !keepsAlive {
            head.headers.add(name: "Connection", value: "close")
        } else if !isModern {
            head.headers.add(name: "Connection", value: "keep-alive")
        }
        return head
    }
}
