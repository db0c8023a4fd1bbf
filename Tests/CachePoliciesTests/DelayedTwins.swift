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
            ("gdsf-mad(\(words), delay: 1us)", SlowGDSFMAD(bytes: bytes, objects: objects, delay: 1)),
            ("gdsf-mad(\(words), delay: 9us)", SlowGDSFMAD(bytes: bytes, objects: objects, delay: 9)),
            ("gdsf-mad(\(words), delay: 100us)", SlowGDSFMAD(bytes: bytes, objects: objects, delay: 100)),
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

/// Every request with its window and its delay, in whole microseconds, and the held objects with their ranks.
struct SlowGDSFMAD: SlowTwin {
    struct Request {
        /// The start of its window.
        var window: Int64
        var delay: Int64
    }

    struct Entry {
        var object: Int
        var size: Int
        /// Of the object's requests, the first that counts.
        var first: Int
        var rank = 0.0
    }

    var bytes: Int
    var objects: Int
    var delay: Int64
    /// By object.
    var requests: [Int: [Request]] = [:]
    /// Least recently accessed first.
    var entries: [Entry] = []
    /// The rank of the last victim.
    var age = 0.0

    var held: [Int] { entries.map(\.object) }

    mutating func lookup(_ access: Access) -> Lookup {
        request(access.object, access.time)
        guard let index = entries.firstIndex(where: { $0.object == access.object }) else { return .miss }
        let entry = entries.remove(at: index)
        entries.append(ranked(entry))
        return .hit
    }

    mutating func admit(_ access: Access) -> [Int] {
        remove(access.object)
        if access.size > bytes || objects < 1 { return [] }
        if requests[access.object] == nil { request(access.object, access.time) }
        var victims: [Int] = []
        while entries.map(\.size).reduce(0, +) + access.size > bytes || entries.count + 1 > objects {
            age = entries.map(\.rank).min() ?? 0
            victims.append(entries.remove(at: entries.firstIndex { $0.rank == age } ?? 0).object)
        }
        let past = requests[access.object] ?? []
        let first = past.firstIndex { $0.window == past.last?.window } ?? 0
        entries.append(ranked(Entry(object: access.object, size: access.size, first: first)))
        return victims
    }

    mutating func remove(_ object: Int) { entries.removeAll { $0.object == object } }

    private mutating func request(_ object: Int, _ time: Int64) {
        let last = requests[object]?.last?.window ?? time - delay
        let window = time - last >= delay ? time : last
        requests[object, default: []].append(Request(window: window, delay: window + delay - time))
    }

    private func ranked(_ entry: Entry) -> Entry {
        let delays = (requests[entry.object] ?? []).dropFirst(entry.first).map(\.delay).reduce(0, +)
        var entry = entry
        entry.rank = age + Double(delays) / Double(delay) * 1e6 / Double(max(entry.size, 1))
        return entry
    }
}
