import Basics
import CachePolicies
import Foundation
import ReplayEngine
import SessionModel

/// A recorded session, which is replayed through a cache of an app.
///
/// ```swift
/// let result = try await Session("feed.jsonl").replay(through: ImageCache())
/// try result.check("blank_ratio<2%", "memory_peak_bytes<64MB")
/// ```
public struct Session: Sendable {
    /// The name in results: the file's name without its ending.
    public let name: String
    private let prepared: PreparedTrace
    /// The shared link, once it was asked for.
    private let link = Locked<SharedLink?>(nil)

    private enum SharedLink { case none, estimated(ReplayJob.Network) }

    /// Reads a session in the native format of CacheReplay, as `SessionRecorder` and `cachereplay trace convert` write
    /// it.
    ///
    /// - Parameter path: A path; relative ones start at the current folder.
    /// - Throws: `TraceError` that names the file, the line and the remedy; `ReplayError` for a session that cannot
    ///   be replayed.
    public init(_ path: String) throws { try self.init(contentsOf: URL(fileURLWithPath: path)) }

    /// Reads a session, for example a resource of the test target.
    ///
    /// - Throws: As ``init(_:)``.
    public init(contentsOf file: URL) throws {
        let data: Data
        do { data = try Data(contentsOf: file) } catch {
            throw TraceError(
                .notFound, file: file.path,
                "cannot be read; expected is a session in CacheReplay's native format, such as feed.jsonl")
        }
        let trace = try data.withUnsafeBytes { try JSONLinesReader.read($0, file: file.path).trace }
        try self.init(trace, name: file.deletingPathExtension().lastPathComponent)
    }

    package init(_ trace: Trace, name: String) throws {
        self.name = name
        prepared = try PreparedTrace(trace)
    }

    /// The number of cells that appear.
    public var requests: Int {
        prepared.trace.events.count { if case .appear = $0.action { true } else { false } }
    }

    /// Replays the session through a cache: virtual time, and real calls.
    ///
    /// - Parameters:
    ///   - cache: The memory of the cache.
    ///   - disk: The disk of the cache; nil for none, or for the modelled one of ``ReplayOptions/rules``.
    ///   - network: The meaning of recorded transfer times.
    ///   - options: Rules, timing and costs of the replay.
    /// - Throws: ``CacheCallError`` for a call that does not return; `SpecError` for rules that do not exist;
    ///   `ReplayError` for the network ``SessionNetwork/shared`` without an estimate. Errors that the cache throws are
    ///   in ``SessionResult/faults``.
    public func replay<Cache: ImageCaching>(
        through cache: sending Cache, disk: sending (any DataCaching)? = nil, network: SessionNetwork = .automatic,
        options: ReplayOptions = ReplayOptions()
    ) async throws -> SessionResult where Cache.Image == SessionImage {
        try await replay(through: cache, images: .none, disk: disk, network: network, options: options)
    }

    /// Replays the session through a cache of another type of image.
    ///
    /// `images` states how images of the session become those that the cache holds, for example
    /// `.objects { UIImage(size: …) }` or `.data`.
    ///
    /// - Throws: As `replay(through:disk:network:options:)`.
    public func replay<Cache: ImageCaching>(
        through cache: sending Cache, images: sending ImageConversion<Cache.Image>,
        disk: sending (any DataCaching)? = nil, network: SessionNetwork = .automatic,
        options: ReplayOptions = ReplayOptions()
    ) async throws -> SessionResult {
        let notes = PlatformNotes.notes(of: cache)
        let parts = Handover((cache, images, disk))
        return try await run(network, options, notes) { images, names, watch in
            let (cache, conversion, disk) = parts.value
            return (
                SynchronousCalls(cache, conversion, images, names, watch),
                disk.map { Self.calls(of: $0, images, names, watch) }
            )
        }
    }

    /// Replays the session through an actor, or another cache whose functions are asynchronous.
    ///
    /// - Throws: As `replay(through:disk:network:options:)`.
    public func replay<Cache: AsyncImageCaching>(
        through cache: Cache, disk: sending (any DataCaching)? = nil, network: SessionNetwork = .automatic,
        options: ReplayOptions = ReplayOptions()
    ) async throws -> SessionResult where Cache.Image == SessionImage {
        try await replay(through: cache, images: .none, disk: disk, network: network, options: options)
    }

    /// Replays the session through an asynchronous cache of another type of image.
    ///
    /// - Throws: As `replay(through:disk:network:options:)`.
    public func replay<Cache: AsyncImageCaching>(
        through cache: Cache, images: sending ImageConversion<Cache.Image>, disk: sending (any DataCaching)? = nil,
        network: SessionNetwork = .automatic, options: ReplayOptions = ReplayOptions()
    ) async throws -> SessionResult {
        let notes = PlatformNotes.notes(of: cache)
        let parts = Handover((images, disk))
        return try await run(network, options, notes) { images, names, watch in
            let (conversion, disk) = parts.value
            return (
                AsynchronousCalls(cache, conversion, images, names, watch),
                disk.map { Self.calls(of: $0, images, names, watch) }
            )
        }
    }

    private static func calls(
        of disk: any DataCaching, _ images: SessionImages, _ names: KeyNames, _ watch: CallWatch
    ) -> any OwnCacheStore {
        func calls(_ disk: some DataCaching) -> any OwnCacheStore { DataCalls(disk, images, names, watch) }
        return calls(disk)
    }

    /// The cache that gives the rules of a replay.
    package static func configuration(_ rules: String, name: String) throws -> CacheConfiguration {
        try CacheConfiguration("memory: none; \(rules)", name: name)
    }

    func names() -> KeyNames { KeyNames(prepared.trace.objects.map(\.key)) }

    var trace: Trace { prepared.trace }

    func images(_ names: KeyNames) -> SessionImages {
        let sizes = ImageSizes(prepared.trace, sizes: prepared.trace.resolvedSizes())
        return SessionImages(zip(sizes.decoded, sizes.encoded).map { (bitmap: $0, encoded: $1) }, names)
    }

    package func job(
        cache: String, _ network: SessionNetwork, _ options: ReplayOptions
    ) throws -> ReplayJob {
        var job = ReplayJob(trace: name, cache: try Self.configuration(options.rules, name: cache))
        job.seed = options.seed
        let isInstant = if case .instant = options.timing { true } else { false }
        job.timing = .modelled(isInstant ? .instant : .standard)
        job.decode = options.decodes ?? !isInstant
        switch network {
        case .recorded: break
        // With nothing that takes time, no link is used.
        case .automatic: if !isInstant, let shared = try sharedLink() { job.network = shared }
        case .shared:
            guard let shared = try sharedLink() else {
                throw ReplayError(
                    """
                    \(name): no shared link can be estimated that reproduces the recorded transfers; use the network \
                    .automatic or .recorded
                    """)
            }
            job.network = shared
        case .profile(let profile): job.network = .profile(profile)
        }
        return job
    }

    /// Returns the shared link that reproduces the recording; nil if none does.
    private func sharedLink() throws -> ReplayJob.Network? {
        try link.withLock { link in
            switch link {
            case .estimated(let network): return network
            case .some(.none): return nil
            case nil:
                let network = try ReplayJob.Network.sharedLink(of: prepared.trace)
                link = network.map(SharedLink.estimated) ?? SharedLink.none
                return network
            }
        }
    }

    /// Replays on a thread of its own, so that neither a call that waits nor one that never returns holds one of
    /// Swift's.
    private func run(
        _ network: SessionNetwork, _ options: ReplayOptions, _ notes: [String],
        _ parts: @escaping @Sendable (SessionImages, KeyNames, CallWatch) -> (any OwnCacheStore, (any OwnCacheStore)?)
    ) async throws -> SessionResult {
        let job = try job(cache: "own", network, options)
        let (session, names) = (self, names())
        let watch = CallWatch(names)
        let isTimed = if case .calls = options.timing { true } else { false }
        return try await withCheckedThrowingContinuation { continuation in
            let answer = Answer(continuation)
            let ended = DispatchSemaphore(value: 0)
            do {
                try DetachedThread.start {
                    answer.give(
                        Result {
                            let (memory, disk) = parts(session.images(names), names, watch)
                            let replayed = try job.run(
                                session.prepared, driving: Driver(memory: memory, disk: disk, isTimed: isTimed))
                            return SessionResult(
                                replayed.result, replayed.requests, isTimed: isTimed, platformNotes: notes)
                        })
                    ended.signal()
                }
                try DetachedThread.start {
                    guard let call = watch.wait(for: ended, longestCall: options.longestCall) else { return }
                    answer.give(
                        .failure(
                            CacheCallError(
                                """
                                \(call) has not returned for \(options.longestCall) s, so the replay ends; its thread \
                                is lost. Look for a lock that waits for itself, or raise longestCall.
                                """)))
                }
            } catch { answer.give(.failure(error)) }
        }
    }
}

/// Takes a value to the thread of a replay.
///
/// Unchecked Sendable: the caller sends the value away, and only that thread reads it.
private final class Handover<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

/// The first of several results.
private final class Answer: Sendable {
    private let continuation: Locked<CheckedContinuation<SessionResult, any Error>?>

    init(_ continuation: CheckedContinuation<SessionResult, any Error>) { self.continuation = Locked(continuation) }

    func give(_ result: Result<SessionResult, any Error>) {
        let first = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        first?.resume(with: result)
    }
}

/// The outcome of calls from several threads.
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
        case .disappear, .scroll, .fetch, .foreground, .list, .served, .cost: break
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
