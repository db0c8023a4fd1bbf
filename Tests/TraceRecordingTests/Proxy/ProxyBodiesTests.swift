import Basics
import CacheTiers
import CacheTraces
import Foundation
import SessionModel
import Testing

@testable import TraceRecording

@Suite("Proxy: stored bodies")
struct ProxyBodiesTests {
    /// Two URLs with the same content, one with another, one with an incomplete body.
    private static let contents = [
        "/a.png": "the same", "/b.png": "the same", "/c.png": String(repeating: "other", count: 60_000),
    ]

    private static func upstream() -> RawUpstream {
        RawUpstream { connection, head in
            let path = String(head.split(separator: " ")[1])
            guard let content = contents[path] else {
                connection.send("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 99\r\n\r\nhalf")
                return false
            }
            return connection.send(
                "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: \(content.utf8.count)\r\n\r\n\(content)")
        }
    }

    @Test("Each complete content is stored once, by its SHA-256, and the origin serves it unchanged")
    func keepsAndServes() throws {
        try withProxyScratch { folder in
            let upstream = Self.upstream()
            let bodies = folder.appendingPathComponent("bodies").path
            let trace = try proxying(upstream.address, { $0.bodies = bodies }) { proxy in
                for path in ["/a.png", "/b.png", "/c.png", "/broken.png", "/a.png"] { _ = proxy.ask("GET \(path)") }
                #expect(proxy.counts.keptBodies == 2 && proxy.counts.knownBodies == 2)
            }
            let index = try BodyIndex(folder: bodies)
            #expect(index.entries.count == 3 && index.entries.values.allSatisfy { $0.count == 1 })
            for (path, content) in Self.contents {
                let entry = try #require(index.entries[upstream.address + path]?.first)
                #expect(
                    entry.sha256 == Digest.of(Array(content.utf8), .sha256).hexadecimal)
                #expect(FileManager.default.contents(atPath: index.path(entry)) == Data(content.utf8))
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: bodies + "/incoming").isEmpty)

            let files = try index.bodies(of: trace)
            #expect(files.map { $0 != nil } == [true, true, true, false])
            try serving(
                trace,
                { options in
                    for (object, entry) in files.enumerated() {
                        options.bodies[ObjectID(object)] = entry.map(index.path)
                    }
                }
            ) { origin in
                let client = try makeClient()
                for (object, entry) in files.enumerated() where entry != nil {
                    let payload = try #require(client.fetch(origin.url(ObjectID(object))).payload)
                    let path = String(trace.objects[object].key.dropFirst(upstream.address.count))
                    #expect(Array(payload.bytes) == Array((Self.contents[path] ?? "").utf8))
                }
                // A body that is deleted while it is served resets the connection.
                let entry = try #require(files[2])
                try FileManager.default.removeItem(atPath: index.path(entry))
            }
            #expect(throws: TraceError.self, "a file that the index names is missing") { try index.bodies(of: trace) }
        }
    }

    @Test("A later recording adds to the folder, after removing an incomplete line; two at once are an error")
    func addsLater() throws {
        try withProxyScratch { folder in
            let upstream = Self.upstream()
            let bodies = folder.appendingPathComponent("bodies").path
            try proxying(upstream.address, { $0.bodies = bodies }) { proxy in
                _ = proxy.ask("GET /a.png")
                let error = #expect(throws: ProxyError.self) {
                    try proxying(upstream.address, { $0.bodies = bodies }) { _ in }
                }
                #expect(error?.kind == .bodies)
            }
            let file = URL(fileURLWithPath: BodyIndex.file(in: bodies))
            try (Data(contentsOf: file) + Data(#"{"key":"http://x/brok"#.utf8)).write(to: file)
            try Data("half".utf8).write(to: URL(fileURLWithPath: bodies + "/incoming/7"))
            try proxying(upstream.address, { $0.bodies = bodies }) { proxy in
                _ = proxy.ask("GET /a.png")
                _ = proxy.ask("GET /c.png")
            }
            let index = try BodyIndex(folder: bodies)
            #expect(index.entries.keys.sorted() == [upstream.address + "/a.png", upstream.address + "/c.png"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: bodies + "/incoming").isEmpty)
        }
    }

    @Test("An invalid index is an error with its line, and names no file outside the folder")
    func badIndex() throws {
        try withProxyScratch { folder in
            #expect(throws: TraceError.self) { try BodyIndex(folder: folder.path) }
            let file = folder.appendingPathComponent("index.jsonl")
            for line in [
                #"{"key":"a","sha256":"../../../../etc/passwd","bytes":9}"#, "nonsense", #"{"key":"a"}"#, "[]",
            ] {
                try Data("\(line)\n".utf8).write(to: file)
                let error = #expect(throws: TraceError.self) { try BodyIndex(folder: folder.path) }
                #expect(error?.place == .line(1))
            }
        }
    }
}
