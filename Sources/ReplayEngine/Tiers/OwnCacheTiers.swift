import Basics
import CachePolicies
import CacheTiers

/// Tiers of which memory, disk or both are an app's own cache. The rest is modelled.
struct OwnCacheTiers: ReplayTiers {
    /// A body is the number of the object that its bytes would belong to.
    typealias Body = Int

    static let areMeasured = false

    /// The tiers that are not driven. A driven tier has a policy here that keeps nothing.
    private var modelled: ModelledTiers
    private let memory: OwnCacheTier?
    private let disk: OwnCacheTier?
    private let objects: ReplayObjects
    private let costs: CostModel
    private let isTimed: Bool

    init(
        _ driver: Driver, _ objects: ReplayObjects, modelled: ModelledTiers, costs: CostModel,
        recorder: ReplayRecorder?
    ) {
        self.modelled = modelled
        self.objects = objects
        self.costs = costs
        isTimed = driver.isTimed
        memory = driver.memory.map { OwnCacheTier($0, objects, isVolatile: true, recorder?.memory) }
        disk = driver.disk.map { OwnCacheTier($0, objects, isVolatile: false, recorder?.disk) }
    }

    /// Returns the figures of the cache at the end of a replay. `recorder` receives the causes of misses that only the
    /// whole replay tells.
    func finish(_ recorder: ReplayRecorder?) -> OwnCacheFigures {
        var figures = OwnCacheFigures()
        for tier in [memory, disk].compactMap(\.self) {
            figures.calls += tier.calls
            figures.callTime += tier.callTime
            figures.faults += tier.faults
        }
        guard let memory else {
            figures.reportsMemory = true
            return figures
        }
        figures.reportsMemory = memory.reportsBytes
        figures.provenBytes = memory.provenBytes
        let losses = memory.attributedLosses(provenBytes: figures.provenBytes)
        (figures.warnings, figures.unheededWarnings) = losses.warnings
        for (request, trigger) in losses.requests { recorder?.attribute(request, to: trigger) }
        return figures
    }

    var hasDisk: Bool { disk != nil || modelled.hasDisk }
    var hasEncodedMemory: Bool { false }
    var memoryOccupancy: Occupancy { memory?.occupancy ?? modelled.memoryOccupancy }
    var diskOccupancy: Occupancy { disk?.occupancy ?? modelled.diskOccupancy }

    func warmUp() {}

    mutating func lookUpInMemory(_ imageKey: ImageKey, at time: Int64) -> Answer<Int> {
        guard let memory else { return modelled.lookUpInMemory(imageKey, at: time) }
        return memory.find(imageKey, isTimed ? nil : costs.memoryLookup)
    }

    mutating func storeInMemory(_ body: Int, _ imageKey: ImageKey, at time: Int64, expiration: Int64?) throws -> Int64 {
        guard let memory else { return modelled.storeInMemory(body, imageKey, at: time, expiration: expiration) }
        let duration = memory.store(body, imageKey, bytes: objects.held(body), cost: objects.cost(imageKey.object))
        return isTimed ? duration : costs.memoryStore
    }

    mutating func readFromDisk(_ imageKey: ImageKey, at time: Int64) throws -> Answer<Int> {
        guard let disk else { return modelled.readFromDisk(imageKey, at: time) }
        let bytes = objects.written(imageKey.object)
        var answer = disk.find(imageKey, isTimed ? nil : costs.diskLookup)
        if answer.found.isHit {
            disk.readBytes += Int64(bytes)
            if !isTimed { answer.duration += costs.reading(bytes) }
        }
        return answer
    }

    mutating func storeOnDisk(_ body: Int, _ imageKey: ImageKey, at time: Int64, expiration: Int64?) throws -> Int64 {
        guard let disk else { return modelled.storeOnDisk(body, imageKey, at: time, expiration: expiration) }
        let bytes = objects.written(body)
        let duration = disk.store(body, imageKey, bytes: bytes, cost: bytes)
        disk.writtenBytes += Int64(bytes)
        return isTimed ? duration : costs.writing(bytes)
    }

    // An app's own cache receives images only, so a failure changes nothing in it.
    mutating func storeFailureInMemory(_ failure: StoredFailure, _ imageKey: ImageKey, at time: Int64) -> Int64 {
        memory == nil ? modelled.storeFailureInMemory(failure, imageKey, at: time) : 0
    }

    mutating func storeFailureOnDisk(_ failure: StoredFailure, _ imageKey: ImageKey, at time: Int64) -> Int64 {
        disk == nil ? modelled.storeFailureOnDisk(failure, imageKey, at: time) : 0
    }

    func decode(_ body: Int, _ imageKey: ImageKey, isFile: Bool) -> Answer<Int> {
        modelled.decode(body, imageKey, isFile: isFile)
    }

    mutating func removeExpiredFromDisk(at time: Int64) throws -> Int64 {
        disk == nil ? modelled.removeExpiredFromDisk(at: time) : 0
    }

    mutating func touchOnDisk(_ imageKey: ImageKey, at time: Int64) throws -> Int64 {
        disk == nil ? modelled.touchOnDisk(imageKey, at: time) : 0
    }

    mutating func removeFromMemory(_ imageKey: ImageKey, at time: Int64) {
        if let memory { _ = memory.remove(imageKey) } else { modelled.removeFromMemory(imageKey, at: time) }
    }

    mutating func removeFromDisk(_ imageKey: ImageKey, at time: Int64) throws -> Int64 {
        guard let disk else { return modelled.removeFromDisk(imageKey, at: time) }
        let duration = disk.remove(imageKey)
        return isTimed ? duration : costs.diskLookup
    }

    mutating func show(_ imageKey: ImageKey) { if memory == nil { modelled.show(imageKey) } }

    mutating func hide(_ imageKey: ImageKey, at time: Int64) { if memory == nil { modelled.hide(imageKey, at: time) } }

    mutating func lookUpEncoded(_ imageKey: ImageKey, at time: Int64) -> Answer<Int> {
        modelled.lookUpEncoded(imageKey, at: time)
    }

    mutating func advance(to time: Int64) throws { modelled.advance(to: time) }

    mutating func notice(_ event: SystemEvent) {
        memory?.notice(event)
        disk?.notice(event)
    }

    // A cache that is driven decides itself what to do when the system says something.
    mutating func clearMemory() { if memory == nil { modelled.clearMemory() } }

    mutating func trimMemory(to cost: Int) throws { if memory == nil { try modelled.trimMemory(to: cost) } }

    mutating func trimMemory(toShare share: Double) throws {
        if memory == nil { try modelled.trimMemory(toShare: share) }
    }

    mutating func relaunch(at time: Int64) throws {
        notice(.relaunch)
        modelled.relaunch(at: time)
    }

    func figures() -> TierFigures {
        var figures = modelled.figures()
        if let memory { figures.memoryPeakBytes = Int64(memory.reportsBytes ? memory.peakBytes : memory.provenBytes) }
        if let disk {
            figures.diskPeakBytes = Int64(disk.reportsBytes ? disk.peakBytes : disk.provenBytes)
            figures.diskReadBytes = disk.readBytes
            figures.diskWrittenBytes = disk.writtenBytes
        }
        return figures
    }
}
