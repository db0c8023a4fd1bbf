import CachePolicies
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The memory of this machine's URLCache, not a model of it: Darwin's class on a Mac, that of
/// swift-corelibs-foundation on Linux. The disk capacity is 0.
///
/// The class has no delegate, and asking it what it holds would be an access that can change its order. Its entries
/// tell instead: an entry ends when the class lets it go, and its policy then knows that it has left.
///
/// On Linux, a second store of a key can end the process at a later eviction (`cachereplay demonstrate urlcache-trap`).
/// An entry that the store would replace is therefore removed before. The class has no entry left to replace then, so
/// the object is the youngest one, as after a first store. A store of the class on Linux adds the sizes of all entries,
/// so its time grows with their number.
final class PlatformURLCache: ObjectCache {
    private let cache: URLCache
    private let capacity: Int
    /// Zeros for the bodies of placeholders, which share them. They take up addresses, and no memory.
    private let zeros: UnsafeMutableRawPointer

    /// The most bytes of ``capacity``: 1 TiB.
    static let mostCapacity = 1 << 40

    /// Returns nil if the system has no addresses for bodies of that size.
    ///
    /// - Parameter capacity: Bytes, at most ``mostCapacity``.
    init?(capacity: Int) {
        let mapped = mmap(nil, max(1, capacity), PROT_READ, MAP_PRIVATE | MAP_ANON | MAP_NORESERVE, -1, 0)
        guard let mapped, mapped != MAP_FAILED else { return nil }
        zeros = mapped
        self.capacity = capacity
        cache = URLCache(memoryCapacity: capacity, diskCapacity: 0, diskPath: nil)
    }

    deinit {
        cache.removeAllCachedResponses()
        munmap(zeros, max(1, capacity))
    }

    func find(_ number: Int) -> ObjectCacheEntry? {
        guard let request = request(number) else { return nil }
        return cache.cachedResponse(for: request).flatMap(CarryingResponse.entry(of:))
    }

    func store(_ entry: ObjectCacheEntry) {
        // It could not fit, and no body of its size is made.
        guard entry.cost < capacity else { return }
        guard let request = request(entry.number), let url = request.url,
            let response = HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: ["Cache-Control": "max-age=31536000"])
        else { return }
        #if canImport(FoundationNetworking)
        cache.removeCachedResponse(for: request)
        #endif
        cache.storeCachedResponse(CarryingResponse.make(response, body(entry), entry), for: request)
    }

    func remove(_ number: Int) {
        if let request = request(number) { cache.removeCachedResponse(for: request) }
    }

    func removeAll() { cache.removeAllCachedResponses() }

    /// Each object has a path of its own: the class on Linux ignores the query.
    private func request(_ number: Int) -> URLRequest? {
        URL(string: "http://cachereplay.invalid/\(number)").map { URLRequest(url: $0) }
    }

    /// The bytes of the payload, without a copy, if they are as many as the object costs; zeros otherwise.
    private func body(_ entry: ObjectCacheEntry) -> Data {
        guard let payload = entry.payload as? any PayloadBytes, payload.bytes.count == entry.cost,
            let start = payload.bytes.baseAddress
        else { return Data(bytesNoCopy: zeros, count: entry.cost, deallocator: .none) }
        return Data(
            bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: entry.cost,
            deallocator: .custom { _, _ in withExtendedLifetime(payload) {} })
    }
}

#if canImport(FoundationNetworking)
/// A cached response that carries the entry whose end is noticed. The class on Linux keeps this object itself. It would
/// count 500 bytes for each member of `userInfo`, so the entry is not in there.
///
/// Unchecked Sendable: as its superclass, which does not change after it was stored; nor does `entry`.
private final class CarryingResponse: CachedURLResponse, @unchecked Sendable {
    private var entry: ObjectCacheEntry?

    static func make(_ response: URLResponse, _ body: Data, _ entry: ObjectCacheEntry) -> CachedURLResponse {
        let carrying = CarryingResponse(
            response: response, data: body, userInfo: nil, storagePolicy: .allowedInMemoryOnly)
        carrying.entry = entry
        return carrying
    }

    static func entry(of response: CachedURLResponse) -> ObjectCacheEntry? { (response as? Self)?.entry }
}
#else
/// Darwin's class converts a response, and keeps its `userInfo`.
private enum CarryingResponse {
    static func make(_ response: URLResponse, _ body: Data, _ entry: ObjectCacheEntry) -> CachedURLResponse {
        CachedURLResponse(
            response: response, data: body, userInfo: ["entry": entry], storagePolicy: .allowedInMemoryOnly)
    }

    static func entry(of response: CachedURLResponse) -> ObjectCacheEntry? {
        response.userInfo?["entry"] as? ObjectCacheEntry
    }
}
#endif

/// The memory of a URLCache of swift-corelibs-foundation: first in, first out.
///
/// An entry as large as the capacity is refused, and an older entry of the same key stays. As Foundation of Swift 6.3
/// on Linux does (see the preset `corelibs-urlcache`).
struct CorelibsURLCache: QueuePolicy, TimeBlindPolicy {
    var queue: BoundedQueue

    init(capacity: Int) { queue = BoundedQueue(limits: Limits(bytes: capacity)) }

    mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        queue.contains(access.object) ? .hit : .miss
    }

    mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        guard access.size < queue.limits.bytes else { return queue.contains(access.object) }
        return queue.push(access, &sink)
    }
}

/// The policy `urlcache`. It is in a module of its own, because URLCache is in FoundationNetworking on Linux, which
/// links libcurl: test targets of apps do without both.
public enum URLCachePolicy {
    public static let entry = PolicyEntry(
        "urlcache",
        """
        The memory of Foundation's URLCache: a model of the class on Linux (`corelibs`), or the class of this machine \
        (`platform`).
        """,
        parameters: [.size("capacity"), .choice("model", ["corelibs", "platform"], default: "corelibs")],
        byteLimit: { try $0.size("capacity") }
    ) { arguments in
        let capacity = try arguments.size("capacity")
        guard try arguments.choice("model") == "platform" else { return CorelibsURLCache(capacity: capacity) }
        guard capacity <= PlatformURLCache.mostCapacity, let cache = PlatformURLCache(capacity: capacity) else {
            throw SpecError(
                "urlcache: capacity is at most 1TiB for the model platform, less where the system limits addresses",
                in: "\(capacity)B")
        }
        return PlatformPolicy(cache)
    }
}
