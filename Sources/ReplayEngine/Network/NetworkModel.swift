import Basics
import SessionModel

/// The behaviour of the recorded network for each fetch of a replay. It depends on the recording, the seed and the
/// number of the fetch, so two caches meet the same network.
///
/// The nth fetch of an object meets what its nth recorded fetch met. Beyond the recording, or if a recorded fetch has
/// no times, the latency is drawn from the object's other samples; without any, from the samples of the ``neighbours``
/// objects nearest in size. Status and body are those of its last recorded fetch. A trace without samples gets
/// ``assumed(bytes:)``.
struct NetworkModel {
    struct Sample: Equatable {
        /// The status that the origin answers with. 0: it closes the connection without an answer.
        var status: Int
        /// Nanoseconds.
        var timeToFirstByte: Int64
        var transferTime: Int64
        /// The body is not an image, although the status is a success.
        var isUndecodable = false

        var latency: Int64 { timeToFirstByte + transferTime }
    }

    /// A trace that records no fetch is replayed over a network of 50 ms to the first byte and 2 MB/s.
    static func assumed(bytes: Int) -> Sample {
        Sample(status: 200, timeToFirstByte: 50_000_000, transferTime: Int64(bytes) * 500)
    }

    static let neighbours = 16

    /// The number of latencies that were drawn or assumed.
    private(set) var drawn = 0
    /// By object, in order of time. The sample is nil if no latency was recorded.
    private let recorded: [[(status: Int, isUndecodable: Bool, sample: Sample?)]]
    /// All samples with the sizes of their objects, sorted by size.
    private let bySize: [(bytes: Int, sample: Sample)]
    private let sizes: [Int]
    private let seed: UInt64

    init(_ trace: Trace, sizes: [Int], seed: UInt64) {
        var recorded = [[(status: Int, isUndecodable: Bool, sample: Sample?)]](
            repeating: [], count: trace.objects.count)
        var timed: [(bytes: Int, sample: Sample)] = []
        for case .fetch(let object, let fetch) in trace.events.lazy.map(\.action) {
            // A fetch that delivered an image is replayed with status 200: a 204 or 304 has no body. A status below 200
            // announces an answer, and is replayed as none.
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

    /// Returns what fetch number `nth` of an object meets. Counted from 0.
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
