import Basics
import CachePolicies

/// Twins of policies for delayed hits.
extension SlowTwinTests {
    static let delayedPairs: [Pair] = [(Int.max, 9), (40, .max), (40, 7), (.max, 1), (.max, 0)].flatMap {
        (limits: (Int, Int)) -> [Pair] in
        let (bytes, objects) = limits
        let words = [bytes == .max ? nil : "\(bytes)B", objects == .max ? nil : "\(objects) objects"].compactMap { $0 }
            .joined(separator: ", ")
        // The operations are a microsecond apart on average.
        return [
            ("lru-mad(\(words), delay: 7us)", SlowLRUMAD(bytes: bytes, objects: objects, delay: 7)),
            ("lru-mad(\(words), delay: 60us)", SlowLRUMAD(bytes: bytes, objects: objects, delay: 60)),
            (
                "lru-mad(\(words), delay: 20us, samples: 3, seed: 5)",
                SlowLRUMAD(bytes: bytes, objects: objects, delay: 20, samples: 3, random: SplitMix64(seed: 5))
            ),
        ]
    }
}

/// The windows and delays of every object, in whole microseconds; worths are worked out whenever they are needed.
struct SlowLRUMAD: SlowTwin {
    var sample: SlowSample<Void>
    var delay: Int64
    var samples: Int
    var random: SplitMix64
    /// By object: the starts of its windows.
    var starts: [Int: [Int64]] = [:]
    /// By object: the delays of all requests.
    var delays: [Int: Int64] = [:]
    var lastRequests: [Int: Int64] = [:]
    var now: Int64 = 0

    init(
        bytes: Int, objects: Int, delay: Int64, samples: Int = 64, random: SplitMix64 = SplitMix64(seed: 0)
    ) {
        sample = SlowSample(bytes: bytes, objects: objects)
        self.delay = delay
        self.samples = samples
        self.random = random
    }

    var held: [Int] { sample.entries.map(\.object) }

    mutating func lookup(_ access: Access) -> Lookup {
        request(access.object, access.time)
        return sample.index(of: access.object) == nil ? .miss : .hit
    }

    mutating func admit(_ access: Access) -> [Int] {
        remove(access.object)
        if access.size > sample.bytes || sample.objects < 1 { return [] }
        now = access.time
        if starts[access.object] == nil { request(access.object, access.time) }
        var victims: [Int] = []
        while !sample.fits(access.size) {
            let candidates = sample.candidates(samples, &random).map { sample.entries[$0].object }
            let worths = candidates.map { worth($0) }
            let victim = candidates[worths.firstIndex(of: worths.min() ?? 0) ?? 0]
            remove(victim)
            victims.append(victim)
        }
        sample.entries.append((access.object, access.size, ()))
        return victims
    }

    mutating func remove(_ object: Int) { sample.remove(object) }

    private mutating func request(_ object: Int, _ time: Int64) {
        now = time
        if time - (starts[object]?.last ?? time - delay) >= delay { starts[object, default: []].append(time) }
        let end = (starts[object]?.last ?? 0) + delay
        delays[object, default: 0] += end - time
        lastRequests[object] = time
    }

    private func worth(_ object: Int) -> Double {
        let mean = Double(delays[object] ?? 0) / Double(starts[object]?.count ?? 0)
        return mean / Double(now - (lastRequests[object] ?? 0) + 1)
    }
}
