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
                var own = ConcurrentResult()
                var cache = cache
                func attempt(_ key: String, _ body: () throws -> Void) {
                    own.calls += 1
                    do { try body() } catch { own.faults.append("\(key): \(error)") }
                }
                while true {
                    let index = next.withLock { next in
                        defer { next += 1 }
                        return next
                    }
                    guard index < events.count else { break }
                    switch events[index].action {
                    case .appear(let object, let variant), .prefetch(let object, let variant):
                        let image = images.withLock {
                            $0.image(OwnCacheKey(object: Int(object), isThumbnail: variant == .thumbnail))
                        }
                        var found: SessionImage?
                        attempt(image.key) { found = try cache.image(forKey: image.key) }
                        if let found {
                            own.hits += 1
                            if found.id != image.id { own.faults.append("\(image.key): got \(found.key)") }
                        } else {
                            attempt(image.key) {
                                try cache.store(image, forKey: image.key, cost: image.bitmapBytes)
                            }
                        }
                    case .remove(let object):
                        for number in [Int(object) * 2, Int(object) * 2 + 1] {
                            let key = names.text(number)
                            attempt(key) { try cache.removeImage(forKey: key) }
                        }
                    case .memoryWarning: attempt("memory warning") { try cache.didReceiveMemoryWarning() }
                    case .background: attempt("background") { try cache.didEnterBackground() }
                    case .terminate: attempt("relaunch") { try cache.removeAllImages() }
                    case .disappear, .scroll, .fetch, .foreground, .list, .served: break
                    }
                }
                let done = own
                total.withLock {
                    $0.calls += done.calls
                    $0.hits += done.hits
                    $0.faults = Array(($0.faults + done.faults).prefix(10))
                }
                ended.signal()
            }
        }
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            do {
                try DetachedThread.start {
                    let end = DispatchTime.now() + longestTime
                    for _ in 0..<max(1, threads) where ended.wait(timeout: end) == .timedOut {
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
        return total.withLock { $0 }
    }
}
