import Basics

/// Hyperbolic caching: an object's priority is its number of accesses divided by its time in the cache, and of a few
/// objects drawn at random the one of least priority leaves. Unlike a frequency, the priority falls while the object is
/// not requested. Unlike a recency, it distinguishes objects that were accessed once by their age.
///
/// A. Blankstein, S. Sen, M. J. Freedman, Hyperbolic caching: flexible caching for Web applications, USENIX ATC 2017: n
/// / t, of 64 samples; time is counted in accesses. The victim is exact if no more objects are held than would be
/// drawn.
///
/// `perByte: true` is the paper's priority for objects of different sizes, n / (t * size). The paper also weights
/// priorities with costs and classes that an application assigns, which traces do not contain, and derives initial
/// priorities from victims. This policy uses none of the three: every object starts with the priority of one access.
struct Hyperbolic: SampledPolicy {
    struct Record: BitwiseCopyable {
        var entered = 0
        var accesses = 0.0
        /// 1 where sizes are ignored.
        var size = 1.0
    }

    var table = SlotTable(filler: Record())
    var sizes = SizeTable()
    var clock = 0
    var random: SplitMix64
    let limits: Limits
    let samples: Int
    let perByte: Bool
    var occupancy = Occupancy()

    init(_ limits: Limits, samples: Int = 64, perByte: Bool = false, seed: UInt64 = 0) {
        self.limits = limits
        self.samples = samples
        self.perByte = perByte
        random = SplitMix64(seed: seed)
    }

    mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        guard let slot = table.slot(of: access.object) else { return .miss }
        clock &+= 1
        table.accessed(access.object)
        table.records.base[slot].accesses += 1
        return .hit
    }

    mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        remove(access.object)
        guard limits.fits(access.size, beside: Occupancy()) else { return false }
        clock &+= 1
        let size = perByte ? Double(max(access.size, 1)) : 1
        insert(access, Record(entered: clock, accesses: 1, size: size), &sink)
        return true
    }

    mutating func clear() {
        removeAll()
        clock = 0
    }

    mutating func nextVictim() -> Int? {
        let now = clock
        let victim = table.victim(of: samples, &random) { record in
            record.accesses / (Double(now &- record.entered) * record.size)
        }
        return victim.map(table.object)
    }
}

extension Hyperbolic {
    static let entry = PolicyEntry(
        "hyperbolic",
        "Of a few objects drawn at random, the one with the fewest accesses for its time in the cache leaves.",
        parameters: [
            .limits, .integer("samples", default: 64), .flag("perByte", default: false), .integer("seed", default: 0),
        ]
    ) {
        Hyperbolic(
            try $0.limits(), samples: try $0.integer("samples", in: 1...Int.max), perByte: try $0.flag("perByte"),
            seed: try $0.seed())
    }
}
