import Basics
import ImageLibraries
import SessionModel
import Testing

@testable import ReplayEngine

/// A picture has 1,000,000 bytes; recorded, its first byte comes after 100 ms and its last one 10 s later. A link
/// carries 1,000,000 bytes per second, and a first byte comes after 100 ms.
@Suite("A transfer that is cancelled counts what has crossed the network")
struct CancelledTransferTests {
    private static let link = NetworkProfile(
        name: "link", bytesPerSecond: 1_000_000, connect: 0, firstByte: 100_000_000)
    private static let cache = "memory: lru(1GB); connectionsPerHost: none; cancelOnDisappear: true"

    /// Cells of a list with their pictures, by name: when each is visible, in milliseconds. The list has the order of
    /// the names.
    private static func session(
        _ cells: KeyValuePairs<String, Range<Int64>>, then action: TraceEvent.Action = .foreground, at time: Int64
    ) -> Trace {
        var builder = TraceBuilder()
        var events: [TraceEvent] = []
        for (position, name) in Set(cells.map(\.key)).sorted().enumerated() {
            let (object, place) = (builder.object(name), Int32(position))
            events.append(TraceEvent(time: 0, .list(object, .full, position: place, row: place)))
        }
        events.append(TraceEvent(time: time * 1_000, action))
        for (name, visible) in cells {
            let object = builder.object(name)
            builder.update(object) { $0.bytes = 1_000_000 }
            let fetch = Fetch(bytes: 1_000_000, timeToFirstByte: 100_000, transferTime: 10_000_000)
            events.append(TraceEvent(time: visible.lowerBound * 1_000, .appear(object, .full)))
            events.append(TraceEvent(time: visible.lowerBound * 1_000, .fetch(object, fetch)))
            if visible.upperBound < time {
                events.append(TraceEvent(time: visible.upperBound * 1_000, .disappear(object, .full)))
            }
        }
        for event in events.sorted(by: { $0.time < $1.time }) { builder.append(event) }
        return builder.finish()
    }

    private static func replay(
        _ trace: Trace, _ network: ReplayJob.Network = .recorded, _ cache: String = cache,
        _ costs: CostModel = .standard
    ) throws -> RunResult {
        var job = ReplayJob(trace: "t", cache: try CacheConfiguration(cache))
        (job.timing, job.network) = (.modelled(costs), network)
        return try job.run(trace)
    }

    @Test(
        "A transfer with its recorded time crosses evenly from its first byte to its end",
        arguments: [(100, 0), (101, 100), (5_100, 500_000), (9_100, 900_000), (10_099, 999_900)] as [(Int64, Int64)])
    func recordedTime(end: Int64, bytes: Int64) throws {
        let alone = try Self.replay(Self.session(["A": 0..<end], at: 30_000))
        #expect(alone.counts.cancelled == 1 && alone.tiers.originBytes == bytes)
        // A relaunch ends it as well, and the second transfer is a whole one.
        let cancelled = try Self.replay(Self.session(["A": 0..<end, "A": 20_000..<40_000], at: 40_000))
        let relaunched = try Self.replay(Self.session(["A": 0..<end, "A": 20_000..<40_000], then: .terminate, at: end))
        #expect(cancelled.tiers.originBytes == bytes + 1_000_000)
        #expect(relaunched.tiers.originBytes == bytes + 1_000_000)
    }

    @Test("Over a shared link, it is what the link has carried for it")
    func sharedLink() throws {
        // Each gets half of the link from 100 ms on. A leaves after a second of it, with half of its bytes, and B has
        // the link alone for its other half.
        let trace = Self.session(["A": 0..<1_100, "B": 0..<30_000], at: 30_000)
        let result = try Self.replay(trace, .profile(Self.link))
        #expect(result.tiers.originBytes == 1_500_000)
        #expect(abs(result.latency(.origin).max - 1_600_000_000) < 10_000)
        let relaunched = try Self.replay(
            Self.session(["A": 0..<5_000, "B": 0..<5_000], then: .terminate, at: 601), .profile(Self.link))
        #expect(relaunched.counts.cancelled == 2 && relaunched.tiers.originBytes == 2 * 250_500)
    }

    @Test("A prefetch that is cancelled counts what has crossed, and so do the bytes that no request used")
    func prefetch() throws {
        // D appears at 3 s, so that E is asked for. The list turns at 8.1 s, when half of E is there.
        let shown: KeyValuePairs<String, Range<Int64>> = [
            "A": 0..<100, "B": 1_000..<1_100, "C": 2_000..<2_100, "D": 3_000..<3_100, "C": 8_100..<8_200,
            "E": 40_000..<60_000,
        ]
        let cache = "memory: lru(1GB); connectionsPerHost: none; prefetch: next(1)"
        let result = try Self.replay(Self.session(shown, at: 60_000), .recorded, cache)
        #expect(result.prefetch.cancelled == 1 && result.prefetch.used == 3)
        // B, C and D are used. E is fetched again when it appears.
        #expect(result.prefetch.bytes == 3_500_000 && result.prefetch.unusedBytes == 500_000)
        #expect(result.tiers.originBytes == 5_500_000)
        let stubborn = try Self.replay(Self.session(shown, at: 60_000), .recorded, cache + "; prefetchCancels: false")
        #expect(stubborn.prefetch.bytes == 4_000_000 && stubborn.prefetch.unusedBytes == 0)
        #expect(stubborn.tiers.originBytes == 5_000_000)
        // A relaunch ends it too. The recording shows one connection, which A gives up at 100 ms.
        let ended = try Self.replay(
            Self.session(["A": 0..<100, "B": 30_000..<60_000], then: .terminate, at: 4_200), .recorded,
            cache + "; cancelOnDisappear: true")
        #expect(ended.prefetch.bytes == 400_000 && ended.prefetch.unusedBytes == 400_000)
    }

    @Test("Bytes in flight arrive nevertheless, once the first byte has; at most the rest of the body")
    func inFlight() throws {
        var costs = CostModel.standard
        costs.inFlightBytes = 64_000
        for (end, recorded, shared): (Int64, Int64, Int64) in [
            (50, 0, 0), (600, 50_000 + 64_000, 500_000 + 64_000), (1_090, 99_000 + 64_000, 1_000_000),
        ] {
            let trace = Self.session(["A": 0..<end], at: 30_000)
            #expect(try Self.replay(trace, .recorded, Self.cache, costs).tiers.originBytes == recorded)
            #expect(try Self.replay(trace, .profile(Self.link), Self.cache, costs).tiers.originBytes == shared)
        }
    }

    @Test("A body that is no image has its recorded bytes, on the link too", arguments: [200, 502])
    func undecodable(status: Int) throws {
        var builder = TraceBuilder()
        let object = builder.object("page")
        builder.update(object) { $0.bytes = 20_000 }
        var fetch = Fetch(status: status, bytes: 300, timeToFirstByte: 10_000, transferTime: 1_000)
        fetch.isUndecodable = true
        builder.append(TraceEvent(time: 0, .fetch(object, fetch)))
        builder.append(TraceEvent(time: 0, .prefetch(object, .full)))
        // At 100 ms, the link has begun with it; a byte takes a microsecond.
        builder.append(TraceEvent(time: 100_299, .terminate))
        let trace = builder.finish()
        for (network, bytes) in [(ReplayJob.Network.recorded, Int64(300)), (.profile(Self.link), 299)] {
            let result = try Self.replay(trace, network, "memory: lru(1GB)")
            #expect(result.tiers.originBytes == bytes, "\(network.name)")
            #expect(result.prefetch.bytes == bytes && result.prefetch.unusedBytes == bytes)
        }
        // Without a recorded size, it counts as the object.
        fetch.bytes = nil
        var unknown = trace
        unknown.events[0] = TraceEvent(time: 0, .fetch(object, fetch))
        #expect(try Self.replay(unknown, .recorded).tiers.originBytes == (status == 200 ? 20_000 : 0))
    }
}

@Suite("No replay fetches more than its link carries")
struct LinkCapacityTests {
    /// Cells that come and go, faster than a slow link brings their pictures, with failures and relaunches. The session
    /// ends with the app, so that nothing arrives later.
    private static func session(seed: UInt64) -> Trace {
        var random = SplitMix64(seed: seed)
        var builder = TraceBuilder()
        for number in 0..<40 {
            let object = builder.object("https://\(number % 3).example/\(number)")
            let bytes = 1_000 + Int(random.next(below: 400_000))
            builder.update(object) { ($0.bytes, $0.pixelWidth, $0.pixelHeight) = (bytes, 400, 300) }
            var fetch = Fetch(bytes: bytes, timeToFirstByte: 40_000, transferTime: Int64(bytes))
            switch random.next(below: 8) {
            case 0: (fetch.status, fetch.bytes) = (404, Int(random.next(below: 50_000)))
            case 1: (fetch.status, fetch.bytes) = (0, Int(random.next(below: 50_000)))
            case 2: (fetch.isUndecodable, fetch.bytes) = (true, Int(random.next(below: 3_000)))
            default: break
            }
            builder.append(TraceEvent(time: Int64(number) * 1_000, .fetch(object, fetch)))
        }
        var time: Int64 = 40_000
        var visible: [ObjectID] = []
        for _ in 0..<150 {
            time += Int64(random.next(below: random.next(below: 20) == 0 ? 3_000_000 : 80_000))
            if random.next(below: 40) == 0 {
                builder.append(TraceEvent(time: time, .terminate))
                builder.append(TraceEvent(time: time, .foreground))
                visible = []
            } else if visible.count > random.next(below: 8) {
                builder.append(TraceEvent(time: time, .disappear(visible.removeFirst(), .full)))
            } else {
                let id = ObjectID(random.next(below: 40))
                builder.append(TraceEvent(time: time, .appear(id, .full)))
                visible.append(id)
            }
        }
        builder.append(TraceEvent(time: time, .terminate))
        return builder.finish()
    }

    /// The bytes that a link can carry until a time.
    private static func capacity(_ link: LinkRate, until end: Int64) -> Double {
        var (time, bytes): (Int64, Double) = (0, 0)
        while time < end {
            let piece = link.piece(at: time)
            let next = min(piece.end, end)
            bytes += piece.rate * Double(next - time)
            time = next
        }
        return bytes
    }

    private static let tunnel: NetworkProfile = {
        var profile = NetworkProfile.lte
        (profile.name, profile.outages) = ("tunnel", [.init(start: 2_000_000_000, end: 5_000_000_000)])
        return profile
    }()

    @Test(
        "For every preset, every named network, outages, and the link of the recording",
        arguments: [1, 2, 3, 4] as [UInt64])
    func presets(seed: UInt64) throws {
        let trace = Self.session(seed: seed)
        let end = (trace.events.last?.time ?? 0) * 1_000
        let shared = ReplayJob.Network.shared(SharedLinkModel(isBottleneck: seed % 2 == 0, scale: 1))
        var cancelled = 0
        for network in (NetworkProfile.all + [Self.tunnel]).map({ .profile($0) }) + [shared] {
            let prepared = try PreparedTrace(trace, networks: [network])
            let link = try #require(prepared.network(network, seed: 1).link)
            let most = Self.capacity(link, until: end)
            for preset in CachePreset.all {
                var cache = try CacheConfiguration(preset)
                cache.pipeline.cancelOnDisappear = seed % 4 != 0 || cache.pipeline.cancelOnDisappear
                if seed % 3 == 0 { cache.pipeline.prefetch = .next(4) }
                var job = ReplayJob(trace: "t", cache: cache)
                (job.timing, job.network) = (.modelled(.standard), network)
                let result = try job.run(prepared)
                #expect(
                    Double(result.tiers.originBytes) <= most + 1, "\(preset.name) over \(network.name), seed \(seed)")
                #expect(result.prefetch.unusedBytes <= result.prefetch.bytes)
                #expect(result.prefetch.bytes <= result.tiers.originBytes)
                cancelled += result.counts.cancelled
            }
        }
        #expect(cancelled > 1_000)
    }
}
