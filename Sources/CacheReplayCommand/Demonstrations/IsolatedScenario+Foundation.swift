#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import ReplayEngine
import Synchronization

extension IsolatedScenario {
    static let foundationScenarios = [
        IsolatedScenario("urlcache-stored-twice") { done in try store(["a", "a", "b", "c"], done) },
        IsolatedScenario("urlcache-stored-once") { done in try store(["a", "b", "c"], done) },
        // This scenario does not end its process. It needs an environment without a proxy for the loopback interface.
        IsolatedScenario("urlsession-fetches-twice") { done in
            let server = try CountingServer(response: image)
            defer { server.end() }
            let cache = URLCache(memoryCapacity: 10_000_000, diskCapacity: 0, diskPath: nil)
            let settings = URLSessionConfiguration.default
            settings.urlCache = cache
            let session = URLSession(configuration: settings)
            defer { session.invalidateAndCancel() }
            let address = "\(server.address)/image.jpg"
            for _ in 0..<2 { try done(try fetch(address, by: session)) }
            try done("\(server.requests)")
            try done("\(cache.currentMemoryUsage + cache.currentDiskUsage)")
            try cache.store("the same image", at: address)
            try done(cache.response(at: address) == nil ? "miss" : "hit")
        },
    ]

    private static func store(_ names: [String], _ done: (String) throws -> Void) throws {
        let sizes = ["a": 300, "b": 600, "c": 900]
        let cache = URLCache(memoryCapacity: 1_000, diskCapacity: 0, diskPath: nil)
        for name in names {
            try cache.store(String(repeating: "x", count: sizes[name] ?? 0), at: "https://ex.com/\(name)")
            try done(name)
        }
    }

    /// A response of 1,000 bytes that may be cached for an hour.
    private static let image: Data = {
        let head = [
            "HTTP/1.1 200 OK", "Content-Type: image/jpeg", "Content-Length: 1000", "Cache-Control: max-age=3600",
            "Connection: close", "", "",
        ]
        return Data(head.joined(separator: "\r\n").utf8) + Data(repeating: 1, count: 1_000)
    }()

    private static func fetch(_ address: String, by session: URLSession) throws -> String {
        let outcome = Mutex("no response")
        let isDone = DispatchSemaphore(value: 0)
        let task = session.dataTask(with: try URLRequest(address)) { data, response, error in
            let status =
                (response as? HTTPURLResponse).map { "\($0.statusCode)" } ?? error.map { "\($0)" } ?? "no response"
            outcome.withLock { $0 = "\(status), \(data?.count ?? 0) bytes" }
            isDone.signal()
        }
        task.resume()
        isDone.wait()
        return outcome.withLock { $0 }
    }
}

extension URLRequest {
    init(_ address: String) throws {
        guard let url = URL(string: address) else { throw ReplayError("'\(address)' is not a URL") }
        self.init(url: url)
    }
}

extension URLCache {
    /// Stores a response that may be cached for an hour.
    func store(_ body: String, at address: String) throws {
        let request = try URLRequest(address)
        guard let url = request.url,
            let response = HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: ["Cache-Control": "max-age=3600"])
        else { throw ReplayError("cannot create a response for \(address)") }
        storeCachedResponse(CachedURLResponse(response: response, data: Data(body.utf8)), for: request)
    }

    func response(at address: String) throws -> CachedURLResponse? { cachedResponse(for: try URLRequest(address)) }
}
#else
extension IsolatedScenario {
    static let foundationScenarios: [IsolatedScenario] = []
}
#endif
