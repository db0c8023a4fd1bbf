import Basics
import Runs

/// A possible reason for differences between the runs of a sweep: the cache, or a swept parameter.
struct Factor {
    /// `the cache`, or the name of the parameter.
    var name: String
    /// Of the runs with all else equal, those that differ most.
    var better: RunGroup
    var worse: RunGroup
    var difference: Double
    /// Whether the two runs do not tie.
    var counts: Bool

    /// Returns the factors of a result, the largest difference first; none if the caches differ in one thing only,
    /// which the answer is about.
    static func all(_ caches: ComparedCaches) -> [Factor] {
        var parameters: [String?] = caches.parameters
        if Set(caches.variants.map(\.cache)).count > 1 { parameters.insert(nil, at: 0) }
        guard parameters.count > 1 else { return [] }
        return parameters.compactMap { factor(caches, $0) }.stableSorted { $1.isLess(than: $0) }
    }

    private func isLess(than other: Factor) -> Bool {
        counts == other.counts ? difference < other.difference : other.counts
    }

    /// - Parameter parameter: nil for the cache.
    /// - Returns: nil if no runs differ in the parameter alone.
    private static func factor(_ caches: ComparedCaches, _ parameter: String?) -> Factor? {
        func value(_ variant: ComparedCaches.Variant) -> String? {
            guard let parameter else { return variant.cache }
            return variant.values.first { ComparedCaches.parameter($0) == parameter }
        }
        func rest(_ variant: ComparedCaches.Variant) -> [String] {
            ([variant.cache] + variant.values).filter { $0 != value(variant) }
        }
        let varied = caches.variants.filter { value($0) != nil }
        let factors = varied.map(rest).unique().flatMap { own -> [Factor] in
            let equal = varied.filter { rest($0) == own }
            return caches.places.indices.compactMap { place -> Factor? in
                let groups = equal.compactMap { caches.worst($0, place) }
                guard groups.count > 1, let better = groups.min(by: caches.isBetter),
                    let worse = groups.max(by: caches.isBetter)
                else { return nil }
                return Factor(
                    name: parameter ?? "the cache", better: better, worse: worse,
                    difference: abs(caches.figure(better) - caches.figure(worse)),
                    counts: !caches.ties(better, worse))
            }
        }
        return factors.max { $0.isLess(than: $1) }
    }

    // MARK: Sentences

    static func difference(_ factors: [Factor], _ caches: ComparedCaches) -> Finding? {
        let factors = factors.filter(\.counts).prefix(3)
        guard let first = factors.first else { return nil }
        let shares = HumanText.shares(caches.figure(first.worse), caches.figure(first.better))
        let place = caches.places.count == 1 ? "" : ", on \(NameList.name(first.worse.key.place))"
        let example = """
             (\(shares.0) with \(NameList.name(first.worse.key.cache)), \(shares.1) with \
            \(NameList.name(first.better.key.cache))\(place))
            """
        let amounts = factors.enumerated().map { index, factor in
            "\(factor.name), up to \(AmountText.points(factor.difference))\(index == 0 ? example : "")"
        }
        return Finding(
            subject: .difference, text: "What makes the difference: \(amounts.joined(separator: "; ")).",
            evidence: caches.evidence(factors.flatMap { [$0.worse, $0.better] }),
            caches: [first.worse.key.cache, first.better.key.cache],
            context: """
                The largest difference comes from \(first.name): up to \(AmountText.points(first.difference)) of \
                \(caches.measure.noun).
                """)
    }

    /// Returns the factors that made no difference; nil if all made one.
    static func noDifference(_ factors: [Factor], _ caches: ComparedCaches) -> Finding? {
        let factors = factors.filter { !$0.counts }
        guard let first = factors.first else { return nil }
        return Finding(
            subject: .noDifference,
            text: """
                No difference that counts: \(NameList.text(factors.map(\.name))), at most \
                \(AmountText.points(first.difference)).
                """, evidence: caches.evidence(factors.flatMap { [$0.worse, $0.better] }))
    }
}
