import CachePolicies

/// A part of an app's own cache that a replay calls in place of a tier: its memory, or its disk.
///
/// The replay belongs to one thread, and calls one function at a time.
package protocol OwnCacheStore: AnyObject {
    func find(_ key: OwnCacheKey) throws -> OwnCacheAnswer
    /// Stores the image that the replay made for `image`, which is `key` unless an earlier answer was wrong.
    func store(_ image: OwnCacheKey, under key: OwnCacheKey, cost: Int) throws
    func remove(_ key: OwnCacheKey) throws
    /// Tells the cache what the system does.
    func notice(_ event: SystemEvent) throws
    /// The bytes that the cache says it holds; nil if it does not say.
    var heldBytes: Int? { get throws }
    /// Returns, once, a defect that did not prevent the last answer.
    func takeFault() -> (any Error)?
}

extension OwnCacheStore {
    package func takeFault() -> (any Error)? { nil }
}

/// The object and the variant that a cache is asked for.
package struct OwnCacheKey: Hashable, Sendable {
    package var object: Int
    package var isThumbnail: Bool

    package init(object: Int, isThumbnail: Bool) { (self.object, self.isThumbnail) = (object, isThumbnail) }

    package init(_ imageKey: ImageKey) { self.init(object: imageKey.object, isThumbnail: imageKey.variant == 0) }
}

package enum OwnCacheAnswer: Sendable {
    case nothing
    /// The image that the replay made for a key, which can be another key than the one that was asked for.
    case image(OwnCacheKey)
    /// Something that the replay did not make.
    case unknown
}

/// An event of the system for an app.
package enum SystemEvent: Sendable {
    case memoryWarning, background, relaunch
}

/// The parts of an app's cache that a replay calls.
package struct Driver {
    /// In place of the memory tier.
    package var memory: (any OwnCacheStore)?
    /// In place of the disk tier.
    package var disk: (any OwnCacheStore)?
    /// Whether calls take the time that they really take; otherwise the cost model gives durations.
    package var isTimed: Bool

    package init(memory: (any OwnCacheStore)?, disk: (any OwnCacheStore)? = nil, isTimed: Bool) {
        (self.memory, self.disk, self.isTimed) = (memory, disk, isTimed)
    }
}

/// A defect of a cache that a replay called.
public struct CacheFault: Codable, Sendable, Hashable, CustomStringConvertible {
    public enum Kind: String, Codable, Sendable, CaseIterable {
        /// It returned an image for a key under which nothing was stored.
        case neverStored
        /// It returned an image after the app had removed it.
        case removed
        /// It returned the image of another key.
        case wrongImage
        /// It returned something that was not stored.
        case unknownImage
        /// It returned an image from before a relaunch, or said that it holds some.
        case survivedRelaunch
        /// It said that it holds more bytes than it can, or fewer than none.
        case impossibleBytes
        /// A call threw an error.
        case threw
        /// The program answered with something else than the protocol allows.
        case unexpectedAnswer
        /// The program wrote something that was not asked for.
        case unaskedOutput
        /// The program ended before the replay.
        case ended
        /// The program did not answer in time.
        case silent
    }

    public var kind: Kind
    /// How often it happened.
    public var count: Int
    /// The first case: the key, and what happened.
    public var first: String

    /// Whether the cache answers no further call.
    public var isEnd: Bool { kind == .ended || kind == .silent }

    public var description: String {
        let times = count == 1 ? "once" : "\(count) times"
        return "\(kind.text), \(times); first: \(first)"
    }
}

extension CacheFault.Kind {
    /// The defect as a phrase.
    package var text: String {
        switch self {
        case .neverStored: "returned an image that was never stored"
        case .removed: "returned an image that the app had removed"
        case .wrongImage: "returned the image of another key"
        case .unknownImage: "returned something that was not stored"
        case .survivedRelaunch: "kept images when the app was relaunched"
        case .impossibleBytes: "said that it holds a number of bytes that is not possible"
        case .threw: "threw an error"
        case .unexpectedAnswer: "gave an answer that the protocol does not have"
        case .unaskedOutput: "wrote what was not asked for"
        case .ended: "ended before the replay"
        case .silent: "did not answer"
        }
    }
}

/// A defect that a store has found itself.
package struct OwnCacheFault: Error {
    package var kind: CacheFault.Kind
    package var text: String

    package init(kind: CacheFault.Kind, text: String) { (self.kind, self.text) = (kind, text) }
}

/// The facts about a cache that a replay called, besides the figures of each replay.
public struct OwnCacheFigures: Codable, Sendable, Equatable {
    public var calls = 0
    /// The time in calls, in nanoseconds; 0 unless calls are timed.
    public var callTime: Int64 = 0
    /// Whether the cache says how many bytes it holds. Otherwise the results have no peak of memory.
    public var reportsMemory = false
    /// The most bytes that the cache is known to have held at once: stored before, and found later.
    public var provenBytes = 0
    /// The memory warnings, and the number of warnings at which the cache freed nothing.
    public var warnings = 0
    public var unheededWarnings = 0
    public var faults: [CacheFault] = []
    public var faultCount: Int { faults.reduce(0) { $0 + $1.count } }
    /// How the cache ended before the replay did; nil if it answered to the end.
    public var end: CacheFault? { faults.first(where: \.isEnd) }

    public init() {}

    /// Returns the most bytes that a cache can say it holds: a quarter more than the images that it can hold, and 4 KiB
    /// for each of them. A cache may round up, and count what belongs to an entry.
    ///
    /// - Parameter images: The images that were stored, and neither removed nor lost in a relaunch. An image counts
    ///   with its bytes or its cost, whichever is more.
    package static func mostBytes(holding images: Occupancy) -> Int {
        images.bytes + images.bytes / 4 + images.objects * 4_096
    }
}

/// The system's events for a driven memory, and the images that were lost around them.
///
/// A replay knows what a cache answers, not what it holds. An image that was found before an event, and not after it,
/// left because of the event, or to make room for others. The event is the cause if
/// - it can have removed images: the cache holds fewer bytes after it or, if the cache does not say what it holds,
///   nothing that it held before the event was ever found after it; a background counts only if an image was lost
///   that no other event can have removed; and if
/// - room was not the cause: the images that were stored since the image was found last, and the image, fit into the
///   cache together. Its size is the most bytes that it is known to have held. If it never loses an image but around
///   events, it has room for all.
struct OwnCacheEvents {
    private struct Event {
        var kind: SystemEvent
        var call: Int
        /// The bytes of all stores until then.
        var inserted: Int
        /// The bytes that the cache held before and after it; nil if it does not say.
        package var held: (before: Int, after: Int)?
    }

    private struct Loss {
        /// The events since the image was found last.
        var events: Range<Int>
        var inserted: Int
        package var bytes: Int
    }

    private var events: [Event] = []
    /// The images that were found before and after an event.
    private var survivors = RangeCounts()
    /// The images that were found before an event, and are lost since.
    private var missing = RangeCounts()
    private var losses: [Loss] = []
    private var misses: [(request: Int, loss: Int)] = []
    /// Whether an image was lost without an event.
    private var evicts = false

    /// - Parameter before: The bytes that the cache held before the event; nil if it does not say.
    mutating func note(_ kind: SystemEvent, call: Int, inserted: Int, before: Int?, after: Int?) {
        var event = Event(kind: kind, call: call, inserted: inserted)
        if let before, let after { event.held = (before, after) }
        events.append(event)
    }

    /// Notes that an image was found which was held since a call.
    mutating func survived(since call: Int) {
        survivors.add(firstEvent(after: call)..<events.count)
    }

    /// Notes that an image is no longer held. Returns the number of the loss.
    mutating func lost(since call: Int, inserted: Int, bytes: Int) -> Int32 {
        let first = firstEvent(after: call)
        guard first < events.count else {
            evicts = true
            return -1
        }
        missing.add(first..<events.count)
        losses.append(Loss(events: first..<events.count, inserted: inserted, bytes: bytes))
        return Int32(truncatingIfNeeded: losses.count - 1)
    }

    /// Notes a request that a loss has made a miss. A prefetch has a negative request.
    mutating func missed(_ request: Int, loss: Int32) {
        if loss >= 0, request >= 0 { misses.append((request, Int(loss))) }
    }

    /// Complexity: O(log n) in the number of events.
    private func firstEvent(after call: Int) -> Int {
        var (low, high) = (0, events.count)
        while low < high {
            let middle = (low + high) / 2
            if events[middle].call > call { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Returns the requests that an event has made misses, and the numbers of all memory warnings and of those at which
    /// nothing was freed. `isExact` says whether the cache tells its bytes.
    func attributed(
        capacity: Int, isExact: Bool
    ) -> (requests: [(Int, ReplayRecorder.Trigger)], warnings: (all: Int, unheeded: Int)) {
        let (survivors, missing) = (survivors.counts(events.count), missing.counts(events.count))
        // Few caches free memory in the background, which often precedes a relaunch.
        let only = Set(losses.filter { $0.events.count == 1 }.map(\.events.lowerBound))
        func frees(_ event: Int) -> Bool {
            if events[event].kind == .relaunch { return true }
            if let held = events[event].held { return held.after < held.before }
            return survivors[event] == 0 && (events[event].kind == .memoryWarning || only.contains(event))
        }
        // The first event from each one on that frees memory.
        var next = [Int](repeating: events.count, count: events.count + 1)
        for event in events.indices.reversed() { next[event] = frees(event) ? event : next[event + 1] }
        func trigger(_ loss: Loss) -> ReplayRecorder.Trigger? {
            let event = next[loss.events.lowerBound]
            guard event < loss.events.upperBound else { return nil }
            let fits = events[event].inserted - loss.inserted + loss.bytes <= capacity
            guard fits || !isExact && !evicts else { return nil }
            return switch events[event].kind {
            case .memoryWarning: .memoryWarning
            case .background: .background
            case .relaunch: .relaunch
            }
        }
        let triggers = losses.map(trigger)
        let warnings = events.indices.filter { events[$0].kind == .memoryWarning }
        let unheeded = warnings.count { event in
            events[event].held.map { $0.before > 0 && $0.after >= $0.before }
                ?? (survivors[event] > 0 && missing[event] == 0)
        }
        return (
            misses.compactMap { miss in triggers[miss.loss].map { (miss.request, $0) } }, (warnings.count, unheeded)
        )
    }
}

/// Counts for ranges of numbers.
private struct RangeCounts {
    private var changes: [Int] = []

    /// Adds one to each number of a range.
    mutating func add(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        while changes.count <= range.upperBound { changes.append(0) }
        changes[range.lowerBound] += 1
        changes[range.upperBound] -= 1
    }

    /// Returns the counts of the numbers below a limit.
    func counts(_ limit: Int) -> [Int] {
        var count = 0
        return (0..<limit).map { number in
            if number < changes.count { count += changes[number] }
            return count
        }
    }
}
