import NIOCore
import NIOHTTP1

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The response to one request. Belongs to the event loop of its channel.
package struct Reply: Sendable {
    package let channel: any Channel
    package let request: HTTPRequestHead

    package init(_ channel: any Channel, _ request: HTTPRequestHead) {
        self.channel = channel
        self.request = request
    }

    var isHead: Bool { request.method == .HEAD }

    package func send(_ status: HTTPResponseStatus, _ headers: HTTPHeaders = [:]) {
        guard status != .noContent else {
            writeHead(status, headers)
            return end()
        }
        send(status, Array("\(status.code) \(status.reasonPhrase)\n".utf8), type: "text/plain; charset=utf-8", headers)
    }

    package func send(_ status: HTTPResponseStatus, _ body: [UInt8], type: String, _ headers: HTTPHeaders = [:]) {
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

extension Channel {
    /// Closes the connection with a linger time of zero, so that the kernel sends a reset.
    func reset() {
        guard let socket = self as? any SocketOptionProvider else { return close(promise: nil) }
        socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in self.close(promise: nil) }
    }

    /// Limits the bytes that the kernel buffers before it sends them (`TCP_NOTSENT_LOWAT`). A write then completes when
    /// its bytes are sent instead of when they are in a buffer of megabytes, so that measured transfer times are near
    /// the client's.
    func limitUnsentBytes(to count: Int) {
        guard let socket = self as? any SocketOptionProvider else { return }
        #if canImport(Darwin)
        let option = NIOBSDSocket.Option(rawValue: 0x201)
        #else
        let option = NIOBSDSocket.Option(rawValue: 25)
        #endif
        _ = socket.unsafeSetSocketOption(level: .tcp, name: option, value: CInt(count))
    }
}
