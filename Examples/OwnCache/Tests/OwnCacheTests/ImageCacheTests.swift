import CacheReplayTesting
import Foundation
import OwnCache
import Testing

extension ImageCache<SessionImage>: ImageCaching {
    public func image(forKey key: String) -> SessionImage? { picture(for: key) }
    public func store(_ image: SessionImage, forKey key: String, cost: Int) { keep(image, for: key, bytes: cost) }
    public func removeImage(forKey key: String) { forget(key) }
    public func removeAllImages() { forgetAll() }
    public func didReceiveMemoryWarning() { forgetAll() }
}

@Suite struct ImageCacheTests {
    /// A session that was recorded in the app; here, one of CacheReplay's own.
    let session: Session

    init() throws { session = try Session(recordedSession("photo-feed")) }

    @Test func showsImagesSoonEnough() async throws {
        let result = try await session.replay(through: ImageCache<SessionImage>(limit: 64_000_000))
        // One limit for each figure that matters. The error of a limit that is exceeded has the figure.
        try result.check("blank_ratio<2%", "hit_ratio>=50%", "latency_p50_us<50ms")
    }

    @Test func hasMoreHitsWithMoreMemory() async throws {
        let small = try await session.replay(through: ImageCache<SessionImage>(limit: 8_000_000))
        let large = try await session.replay(through: ImageCache<SessionImage>(limit: 256_000_000))
        #expect(large.memoryHits > small.memoryHits)
    }
}
