#if canImport(FoundationNetworking)
import Basics
import CachePolicies
import CacheTiers
import Foundation
import FoundationNetworking
import MeasuredTiers
import TestSupport
import Testing

/// What the preset `corelibs-urlcache` says of the class.
@Suite("URLCache of swift-corelibs-foundation")
struct CorelibsURLCacheTests {
    @Test("Keys have neither scheme nor query: a lookup returns the response of another URL")
    func keys() throws {
        let cache = URLCache(memoryCapacity: 1_000_000, diskCapacity: 0, diskPath: nil)
        try cache.store(Data("100 pixels wide".utf8), at: "https://ex.com/i?w=100")
        #expect(try cache.body(at: "http://EX.com/i?w=999") == Data("100 pixels wide".utf8))
    }

    @Test(
        "A path whose name in Base64 is longer than 255 bytes is never found on disk",
        arguments: [(20, true), (180, false)])
    func longPaths(length: Int, isFound: Bool) throws {
        let folder = try TemporaryFolder()
        let cache = URLCache(memoryCapacity: 0, diskCapacity: 10_000_000, diskPath: folder.path + "/cache")
        let address = "https://ex.com/" + String(repeating: "a", count: length)
        try cache.store(Data("bytes".utf8), at: address)
        #expect(try (cache.body(at: address) != nil) == isFound)
    }

    @Test("A second store of a key ends the process at a later eviction")
    func trap() async {
        // a (300 bytes), b (600) and c (900): each of the last two stores evicts.
        await #expect(processExitsWith: .failure) {
            let cache = URLCache(memoryCapacity: 1_000, diskCapacity: 0, diskPath: nil)
            for (name, count) in [("a", 300), ("a", 300), ("b", 600), ("c", 900)] {
                try cache.store(Data(count: count), at: "https://ex.com/\(name)")
            }
        }
        await #expect(processExitsWith: .success) {
            let cache = URLCache(memoryCapacity: 1_000, diskCapacity: 0, diskPath: nil)
            for (name, count) in [("a", 300), ("b", 600), ("c", 900)] {
                try cache.store(Data(count: count), at: "https://ex.com/\(name)")
            }
        }
    }

    @Test("Memory is first in, first out, without entries as large as the capacity", arguments: [100, 1_000])
    func memory(capacity: Int) throws {
        let cache = URLCache(memoryCapacity: capacity, diskCapacity: 0, diskPath: nil)
        let tier = MemoryTier(
            try PolicyContext().policy("fifo(\(capacity)B)"),
            entryRule: EntryRule(limit: capacity - 1, oversize: .ignored))
        var random = SplitMix64(seed: UInt64(capacity))
        var hits = 0
        for operation in 0..<20_000 {
            let address = "https://ex.com/\(random.next(below: 40))"
            switch random.next(below: 100) {
            case 0..<45:
                let found = try cache.body(at: address)
                try #require(found?.count == tier.payload(for: address)?.payload.count, "operation \(operation)")
                if found != nil { hits += 1 }
            case 45..<95:
                let count =
                    random.next(below: 50) == 0 ? capacity + random.next(below: 2) : 1 + random.next(below: 40)
                // An app must remove an entry before it stores another one under its key.
                if count < capacity { try cache.remove(address) }
                try cache.store(Data(count: count), at: address)
                let payload = Payload(count: count) { _ = $0.initializeMemory(as: UInt8.self, repeating: 0) }
                tier.store(payload, for: address)
            case 95..<99:
                try cache.remove(address)
                tier.remove(address)
            default:
                guard random.next(below: 20) == 0 else { continue }
                cache.removeAllCachedResponses()
                tier.clear()
            }
            try #require(cache.currentMemoryUsage == tier.occupancy.bytes, "operation \(operation)")
        }
        #expect(hits > 500)
    }
}

extension URLCache {
    /// Stores a response that may be cached for an hour.
    fileprivate func store(_ body: Data, at address: String) throws {
        let url = try #require(URL(string: address))
        let response = try #require(
            HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: ["Cache-Control": "max-age=3600"]))
        storeCachedResponse(CachedURLResponse(response: response, data: body), for: URLRequest(url: url))
    }

    fileprivate func body(at address: String) throws -> Data? {
        cachedResponse(for: URLRequest(url: try #require(URL(string: address))))?.data
    }

    fileprivate func remove(_ address: String) throws {
        removeCachedResponse(for: URLRequest(url: try #require(URL(string: address))))
    }
}
#endif
