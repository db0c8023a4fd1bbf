import Testing

@testable import Playground

@Suite("Answers are kept in a bounded number of bytes")
struct BoundedCacheTests {
    @Test("What was asked for longest ago leaves first")
    func order() {
        let cache = BoundedCache<Int>(limit: 10_000)
        for number in 0..<8 { cache.keep(number, of: "\(number)", bytes: 1_000) }
        // 8 · (1,000 + 1 + 128) bytes.
        #expect(cache.bytes == 9_032)
        #expect(cache.value(of: "0") == 0)
        cache.keep(8, of: "8", bytes: 1_000)
        // 10,161 bytes are too many. Two leave, to an eighth below the limit.
        #expect(cache.value(of: "1") == nil && cache.value(of: "2") == nil)
        #expect(cache.value(of: "0") == 0 && cache.value(of: "3") == 3 && cache.value(of: "8") == 8)
        #expect(cache.bytes == 7 * 1_129)
    }

    @Test("A value in the place of another one counts once, and one above the limit is not kept")
    func replacing() {
        let cache = BoundedCache<String>(limit: 2_000)
        cache.keep("a", of: "key", bytes: 100)
        cache.keep("b", of: "key", bytes: 200)
        #expect(cache.value(of: "key") == "b")
        #expect(cache.bytes == 200 + 3 + 128 && cache.count == 1)
        cache.keep("c", of: "large", bytes: 2_000)
        #expect(cache.value(of: "large") == nil && cache.count == 1)
    }
}
