import CachePolicies

/// A part of an app's own cache that a replay calls in place of a tier: its memory, or its disk.
///
/// The replay belongs to one thread, and calls one function at a time.
package protocol DrivenStore: AnyObject {
    /// Returns what the cache has for a key.
    func find(_ key: DrivenKey) throws -> DrivenAnswer
    /// Stores the image that the replay made for `image`, which is `key` unless an earlier answer was wrong.
    func store(_ image: DrivenKey, under key: DrivenKey, cost: Int) throws
    func remove(_ key: DrivenKey) throws
    /// Tells the cache what the system does.
    func notice(_ event: SystemEvent) throws
    /// The bytes that the cache says it holds; nil if it does not say.
    var heldBytes: Int? { get throws }
    /// Returns, once, a defect that did not prevent the last answer.
    func takeFault() -> (any Error)?
}

extension DrivenStore {
    package func takeFault() -> (any Error)? { nil }
}

/// The object and the variant that a cache is asked for.
package struct DrivenKey: Hashable, Sendable {
    package var object: Int
    package var isThumbnail: Bool

    package init(object: Int, isThumbnail: Bool) { (self.object, self.isThumbnail) = (object, isThumbnail) }

    package init(_ cell: Cell) { self.init(object: cell.object, isThumbnail: cell.variant == 0) }
}

/// What a cache returned.
package enum DrivenAnswer: Sendable {
    case nothing
    /// The image that the replay made for a key, which can be another key than the one that was asked for.
    case image(DrivenKey)
    /// Something that the replay did not make.
    case unknown
}

/// What the system does to an app.
package enum SystemEvent: Sendable {
    case memoryWarning, background, relaunch
}

/// The parts of an app's cache that a replay calls.
package struct Driver {
    /// In place of the memory tier.
    package var memory: (any DrivenStore)?
    /// In place of the disk tier.
    package var disk: (any DrivenStore)?
    /// Whether calls take the time that they really take; otherwise the cost model gives durations.
    package var isTimed: Bool

    package init(memory: (any DrivenStore)?, disk: (any DrivenStore)? = nil, isTimed: Bool) {
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
package struct DrivenFault: Error {
    package var kind: CacheFault.Kind
    package var text: String

    package init(kind: CacheFault.Kind, text: String) { (self.kind, self.text) = (kind, text) }
}

/// What is known of a cache that a replay called, beside the figures of each replay.
public struct DrivenFigures: Codable, Sendable, Equatable {
    /// The number of calls.
    public var calls = 0
    /// The time in calls, in nanoseconds; 0 unless calls are timed.
    public var callTime: Int64 = 0
    /// Whether the cache says how many bytes it holds. Otherwise the results have no peak of memory.
    public var reportsMemory = false
    /// The most bytes that the cache is known to have held at once: stored before, and found later.
    public var provenBytes = 0
    /// The memory warnings, and those of them at which the cache freed nothing.
    public var warnings = 0
    public var unheededWarnings = 0
    public var faults: [CacheFault] = []
    /// The number of all faults. A call of a program that has ended is one.
    public var faultCount: Int { faults.reduce(0) { $0 + $1.count } }
    /// How the cache ended before the replay did; nil if it answered to the end.
    public var end: CacheFault? { faults.first(where: \.isEnd) }

    public init() {}

    /// Returns the most bytes that a cache can say it holds: a quarter more than the images that it can hold, and 4 KiB
    /// for each of them. A cache may round up, and count what belongs to an entry.
    ///
    /// - Parameter images: The images that were stored, and neither removed nor lost in a relaunch; the bytes of each
    ///   are those of the image or its cost, whichever is more.
    package static func mostBytes(holding images: Occupancy) -> Int {
        images.bytes + images.bytes / 4 + images.objects * 4_096
    }
}
