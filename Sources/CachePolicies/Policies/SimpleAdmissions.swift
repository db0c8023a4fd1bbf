import Basics

/// Objects enter at their second request: objects that are requested once never enter. A ``RotatingBloomFilter``
/// remembers the first requests.
///
/// Source: Maggs and Sitaraman, Algorithmic Nuggets in Content Delivery, ACM Computer Communication Review 45(3), 2015.
/// A request is here an admission that is asked for. An object that has left may therefore enter again at once for as
/// long as the filter remembers it.
struct BloomAdmission<Inner: TimedPolicy>: AdmissionRule {
    var requested: RotatingBloomFilter

    mutating func reserve(_ count: Int) {}

    mutating func note(_ access: Access) {}

    mutating func admits(_ access: Access, to policy: inout Inner) -> Bool { requested.insert(access.object) }

    mutating func learn(_ admitted: Admitted) {}

    mutating func reset() { requested.removeAll() }
}

enum BloomPolicy {
    static let entry = PolicyEntry(
        "bloom",
        """
        Before another policy: admits an object at its second request, if at most `window` to twice as many other \
        new objects came between the two.
        """,
        parameters: [.policy(nil), .integer("window", default: 100_000), .fraction("error", default: 0.01)]
    ) { arguments in
        // Larger filters would take gigabytes.
        let filter = RotatingBloomFilter(
            window: try arguments.integer("window", in: 1...1_000_000_000),
            error: try arguments.fraction("error", in: BloomFilter.errors))
        func place<Inner: TimedPolicy>(_ inner: Inner) -> any CachePolicy {
            Admission(BloomAdmission<Inner>(requested: filter), before: inner)
        }
        return place(try arguments.policy(nil).timed())
    }
}

/// Objects enter with a probability, so that often requested objects have many chances. With a size `c`, the
/// probability is multiplied by e^(-size/c), and large objects have fewer chances.
///
/// Source of the latter: Berger, Sitaraman, Harchol-Balter, AdaptSize, NSDI 2017, where c adapts, see ``AdaptSize``.
struct ProbabilisticAdmission<Inner: TimedPolicy>: AdmissionRule {
    let probability: Double
    /// Bytes; infinite if the size does not matter.
    let scale: Double
    var random: SplitMix64

    mutating func reserve(_ count: Int) {}

    mutating func note(_ access: Access) {}

    mutating func admits(_ access: Access, to policy: inout Inner) -> Bool {
        random.fraction() < probability * PortableMath.exp(-Double(access.size) / scale)
    }

    mutating func learn(_ admitted: Admitted) {}

    mutating func reset() { random.reset() }
}

enum ProbabilityPolicy {
    static let entry = PolicyEntry(
        "probability", "Before another policy: admits with probability p, times e^(-size/c) unless c is 0.",
        parameters: [
            .policy(nil), .fraction("p", default: 0.5), .size("c", default: "0B"), .integer("seed", default: 1),
        ]
    ) { arguments in
        let scale = try arguments.size("c")
        let probability = try arguments.fraction("p")
        let random = SplitMix64(seed: try arguments.seed())
        func place<Inner: TimedPolicy>(_ inner: Inner) -> any CachePolicy {
            let rule = ProbabilisticAdmission<Inner>(
                probability: probability, scale: scale == 0 ? .infinity : Double(scale), random: random)
            return Admission(rule, before: inner)
        }
        return place(try arguments.policy(nil).timed())
    }
}
