/// S3-FIFO: three first-in-first-out queues. New objects enter the small queue, S. Most leave it soon, and the ghosts,
/// G, remember them. Objects that were hit often enough in S, or that are requested while G remembers them, enter the
/// main queue, M, where a hit gives another round.
///
/// Juncheng Yang, Yazhuo Zhang, Ziyue Qiu, Yao Yue, K. V. Rashmi, "FIFO Queues are All You Need for Cache Eviction",
/// SOSP 2023, Algorithm 1. `small` and `ghost` are the shares of the capacity for S and G; the rest is M's. G is
/// measured by the sizes of its objects. Objects move from S to M if they were hit `threshold` times there. Hits are
/// counted up to 3, or up to `threshold` if that is more.
///
/// Deviations: an object is searched in G before room is made for it, not after. In the paper EVICTS continues until an
/// object has left S even when one has left M meanwhile; here it ends when there is room. With bytes, an object larger
/// than S's share may enter S.
///
/// - `compat: libcachesim-2024-10`: M gives way if it exceeds its share or S is empty, else S; a move from S to M
///   evicts nothing from M at once; objects as large as S's share or larger are refused, which is every object if the
///   capacity is below 20 objects.
/// - `compat: libcachesim`: in addition, new objects enter M once S is full, until the first eviction. libCacheSim ends
///   its process where the capacity is below 10.
struct S3FIFO: SmallQueuePolicy {
    var queues = QueueSet(queues: 3)
    let budget: Budget
    let smallShare: Int
    let mainShare: Int
    let ghostShare: Int
    let threshold: Int
    let compat: Compatibility
    var hasEvicted = false
    var victim: Int?
    var mostMainUses: Int { 3 }

    /// `threshold` is from 1 to 15.
    init(_ limits: Limits, small: Double = 0.1, ghost: Double = 0.9, threshold: Int = 2, compat: Compatibility = .paper)
    {
        budget = Budget(limits)
        smallShare = budget.share(small)
        mainShare = budget.capacity - smallShare
        ghostShare = budget.share(ghost)
        self.threshold = threshold
        self.compat = compat
    }

    @inline(__always) mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        guard contains(access.object) else { return .miss }
        queues.countUse(access.object, upTo: max(3, threshold))
        return .hit
    }

    @inline(__always) mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        let remembered = queues.place(of: access.object) == Self.ghost
        let size = budget.measure(access.size)
        remove(access.object)
        guard budget.fitsAlone(access.size), compat == .paper || size <= smallShare else { return false }
        while !budget.fits(access.size, beside: occupancy), evictNext(&sink) {}
        guard compat == .paper || remembered || size < smallShare else { return false }
        let skipsSmall = compat == .libCacheSim && !hasEvicted && held(Self.small) >= smallShare
        queues.pushFront(access.object, size: access.size, remembered || skipsSmall ? Self.main : Self.small)
        return true
    }

    mutating func clear() { removeAll() }
}

extension S3FIFO {
    static let entry = PolicyEntry(
        "s3fifo", "Three FIFO queues: a small one for new objects, a main one, and ghosts.",
        parameters: [
            .limits, .fraction("small", default: 0.1), .fraction("ghost", default: 0.9),
            .integer("threshold", default: 2),
            .compat,
        ]
    ) { arguments in
        S3FIFO(
            try arguments.limits(), small: try arguments.fraction("small"), ghost: try arguments.fraction("ghost"),
            threshold: try arguments.integer("threshold", in: 1...15), compat: try arguments.compat())
    }
}
