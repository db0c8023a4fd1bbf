import NIOCore
import NIOEmbedded
import NIOHTTP1
import SessionModel
import Testing

@testable import TraceRecording

/// A connection to a loopback origin in virtual time, without a socket and without a thread.
private struct VirtualConnection {
    let channel: EmbeddedChannel
    private let loop = EmbeddedEventLoop()

    /// Opens the connection at time zero.
    init(_ fetch: Fetch = Fetch(), sizes: [Int] = [5], _ change: (inout LoopbackOriginOptions) -> Void) throws {
        var options = LoopbackOriginOptions()
        change(&options)
        channel = EmbeddedChannel(loop: loop)
        let hosts = HostCheck(listeningAt: options.host, pages: .local)
        let connections = ConnectionTable(limit: 1)
        _ = connections.add(channel)
        try RecordingServer.prepare(channel, RequestGuard(options.limits, hosts, connections))
        let content = OriginContent(trace(sizes: sizes, fetch: fetch), options)
        try channel.pipeline.syncOperations.addHandler(OriginHandler(content))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).wait()
    }

    func send(_ text: String) throws { try channel.writeInbound(ByteBuffer(string: text)) }

    /// Asks for an object. The request is complete.
    func ask(_ object: Int = 0) throws { try send("GET /run/\(object) HTTP/1.1\r\nHost: localhost\r\n\r\n") }

    /// Moves the time forward, to the end of all that is due until then.
    func wait(_ time: TimeAmount) { loop.advanceTime(by: time) }

    /// Returns what the server has sent since the last call.
    func received() throws -> String {
        var text = ""
        while let part = try channel.readOutbound(as: ByteBuffer.self) {
            text += String(decoding: part.readableBytesView, as: UTF8.self)
        }
        return text
    }

    var isOpen: Bool { channel.isActive }
}

/// A client that has read nothing yet: writes are not complete until it reads.
private final class HeldWrites: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    private var held: [EventLoopPromise<Void>] = []

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if let promise { held.append(promise) }
    }

    /// Completes the oldest write.
    func read() { held.removeFirst().succeed() }

    var count: Int { held.count }

    /// Ends the writes of a closed connection, since a promise must not be lost.
    func drop() { while !held.isEmpty { held.removeFirst().fail(ChannelError.ioOnClosedChannel) } }
}

@Suite("Deadlines of servers, in virtual time")
struct DeadlineTests {
    @Test("A client that sends nothing, or bytes of a head now and then, is disconnected after headTimeout")
    func head() throws {
        for pieces in [[], ["GET /run", "/0 HTTP/1.1\r\n", "Host: local"]] {
            let client = try VirtualConnection { $0.limits.headTimeout = .seconds(60) }
            for piece in pieces {
                client.wait(.seconds(10))
                try client.send(piece)
            }
            client.wait(.seconds(60 - 10 * Int64(pieces.count)) - .nanoseconds(1))
            #expect(client.isOpen)
            #expect(try client.received() == "")
            client.wait(.nanoseconds(1))
            #expect(!client.isOpen)
        }
    }

    @Test("The time for the next head begins at the end of a response")
    func idle() throws {
        let client = try VirtualConnection { $0.limits.headTimeout = .seconds(60) }
        client.wait(.seconds(50))
        try client.ask()
        #expect(try client.received().hasPrefix("HTTP/1.1 200 "))
        client.wait(.seconds(60) - .nanoseconds(1))
        #expect(client.isOpen)
        client.wait(.nanoseconds(1))
        #expect(!client.isOpen)
    }

    @Test("A body that is not complete after bodyTimeout gets 408, also if bytes of it arrive now and then")
    func body() throws {
        let client = try VirtualConnection { $0.limits.bodyTimeout = .seconds(30) }
        client.wait(.seconds(100))
        try client.send("POST /events HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n")
        for _ in 0..<2 {
            client.wait(.seconds(10))
            try client.send("{")
        }
        client.wait(.seconds(10) - .nanoseconds(1))
        #expect(try client.received() == "")
        client.wait(.nanoseconds(1))
        #expect(try client.received().hasPrefix("HTTP/1.1 408 "))
        client.wait(.seconds(1))
        #expect(!client.isOpen)
    }

    @Test("A client that reads nothing of a response is disconnected after stallTimeout; each read starts it anew")
    func stall() throws {
        // Three pieces of at most 256 KiB, each after the one before has been read.
        let client = try VirtualConnection(sizes: [600_000]) { $0.limits.stallTimeout = .seconds(60) }
        let held = HeldWrites()
        try client.channel.pipeline.syncOperations.addHandler(held, position: .first)
        try client.ask()
        // The head and the first piece.
        try #require(held.count == 2)
        client.wait(.seconds(59))
        held.read()
        client.wait(.seconds(60) - .nanoseconds(1))
        #expect(client.isOpen)
        client.wait(.nanoseconds(1))
        #expect(!client.isOpen)
        held.drop()
    }

    @Test("The origin sends the head after the recorded time to first byte, and the body evenly over its transfer time")
    func recordedTimes() throws {
        // 32 pieces of 4,096 bytes in 320 ms: one each 10 ms.
        let fetch = Fetch(status: 200, bytes: 131_072, timeToFirstByte: 40_000, transferTime: 320_000)
        let client = try VirtualConnection(fetch, sizes: [131_072]) { $0.injectsLatency = true }
        try client.ask()
        client.wait(.milliseconds(40) - .nanoseconds(1))
        #expect(try client.received() == "")
        client.wait(.nanoseconds(1))
        #expect(try client.received().hasPrefix("HTTP/1.1 200 "))
        for piece in 1...32 {
            client.wait(.milliseconds(10) - .nanoseconds(1))
            #expect(try client.received() == "", "piece \(piece) is early")
            client.wait(.nanoseconds(1))
            #expect(try client.received().utf8.count >= 4_096, "piece \(piece) is late")
        }
        #expect(client.isOpen)
        #expect(try client.channel.finish().isClean)
    }
}
