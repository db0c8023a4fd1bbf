#if canImport(FoundationNetworking)
    import Foundation
    import FoundationNetworking

    // Linux's own classes, as specimens: what an app meets that is built there. Each step runs the class itself, not a model of it.
    extension Demonstration {
        static let foundationDemonstrations = [
            Demonstration(
                "wrong-bytes-from-urlcache", "URLCache of swift-corelibs-foundation answers one URL with the bytes of another.",
                meaning: "Its names hold host, port and path. Scheme and query are left out: every size of an image service is one entry."
            ) { report in
                report.begin("URLCache of this machine's Foundation")
                let cache = URLCache(memoryCapacity: 1_000_000, diskCapacity: 0, diskPath: nil)
                try store("100 pixels wide", at: "https://ex.com/i?w=100", in: cache)
                let other = cache.cachedResponse(for: URLRequest(url: try url("http://EX.com/i?w=999")))
                report.step(
                    "store https://ex.com/i?w=100, look up http://EX.com/i?w=999", expected: "100 pixels wide",
                    other.map { String(decoding: $0.data, as: UTF8.self) } ?? "miss")
            },
            Demonstration(
                "long-paths-never-stored", "URLCache of swift-corelibs-foundation never finds a long path on disk.",
                meaning: "The path in base64 is the file's name, and names end at 255 bytes: a path of some 180 characters is too long."
            ) { report in
                for (length, expected) in [(20, "hit"), (180, "miss")] {
                    report.begin("URLCache of this machine's Foundation, on disk alone")
                    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cachereplay-\(UUID().uuidString)")
                    defer { try? FileManager.default.removeItem(at: folder) }
                    let cache = URLCache(memoryCapacity: 0, diskCapacity: 10_000_000, diskPath: folder.path)
                    let address = "https://ex.com/" + String(repeating: "a", count: length)
                    try store("bytes", at: address, in: cache)
                    let found = cache.cachedResponse(for: URLRequest(url: try url(address)))
                    report.step("store a path of \(length) characters, look it up", expected: expected, found == nil ? "miss" : "hit")
                }
            },
        ]

        private static func url(_ text: String) throws -> URL {
            guard let url = URL(string: text) else { throw ReplayError("'\(text)' is no URL") }
            return url
        }

        private static func store(_ body: String, at address: String, in cache: URLCache) throws {
            let url = try url(address)
            guard let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: ["Cache-Control": "max-age=3600"]) else {
                throw ReplayError("no response for \(address)")
            }
            cache.storeCachedResponse(CachedURLResponse(response: response, data: Data(body.utf8)), for: URLRequest(url: url))
        }
    }
#else
    extension Demonstration {
        /// Specimens of Linux's Foundation: not here.
        static let foundationDemonstrations: [Demonstration] = []
    }
#endif
