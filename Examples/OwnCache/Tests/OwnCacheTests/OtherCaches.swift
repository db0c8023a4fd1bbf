import CacheReplayTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The path of a session that comes with CacheReplay.
func recordedSession(_ name: String) -> String {
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 1...5 { folder.deleteLastPathComponent() }
    return folder.appendingPathComponent("Traces/\(name).jsonl").path
}

/// Foundation's URLCache, as a cache of data.
struct ResponseCache: DataCaching {
    private let cache = URLCache(memoryCapacity: 20_000_000, diskCapacity: 0, diskPath: nil)

    private func request(_ key: String) -> URLRequest? {
        // Two URLs for the two sizes of an image. (URLCache ignores what follows a number sign; that of
        // swift-corelibs-foundation 6.3 also ignores the query.)
        let name = Data(key.utf8).base64EncodedString().replacingOccurrences(of: "/", with: "_")
        return URL(string: "https://images.example/\(name)").map { URLRequest(url: $0) }
    }

    func data(forKey key: String) -> Data? { request(key).flatMap { cache.cachedResponse(for: $0)?.data } }

    func store(_ data: Data, forKey key: String) {
        guard let request = request(key), let url = request.url else { return }
        let headers = ["Cache-Control": "max-age=86400", "Content-Length": "\(data.count)"]
        guard let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: headers)
        else { return }
        cache.storeCachedResponse(CachedURLResponse(response: response, data: data), for: request)
    }

    func removeData(forKey key: String) {
        if let request = request(key) { cache.removeCachedResponse(for: request) }
    }
}

/// A dictionary that forgets half of what it holds when it has 50 images.
actor HalvingCache: AsyncImageCaching {
    private var images: [String: SessionImage] = [:]
    private var order: [String] = []

    func image(forKey key: String) -> SessionImage? { images[key] }

    func store(_ image: SessionImage, forKey key: String, cost: Int) {
        if images.updateValue(image, forKey: key) == nil { order.append(key) }
        guard order.count > 50 else { return }
        for key in order.prefix(25) { images[key] = nil }
        order.removeFirst(25)
    }

    func removeImage(forKey key: String) {
        images[key] = nil
        order.removeAll { $0 == key }
    }

    func removeAllImages() { (images, order) = ([:], []) }
}

/// A dictionary with a defect: its keys are file names without folders, so thumbnails and full images are mixed up.
struct CarelessCache: ImageCaching {
    private var images: [Substring: SessionImage] = [:]

    private func name(_ key: String) -> Substring { key.prefix { $0 != "#" }.split(separator: "/").last ?? "" }

    func image(forKey key: String) -> SessionImage? { images[name(key)] }
    mutating func store(_ image: SessionImage, forKey key: String, cost: Int) { images[name(key)] = image }
    mutating func removeImage(forKey key: String) { images[name(key)] = nil }
    mutating func removeAllImages() { images = [:] }
}

@Suite struct OtherCacheTests {
    let session: Session

    init() throws { session = try Session(recordedSession("stress-grid")) }

    @Test func urlCacheAsDisk() async throws {
        let result = try await session.replay(through: HalvingCache(), disk: ResponseCache())
        #expect(try #require(result["disk_hits"]) > 0)
        #expect(result.faults.isEmpty)
    }

    @Test func actor() async throws {
        let result = try await session.replay(through: HalvingCache(), options: .timing(.modelled))
        #expect(result.memoryHits > .percent(1))
        #expect(result.faults.isEmpty)
    }

    @Test func theDefectIsFound() async throws {
        let result = try await session.replay(through: CarelessCache(), options: .timing(.modelled))
        #expect(result.faults.map(\.kind) == [.wrongImage])
    }
}
