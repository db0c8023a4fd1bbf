import CacheTiers
import Foundation
import SessionModel
import SessionRecorder
import Testing

@testable import TraceRecording

@Suite("Proxy: recording")
struct ProxyRecordingTests {
    private static let png =
        """
        HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nETag: "secret"\r\nCache-Control: max-age=9\r\nX-Other: \
        1\r\nContent-Length: 30\r\n\r\n
        """

    /// The head of a PNG of 640 by 480 pixels, and some more.
    private static let pixels: [UInt8] =
        [
            0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 2, 0x80, 0, 0, 1,
            0xE0, 8, 6, 0, 0, 0, 0,
        ]

    private static func images() -> RawUpstream {
        RawUpstream { connection, _ in connection.send(Array(png.utf8) + pixels) }
    }

    @Test(
        "An image is an appearance and a fetch at the time of the request, with its type, headers, bytes and pixels"
    )
    func recordsImages() throws {
        let upstream = Self.images()
        let trace = try proxying(upstream.address, { $0.thumbnails = "/thumb/" }) { proxy in
            _ = proxy.ask("GET /thumb/1?token=x")
            _ = proxy.ask("GET /2")
            _ = proxy.ask("HEAD /2")
        }
        #expect(trace.keys == ["\(upstream.address)/thumb/1?token=x", "\(upstream.address)/2"])
        #expect(trace.appearances == [.thumbnail, .full])
        let object = TraceObject(
            key: "\(upstream.address)/2", bytes: 30, contentType: "image/png", pixelWidth: 640, pixelHeight: 480,
            headers: [HTTPField("etag", "\"secret\""), HTTPField("cache-control", "max-age=9")])
        #expect(trace.objects[1] == object)
        #expect(trace.fetches.map(\.status) == [200, 200] && trace.fetches.map(\.bytes) == [30, 30])
        #expect(trace.events.map(\.time) == trace.events.map(\.time).sorted())
        for index in [0, 2] { #expect(trace.events[index].time == trace.events[index + 1].time) }
    }

    @Test("Other responses are not recorded, unless every GET is, by option")
    func recordsAll() throws {
        let upstream = RawUpstream.saying(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nhi", keepsAlive: true)
        for all in [false, true] {
            let trace = try proxying(upstream.address, { $0.recordsAll = all }) { proxy in
                for line in ["GET /", "GET /page.jpg", "POST /", "HEAD /"] { _ = proxy.ask(line) }
                #expect(proxy.counts.requests == 4 && proxy.counts.recorded == (all ? 2 : 0))
            }
            #expect(trace.appearances.count == (all ? 2 : 0))
        }
    }

    @Test("Queries are omitted and URLs hashed, by option, and then entity tags too")
    func privacy() throws {
        let upstream = Self.images()
        let stripped = try proxying(upstream.address, { $0.privacy = KeyPrivacy(stripsQuery: true) }) { proxy in
            _ = proxy.ask("GET /1?token=a")
            _ = proxy.ask("GET /1?token=b")
        }
        #expect(stripped.keys == ["\(upstream.address)/1"] && stripped.appearances.count == 2)
        let hashed = try proxying(upstream.address, { $0.privacy = KeyPrivacy(hashing: .random()) }) { proxy in
            _ = proxy.ask("GET /1")
            _ = proxy.ask("GET /1")
            _ = proxy.ask("GET /2")
        }
        #expect(hashed.objects.count == 2 && hashed.keys.allSatisfy { $0.hasPrefix("hash:") })
        #expect(!"\(hashed)".contains("secret") && !"\(hashed)".contains("127.0.0.1"))
    }

    @Test("A 304 is recorded if the URL was an image before")
    func notModified() throws {
        let upstream = RawUpstream { connection, head in
            head.contains("If-None-Match")
                ? connection.send("HTTP/1.1 304 Not Modified\r\nETag: \"secret\"\r\n\r\n")
                : connection.send(Array(Self.png.utf8) + Self.pixels)
        }
        let trace = try proxying(upstream.address) { proxy in
            _ = proxy.ask("GET /1")
            _ = proxy.ask("GET /1", "If-None-Match: \"secret\"")
        }
        #expect(trace.fetches.map(\.status) == [200, 304] && trace.fetches.map(\.bytes) == [30, 0])
        #expect(trace.objects.map(\.bytes) == [30])
    }

    @Test("Appearances are in the order of requests, also if the first response comes last")
    func order() throws {
        let isAsked = DispatchSemaphore(value: 0)
        let mayAnswer = DispatchSemaphore(value: 0)
        let upstream = RawUpstream { connection, head in
            if head.hasPrefix("GET /slow") {
                isAsked.signal()
                mayAnswer.wait()
            }
            return connection.send(Array(Self.png.utf8) + Self.pixels)
        }
        let trace = try proxying(upstream.address) { proxy in
            let slow = RawConnection(port: proxy.port)
            slow.send("GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n")
            isAsked.wait()
            _ = proxy.ask("GET /quick")
            mayAnswer.signal()
            _ = slow.receiveHead()
            _ = slow.receive(exactly: 30)
        }
        let appeared = trace.events.compactMap {
            if case .appear(let object, _) = $0.action { trace.objects[Int(object)].key } else { nil }
        }
        #expect(appeared == ["\(upstream.address)/slow", "\(upstream.address)/quick"])
    }
}

@Suite("Proxy: order of appearances")
struct AppearanceOrderTests {
    @Test("Decided requests wait for earlier undecided ones, at most a second")
    func waits() {
        var order = AppearanceOrder()
        let first = order.arrive(at: 10, isDecided: false)
        let second = order.arrive(at: 20, isDecided: true)
        let early = order.release(at: 30)
        let late = order.release(at: 10 + AppearanceOrder.patience)
        #expect(early.isEmpty && late.map(\.ticket) == [second])
        // Too late to wait: it is written at once.
        let waited = order.decide(first, isWanted: true)
        #expect(!waited)

        let tickets = (0..<3).map { order.arrive(at: 2_000_000 + Int64($0), isDecided: false) }
        let decided = [order.decide(tickets[1], isWanted: true), order.decide(tickets[2], isWanted: true)]
        let before = order.release(at: 2_000_003)
        let unwanted = order.decide(tickets[0], isWanted: false)
        let after = order.release(at: 2_000_003)
        #expect(decided == [true, true] && before.isEmpty && unwanted)
        #expect(after.map(\.time) == [2_000_001, 2_000_002])
    }
}

@Suite("Proxy: parts")
struct ProxyPartsTests {
    @Test("An upstream is a scheme, a host and a port")
    func upstreams() throws {
        #expect(try UpstreamAddress("HTTPS://Images.Example.com/").text == "https://images.example.com")
        #expect(try UpstreamAddress("http://[::1]:8080").text == "http://[::1]:8080")
        #expect(try UpstreamAddress("https://a:443").authority == "a")
        for wrong in [
            "", "example.com", "ftp://a", "http://", "http:///a", "http://a/b", "http://a?b", "http://u:p@a",
            "http://a:0", "http://a:65536", "http://a:x",
            "http://a b", "http://a\r\nX: y",
        ] {
            #expect(throws: ProxyError.self, "\(wrong)") { try UpstreamAddress(wrong) }
        }
    }

    @Test("Images are recognized by the response, otherwise by the URL")
    func guesses() {
        #expect(
            ImageGuess.isLikely(url: "http://a/b.JPG?x=1", accept: nil)
                && !ImageGuess.isLikely(url: "http://a.png/b", accept: "*/*"))
        #expect(ImageGuess.isLikely(url: "http://a/b", accept: "image/avif,image/webp"))
        #expect(ImageGuess.isImage(status: 200, contentType: "Image/PNG", isLikely: false))
        #expect(!ImageGuess.isImage(status: 200, contentType: "text/html", isLikely: true))
        #expect(!ImageGuess.isImage(status: 302, contentType: nil, isLikely: true))
        #expect(ImageGuess.isImage(status: 404, contentType: "text/html", isLikely: true))
        #expect(ImageGuess.isImage(status: 200, contentType: "application/octet-stream", isLikely: true))
    }
}
