import Basics

/// Admits with probability e^(-size/c), where c is tuned after every period of requests to give the most hits.
///
/// A model predicts the hits for each c: every object is requested independently at its recent rate, and stays for a
/// time T since its last request. T is equal for all objects, as in an LRU cache. T follows from the capacity,
/// and the share of requests that hit follows from T.
///
/// Source: Berger, Sitaraman, Harchol-Balter, AdaptSize: Orchestrating the Hot Object Memory Cache in a Content
/// Delivery Network, NSDI 2017. Deviations and choices:
/// - The capacity is the most bytes that the policy has held (``ObservedCapacity``). Until the first eviction every
///   object enters.
/// - Objects of about the same size and rate, within a quarter of an octave, are computed together.
/// - c is searched for octave by octave, then by quarters of one around the best. Of several within 0.1 % of the hits
///   the largest is taken.
/// - Until the first period is over every object enters.
struct AdaptSize<Inner: TimedPolicy>: AdmissionRule {
    let period: Int
    /// The weight of the rates before the last period.
    let smoothing: Double
    var random: SplitMix64
    /// Bytes; infinite if every object enters.
    var scale = Double.infinity
    var requests = 0
    var capacity = ObservedCapacity()
    /// By object: requests in this period; in those before, smoothed; bytes, 0 until the object is fetched.
    var counts = UncheckedArray<UInt32>(repeating: 0)
    var rates = UncheckedArray<Float>(repeating: 0)
    var sizes = UncheckedArray<Int>(repeating: 0)

    /// `period` is at least 1.
    init(period: Int, smoothing: Double, seed: UInt64) {
        self.period = period
        self.smoothing = smoothing
        random = SplitMix64(seed: seed)
    }

    mutating func reserve(_ count: Int) {
        counts.reserve(count)
        rates.reserve(count)
        sizes.reserve(count)
    }

    mutating func note(_ access: Access) {
        counts[access.object] &+= 1
        requests &+= 1
    }

    mutating func admits(_ access: Access, to policy: inout Inner) -> Bool {
        sizes[access.object] = access.size
        if requests >= period { tune() }
        return random.fraction() < PortableMath.exp(-Double(access.size) / scale)
    }

    mutating func learn(_ admitted: Admitted) { capacity.learn(admitted) }

    mutating func reset() {
        random.reset()
        scale = .infinity
        requests = 0
        capacity = ObservedCapacity()
        counts.reset()
        rates.reset()
        sizes.reset()
    }

    @inline(never) mutating func tune() {
        requests = 0
        var model = AdaptSizeModel(capacity: Double(capacity.peak.bytes))
        for object in 0..<counts.count {
            let count = Double(counts[object])
            let old = Double(rates[object])
            let rate = old == 0 ? count : smoothing * old + (1 - smoothing) * count
            counts[object] = 0
            // Objects that are hardly requested any more are forgotten.
            rates[object] = rate < 0.1 ? 0 : Float(rate)
            if rate >= 0.1, sizes[object] > 0 { model.add(size: Double(sizes[object]), rate: rate) }
        }
        if capacity.isReached { scale = model.bestScale() }
    }
}

/// A model of the hits in an LRU cache whose objects enter with probability e^(-size/c).
struct AdaptSizeModel {
    /// Objects of about the same size and rate.
    struct Group {
        var objects = 0.0
        var size = 0.0
        var rate = 0.0
    }

    /// Bytes.
    var capacity: Double
    private var places: [Int: Int] = [:]
    private var groups: [Group] = []

    init(capacity: Double) { self.capacity = capacity }

    /// Size and rate are above 0.
    mutating func add(size: Double, rate: Double) {
        let key =
            Int((PortableMath.log2(size) * 4).rounded(.down)) << 16 + Int((PortableMath.log2(rate) * 4).rounded(.down))
        let place = places[key] ?? groups.count
        if place == groups.count {
            places[key] = place
            groups.append(Group())
        }
        groups[place].objects += 1
        groups[place].size += (size - groups[place].size) / groups[place].objects
        groups[place].rate += (rate - groups[place].rate) / groups[place].objects
    }

    /// Returns the c that gives the most hits; infinite if everything fits, or if it is best to admit every object.
    func bestScale() -> Double {
        let bytes = groups.reduce(0) { $0 + $1.objects * $1.size }
        guard bytes > capacity, let smallest = groups.map(\.size).min(), let largest = groups.map(\.size).max() else {
            return .infinity
        }
        let octave = best(
            among: stride(
                from: PortableMath.log2(smallest) - 3, through: PortableMath.log2(largest) + 4, by: 1))
        let exponent = best(among: stride(from: octave - 0.75, through: octave + 0.75, by: 0.25))
        let scale = PortableMath.exp2(exponent)
        return hitRatio(scale) > hitRatio(.infinity) ? scale : .infinity
    }

    /// Returns the largest of several c that are about as good: the model describes a steady state, and a small c takes
    /// long to reach it.
    private func best(among exponents: some Sequence<Double>) -> Double {
        let ratios = exponents.map { ($0, hitRatio(PortableMath.exp2($0))) }
        let highest = ratios.map(\.1).max() ?? 0
        return ratios.last { $0.1 >= highest - 0.001 }?.0 ?? 0
    }

    /// The paper's Theorem 1, with the time T at which the expected bytes are the capacity.
    func hitRatio(_ scale: Double) -> Double {
        let chances = groups.map { max(PortableMath.exp(-$0.size / scale), 1e-300) }
        func share(_ group: Int, _ time: Double) -> Double {
            1 / (1 + 1 / (PortableMath.expm1(groups[group].rate * time) * chances[group]))
        }
        // In powers of two, the unit being a period.
        var (low, high) = (-40.0, 40.0)
        for _ in 0..<30 {
            let middle = (low + high) / 2
            let time = PortableMath.exp2(middle)
            let bytes = groups.indices.reduce(0) { $0 + groups[$1].objects * groups[$1].size * share($1, time) }
            if bytes < capacity { low = middle } else { high = middle }
        }
        let time = PortableMath.exp2(low)
        let requests = groups.reduce(0) { $0 + $1.objects * $1.rate }
        return groups.indices.reduce(0) { $0 + groups[$1].objects * groups[$1].rate * share($1, time) }
            / max(requests, 1e-9)
    }
}

enum AdaptSizePolicy {
    static let entry = PolicyEntry(
        "adaptsize",
        "Before another policy: admits with probability e^(-size/c), with the c for which a model predicts most hits.",
        parameters: [
            .policy(nil), .integer("period", default: 500_000), .fraction("smoothing", default: 0.3),
            .integer("seed", default: 1),
        ]
    ) { arguments in
        let period = try arguments.integer("period", in: 1...Int.max)
        let smoothing = try arguments.fraction("smoothing")
        let seed = try arguments.seed()
        func place<Inner: TimedPolicy>(_ inner: Inner) -> any CachePolicy {
            Admission(AdaptSize<Inner>(period: period, smoothing: smoothing, seed: seed), before: inner)
        }
        return place(try arguments.policy(nil).timed())
    }
}
