/// AdaptiveClimb: a list between LRU and CLIMB, with one number, the jump. A hit moves an object up by as many places,
/// a new object enters as many places above the end, and the last object leaves. Each hit shortens the jump by one,
/// down to 1, which is CLIMB. Each miss lengthens it by one, up to the length of the list, which is LRU.
///
/// Daniel Berend, Shlomi Dolev, Sweta Kumari, Dhruv Mishra, Marina Kogan-Sadetsky, Archit Somani,
/// "DynamicAdaptiveClimb: Adaptive Cache Replacement with Dynamic Resizing", arXiv:2511.21235, 2025, Algorithm 1. First
/// in Daniel Berend, Shlomi Dolev, Marina Kogan-Sadetsky, "AdaptiveClimb: Adaptive Policy for Cache Replacement",
/// SYSTOR 2019. The jump changes before it is used, and begins at its longest.
///
/// - The paper counts objects, and K is the capacity. With bytes, K is the number of objects that are held, with a new
///   one.
/// - While the list is shorter than K, free places are behind its last object.
/// - A request for an object that is refused, as by its size, leaves the jump as it is.
/// - DynamicAdaptiveClimb, the paper's second policy, changes the capacity itself, and is not here.
///
/// The code that the authors published (Dhruv27Mishra/Adaptive-Climb) moves each object that is hit to the front, and
/// inserts there, whatever its jump is: it is LRU. This is the algorithm of the paper.
struct AdaptiveClimb: VictimOrdered {
    var order: PlaceTree
    var sizes = SizeTable()
    var bytes = 0
    let limits: Limits
    private(set) var jump: Int

    init(_ limits: Limits) {
        self.limits = limits
        order = PlaceTree(mostObjects: limits.objects)
        jump = Self.longestJump(limits, held: 1)
    }

    /// The paper's K.
    @inline(__always) private static func longestJump(_ limits: Limits, held: Int) -> Int {
        limits.bytes == .max ? limits.objects : held
    }

    var occupancy: Occupancy { Occupancy(objects: order.count, bytes: bytes) }

    func contains(_ object: Int) -> Bool { order.contains(object) }

    mutating func reserve(_ count: Int) {
        order.reserve(count)
        sizes.reserve(count)
    }

    func prefetch(_ object: Int) { order.prefetch(object) }

    @inline(__always) mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        guard order.contains(access.object) else { return .miss }
        jump = max(1, jump &- 1)
        order.climb(access.object, by: jump)
        return .hit
    }

    @inline(__always) mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        remove(access.object)
        guard limits.fits(access.size, beside: Occupancy()) else { return false }
        while !limits.fits(access.size, beside: occupancy), evictNext(&sink) {}
        let longest = Self.longestJump(limits, held: order.count &+ 1)
        jump = jump < longest ? jump &+ 1 : longest
        order.insert(access.object, at: min(longest &- jump, order.count))
        sizes[access.object] = access.size
        bytes &+= access.size
        return true
    }

    mutating func nextVictim() -> Int? { order.last }

    mutating func evictNext(_ sink: inout some EvictionSink) -> Bool { removeNextVictim(&sink) }

    mutating func remove(_ object: Int) {
        guard order.contains(object) else { return }
        order.remove(object)
        bytes &-= sizes[object]
    }

    mutating func clear() {
        order.removeAll()
        bytes = 0
        jump = Self.longestJump(limits, held: 1)
    }
}

extension AdaptiveClimb {
    static let entry = PolicyEntry(
        "adaptive-climb", "A list in which hits climb by a jump that shrinks with each hit and grows with each miss.",
        parameters: [.limits]
    ) { AdaptiveClimb(try $0.limits()) }
}
