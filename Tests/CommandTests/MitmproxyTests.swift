import CacheTraces
import Foundation
import SessionModel
import Testing

@testable import CacheReplayCommand

/// A real mitmproxy, which `scripts/test --thorough` installs.
private enum Mitmproxy {
    static let environment = Binary.root.appendingPathComponent(".build/test-mitmproxy")
    static let isInstalled = FileManager.default.fileExists(atPath: environment.path + "/ready")
}

@Suite(
    "The addon of mitmproxy that records an app", .namesCommands,
    .enabled(if: Mitmproxy.isInstalled, "mitmproxy is not installed; scripts/test --thorough installs it"))
struct MitmproxyTests {
    /// What a server saw while mitmproxy recorded.
    private struct Seen: Decodable {
        struct Request: Decodable {
            var method: String
            var path: String
            var `protocol`: String
            var connection: Int
            /// 0 if the server closed the connection in place of a response.
            var status: Int
            /// The bytes of the body that were sent, and whether these were all.
            var sent: Int
            var whole: Bool
        }

        var address: String
        /// The exit status of mitmproxy.
        var status: Int
        var requests: [Request]
    }

    private struct Event: Equatable {
        var key: String
        var time: Int64
    }

    /// A session, and what its server saw.
    private struct Recording {
        var trace: Trace
        var seen: Seen

        init(_ name: String, in folder: URL) throws {
            let file = folder.appendingPathComponent("\(name).jsonl")
            #expect(try Data(contentsOf: file).last == UInt8(ascii: "\n"), "\(name) ends within a line")
            trace = try Trace(contentsOf: file.path)
            seen = try JSONDecoder().decode(
                Seen.self, from: Data(contentsOf: folder.appendingPathComponent("\(name).json")))
        }

        var fetches: [(event: Event, fetch: Fetch)] {
            trace.events.compactMap { event in
                guard case .fetch(let object, let fetch) = event.action else { return nil }
                return (Event(key: trace.objects[Int(object)].key, time: event.time), fetch)
            }
        }

        var statuses: [Int] { fetches.map { $0.fetch.status } }

        /// All appearances, or the appearances of thumbnails.
        func appearances(thumbnails: Bool = false) -> [Event] {
            trace.events.compactMap { event in
                guard case .appear(let object, let variant) = event.action, !thumbnails || variant == .thumbnail else {
                    return nil
                }
                return Event(key: trace.objects[Int(object)].key, time: event.time)
            }
        }

        func object(_ path: String) -> TraceObject? { trace.objects.first { $0.key == seen.address + path } }
    }

    @Test("A session has what the server saw, over HTTP/1.1 and HTTP/2, also after Ctrl-C and a kill")
    func sessions() throws {
        try withTemporaryFolder { folder in
            let run = try Binary.execute(
                Mitmproxy.environment.appendingPathComponent("bin/python").path,
                ["scripts/recording/test_mitmproxy_addon.py", folder.path])
            try #require(run.status == 0, "\(run.output)\(run.errors)")
            try expectHTTP1(Recording("http1", in: folder), bodies: folder.path + "/bodies")
            try expectHTTP2(Recording("http2", in: folder))
            try expectEnds(in: folder)
        }
    }

    /// mitmproxy before one server. Pages, redirects and other methods are not recorded.
    private func expectHTTP1(_ recording: Recording, bodies: String) throws {
        let others: Set = ["/moved.png", "/page.jpg", "/api"]
        expectEqual(
            recording, recording.seen.requests.filter { $0.method == "GET" && !others.contains($0.path) }, keys: \.path)
        #expect(recording.trace.header.title == "Feed")
        #expect(recording.trace.header.recorder?.hasPrefix("mitmproxy ") == true)
        #expect(Set(recording.statuses) == [0, 200, 304, 404, 503])
        #expect(recording.appearances(thumbnails: true).map(\.key) == [recording.seen.address + "/thumb/1?token=a"])
        let slow = try #require(recording.fetches.first { $0.event.key.hasSuffix("/slow") })
        #expect((slow.fetch.timeToFirstByte ?? 0) >= 300_000)

        let plain = try #require(recording.object("/plain.png"))
        #expect(plain.bytes == 50_000 && plain.contentType == "image/png")
        #expect(plain.pixelWidth == 640 && plain.pixelHeight == 480)
        #expect(Set(plain.headers.map(\.name)) == ["etag", "cache-control"])
        for path in ["/broken.png", "/mute.png", "/endless.png", "/gone.png", "/busy.webp"] {
            let object = try #require(recording.object(path))
            #expect(object.bytes == nil && object.contentType == nil, "\(path) is no image")
        }

        let index = try BodyIndex(folder: bodies)
        let kept = try index.bodies(of: recording.trace)
        for (object, entry) in zip(recording.trace.objects, kept) {
            #expect((entry == nil) == (object.bytes == nil), "\(object.key)")
            guard let entry else { continue }
            let body = try Data(contentsOf: URL(fileURLWithPath: index.path(entry)))
            #expect(body.count == object.bytes && entry.contentType == object.contentType)
        }
        #expect(kept.compactMap { $0?.contentEncoding } == ["gzip"])
    }

    /// mitmproxy as the proxy of a device. Every GET request is recorded, without its query.
    private func expectHTTP2(_ recording: Recording) {
        expectEqual(recording, recording.seen.requests) { String($0.path.prefix { $0 != "?" }) }
        #expect(recording.fetches.allSatisfy { $0.fetch.networkProtocol == .http2 })
        #expect(Set(recording.statuses) == [0, 200, 302, 304, 503])
        #expect(recording.object("/broken.png")?.bytes == nil)
    }

    private func expectEnds(in folder: URL) throws {
        for name in ["interrupted", "terminated"] {
            let recording = try Recording(name, in: folder)
            expectEqual(recording, recording.seen.requests, keys: \.path)
            #expect(recording.seen.status == 0 && recording.statuses == [200, 0])
        }
        let killed = try Recording("killed", in: folder)
        #expect(killed.statuses == [200] && killed.appearances().count == 2)
        let gone = try Recording("gone", in: folder)
        #expect(gone.fetches.map { $0.fetch } == [Fetch(status: 0, bytes: 0)])
        #expect(gone.appearances().map(\.key) == ["https://localhost:1/plain.png"])
        // An appearance does not wait longer than a second for an earlier request, which then appears late.
        let late = try Recording("late", in: folder)
        #expect(late.appearances().map(\.key) == ["/2.png", "/late"].map { late.seen.address + $0 })
        #expect(late.fetches.map { $0.event.key } == ["/late", "/2.png"].map { late.seen.address + $0 })
        #expect(late.appearances()[0].time == late.appearances()[1].time)
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/empty.jsonl"), "no image was requested")
    }

    /// Expects one appearance and one fetch for each of these requests, in their order.
    private func expectEqual(_ recording: Recording, _ requests: [Seen.Request], keys: (Seen.Request) -> String) {
        let wanted = requests.map { recording.seen.address + keys($0) }
        #expect(recording.fetches.map { $0.event.key } == wanted)
        #expect(recording.fetches.map { $0.event } == recording.appearances())
        var connections: Set<Int> = []
        for ((_, fetch), request) in zip(recording.fetches, requests) {
            #expect(fetch.status == (request.whole ? request.status : 0), "\(request)")
            #expect(fetch.bytes == request.sent, "\(request)")
            let isNew = connections.insert(request.connection).inserted
            guard request.status != 0 else {
                #expect(fetch == Fetch(status: 0, bytes: 0), "\(request)")
                continue
            }
            #expect((fetch.connect != nil) == isNew, "\(request)")
            #expect(fetch.timeToFirstByte != nil && fetch.transferTime != nil, "\(request)")
            #expect(fetch.networkProtocol?.rawValue == request.protocol, "\(request)")
        }
    }
}
