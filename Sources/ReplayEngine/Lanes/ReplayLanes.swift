import CachePolicies
import SessionModel

/// The lanes on which the pipeline's operations run, and their clock.
///
/// Memory belongs to the main lane and answers at once. Disk jobs and fetches start, and end later as a ``ReplayStep``.
package protocol ReplayLanes {
    /// A delivered body: bytes, or the number of the object that they belong to.
    associatedtype Body

    /// Nanoseconds since the start of the trace, in trace time.
    var now: Int64 { get }
    var hasDisk: Bool { get }
    var hasEncodedMemory: Bool { get }
    var memoryOccupancy: Occupancy { get }
    var diskOccupancy: Occupancy { get }
    /// The time at which the main lane is free.
    var mainLaneFree: Int64 { get }

    /// Starts the clock. Memory that is resident now is not the cache's.
    mutating func begin() throws

    /// Returns the answer of the memory of images, and the time at which the main lane has finished.
    mutating func lookUpInMemory(_ imageKey: ImageKey) -> (answer: Answer<Body>, done: Int64)
    /// Returns the answer of the memory of encoded bytes, and the time at which the main lane has finished.
    mutating func lookUpEncoded(_ imageKey: ImageKey) -> (answer: Answer<Body>, done: Int64)
    /// Notes that a cell shows an object, or no longer shows it.
    mutating func show(_ imageKey: ImageKey)
    mutating func hide(_ imageKey: ImageKey)
    /// Notes that visible cells display an image, or no longer display it.
    mutating func display(_ imageKey: ImageKey)
    mutating func stopDisplaying(_ imageKey: ImageKey)
    /// The bytes of images that memory holds or cells display; each once.
    var imageBytes: Int { get }
    /// Returns the time at which the main lane has finished. Expirations are as ``ReplayTiers`` describes them.
    mutating func storeInMemory(_ body: Body, _ imageKey: ImageKey, expiration: Int64?) throws -> Int64
    /// Stores the answer to a failed fetch in memory. Returns the time at which the main lane has finished.
    mutating func storeFailureInMemory(_ failure: StoredFailure, _ imageKey: ImageKey) throws -> Int64
    /// Reads from disk on the main lane. Returns the answer, and the time at which the lane has finished.
    mutating func readFromDiskOnMainLane(_ imageKey: ImageKey) throws -> (answer: Answer<Body>, done: Int64)

    mutating func start(_ job: DiskJob<Body>) throws
    /// Starts to decode a body, which is what a file holds or what a fetch brought. The step that ends the decoding has
    /// this number.
    mutating func start(decode number: Int, _ body: Body, _ imageKey: ImageKey, isFile: Bool) throws
    mutating func decodeOnMainLane(_ body: Body, _ imageKey: ImageKey, isFile: Bool) throws -> Answer<Body>
    /// Starts fetch number `fetch` on a network that behaves like `sample`. Header fields make it conditional; its
    /// answer can then be ``Answer/isNotModified``.
    mutating func start(
        fetch: Int, _ imageKey: ImageKey, _ sample: NetworkModel.Sample, conditions: [HTTPField]
    ) throws
    /// Cancels a fetch that has started and not ended. Returns the bytes of its body that have crossed the network.
    mutating func cancel(fetch: Int) -> Int

    /// Returns the next step that ends up to and including `time`, and moves the clock there. Returns nil when the
    /// clock is at `time`. If `time` is nil, returns nil when nothing is in progress.
    mutating func nextStep(until time: Int64?) throws -> ReplayStep<Body>?

    /// The time at which the pipeline wants a ``ReplayStep/woke``; nil: it wants none. The step clears the alarm.
    var alarm: Int64? { get set }

    /// Tells a cache that decides itself what the system does. ``relaunch(sweepingFirst:)`` does that for a relaunch.
    mutating func notice(_ event: SystemEvent)
    mutating func removeFromMemory(_ imageKey: ImageKey)
    mutating func clearMemory()
    /// Evicts objects until the cost of the rest is at most `cost`.
    mutating func trimMemory(to cost: Int) throws
    /// Evicts objects until the cost of the rest is at most a share of the present cost.
    mutating func trimMemory(toShare share: Double) throws
    /// Relaunches the app: work in progress and memory are lost. The disk tier finds its files. No fetch is in
    /// progress.
    ///
    /// - Parameter sweeping: Whether expired files are removed before the app ends.
    mutating func relaunch(sweepingFirst sweeping: Bool) throws

    /// The counts of the tiers: evictions, bytes read and written, peaks.
    func figures() -> TierFigures
    /// Figures of measured runs; nil in modelled timing.
    var machine: MachineFigures? { get }
    /// The work of the main lane, and the frames that it delays; nil if the lanes do not count them.
    var mainLaneFigures: MainLaneFigures? { get }
}

/// The end of an operation.
package enum ReplayStep<Body> {
    /// The answer is nil for jobs other than reads.
    case diskEnded(DiskJob<Body>, Answer<Body>?)
    /// The answer has no body if the image cannot be decoded.
    case decoded(Int, Answer<Body>)
    case fetched(Int, Answer<Body>)
    /// The alarm has rung.
    case woke
}

/// One operation of the disk lane.
package enum DiskJob<Body> {
    /// Reads a file for the readers that are known when the job is enqueued.
    case read(ImageKey, DiskReaders)
    /// Expirations are as ``ReplayTiers`` describes them.
    case store(Body, ImageKey, expiration: Int64?)
    /// Writes the answer to a failed fetch in place of an image.
    case storeFailure(ImageKey, StoredFailure)
    /// Counts an access to a file without reading it.
    case touch(ImageKey)
    case remove(ImageKey)
    case removeExpired
}

extension Answer: Sendable where Body: Sendable {}

/// The key of an image in the tiers: an object, the variant of it that a cell shows, and the size of the view.
package struct ImageKey: Equatable, Sendable {
    package var object: Int
    /// The object in the size of a view, as ``Renditions`` number it. The number of the object if sizes have no effect.
    package var rendition: Int32
    package var variant: UInt8

    /// A dense number: two for each rendition, and so two for each object if sizes have no effect.
    package var number: Int { Int(rendition) * 2 + Int(variant) }

    /// The same size of the object in its other variant.
    var otherVariant: ImageKey { ImageKey(object: object, variant: 1 - variant, rendition: Int(rendition)) }

    /// The key of an object in its own size.
    package init(object: Int, variant: UInt8) { self.init(object: object, variant: variant, rendition: object) }

    init(object: Int, variant: UInt8, rendition: Int) {
        self.object = object
        self.rendition = Int32(truncatingIfNeeded: rendition)
        self.variant = variant
    }

    /// The key with a ``number``, where sizes have no effect.
    package init(number: Int) { self.init(object: number / 2, variant: UInt8(number % 2)) }
}

/// The answer to a failed fetch, as a tier holds it in place of an image.
package struct StoredFailure: Equatable, Sendable {
    /// The bytes of its body.
    package var bytes: Int
    /// Whether the fetch failed because the body is not an image. Otherwise, its status failed.
    package var isUndecodable = false
    /// As ``ReplayTiers`` describes expirations.
    package var expiration: Int64?

    package init(bytes: Int, isUndecodable: Bool = false, expiration: Int64? = nil) {
        (self.bytes, self.isUndecodable, self.expiration) = (bytes, isUndecodable, expiration)
    }

    /// Creates a body that is no image, of so many bytes; nil for a response that a tier does not store.
    init?(undecodable bytes: Int, _ storing: StoredResponses.Storing) {
        switch storing {
        case .untilPolicySays: self.init(bytes: bytes, isUndecodable: true)
        case .until(let end): self.init(bytes: bytes, isUndecodable: true, expiration: end)
        case .notAtAll: return nil
        }
    }
}

package struct Answer<Body> {
    package var found: Lookup
    /// Present if `found` is a hit, except for a damaged file that the tier keeps, and for a stored failure.
    package var body: Body?
    /// The duration of the operation, in nanoseconds.
    package var duration: Int64
    /// The bytes of body that a transfer brings, used or not.
    package var bytes = 0
    /// The bytes belong to another key, or are incomplete.
    package var isWrong = false
    /// The origin has answered a conditional request with 304: the stored object is current.
    package var isNotModified = false
    /// Memory has the bitmap of a smaller view, which does not serve this one. The answer is a miss.
    package var isTooSmall = false
    /// The answer to a failed fetch, if that was found.
    package var failure: StoredFailure?

    /// The answer of a tier that holds a failure.
    package static func found(_ failure: StoredFailure, after duration: Int64) -> Answer {
        var answer = Answer(found: .hit, body: nil, duration: duration)
        answer.failure = failure
        return answer
    }

    package init(
        found: Lookup, body: Body?, duration: Int64, bytes: Int = 0, isWrong: Bool = false, isNotModified: Bool = false
    ) {
        (self.found, self.body, self.duration, self.bytes) = (found, body, duration, bytes)
        (self.isWrong, self.isNotModified) = (isWrong, isNotModified)
    }
}
