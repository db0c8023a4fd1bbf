import CacheTraces
import NIOCore
import SessionModel
import Testing

@testable import TraceRecording

@Suite("The simulated network") struct NetworkShapeTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    /// When each piece of a body is due, in milliseconds from the request.
    private func pieces(_ count: Int, connection: UInt64 = 1, _ change: (inout NetworkShape) -> Void) -> [(
        bytes: Int, at: Double
    )] {
        var shape = NetworkShape()
        change(&shape)
        var link = ShapedLink(shape, connection: connection)
        _ = link.begin(at: start)
        var left = count
        var pieces: [(Int, Double)] = []
        while left > 0 {
            let (bytes, due) = link.next(left: left)
            pieces.append((bytes, Double((due - start).nanoseconds) / 1e6))
            left -= bytes
        }
        return pieces
    }

    @Test("Latency delays everything by a round trip")
    func latency() {
        let pieces = pieces(600_000) { $0.latency = .milliseconds(80) }
        #expect(pieces.map(\.bytes).reduce(0, +) == 600_000)
        #expect(pieces.allSatisfy { $0.at == 80 })
    }

    @Test("A megabyte at 8 Mbps takes a second for pieces of any size, and arrives evenly")
    func bandwidth() throws {
        let pieces = pieces(1_000_000) {
            $0.latency = .milliseconds(50)
            $0.bytesPerSecond = 1e6
        }
        #expect(pieces.map(\.bytes).reduce(0, +) == 1_000_000)
        #expect(abs(try #require(pieces.last).at - 1_050) < 0.1)
        var sent = 0
        for piece in pieces {
            sent += piece.bytes
            #expect(piece.at >= 50 + Double(sent) / 1_000 - 0.1)
        }
    }

    @Test("Connections share a link: two bodies of 500 kB at 8 Mbps take a second together, in equal parts")
    func sharedLink() throws {
        var shape = NetworkShape()
        shape.latency = .milliseconds(50)
        shape.linkBytesPerSecond = 1e6
        let queue = LinkQueue(bytesPerSecond: 1e6)
        var links = (0..<2).map { ShapedLink(shape, connection: $0, link: queue) }
        var left = [500_000, 500_000]
        // Each connection asks for its next piece when its last one has been delivered, after the latency of the head.
        var due = links.indices.map { links[$0].begin(at: start) }
        #expect(due == [start + .milliseconds(50), start + .milliseconds(50)])
        var ends = due
        while let next = left.indices.filter({ left[$0] > 0 }).min(by: { due[$0] < due[$1] }) {
            let piece = links[next].next(left: left[next])
            left[next] -= piece.bytes
            (due[next], ends[next]) = (piece.due, piece.due)
        }
        for end in ends { #expect(abs(Double((end - start).nanoseconds) / 1e6 - 1_050) < 5) }
    }

    @Test("Segments behind a lost one wait for it, and then arrive together, in order")
    func loss() throws {
        let pieces = pieces(1_000_000) {
            $0.latency = .milliseconds(100)
            $0.bytesPerSecond = 1e6
            $0.loss = 0.02
        }
        #expect(zip(pieces, pieces.dropFirst()).allSatisfy { $0.at <= $1.at })
        #expect(pieces.map(\.bytes).reduce(0, +) == 1_000_000)
        // 685 segments, some 14 of them lost. While one is missing for 100 ms, 100 KB accumulate behind it.
        #expect(pieces.contains { $0.bytes > 50_000 })
        #expect(try #require(pieces.last).at >= 1_100)
    }

    @Test("A loss near the end, with no segments behind it, takes a timeout")
    func tailLoss() throws {
        // One segment each, on enough connections for both cases.
        let times = Set(
            (1...200).map { connection in
                pieces(1_000, connection: connection) {
                    $0.latency = .milliseconds(100)
                    $0.loss = 0.1
                }[0].at
            })
        #expect(times.contains(100))
        #expect(times.contains(400))  // The latency, and a timeout of a round trip and 200 ms.
        #expect(times.subtracting([100, 400, 1_000, 2_200, 4_600]).isEmpty)
    }

    @Test("The same seed has the same losses, another seed others")
    func seeded() {
        func times(_ seed: UInt64) -> [Double] {
            pieces(500_000) {
                $0.loss = 0.05
                $0.bytesPerSecond = 1e6
                $0.latency = .milliseconds(10)
                $0.seed = seed
            }.map(\.at)
        }
        #expect(times(1) == times(1))
        #expect(times(1) != times(2))
    }

    @Test("A response takes at least the time of the simulated network")
    func recorded() throws {
        let folder = try GalleryFolder()
        // 99,834 bytes of pixels and row heads
        try folder.write("kite.png", testPNG(width: 200, height: 166, shade: 7))
        try withGallery(folder) {
            $0.network.latency = .milliseconds(60)
            $0.network.bytesPerSecond = 500_000
        } _: { server in
            _ = server.hello("browser01")
            for _ in 0..<2 { #expect(server.ask("GET /full/0?c=browser01").hasPrefix("HTTP/1.1 200 ")) }
            #expect(eventually { server.progress.first?.fetches == 2 })
        }
        for case .fetch(_, let fetch) in try Trace(contentsOf: folder.trace).events.map(\.action) {
            #expect(try #require(fetch.timeToFirstByte) >= 60_000)
            // The first piece arrives after the latency, the rest at the link's rate.
            #expect(try #require(fetch.duration) >= 60_000 + 199_000)
        }
    }
}
