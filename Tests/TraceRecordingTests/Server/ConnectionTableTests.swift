import TestSupport
import Testing

@testable import TraceRecording

@Suite("Connections of servers at their limit")
struct ConnectionTableTests {
    private static let clients = 1_000

    @Test(
        "1,000 clients that send a byte now and then keep their places, and new ones are served",
        .enabled(if: OpenFileLimit.raise(to: 8_192) >= 8_192, "needs 8,192 open files"), arguments: ServerKind.allCases)
    func slowClients(kind: ServerKind) throws {
        try kind.serving { server in
            let request = Array(server.request(server.small).utf8)
            let slow = (0..<Self.clients).map { _ in RawConnection(port: server.port) }
            for byte in request.prefix(4) {
                for client in slow { #expect(client.send([byte])) }
                #expect(server.get("Host: localhost").status == 200)
            }
            var answered = 0
            for client in slow {
                client.send(Array(request.dropFirst(4)))
                if client.receiveHead().hasPrefix("HTTP/1.1 200 ") { answered += 1 }
            }
            #expect(answered == Self.clients)
        }
    }

    @Test("1,000 idle or slow clients beyond the limit do not shut out new ones", arguments: ServerKind.allCases)
    func beyondLimit(kind: ServerKind) throws {
        try kind.serving(ServerKind.Options(connections: 50)) { server in
            var open: [RawConnection] = []
            for number in 0..<Self.clients {
                let client = RawConnection(port: server.port)
                if number.isMultiple(of: 2) { client.send("GET / HT") }
                open.append(client)
                if open.count > 100 { #expect(open.removeFirst().receiveAll().isEmpty) }
                if number.isMultiple(of: 10) { #expect(server.get("Host: localhost").status == 200) }
            }
        }
    }

    @Test(
        "The client that has waited longest without a request goes first; bytes of an incomplete head do not count",
        arguments: ServerKind.allCases)
    func order(kind: ServerKind) throws {
        try kind.serving(ServerKind.Options(connections: 3)) { server in
            let request = server.request(server.small)
            func served(_ client: RawConnection) -> Bool {
                client.send(request)
                guard client.receiveHead().hasPrefix("HTTP/1.1 200 ") else { return false }
                return !(client.receive() ?? []).isEmpty
            }
            let slow = RawConnection(port: server.port)
            slow.send("G")
            let first = RawConnection(port: server.port)
            let second = RawConnection(port: server.port)
            #expect(served(first) && served(second) && served(first))
            slow.send("ET / HT")
            let third = RawConnection(port: server.port)
            #expect(served(third))
            #expect(slow.receiveAll().isEmpty, "the slow client was accepted first and has no request")
            #expect(served(first))
            let fourth = RawConnection(port: server.port)
            #expect(served(fourth))
            #expect(second.receiveAll().isEmpty, "the second client's request is the oldest")
            #expect(served(first) && served(third) && served(fourth))
        }
    }

    @Test("A download keeps its place, however many new clients come", arguments: ServerKind.allCases)
    func downloads(kind: ServerKind) throws {
        try kind.serving(ServerKind.Options(connections: 2)) { server in
            let (download, size) = try Self.begin(server.large, server)
            #expect(size > 16 << 20 - 1)
            var idle: [RawConnection] = []
            for _ in 0..<50 { idle.append(try Self.begin(server.small, server).connection) }
            for client in idle.dropLast() {
                #expect(client.receiveAll().count < 100, "each new client takes the place of the idle one")
            }
            let (other, otherSize) = try Self.begin(server.large, server)
            let third = RawConnection(port: server.port)
            #expect(third.receiveAll().isEmpty, "two downloads leave no place")
            #expect(download.receive(exactly: size).count == size)
            #expect(other.receive(exactly: otherSize).count == size)
        }
    }

    @Test("A client whose request is incomplete gives way after those without a request")
    func incompleteRequests() throws {
        try ServerKind.gallery.serving(ServerKind.Options(connections: 2)) { server in
            let upload = RawConnection(port: server.port)
            upload.send("POST /events HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nabc")
            var idle: [RawConnection] = []
            for _ in 0..<5 { idle.append(try Self.begin(server.small, server).connection) }
            let (download, size) = try Self.begin(server.large, server)
            upload.send("de")
            #expect(server.get("Host: localhost").status == 200, "the upload is the only one that can go")
            #expect(upload.receiveAll().isEmpty)
            #expect(download.receive(exactly: size).count == size)
        }
    }

    @Test("The number of connections follows the limit of open files")
    func openFiles() {
        var limits = ServerLimits()
        limits.connections = 2_000
        limits.filesPerConnection = 2
        limits.otherFiles = 100
        var wanted = 0
        func connections(_ files: Int) -> Int {
            limits.connectionLimit {
                wanted = $0
                return files
            }
        }
        #expect(connections(4_100) == 2_000 && wanted == 4_100)
        #expect(connections(1_000_000) == 2_000)
        #expect(connections(1_024) == 462)
        #expect(connections(100) == 25)
        #expect(connections(1) == 1)
    }

    /// Opens a connection, and returns it with the length of the response that has begun on it. Tries again while the
    /// server completes an earlier response, which holds its place until then.
    private static func begin(
        _ path: String, _ server: ServerKind.Server
    ) throws -> (connection: RawConnection, size: Int) {
        var begun: (RawConnection, Int)?
        _ = eventually {
            let connection = RawConnection(port: server.port, receiveBuffer: 64 << 10)
            connection.send(server.request(path))
            let head = connection.receiveHead()
            guard head.hasPrefix("HTTP/1.1 200 ") else { return false }
            let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length: ") }
            begun = (connection, line.flatMap { Int($0.dropFirst("content-length: ".count)) } ?? 0)
            return true
        }
        return try #require(begun)
    }
}
