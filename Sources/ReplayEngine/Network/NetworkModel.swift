import Basics
import SessionModel

/// How the recorded network treats each fetch of a replay. Two caches see the same weather: what the nth fetch of an
/// object meets depends on the recording, the seed and n alone.
///
/// The nth fetch of an object meets what its nth recorded fetch met. Beyond the recording, or where a recorded fetch
/// has no times, the latency is drawn from the object's other samples, or, where it has none, from the samples of the
/// ``neighbours`` objects nearest in size; status and body are those of its last recorded fetch. A trace without a
/// single sample gets ``assumed``.
struct NetworkModel {
    struct Sample: Equatable {
        /// What the origin is to answer; 0: nothing, it closes the connection.
        var status: Int
        /// Nanoseconds.
        var timeToFirstByte: Int64
        var transferTime: Int64
        /// What comes is no image, though the status says so.
        var isUndecodable = false

        var latency: Int64 { timeToFirstByte + transferTime }
    }

    /// A trace that records no fetch is replayed over a network of 50 ms to the first byte and 2 MB/s.
    static func assumed(bytes: Int) -> Sample {
        Sample(status: 200, timeToFirstByte: 50_000_000, transferTime: Int64(bytes) * 500)
    }

    static let neighbours = 16

    /// Latencies that were drawn or assumed, not recorded.
    private(set) var drawn = 0
    /// By object, in order of time; nil latency where none was recorded.
    private let recorded: [[(status: Int, isUndecodable: Bool, sample: Sample?)]]
    /// All samples, with their object's size, by size.
    private let bySize: [(bytes: Int, sample: Sample)]
    private let sizes: [Int]
    private let seed: UInt64

    init(_ trace: Trace, sizes: [Int], seed: UInt64) {
        var recorded = [[(status: Int, isUndecodable: Bool, sample: Sample?)]](
            repeating: [], count: trace.objects.count)
        var timed: [(bytes: Int, sample: Sample)] = []
        for case .fetch(let object, let fetch) in trace.events.lazy.map(\.action) {
            // What delivered an image is asked for as such, whatever the client had: a 204 or 304 has no body. Below
            // 200 there is no answer, but the promise of one.
            let status = fetch.succeeded ? 200 : fetch.status < 200 ? 0 : fetch.status
            let sample = fetch.duration.map { _ in
                Sample(
                    status: status, timeToFirstByte: (fetch.timeToFirstByte ?? 0) * 1_000,
                    transferTime: (fetch.transferTime ?? 0) * 1_000)
            }
            recorded[Int(object)].append((status, fetch.isUndecodable, sample))
            if let sample { timed.append((sizes[Int(object)], sample)) }
        }
        self.recorded = recorded
        self.sizes = sizes
        self.seed = seed
        bySize = timed.sorted { $0.bytes < $1.bytes }
    }

    /// What the fetch number `nth` (from 0) of an object meets.
    mutating func sample(_ object: Int, nth: Int) -> Sample {
        let own = recorded[object]
        if nth < own.count, var sample = own[nth].sample {
            sample.isUndecodable = own[nth].isUndecodable
            return sample
        }
        drawn += 1
        var random = SplitMix64(seed: seed ^ UInt64(object) &* 0x1_0000_01B3 ^ UInt64(nth) << 40)
        var sample = own.compactMap(\.sample).randomElement(using: &random) ?? neighbour(of: sizes[object], &random)
        let last = own.isEmpty ? nil : own[min(nth, own.count - 1)]
        sample.status = last?.status ?? 200
        sample.isUndecodable = last?.isUndecodable ?? false
        return sample
    }

    private func neighbour(of bytes: Int, _ random: inout SplitMix64) -> Sample {
        guard !bySize.isEmpty else { return Self.assumed(bytes: bytes) }
        var low = 0
        var high = bySize.count
        while low < high {
            let middle = (low + high) / 2
            if bySize[middle].bytes < bytes { low = middle + 1 } else { high = middle }
        }
        let first = max(0, min(low - Self.neighbours / 2, bySize.count - Self.neighbours))
        return bySize[first..<min(first + Self.neighbours, bySize.count)].randomElement(using: &random)?.sample
            ?? Self.assumed(bytes: bytes)
    }
}
