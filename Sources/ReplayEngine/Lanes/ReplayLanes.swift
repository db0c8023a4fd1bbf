import CachePolicies

/// Where the pipeline's operations run, and what time it is: virtual time over durations that are measured or modelled
/// (``VirtualLanes``), or real time over real threads (``WallLanes``).
///
/// Memory belongs to the main lane and is asked at once. Disk jobs and fetches are started, and end as a ``ReplayStep``
/// later.
protocol ReplayLanes {
    /// What is delivered: real bytes, or nothing but a promise of them.
    associatedtype Body

    /// Nanoseconds since the start of the trace, in trace time.
    var now: Int64 { get }
    var hasDisk: Bool { get }
    var memoryOccupancy: Occupancy { get }
    var diskOccupancy: Occupancy { get }
    /// When the main lane has worked off what was given to it.
    var mainLaneFree: Int64 { get }

    /// The first event is next: time begins, and what memory is held now is not the cache's.
    mutating func begin() throws

    /// Returns what was found, and when the main lane is done with it.
    mutating func lookUpInMemory(_ cell: Cell) -> (answer: Answer<Body>, done: Int64)
    /// Returns when the main lane is done. `expiration`, in microseconds: as ``ReplayTiers`` has it.
    mutating func storeInMemory(_ body: Body, _ cell: Cell, expiration: Int64?) throws -> Int64
    /// Reads from disk while everything else on the main lane waits; returns what was found, and when the lane is done.
    mutating func readFromDiskOnMainLane(_ cell: Cell) throws -> (answer: Answer<Body>, done: Int64)

    mutating func start(_ job: DiskJob<Body>) throws
    /// Begins to decode a body; `number` is what the end of it is called.
    mutating func start(decode number: Int, _ body: Body, _ cell: Cell) throws
    /// The same while everything else on the main lane waits.
    mutating func decodeOnMainLane(_ body: Body, _ cell: Cell) throws -> Answer<Body>
    /// Begins fetch number `fetch`, which meets what `sample` says.
    mutating func start(fetch: Int, _ cell: Cell, _ sample: NetworkModel.Sample) throws
    mutating func cancel(fetch: Int)

    /// The next thing that ends up to and including `time`, with the clock moved there; nil once the clock stands at
    /// `time`. With `time` nil: once nothing is under way.
    mutating func nextStep(until time: Int64?) throws -> ReplayStep<Body>?

    /// The time at which the pipeline wants a ``ReplayStep/woke``; nil: it wants none. The step clears the alarm.
    var alarm: Int64? { get set }

    mutating func clearMemory()
    /// Lets objects leave until what is held costs no more than `cost`, in the policy's measure.
    mutating func trimMemory(to cost: Int) throws
    /// The app ends and starts again: what is under way is lost, memory too; the disk tier finds its files.
    mutating func relaunch() throws

    /// The replay is over, done or not.
    mutating func end()

    /// What the tiers have counted: evictions, bytes read and written, peaks.
    func figures() -> TierFigures
    /// What only a real run tells; nil in modelled timing.
    var machine: MachineFigures? { get }
}

/// Something that has ended.
enum ReplayStep<Body> {
    /// Without an answer where none was asked for.
    case diskEnded(DiskJob<Body>, Answer<Body>?)
    /// Without a body where it was no image.
    case decoded(Int, Answer<Body>)
    case fetched(Int, Answer<Body>)
    /// The alarm has rung.
    case woke
}

/// One operation of the disk lane.
enum DiskJob<Body> {
    /// Reads a file for the readers that are known when the job is enqueued.
    case read(Cell, DiskReaders)
    /// Expirations are as ``ReplayTiers`` describes them.
    case store(Body, Cell, expiration: Int64?)
    case removeExpired
}

extension ReplayStep: Sendable where Body: Sendable {}
extension DiskJob: Sendable where Body: Sendable {}
extension Answer: Sendable where Body: Sendable {}

/// What a cell asks for.
struct Cell: Equatable, Sendable {
    var object: Int
    var variant: UInt8

    /// Cells as small numbers: two to an object.
    var number: Int { object * 2 + Int(variant) }
}

struct Answer<Body> {
    var found: Lookup
    /// There whenever `found` is a hit, except of a file that is damaged and kept.
    var body: Body?
    /// What the operation took, in nanoseconds.
    var duration: Int64
    /// Bytes that came over the network, whether or not they were any use.
    var bytes = 0
    /// Delivered bytes of another key, or torn ones.
    var isWrong = false
}
