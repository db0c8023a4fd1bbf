import Basics
import Foundation
import ReplayEngine
import SessionModel

/// What became of calls from several threads.
public struct ConcurrentResult: Sendable {
    public var calls = 0
    public var hits = 0
    /// Images of other keys, errors, and images that were never stored: descriptions of the first ten.
    public var faults: [String] = []
}

extension Session {
    /// Calls a cache from several threads at once, as an app does: each thread takes the next request of the session,
    /// looks its image up, and stores it if the cache has none. Warnings and removals happen between them.
    ///
    /// - Returns: When all requests are done. Run the test with `--sanitize=thread` to find data races.
    /// - Throws: ``CacheCallError`` if the threads do not end within `longestTime` seconds, or cannot be created.
    public func call<Cache: ImageCaching & AnyObject & Sendable>(
        _ cache: Cache, fromThreads threads: Int, longestTime: Double = 60
    ) async throws -> ConcurrentResult where Cache.Image == SessionImage {
        let names = names()
        let images = Locked(images(names))
        let next = Locked(0)
        let total = Locked(ConcurrentResult())
        let events = trace.events
        let ended = DispatchSemaphore(value: 0)
        for _ in 0..<max(1, threads) {
            try DetachedThread.start {
                var calls = ThreadCalls(cache: cache, names: names)
                while let event = next.withLock({ next in
                    defer { next += 1 }
                    return next < events.count ? events[next] : nil
                }) {
                    calls.make(event.action) { key in images.withLock { $0.image(key) } }
                }
                let done = calls.result
                total.withLock {
                    $0.calls += done.calls
                    $0.hits += done.hits
                    $0.faults = Array(($0.faults + done.faults).prefix(10))
                }
                ended.signal()
            }
        }
        try await Self.wait(for: max(1, threads), ended, atMost: longestTime)
        return total.withLock { $0 }
    }

    private static func wait(for threads: Int, _ ended: DispatchSemaphore, atMost longestTime: Double) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            do {
                try DetachedThread.start {
                    let end = DispatchTime.now() + longestTime
                    for _ in 0..<threads where ended.wait(timeout: end) == .timedOut {
                        return continuation.resume(
                            throwing: CacheCallError(
                                """
                                \(threads) threads that call the cache have not ended after \(longestTime) s: look for \
                                a deadlock, or raise longestTime
                                """))
                    }
                    continuation.resume()
                }
            } catch { continuation.resume(throwing: error) }
        }
    }
}

/// The calls of one thread.
private struct ThreadCalls<Cache: ImageCaching> where Cache.Image == SessionImage {
    var cache: Cache
    let names: KeyNames
    private(set) var result = ConcurrentResult()

    init(cache: Cache, names: KeyNames) { (self.cache, self.names) = (cache, names) }

    mutating func make(_ action: TraceEvent.Action, image: (OwnCacheKey) -> SessionImage) {
        switch action {
        case .appear(let object, let variant), .prefetch(let object, let variant):
            show(image(OwnCacheKey(object: Int(object), isThumbnail: variant == .thumbnail)))
        case .remove(let object):
            for number in [Int(object) * 2, Int(object) * 2 + 1] {
                let key = names.text(number)
                attempt(key) { try $0.removeImage(forKey: key) }
            }
        case .memoryWarning: attempt("memory warning") { try $0.didReceiveMemoryWarning() }
        case .background: attempt("background") { try $0.didEnterBackground() }
        case .terminate: attempt("relaunch") { try $0.removeAllImages() }
        case .disappear, .scroll, .fetch, .foreground, .list, .served: break
        }
    }

    /// Looks an image up, and stores it if the cache has none.
    private mutating func show(_ image: SessionImage) {
        var found: SessionImage?
        attempt(image.key) { found = try $0.image(forKey: image.key) }
        guard let found else {
            return attempt(image.key) { try $0.store(image, forKey: image.key, cost: image.bitmapBytes) }
        }
        result.hits += 1
        if found.id != image.id { result.faults.append("\(image.key): got \(found.key)") }
    }

    private mutating func attempt(_ key: String, _ body: (inout Cache) throws -> Void) {
        result.calls += 1
        do { try body(&cache) } catch { result.faults.append("\(key): \(error)") }
    }
}
