import NIOCore
import NIOHTTP1

/// The response to one request. Belongs to the event loop of its channel.
struct Reply {
    let channel: any Channel
    let request: HTTPRequestHead

    init(_ channel: any Channel, _ request: HTTPRequestHead) {
        self.channel = channel
        self.request = request
    }

    var isHead: Bool { request.method == .HEAD }

    func send(_ status: HTTPResponseStatus, _ headers: HTTPHeaders = [:]) {
        guard status != .noContent else {
            writeHead(status, headers)
            return end()
        }
        send(status, Array("\(status.code) \(status.reasonPhrase)\n".utf8), type: "text/plain; charset=utf-8", headers)
    }

    func send(_ status: HTTPResponseStatus, _ body: [UInt8], type: String, _ headers: HTTPHeaders = [:]) {
        var headers = headers
        headers.replaceOrAdd(name: "content-type", value: type)
        headers.replaceOrAdd(name: "content-length", value: String(body.count))
        headers.replaceOrAdd(name: "cache-control", value: "no-store")
        headers.replaceOrAdd(name: "x-content-type-options", value: "nosniff")
        writeHead(status, headers)
        guard !isHead else { return end() }
        let body = HTTPServerResponsePart.body(.byteBuffer(channel.allocator.buffer(bytes: body)))
        // The end is sent after the body, so that responses do not accumulate for a client that does not read them.
        channel.writeAndFlush(body).assumeIsolated().whenSuccess { end() }
    }

    func writeHead(_ status: HTTPResponseStatus, _ headers: HTTPHeaders) {
        var head = HTTPResponseHead(version: request.version, status: status, headers: headers)
        if !request.isKeepAlive {
            head.headers.replaceOrAdd(name: "connection", value: "close")
        } else if request.version == .http1_0 {
            head.headers.replaceOrAdd(name: "connection", value: "keep-alive")
        }
        channel.write(HTTPServerResponsePart.head(head), promise: nil)
    }

    func end() {
        let written = channel.writeAndFlush(HTTPServerResponsePart.end(nil))
        guard !request.isKeepAlive else { return }
        written.assumeIsolated().whenComplete { _ in channel.close(promise: nil) }
    }
}
