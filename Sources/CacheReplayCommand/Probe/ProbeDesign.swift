import Basics

/// The sequences of a probe.
///
/// Short ones are complete: every sequence up to a length over three or four keys, in which each key is stored before
/// it is read or removed. Keys are numbered in order of first use, because caches do not depend on their names. Longer
/// ones are drawn: they reach states that short ones cannot, such as eight objects, from which on the model `frequency`
/// differs from LRU.
public enum ProbeDesign {
    /// The same sequences for every machine and every seed.
    ///
    /// - Parameter seed: Of the sequences that are drawn.
    public static func sequences(seed: UInt64 = 1) -> [ProbeSequence] {
        let limits = [(3, 0), (0, 2), (3, 2), (1, 0), (0, 0)].map { ProbeLimits(cost: $0.0, count: $0.1) }
        let costs = limits.flatMap { complete(length: 4, keys: 3, costs: [1, 2], removes: true, $0) }
        let accesses = [ProbeLimits(cost: 0, count: 2), ProbeLimits(cost: 3, count: 0)].flatMap {
            complete(length: 6, keys: 4, costs: [1], removes: false, $0)
        }
        var random = SplitMix64(seed: seed)
        let few = (0..<1_500).map { _ in drawn(keys: 5, length: 6...20, costs: [1, 1, 2, 3, 4, 9], fewKeys, &random) }
        let many = (0..<500).map { _ in drawn(keys: 16, length: 30...70, costs: [1, 2, 2, 3], manyKeys, &random) }
        var known: Set<ProbeSequence> = []
        let short = (costs + accesses).filter { known.insert($0).inserted }
        return short.sorted { $0.operations.count < $1.operations.count } + few + many
    }

    private static let fewKeys = [(4, 0), (8, 0), (0, 1), (0, 3), (6, 3), (0, 0)].map {
        ProbeLimits(cost: $0.0, count: $0.1)
    }
    private static let manyKeys = [(0, 8), (0, 10), (0, 12), (24, 0), (30, 12)].map {
        ProbeLimits(cost: $0.0, count: $0.1)
    }

    private static func complete(
        length: Int, keys: Int, costs: [Int], removes: Bool, _ limits: ProbeLimits
    ) -> [ProbeSequence] {
        var all: [ProbeSequence] = []
        // Each with the number of keys that it uses.
        var longest: [(operations: [ProbeOperation], keys: Int)] = [([], 0)]
        for _ in 0..<length {
            longest = longest.flatMap { sequence in
                var next: [(operations: [ProbeOperation], keys: Int)] = []
                for key in 0..<sequence.keys {
                    let others = [ProbeOperation.get(key)] + (removes ? [.remove(key)] : [])
                    for operation in costs.map({ ProbeOperation.store(key, cost: $0) }) + others {
                        next.append((sequence.operations + [operation], sequence.keys))
                    }
                }
                guard sequence.keys < keys else { return next }
                return next
                    + costs.map { (sequence.operations + [.store(sequence.keys, cost: $0)], sequence.keys + 1) }
            }
            all += longest.map { ProbeSequence(limits: limits, $0.operations) }
        }
        return all
    }

    private static func drawn(
        keys: Int, length: ClosedRange<Int>, costs: [Int], _ limits: [ProbeLimits], _ random: inout SplitMix64
    ) -> ProbeSequence {
        let count = length.lowerBound + random.next(below: length.count)
        let operations = (0..<count).map { _ in
            // The lower of two draws: some keys are read more often.
            let key = min(random.next(below: keys), random.next(below: keys))
            return switch random.next(below: 20) {
            case 0: ProbeOperation.remove(random.next(below: keys))
            case 1...9: ProbeOperation.get(key)
            default: ProbeOperation.store(random.next(below: keys), cost: costs[random.next(below: costs.count)])
            }
        }
        return ProbeSequence(limits: limits[random.next(below: limits.count)], operations)
    }
}
