/// Segmented LRU: objects enter the lowest of several LRU segments, and each hit lifts them by one. A segment above its
/// share lets its least recently used sink to the one below; who leaves, leaves from the lowest.
///
/// Ramakrishna Karedla, J. Spencer Love, Bradley G. Wherry, "Caching Strategies to Improve Disk System Performance",
/// IEEE Computer 27(3),
/// 1994. The paper has two segments, a probationary and a protected one; here are `segments` of equal shares. As in the
///       paper, the upper
/// segments are bounded, and the lowest takes what they leave free.
///
/// - `compat: libcachesim`: every segment has the share ⌊capacity / segments⌋, also the lowest; larger objects are
///   refused. A new object enters the lowest segment that has room, and where none has, the lowest, which then stands
///   above its share until objects sink into it.
/// - ``S4LRU`` bounds the lowest segment as well, and enters new objects nowhere else.
///
/// With bytes, an object that is larger than a segment's share is not lifted into it: a hit then makes it the most
/// recent of its own.
struct SLRU: SegmentedPolicy {
    enum Form {
        /// The lowest segment takes what the others leave.
        case karedla
        /// The lowest segment is bounded too.
        case strict
        case libCacheSim
    }

    var queues: QueueSet
    let budget: Budget
    let form: Form
    /// How many segments.
    let residentQueues: Int
    /// What each segment but the lowest may hold, in the measure.
    let share: Int
    let lowestShare: Int

    /// `segments` is from 1 to 15.
    init(_ limits: Limits, segments: Int = 4, form: Form = .karedla) {
        queues = QueueSet(queues: segments)
        budget = Budget(limits)
        self.form = form
        residentQueues = segments
        share = budget.capacity / segments
        lowestShare =
            switch form {
            case .karedla: budget.capacity
            case .strict: budget.capacity - share * (segments - 1)
            case .libCacheSim: share
            }
    }

    @inline(__always) mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        let segment = queues.place(of: access.object)
        guard segment < residentQueues else { return .miss }
        let above = segment &+ 1
        if above < residentQueues, budget.measure(queues.size(of: access.object)) <= share {
            queues.move(access.object, from: segment, to: above)
            settle(above, &sink)
        } else {
            queues.moveToFront(access.object, in: segment)
        }
        return .hit
    }

    @inline(__always) mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        remove(access.object)
        let size = budget.measure(access.size)
        guard budget.fitsAlone(access.size), size <= lowestShare else { return false }
        while !budget.fits(access.size, beside: occupancy) { evict(&sink) }
        var segment = 0
        switch form {
        case .karedla: break
        case .strict: while held(0) > lowestShare &- size { evict(&sink) }
        case .libCacheSim: segment = (0..<residentQueues).first { held($0) <= share &- size } ?? 0
        }
        queues.pushFront(access.object, size: access.size, segment)
        return true
    }

    @inline(__always) mutating func nextVictim() -> Int? {
        for segment in 0..<residentQueues {
            if let oldest = queues.back(segment) { return oldest }
        }
        return nil
    }

    @inline(__always) private func held(_ segment: Int) -> Int { queues.held(segment, budget) }

    @inline(__always) private mutating func evict(_ sink: inout some EvictionSink) {
        guard let victim = nextVictim() else { return }
        queues.remove(victim)
        sink.evicted(victim, .capacity)
    }

    /// A segment has received an object: what is above its share goes to the segment below, and so on down.
    @inline(__always) private mutating func settle(_ highest: Int, _ sink: inout some EvictionSink) {
        var segment = highest
        while segment > 0, held(segment) > share {
            while held(segment) > share, let oldest = queues.back(segment) {
                queues.move(oldest, from: segment, to: segment &- 1)
            }
            segment &-= 1
        }
        while segment == 0, held(0) > lowestShare { evict(&sink) }
    }
}

extension SLRU {
    static let entry = PolicyEntry(
        "slru", "Segmented LRU: a hit lifts an object by one segment, and victims come from the lowest.",
        parameters: [
            .limits, .integer("segments", default: 4), .choice("compat", ["paper", "libcachesim"], default: "paper"),
        ]
    ) {
        SLRU(
            try $0.limits(), segments: try $0.integer("segments", in: 1...15),
            form: try $0.choice("compat") == "paper" ? .karedla : .libCacheSim)
    }
}
