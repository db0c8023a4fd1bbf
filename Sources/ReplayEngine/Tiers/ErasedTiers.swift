import CachePolicies
import HTTPCaching

/// The body that real tiers deliver. The engine hands it on, and does not look into it.
package typealias MeasuredBody = any AnyObject & Sendable

/// Real tiers of another module, type-erased.
///
/// The lanes and the pipeline are specialized for this type. For a type of another module, they would run as generic
/// code: a replay of disk hits would take 40 % more processor time outside of the system.
struct ErasedTiers: ReplayTiers {
    static let areMeasured = true

    private var tiers: any ReplayTiers<MeasuredBody>

    init(_ tiers: any ReplayTiers<MeasuredBody>) { self.tiers = tiers }

    var hasDisk: Bool { tiers.hasDisk }
    var hasEncodedMemory: Bool { tiers.hasEncodedMemory }
    var memoryOccupancy: Occupancy { tiers.memoryOccupancy }
    var diskOccupancy: Occupancy { tiers.diskOccupancy }
    var imageBytes: Int { tiers.imageBytes }

    mutating func warmUp() throws { try tiers.warmUp() }

    mutating func lookUpInMemory(_ imageKey: ImageKey, at time: Int64) -> Answer<MeasuredBody> {
        tiers.lookUpInMemory(imageKey, at: time)
    }

    mutating func show(_ imageKey: ImageKey) { tiers.show(imageKey) }

    mutating func hide(_ imageKey: ImageKey, at time: Int64) { tiers.hide(imageKey, at: time) }

    mutating func display(_ imageKey: ImageKey) { tiers.display(imageKey) }

    mutating func stopDisplaying(_ imageKey: ImageKey) { tiers.stopDisplaying(imageKey) }

    mutating func lookUpEncoded(_ imageKey: ImageKey, at time: Int64) -> Answer<MeasuredBody> {
        tiers.lookUpEncoded(imageKey, at: time)
    }

    mutating func storeInMemory(
        _ body: MeasuredBody, _ imageKey: ImageKey, at time: Int64, expiration: Int64?
    ) throws -> Int64 {
        try tiers.storeInMemory(body, imageKey, at: time, expiration: expiration)
    }

    mutating func readFromDisk(_ imageKey: ImageKey, at time: Int64) throws -> Answer<MeasuredBody> {
        try tiers.readFromDisk(imageKey, at: time)
    }

    mutating func storeOnDisk(
        _ body: MeasuredBody, _ imageKey: ImageKey, at time: Int64, expiration: Int64?
    ) throws -> Int64 {
        try tiers.storeOnDisk(body, imageKey, at: time, expiration: expiration)
    }

    mutating func storeFailureInMemory(_ failure: StoredFailure, _ imageKey: ImageKey, at time: Int64) throws -> Int64 {
        try tiers.storeFailureInMemory(failure, imageKey, at: time)
    }

    mutating func storeFailureOnDisk(_ failure: StoredFailure, _ imageKey: ImageKey, at time: Int64) throws -> Int64 {
        try tiers.storeFailureOnDisk(failure, imageKey, at: time)
    }

    mutating func decode(_ body: MeasuredBody, _ imageKey: ImageKey, isFile: Bool) -> Answer<MeasuredBody> {
        tiers.decode(body, imageKey, isFile: isFile)
    }

    mutating func removeExpiredFromDisk(at time: Int64) throws -> Int64 { try tiers.removeExpiredFromDisk(at: time) }

    mutating func touchOnDisk(_ imageKey: ImageKey, at time: Int64) throws -> Int64 {
        try tiers.touchOnDisk(imageKey, at: time)
    }

    mutating func removeFromMemory(_ imageKey: ImageKey, at time: Int64) { tiers.removeFromMemory(imageKey, at: time) }

    mutating func removeFromDisk(_ imageKey: ImageKey, at time: Int64) throws -> Int64 {
        try tiers.removeFromDisk(imageKey, at: time)
    }

    mutating func notice(_ event: SystemEvent) { tiers.notice(event) }

    mutating func advance(to time: Int64) throws { try tiers.advance(to: time) }

    mutating func clearMemory() { tiers.clearMemory() }

    mutating func trimMemory(to cost: Int) throws { try tiers.trimMemory(to: cost) }

    mutating func trimMemory(toShare share: Double) throws { try tiers.trimMemory(toShare: share) }

    mutating func relaunch(at time: Int64) throws { try tiers.relaunch(at: time) }

    func figures() -> TierFigures { tiers.figures() }
}

/// A network of another module, type-erased for the same reason as ``ErasedTiers``.
struct ErasedNetwork: ReplayNetwork {
    private var network: any ReplayNetwork<MeasuredBody>

    init(_ network: any ReplayNetwork<MeasuredBody>) { self.network = network }

    mutating func begin() { network.begin() }

    mutating func fetch(
        _ imageKey: ImageKey, _ sample: NetworkModel.Sample, conditions: [HTTPField]
    ) throws -> Answer<MeasuredBody> {
        try network.fetch(imageKey, sample, conditions: conditions)
    }
}
