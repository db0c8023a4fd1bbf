/// S4-FIFO: ``S3FIFO`` with five figures that can be set. It adds a window of S, in which hits do not count, and the
/// number of returns that an object needs before it enters M at once.
///
/// Haocheng Xia, William Nixon, Bintang Dwi Marthen, Pranav Bhandari, Juncheng Yang, "Learning-Augmented Heuristics:
/// Simple yet Smart, Robust and Interpretable Cache Eviction", OSDI 2026, section 4 and Table 2. `small`, `ghost`,
/// `skip`, `threshold` and `ghostThreshold` are the paper's ρS, ρG, κ, τS and τG. The defaults are the paper's;
/// with them, the policy is S3-FIFO. In the paper, a trained model chooses the figures for a workload. The model is not
/// published, and this policy does not have it. It chooses `small` from 0.05 to 0.9, `ghost` from 0.9 to 6, `skip` from
/// 0 and 0.25, `threshold` from 1 and 2, and `ghostThreshold` from 0 and 1.
///
/// - The window is the share `skip` of S, at the end where objects enter. A hit on an object there is not counted. An
///   object leaves the window when as much has entered S since, in the measure of the capacity, as in libCacheSim's
///   `S4FIFO.c` of 2026.
/// - An object that returns while G remembers it enters M if it has done so more than `ghostThreshold` times, and S
///   otherwise. G remembers the count; an object that G forgets begins anew.
///
/// Deviations are the same as in ``S3FIFO``. With a window and one hit for the way to M, this is also ``Clock2QPlus``.
struct S4FIFO: SmallQueuePolicy {
    /// The figures of a cache.
    struct Figures {
        /// The shares of the capacity for S and G.
        var small = 0.1
        var ghost = 0.9
        /// The share of S in which hits do not count, and how it is rounded.
        var skip = 0.0
        var rounding = FloatingPointRoundingRule.down
        /// The hits that lift an object from S to M, from 1 to 15.
        var threshold = 2
        /// The returns that do not suffice to enter M at once, from 0 to 15.
        var ghostThreshold = 0
        /// How many hits count in M, from 1 to 15.
        var mostMainUses = 3
        var compat = Compatibility.paper
    }

    var queues = QueueSet(queues: 3)
    let budget: Budget
    let smallShare: Int
    let mainShare: Int
    let ghostShare: Int
    /// The length of the window.
    let skipped: Int
    let figures: Figures
    /// The amount that has entered S: the sum of the sizes in the measure, or the number of objects in libCacheSim's
    /// Clock2Q+.
    private var entered = 0
    /// ``entered`` after the object had entered S last. Only where there is a window.
    private var entries = UncheckedArray(repeating: 0)
    /// How often the object has returned while G remembered it. Only where that counts.
    private var returns = UncheckedArray<UInt8>(repeating: 0)
    var hasEvicted = false
    var victim: Int?
    var threshold: Int { figures.threshold }
    var mostMainUses: Int { figures.mostMainUses }
    var compat: Compatibility { figures.compat }

    init(_ limits: Limits, _ figures: Figures) {
        budget = Budget(limits)
        smallShare = budget.share(figures.small)
        mainShare = budget.capacity - smallShare
        ghostShare = budget.share(figures.ghost)
        skipped = Int(exactly: (Double(smallShare) * figures.skip).rounded(figures.rounding)) ?? .max
        self.figures = figures
    }

    mutating func reserve(_ count: Int) {
        queues.reserve(count)
        if skipped > 0 { entries.reserve(count) }
        if figures.ghostThreshold > 0 { returns.reserve(count) }
    }

    @inline(__always) mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        let object = access.object
        let queue = queues.place(of: object)
        if queue == Self.main {
            queues.countUse(object, upTo: figures.mostMainUses)
        } else if queue == Self.small {
            if skipped == 0 || entered &- entries[object] >= skipped {
                queues.countUse(object, upTo: figures.threshold)
            }
        } else {
            return .miss
        }
        return .hit
    }

    @inline(__always) mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        let remembered = queues.place(of: access.object) == Self.ghost
        let size = budget.measure(access.size)
        remove(access.object)
        guard budget.fitsAlone(access.size), isPaper || size <= smallShare else { return false }
        while !budget.fits(access.size, beside: occupancy), evictNext(&sink) {}
        let returned = hasReturned(access.object, remembered)
        guard isPaper || returned || size < smallShare else { return false }
        if returned || !isPaper && !hasEvicted && held(Self.small) >= smallShare {
            queues.pushFront(access.object, size: access.size, Self.main)
        } else {
            entered &+= isPaper ? size : 1
            if skipped > 0 { entries[access.object] = entered }
            queues.pushFront(access.object, size: access.size, Self.small)
        }
        return true
    }

    /// Whether an object that is admitted has returned often enough for M. Counts the return.
    @inline(__always) private func hasReturned(_ object: Int, _ remembered: Bool) -> Bool {
        guard figures.ghostThreshold > 0 else { return remembered }
        let count = remembered ? Int(returns[object]) &+ 1 : 0
        let suffices = count > figures.ghostThreshold
        returns[object] = suffices ? 0 : UInt8(truncatingIfNeeded: count)
        return suffices
    }

    mutating func clear() {
        removeAll()
        entered = 0
    }
}

extension S4FIFO {
    static let entry = PolicyEntry(
        "s4fifo",
        """
        S3-FIFO with a window of the small queue in which hits do not count, and a count of returns. Its defaults are \
        S3-FIFO.
        """,
        parameters: [
            .limits, .fraction("small", default: 0.1), .number("ghost", default: 0.9), .fraction("skip", default: 0),
            .integer("threshold", default: 2), .integer("ghostThreshold", default: 0),
        ]
    ) {
        S4FIFO(
            try $0.limits(),
            Figures(
                small: try $0.fraction("small"), ghost: try $0.number("ghost"), skip: try $0.fraction("skip"),
                threshold: try $0.integer("threshold", in: 1...15),
                ghostThreshold: try $0.integer("ghostThreshold", in: 0...15)))
    }
}
