import NIOHTTP1

/// What is to be said to a client about the response to one request: framing, and whether the connection goes on.
struct ProxyReply {
    private(set) var hasBegun = false
    private(set) var keepsAlive = false
    private(set) var expectsContinue = false
    private var version = HTTPVersion.http1_1
    /// HTTP/1.1: knows chunks, and keeps connections unless told otherwise.
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

    /// The body is wanted: it is read whatever the upstream will say.
    var goOn: HTTPResponseHead { HTTPResponseHead(version: version, status: .continue) }

    /// The upstream's head for the client.
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
            // HTTP/1.0 knows no other end than that of the connection.
            keepsAlive = false
        }
        return finish(
            HTTPResponseHead(version: version, status: HTTPResponseStatus(statusCode: status), headers: headers),
            requestHasEnded)
    }

    /// An answer of the proxy's own.
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

    /// The body's length where there is one, and nothing that contradicts it: else its end is told by chunks, as
    /// libcurl found it.
    private static func length(_ fields: HTTPHeaders) -> Int? {
        let lengths = fields["content-length"]
        guard lengths.count == 1, !fields.contains(name: "transfer-encoding"), let length = Int(lengths[0]), length >= 0
        else { return nil }
        return length
    }

    private mutating func finish(_ head: HTTPResponseHead, _ requestHasEnded: Bool) -> HTTPResponseHead {
        // The rest of a request that nobody reads would be taken for the next one.
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
