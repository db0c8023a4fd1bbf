import CachePolicies

/// The tiers as the pipeline drives them. Each operation says what it found and how long it took, in nanoseconds:
/// measured on a real tier, or computed by the cost model.
protocol ReplayTiers {
    /// What is delivered: real bytes, or nothing but a promise of them.
    associatedtype Body

    var hasDisk: Bool { get }
    var memoryOccupancy: Occupancy { get }
    var diskOccupancy: Occupancy { get }

    /// The first event is next: what memory is held now is not the cache's.
    mutating func begin()

    mutating func lookUpInMemory(_ cell: Cell, at time: Int64) -> Answer<Body>
    mutating func storeInMemory(_ body: Body, _ cell: Cell, at time: Int64) throws -> Int64
    mutating func readFromDisk(_ cell: Cell, at time: Int64) throws -> Answer<Body>
    mutating func storeOnDisk(_ body: Body, _ cell: Cell, at time: Int64) throws -> Int64
    /// The transfer itself; the recorded latency is added by the pipeline. `status`: what the recorded fetch met.
    mutating func fetch(_ cell: Cell, status: Int) throws -> Answer<Body>

    /// Lets the policies' timers run.
    mutating func advance(to time: Int64) throws
    mutating func memoryWarning()
    mutating func removeExpiredFromDisk(at time: Int64) throws -> Int64
    /// The app ends and starts again: memory is lost, the disk tier finds its files.
    mutating func relaunch(at time: Int64) throws

    /// What the tiers have counted: evictions, bytes read and written, peaks.
    func figures() -> TierFigures

    /// What only a real run tells; nil in modelled timing.
    var machine: MachineFigures? { get }
}

/// What a cell asks for.
struct Cell: Equatable {
    var object: Int
    var variant: UInt8

    /// Cells as small numbers: two to an object.
    var number: Int { object * 2 + Int(variant) }
}

struct Answer<Body> {
    var found: Lookup
    /// There whenever `found` is a hit.
    var body: Body?
    var duration: Int64
    /// Bytes that came over the network, whether or not they were any use.
    var bytes = 0
    /// Delivered bytes of another key, or torn ones.
    var isWrong = false
}
