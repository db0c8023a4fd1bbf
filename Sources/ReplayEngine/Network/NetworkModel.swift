import Basics
import SessionModel

/// The behaviour of the recorded network for each fetch of a replay. It depends on the recording, the seed and the
/// number of the fetch, so two caches meet the same network.
///
/// The nth fetch of an object meets what its nth recorded fetch met. Beyond the recording, or if a recorded fetch has
/// no times, its times are drawn from the object's other samples; without any, from the samples of the ``neighbours``
/// objects nearest in size. Status and body come from its last recorded fetch. A trace without samples gets
/// ``assumed(bytes:)``. The wait in the client's queue is not part of a sample, because a replay produces its own;
/// ``recordedQueue(_:nth:)`` has it for the rule `queue: recorded`.
package struct NetworkModel {
    /// The behaviour that one fetch meets. Times are nanoseconds.
    package struct Sample: Equatable {
        /// The status that the origin answers with. 0: it closes the connection without an answer.
        package var status: Int
        /// The time to open a connection, if the fetch opens one; 0 if the recording has none.
        package var connect: Int64 = 0
        /// Whether the fetch opens a connection although another one is idle.
        var opensConnection = false
        package var timeToFirstByte: Int64
        package var transferTime: Int64
        /// The transfer over a shared link; nil if each transfer takes its recorded time.
        var load: LinkLoad?
        /// The body is not an image, although the status is a success.
        var isUndecodable = false
        /// Bytes of a body that is not the object: of a response that is no success, that was cut off (status 0), or
        /// that is not an image.
        var failedBytes = 0

        var succeeds: Bool { (200..<300).contains(status) }

        var bringsObject: Bool { succeeds && !isUndecodable }

        func bodyBytes(ofObject bytes: Int) -> Int { bringsObject ? bytes : failedBytes }

        /// The query with which the loopback origin gives this response.
        package var originQuery: String {
            bringsObject ? "status=\(status)" : "status=\(status)&bytes=\(failedBytes)"
        }

        var latency: Int64 { connect + timeToFirstByte + transferTime }
    }

    /// A trace that records no fetch is replayed over a network of 50 ms to the first byte and 2 MB/s.
    static func assumed(bytes: Int) -> Sample {
        Sample(status: 200, timeToFirstByte: 50_000_000, transferTime: Int64(bytes) * 500)
    }

    static let neighbours = 16

    /// The number of fetches whose times were drawn from recorded ones, and of those whose times were assumed.
    private(set) var drawn = 0
    private(set) var assumed = 0
    let hosts: RecordedHosts
    /// The rate of the shared link; nil if each transfer takes its recorded time.
    package let link: LinkRate?
    /// All recorded fetches, in order of time.
    private let recorded: [Recorded]
    /// The places of an object's fetches in ``recorded``: the places for object `n` begin at `firstPlace[n]`.
    private let places: [Int32]
    private let firstPlace: [Int32]
    /// The places of an object's fetches that have times: the places for object `n` begin at `firstSampled[n]`. A fetch
    /// whose times are drawn does not search for them.
    private let sampledPlaces: [Int32]
    private let firstSampled: [Int32]
    /// All samples with the sizes of their objects, sorted by size.
    private lazy var bySize = recorded.compactMap { fetch in
        fetch.sample.map { (bytes: sizes[fetch.object], sample: $0) }
    }.sorted { $0.bytes < $1.bytes }
    private let sizes: [Int]
    /// The seed of the times that are drawn.
    package var seed: UInt64
    /// The network that replaces the recorded one; nil for the recorded one.
    private let profile: NetworkProfile?

    private struct Recorded {
        package var object: Int
        package var status: Int
        var isUndecodable: Bool
        var failedBytes: Int
        /// Nanoseconds in the client's queue.
        var queued: Int64
        /// nil if no latency was recorded.
        var sample: Sample?
    }

    /// - Parameters:
    ///   - network: The meaning of recorded transfer times. ``ReplayJob/Network/shared(_:)`` needs a trace for
    ///     which ``SharedLinkEstimate`` exists.
    ///   - isLiteral: Whether a 304 keeps its recorded transfer, as the proof of consistency needs it. A cache that
    ///     does not have the object fetches the whole body.
    init(
        _ trace: Trace, sizes: [Int], seed: UInt64, network: ReplayJob.Network = .recorded, isLiteral: Bool = false
    ) {
        if case .profile(let profile) = network { self.profile = profile } else { profile = nil }
        let fetches = trace.fetches()
        var hosts = RecordedHosts(trace, fetches)
        if let profile { hosts.replaceConnections(connect: profile.connect) }
        var estimate: SharedLinkEstimate?
        if case .shared(let model) = network { estimate = SharedLinkEstimate(trace, sizes: sizes, model) }
        let usualRate = isLiteral ? nil : Self.usualRate(fetches)
        var recorded: [Recorded] = []
        recorded.reserveCapacity(fetches.count)
        for (number, recording) in fetches.enumerated() {
            let fetch = recording.fetch
            let bytes = sizes[recording.object]
            // A fetch that delivered an image is replayed with status 200: a 204 or 304 has no body. A status below 200
            // announces an answer, and is replayed as none.
            let status = fetch.succeeded ? 200 : fetch.status < 200 ? 0 : fetch.status
            // A body that is not an image and has no recorded size counts as the object.
            let failedBytes = fetch.bytes ?? (fetch.succeeded ? bytes : 0)
            var sample = fetch.duration.map { _ in
                Sample(
                    status: status, connect: (fetch.connect ?? 0) * 1_000, opensConnection: hosts.opensOwn[number],
                    timeToFirstByte: (fetch.timeToFirstByte ?? 0) * 1_000,
                    transferTime: (fetch.transferTime ?? 0) * 1_000, isUndecodable: fetch.isUndecodable,
                    failedBytes: failedBytes)
            }
            if fetch.succeeded, !fetch.isUndecodable, fetch.bytes == 0, bytes > 0, let usualRate {
                sample?.transferTime = Int64(Double(bytes) / usualRate)
            }
            if let estimate {
                sample = sample.map {
                    let body = $0.bodyBytes(ofObject: isLiteral ? fetch.bytes ?? bytes : bytes)
                    return estimate.applied(to: $0, event: recording.event, bytes: body)
                }
            }
            recorded.append(
                Recorded(
                    object: recording.object, status: status, isUndecodable: fetch.isUndecodable,
                    failedBytes: failedBytes, queued: (fetch.queued ?? 0) * 1_000, sample: sample))
        }
        self.hosts = hosts
        (places, firstPlace) = Self.places(of: recorded, objects: trace.objects.count) { _ in true }
        (sampledPlaces, firstSampled) = Self.places(of: recorded, objects: trace.objects.count) { $0.sample != nil }
        self.recorded = recorded
        self.sizes = sizes
        self.seed = seed
        link = profile?.link ?? estimate?.rate
    }

    /// Sorts the fetches that are wanted by object.
    private static func places(
        of recorded: [Recorded], objects: Int, _ isWanted: (Recorded) -> Bool
    ) -> (places: [Int32], first: [Int32]) {
        var first = [Int32](repeating: 0, count: objects + 1)
        var count = 0
        for fetch in recorded where isWanted(fetch) {
            first[fetch.object + 1] += 1
            count += 1
        }
        for object in 0..<objects { first[object + 1] += first[object] }
        var next = first
        var places = [Int32](repeating: 0, count: count)
        for (place, fetch) in recorded.enumerated() where isWanted(fetch) {
            places[Int(next[fetch.object])] = Int32(place)
            next[fetch.object] += 1
        }
        return (places, first)
    }

    /// Returns the behaviour that fetch number `nth` of an object meets, counted from 0. In a ``NetworkProfile``, its
    /// success is recorded, and its times are the profile's.
    mutating func sample(_ object: Int, nth: Int) -> Sample {
        guard let profile else { return recordedSample(object, nth: nth) }
        let own = places[Int(firstPlace[object])..<Int(firstPlace[object + 1])]
        let fetch = own.isEmpty ? nil : recorded[Int(own[own.startIndex + min(nth, own.count - 1)])]
        return answered(
            Sample(
                status: 200, connect: profile.connect, timeToFirstByte: profile.firstByte, transferTime: 0,
                load: LinkLoad(bytes: 0, limit: .infinity)),
            as: fetch, object)
    }

    /// Returns the sample with the status and the body of a recorded fetch; nil stands for a success.
    private func answered(_ sample: Sample, as fetch: Recorded?, _ object: Int) -> Sample {
        var sample = sample
        sample.status = fetch?.status ?? 200
        sample.isUndecodable = fetch?.isUndecodable ?? false
        sample.failedBytes = fetch?.failedBytes ?? 0
        let bytes = sample.bodyBytes(ofObject: sizes[object])
        if sample.load != nil { sample.load?.bytes = bytes }
        return sample
    }

    private mutating func recordedSample(_ object: Int, nth: Int) -> Sample {
        let own = places[Int(firstPlace[object])..<Int(firstPlace[object + 1])]
        if nth < own.count {
            if let sample = recorded[Int(own[own.startIndex + nth])].sample { return sample }
        }
        var random = SplitMix64(seed: seed ^ UInt64(object) &* 0x1_0000_01B3 ^ UInt64(nth) << 40)
        var sample: Sample
        let sampled = sampledPlaces[Int(firstSampled[object])..<Int(firstSampled[object + 1])]
        if let place = sampled.randomElement(using: &random), let known = recorded[Int(place)].sample {
            sample = known
            drawn += 1
        } else if let known = neighbour(of: sizes[object], &random) {
            sample = known
            drawn += 1
        } else {
            sample = Self.assumed(bytes: sizes[object])
            assumed += 1
        }
        sample.opensConnection = false
        let last = own.isEmpty ? nil : recorded[Int(own[own.startIndex + min(nth, own.count - 1)])]
        return answered(sample, as: last, object)
    }

    /// Returns the nanoseconds that fetch number `nth` of an object waited in the queue of the recording's client; 0 if
    /// the recording has no such fetch. Counted from 0.
    func recordedQueue(_ object: Int, nth: Int) -> Int64 {
        let place = Int(firstPlace[object]) + nth
        return place < Int(firstPlace[object + 1]) ? recorded[Int(places[place])].queued : 0
    }

    /// The bytes of the whole body of an object.
    func bytes(of object: Int) -> Int { sizes[object] }

    /// Lets a fetch fail that starts while the network is down.
    func applyOutages(to sample: inout Sample, at time: Int64) {
        guard let profile, profile.isDown(at: time) else { return }
        sample = Sample(status: 0, timeToFirstByte: NetworkProfile.failure, transferTime: 0)
    }

    /// Sorts the samples by size, so that copies of this model share them.
    mutating func prepareNeighbours() { _ = bySize.count }

    /// Returns the samples that fetches of an object can meet, whatever their number and the seed: at least one. A
    /// fetch that starts while the network of a profile is down is not among them: it fails.
    mutating func possibleSamples(_ object: Int) -> [Sample] {
        guard profile == nil else { return [answered(sample(object, nth: 0), as: nil, object)] }
        let own = sampledPlaces[Int(firstSampled[object])..<Int(firstSampled[object + 1])]
        var samples = own.compactMap { recorded[Int($0)].sample }
        if samples.isEmpty { samples = neighbours(of: sizes[object]).map { $0.sample } }
        guard !samples.isEmpty else { return [Self.assumed(bytes: sizes[object])] }
        for index in samples.indices {
            // A fetch whose times are drawn brings the whole object, and a recorded one the recorded bytes.
            guard samples[index].bringsObject, let load = samples[index].load else {
                samples[index] = answered(samples[index], as: nil, object)
                continue
            }
            samples[index].load?.bytes = min(load.bytes, sizes[object])
        }
        return samples
    }

    private mutating func neighbour(of bytes: Int, _ random: inout SplitMix64) -> Sample? {
        neighbours(of: bytes).randomElement(using: &random)?.sample
    }

    private mutating func neighbours(of bytes: Int) -> ArraySlice<(bytes: Int, sample: Sample)> {
        var low = 0
        var high = bySize.count
        while low < high {
            let middle = (low + high) / 2
            if bySize[middle].bytes < bytes { low = middle + 1 } else { high = middle }
        }
        let first = max(0, min(low - Self.neighbours / 2, bySize.count - Self.neighbours))
        return bySize[first..<min(first + Self.neighbours, bySize.count)]
    }

    /// Returns the median rate of recorded transfers with a body, in bytes per nanosecond; nil if no transfer has a
    /// body, or if all have one.
    private static func usualRate(_ fetches: [RecordedFetch]) -> Double? {
        guard fetches.contains(where: { $0.fetch.succeeded && $0.fetch.bytes == 0 }) else { return nil }
        var rates: [Double] = []
        for fetch in fetches.lazy.map(\.fetch) where fetch.succeeded {
            guard let bytes = fetch.bytes, bytes > 0, let time = fetch.transferTime, time > 0 else { continue }
            rates.append(Double(bytes) / Double(time * 1_000))
        }
        return rates.isEmpty ? nil : rates.sorted()[rates.count / 2]
    }
}

/// A fetch of a trace.
struct RecordedFetch {
    var event: Int
    /// Microseconds since the start of the trace.
    var time: Int64
    package var object: Int
    var fetch: Fetch
}

extension Trace {
    /// Returns all fetches, in order of time.
    func fetches() -> [RecordedFetch] {
        var fetches: [RecordedFetch] = []
        for index in events.indices {
            guard case .fetch(let object, let fetch) = events[index].action else { continue }
            fetches.append(RecordedFetch(event: index, time: events[index].time, object: Int(object), fetch: fetch))
        }
        return fetches
    }
}
