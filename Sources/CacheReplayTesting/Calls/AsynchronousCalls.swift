import Basics
import Foundation
import ReplayEngine

/// Calls a cache whose functions are asynchronous: the thread of the replay, which is none of Swift's own, waits for
/// each of them.
final class AsynchronousCalls<Cache: AsyncImageCaching>: OwnCacheStore {
    private let cache: Cache
    private let conversion: ImageConversion<Cache.Image>
    private let images: SessionImages
    private let names: KeyNames
    private let watch: CallWatch

    init(
        _ cache: Cache, _ conversion: ImageConversion<Cache.Image>, _ images: SessionImages, _ names: KeyNames,
        _ watch: CallWatch
    ) {
        self.cache = cache
        self.conversion = conversion
        self.images = images
        self.names = names
        self.watch = watch
    }

    func find(_ key: OwnCacheKey) throws -> OwnCacheAnswer {
        let (cache, text) = (cache, names.text(key.number))
        let found = try call(.find, key.number) { try await cache.image(forKey: text) }
        guard let image = found else { return .nothing }
        return conversion.identify(image).map { .image(OwnCacheKey($0)) } ?? .unknown
    }

    func store(_ image: OwnCacheKey, under key: OwnCacheKey, cost: Int) throws {
        let (cache, text) = (cache, names.text(key.number))
        let made = conversion.make(images.image(image))
        try call(.store, key.number) { try await cache.store(made, forKey: text, cost: cost) }
    }

    func remove(_ key: OwnCacheKey) throws {
        let (cache, text) = (cache, names.text(key.number))
        try call(.remove, key.number) { try await cache.removeImage(forKey: text) }
    }

    func notice(_ event: SystemEvent) throws {
        let cache = cache
        switch event {
        case .memoryWarning: try call(.memoryWarning, 0) { try await cache.didReceiveMemoryWarning() }
        case .background: try call(.background, 0) { try await cache.didEnterBackground() }
        case .relaunch: try call(.removeAll, 0) { try await cache.removeAllImages() }
        }
    }

    var heldBytes: Int? {
        get throws {
            let cache = cache
            return try call(.heldBytes, 0) { try await cache.heldBytes }
        }
    }

    private func call<Value: Sendable>(
        _ call: CallWatch.Call, _ number: Int, _ body: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
        watch.begin(call, number)
        defer { watch.end() }
        let result = Locked<Result<Value, any Error>?>(nil)
        let ended = DispatchSemaphore(value: 0)
        Task.detached {
            let value: Result<Value, any Error>
            do { value = .success(try await body()) } catch { value = .failure(error) }
            result.withLock { $0 = value }
            ended.signal()
        }
        ended.wait()
        guard let value = result.withLock({ $0 }) else { throw CacheCallError("the call has no result") }
        return try value.get()
    }
}
