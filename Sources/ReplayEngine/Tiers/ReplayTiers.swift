import CachePolicies

/// The tiers as virtual lanes use them: one operation at a time.
///
/// Each operation returns its result and its duration in nanoseconds. `RealTiers` measure the duration, and
/// ``ModelledTiers`` compute it from the cost model. Times are nanoseconds of trace time. Expirations are microseconds
/// of trace time, and replace the expiration that the policy would give.
package protocol ReplayTiers<Body> {
    associatedtype Body

    /// Whether durations and resident memory are measured.
    static var areMeasured: Bool { get }

    var hasDisk: Bool { get }
    /// Whether there is a memory of encoded bytes besides the memory tier.
    var hasEncodedMemory: Bool { get }
    var memoryOccupancy: Occupancy { get }
    var diskOccupancy: Occupancy { get }

    /// Runs every operation once outside of the tiers, so that first-time costs are not the cache's.
    mutating func warmUp() throws
    mutating func lookUpInMemory(_ imageKey: ImageKey, at time: Int64) -> Answer<Body>
    /// Notes that a cell shows an object, or no longer shows it; for rules that hold shown objects apart.
    mutating func show(_ imageKey: ImageKey)
    mutating func hide(_ imageKey: ImageKey, at time: Int64)
    /// Notes that visible cells display an image, or no longer display it.
    mutating func display(_ imageKey: ImageKey)
    mutating func stopDisplaying(_ imageKey: ImageKey)
    /// The bytes of images that memory holds or cells display; each once. In real tiers, which do not know what is
    /// displayed, 0.
    var imageBytes: Int { get }
    /// Looks an object up in the memory of encoded bytes. Every store in memory is a store there too.
    mutating func lookUpEncoded(_ imageKey: ImageKey, at time: Int64) -> Answer<Body>
    mutating func storeInMemory(_ body: Body, _ imageKey: ImageKey, at time: Int64, expiration: Int64?) throws -> Int64
    mutating func readFromDisk(_ imageKey: ImageKey, at time: Int64) throws -> Answer<Body>
    mutating func storeOnDisk(_ body: Body, _ imageKey: ImageKey, at time: Int64, expiration: Int64?) throws -> Int64
    /// Stores the answer to a failed fetch in place of an image. Until it leaves or an image is stored, lookups and
    /// reads find it: ``Answer/failure``.
    mutating func storeFailureInMemory(_ failure: StoredFailure, _ imageKey: ImageKey, at time: Int64) throws -> Int64
    mutating func storeFailureOnDisk(_ failure: StoredFailure, _ imageKey: ImageKey, at time: Int64) throws -> Int64
    /// Decodes an image. The answer has no body if an image cannot be decoded. A body that is not an image is returned
    /// unchanged.
    ///
    /// - Parameter isFile: Whether the body is what a file holds, so that the disk may have encoded it again.
    mutating func decode(_ body: Body, _ imageKey: ImageKey, isFile: Bool) -> Answer<Body>
    mutating func removeExpiredFromDisk(at time: Int64) throws -> Int64
    /// Counts an access to a file without reading it.
    mutating func touchOnDisk(_ imageKey: ImageKey, at time: Int64) throws -> Int64
    /// Removes an object that the app no longer wants.
    mutating func removeFromMemory(_ imageKey: ImageKey, at time: Int64)
    mutating func removeFromDisk(_ imageKey: ImageKey, at time: Int64) throws -> Int64

    /// Tells a cache that decides itself what the system does.
    mutating func notice(_ event: SystemEvent)
    /// Lets the timers of the policies run.
    mutating func advance(to time: Int64) throws
    mutating func clearMemory()
    mutating func trimMemory(to cost: Int) throws
    /// Trims memory to a share of its present cost.
    mutating func trimMemory(toShare share: Double) throws
    mutating func relaunch(at time: Int64) throws

    func figures() -> TierFigures
}

extension ReplayTiers {
    package func notice(_ event: SystemEvent) {}
    package func display(_ imageKey: ImageKey) {}
    package func stopDisplaying(_ imageKey: ImageKey) {}
    package var imageBytes: Int { 0 }
}
