import CachePolicies

/// The tiers as virtual lanes drive them, one operation at a time. Each says what it found and how long it took, in
/// nanoseconds: measured on a real tier, or computed by the cost model. Times are nanoseconds of trace time.
protocol ReplayTiers {
    associatedtype Body

    var hasDisk: Bool { get }
    var memoryOccupancy: Occupancy { get }
    var diskOccupancy: Occupancy { get }

    mutating func begin() throws
    mutating func lookUpInMemory(_ cell: Cell, at time: Int64) -> Answer<Body>
    /// `expiration`, in microseconds: when the object expires, in place of when the policy would have it expire.
    mutating func storeInMemory(_ body: Body, _ cell: Cell, at time: Int64, expiration: Int64?) throws -> Int64
    mutating func readFromDisk(_ cell: Cell, at time: Int64) throws -> Answer<Body>
    /// `expiration`: as for memory.
    mutating func storeOnDisk(_ body: Body, _ cell: Cell, at time: Int64, expiration: Int64?) throws -> Int64
    /// Without a body where it is no image. Whatever else it is goes on as it came.
    mutating func decode(_ body: Body, _ cell: Cell) -> Answer<Body>
    mutating func removeExpiredFromDisk(at time: Int64) throws -> Int64
    /// The transfer itself; the recorded latency comes on top.
    mutating func fetch(_ cell: Cell, status: Int) throws -> Answer<Body>

    /// Lets the policies' timers run.
    mutating func advance(to time: Int64) throws
    mutating func clearMemory()
    mutating func trimMemory(to cost: Int) throws
    mutating func relaunch(at time: Int64) throws

    func figures() -> TierFigures
    var machine: MachineFigures? { get }
}
