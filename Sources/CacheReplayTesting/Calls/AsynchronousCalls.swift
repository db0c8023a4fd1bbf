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
        let work: @Sendable () async -> Void = {
            let value: Result<Value, any Error>
            do { value = .success(try await body()) } catch { value = .failure(error) }
            result.withLock { $0 = value }
        }
        if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
            CallingThread().run(work)
        } else {
            let ended = DispatchSemaphore(value: 0)
            Task.detached {
                await work()
                ended.signal()
            }
            ended.wait()
        }
        guard let value = result.withLock({ $0 }) else { throw CacheCallError("the call has no result") }
        return try value.get()
    }
}

/// Runs one call of a cache on the thread that waits for it. On Swift's threads, the call would wait behind all other
/// tests of an app that have begun, since there are only as many of these threads as processors.
///
/// Unchecked Sendable: the condition guards the variables.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
private final class CallingThread: TaskExecutor, @unchecked Sendable {
    private let condition = NSCondition()
    private var jobs: [UnownedJob] = []
    private var hasEnded = false

    /// Returns when `body` has returned.
    func run(_ body: @escaping @Sendable () async -> Void) {
        Task.detached(executorPreference: self) {
            await body()
            self.condition.withLock {
                self.hasEnded = true
                self.condition.signal()
            }
        }
        while let job = next() { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// The next part of the call, once there is one, or nil after the last.
    private func next() -> UnownedJob? {
        condition.withLock {
            while jobs.isEmpty && !hasEnded { condition.wait() }
            return jobs.isEmpty ? nil : jobs.removeFirst()
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isLate = condition.withLock {
            guard !hasEnded else { return true }
            jobs.append(job)
            condition.signal()
            return false
        }
        // An actor that others call too can ask for a thread after this call has ended.
        if isLate { DispatchQueue.global().async { job.runSynchronously(on: self.asUnownedTaskExecutor()) } }
    }
}
