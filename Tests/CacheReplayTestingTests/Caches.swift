import CachePolicies
import CacheReplayTesting
import CacheTiers
import Foundation
import MeasuredTiers
import SessionModel

/// A memory tier of the engine behind the protocol of apps.
struct PolicyCache: ImageCaching {
    private let tier: MemoryTier
    private let images = Images()
    /// Whether it says what it holds.
    private let reports: Bool

    private final class Images {
        var byKey: [String: SessionImage] = [:]
    }

    init(_ policy: any CachePolicy, reports: Bool = true) {
        self.reports = reports
        // The policy is not used elsewhere.
        nonisolated(unsafe) let own = policy
        tier = MemoryTier(own)
    }

    private func split(_ key: String) -> (key: String, variant: UInt8) {
        key.hasSuffix("#thumbnail") ? (String(key.dropLast(10)), 0) : (key, 1)
    }

    func image(forKey key: String) -> SessionImage? {
        let (name, variant) = split(key)
        return tier.payload(for: name, variant: variant) == nil ? nil : images.byKey[key]
    }

    func store(_ image: SessionImage, forKey key: String, cost: Int) {
        images.byKey[key] = image
        let (name, variant) = split(key)
        let payload = Payload(count: 1) { $0.initializeMemory(as: UInt8.self, repeating: 0) }
        tier.store(payload, for: name, counting: (cost, cost), variant: variant)
    }

    func removeImage(forKey key: String) {
        let (name, variant) = split(key)
        tier.remove(name, variant: variant)
    }

    func removeAllImages() { tier.clear() }
    func didReceiveMemoryWarning() { tier.clear() }
    var heldBytes: Int? { reports ? tier.occupancy.bytes : nil }
}

/// Holds everything, with one defect.
final class FaultyCache: ImageCaching {
    enum Defect {
        case none, neverStored, afterRemoval, wrongImage, throwsErrors, blocks, survivesRelaunch, ignoresWarnings
    }

    struct Failure: Error, CustomStringConvertible { let description = "the shelf is full" }

    private let defect: Defect
    /// What it says that it holds, of the true number of bytes; nil if it does not say.
    private let held: (@Sendable (Int) -> Int)?
    private var images: [String: SessionImage] = [:]
    private var last: SessionImage?
    private let lock = DispatchSemaphore(value: 0)

    init(_ defect: Defect, held: (@Sendable (Int) -> Int)? = nil) { (self.defect, self.held) = (defect, held) }

    func image(forKey key: String) throws -> SessionImage? {
        switch defect {
        case .throwsErrors: throw Failure()
        case .blocks where !images.isEmpty: lock.wait()
        case .wrongImage: return last
        default: break
        }
        return images[key]
    }

    func store(_ image: SessionImage, forKey key: String, cost: Int) {
        if last == nil || defect != .wrongImage { last = image }
        images[key] = image
    }

    func removeImage(forKey key: String) { if defect != .afterRemoval { images[key] = nil } }
    func removeAllImages() { if defect != .survivesRelaunch { images = [:] } }
    func didReceiveMemoryWarning() { if defect != .ignoresWarnings { images = [:] } }
    var heldBytes: Int? { held.map { $0(images.values.reduce(0) { $0 + $1.bitmapBytes }) } }
}

/// A small session that is written by hand. Times are in seconds.
struct SmallSession {
    private var builder = TraceBuilder()

    /// - Parameter objects: Keys; each image has 100 x 100 pixels, 1,000 bytes, and takes 0.1 s to fetch.
    init(_ objects: String...) {
        for key in objects {
            let id = builder.object(key)
            builder.update(id) { ($0.bytes, $0.pixelWidth, $0.pixelHeight) = (1_000, 100, 100) }
            builder.append(
                TraceEvent(
                    time: 0, .fetch(id, Fetch(status: 200, bytes: 1_000, timeToFirstByte: 50_000, transferTime: 50_000))
                ))
        }
    }

    mutating func add(_ key: String, from start: Double, to end: Double) {
        let id = builder.object(key)
        builder.append(TraceEvent(time: Int64(start * 1e6), .appear(id, .full)))
        builder.append(TraceEvent(time: Int64(end * 1e6), .disappear(id, .full)))
    }

    mutating func add(_ action: TraceEvent.Action, at time: Double) {
        builder.append(TraceEvent(time: Int64(time * 1e6), action))
    }

    func session() throws -> Session { try Session(builder.finish(keepingTimes: true), name: "small") }
}
