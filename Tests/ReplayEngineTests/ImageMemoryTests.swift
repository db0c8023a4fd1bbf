import Basics
import CacheTraces
import Foundation
import ImageLibraries
import SessionModel
import Testing

@testable import ReplayEngine

/// A fetch takes 100 ms. An image has 1,000 bytes and a bitmap of 2,000; `L` has 5,000 and 40,000.
@Suite("The memory of images")
struct ImageMemoryTests {
    /// Builds a trace. Times are milliseconds.
    private struct Session {
        var builder = TraceBuilder()

        mutating func object(_ name: String) -> ObjectID {
            let id = builder.object(name)
            builder.update(id) {
                $0.contentType = "image/jpeg"
                $0.bytes = name == "L" ? 5_000 : 1_000
                ($0.pixelWidth, $0.pixelHeight) = name == "L" ? (100, 100) : (50, 10)
            }
            return id
        }

        /// Records the fetches of images, which a replay meets in order.
        init(_ names: String, status: Int = 200, bytes: Int? = nil) {
            for name in names {
                let id = object(String(name))
                let fetch = Fetch(status: status, bytes: bytes ?? 1_000, timeToFirstByte: 100_000, transferTime: 0)
                builder.append(TraceEvent(time: 0, .fetch(id, fetch)))
            }
        }

        mutating func appear(_ name: String, at time: Int64, _ variant: Variant = .full) {
            builder.append(TraceEvent(time: time * 1_000, .appear(object(name), variant)))
        }

        mutating func disappear(_ name: String, at time: Int64) {
            builder.append(TraceEvent(time: time * 1_000, .disappear(object(name), .full)))
        }

        mutating func event(_ action: TraceEvent.Action, at time: Int64) {
            builder.append(TraceEvent(time: time * 1_000, action))
        }

        func replay(_ cache: String, decode: Bool = false) throws -> RunResult {
            var job = ReplayJob(trace: "session", cache: try CacheConfiguration(cache))
            job.timing = .modelled(.standard)
            job.decode = decode
            return try job.run(builder.finish())
        }

        func peak(_ cache: String, decode: Bool = false) throws -> Int64? {
            try replay(cache, decode: decode).imageMemoryPeak
        }
    }

    @Test(
        "An image too large for the cache counts as long as a cell shows it",
        arguments: [(1_000, 40_000), (2_050, 41_000), (3_000, 42_000)] as [(Int64, Int64)])
    func oversize(vanished: Int64, peak: Int64) throws {
        var session = Session("LA")
        session.appear("L", at: 0)
        if vanished < 2_000 { session.disappear("L", at: vanished) }
        // In transfer until 2,100, then shown and held.
        session.appear("A", at: 2_000)
        if vanished > 2_000 { session.disappear("L", at: vanished) }
        let result = try session.replay("memory: lru(10kB)")
        #expect(result.imageMemoryPeak == peak)
        #expect(result.tiers.memoryPeakBytes == 2_000)
    }

    @Test("The body of an image counts from the start of its transfer to its end, if it has one")
    func transfer() throws {
        var session = Session("AB")
        session.appear("A", at: 0)
        session.appear("B", at: 10)
        session.disappear("A", at: 50)
        session.disappear("B", at: 60)
        #expect(try session.peak("memory: none") == 2_000)
        #expect(try session.peak("memory: none; connections: 1") == 1_000)
        // A is cancelled at 50.
        #expect(try session.peak("memory: none; cancelOnDisappear: true; connections: 1") == 1_000)

        var failure = Session("A", status: 503, bytes: 300)
        failure.appear("A", at: 0)
        #expect(try failure.peak("memory: none; retries: 2") == 300)
    }

    @Test("A transfer that is cancelled, or lost in a relaunch, no longer counts")
    func endedTransfer() throws {
        var session = Session("LA")
        session.appear("L", at: 0)
        session.disappear("L", at: 50)
        session.appear("A", at: 60)
        #expect(try session.peak("memory: none") == 6_000)
        #expect(try session.peak("memory: none; cancelOnDisappear: true") == 5_000)

        var relaunch = Session("LA")
        relaunch.appear("L", at: 0)
        relaunch.event(.terminate, at: 50)
        relaunch.appear("A", at: 60)
        #expect(try relaunch.peak("memory: none") == 5_000)
        // A relaunch also ends what cells show, and empties memory.
        var later = Session("LA")
        later.appear("L", at: 0)
        later.event(.terminate, at: 150)
        later.appear("A", at: 160)
        #expect(try later.peak("memory: unbounded") == 40_000)
    }

    @Test("An image that is evicted while it is shown changes nothing; one that is pinned counts once")
    func evictedWhileShown() throws {
        var session = Session("ABC")
        for (place, name) in ["A", "B", "C"].enumerated() { session.appear(name, at: Int64(place) * 1_000) }
        for cache in ["lru(2kB)", "lru(4kB)", "unbounded", "none", "lru(2kB); pinsShown: true"] {
            #expect(try session.peak("memory: \(cache)") == 6_000, "\(cache)")
        }
    }

    @Test("A memory of encoded bytes counts beside the bitmaps")
    func encodedMemory() throws {
        let cache = "memory: lru(2kB); disk: unbounded; encodedMemory: 8kB"
        var session = Session("AB")
        session.appear("A", at: 0)
        session.appear("B", at: 1_000)
        // The bitmap of A, shown; that of B, held and shown; the bytes of both.
        #expect(try session.peak(cache) == 6_000)
        // A cache of encoded bytes holds no bitmap that a cell shows.
        #expect(try session.peak("memory: unbounded; holds: encoded") == 6_000)
        #expect(try session.replay("memory: unbounded; holds: encoded").tiers.memoryPeakBytes == 2_000)
    }

    @Test("While an image is decoded, its bytes and its bitmap count; bytes that wait for a decoder count too")
    func decoding() throws {
        var one = Session("A")
        one.appear("A", at: 0)
        one.disappear("A", at: 1_000)
        one.event(.terminate, at: 2_000)
        one.appear("A", at: 3_000)
        for rule in ["", "; decodeOnMainLane: true", "; disk: unbounded"] {
            #expect(try one.peak("memory: unbounded\(rule)", decode: true) == 3_000, "\(rule)")
        }
        #expect(try one.peak("memory: unbounded") == 2_000)
        // The file has 4.7 times the bytes, and at most those of the bitmap.
        #expect(try one.peak("memory: unbounded; disk: unbounded; diskContent: jpegOrPNG", decode: true) == 4_000)

        var three = Session("ABC")
        for name in ["A", "B", "C"] { three.appear(name, at: 0) }
        // At last, C has 3,000, and A and B are held. With three decoders, all have 3,000.
        #expect(try three.peak("memory: unbounded", decode: true) == 7_000)
        #expect(try three.peak("memory: unbounded; decodeLanes: 3", decode: true) == 9_000)
        #expect(try three.peak("memory: unbounded; decodeOnMainLane: true", decode: true) == 7_000)
    }

    @Test("What is not an image has no bitmap beside its bytes")
    func otherTypes() throws {
        var session = Session("A")
        session.builder.update(0) {
            $0.contentType = "application/json"
            ($0.pixelWidth, $0.pixelHeight) = (nil, nil)
        }
        session.event(.appear(0, .full), at: 0)
        session.event(.disappear(0, .full), at: 1_000)
        #expect(try session.peak("memory: unbounded", decode: true) == 1_000)
    }

    @Test("There is no figure if more cells are visible than on a screen", arguments: [200, 201])
    func noScreen(cells: Int) throws {
        var session = Session("A")
        for cell in 0..<cells { session.appear("A", at: Int64(cell)) }
        #expect(try session.peak("memory: unbounded") == (cells == 200 ? 2_000 : nil))
    }

    @Test("It is the peak of a sum over all that happened, for random sessions", arguments: 0..<30 as Range<UInt64>)
    func slowTwin(seed: UInt64) throws {
        let objects = 12
        // Images of one size, if one decoder works off a queue: what leaves memory then makes room for one image.
        for (limit, rules, decode, isOneSize) in [
            (20, "", false, false), (30, "; decodeLanes: 50", true, false),
            (9, "; holds: encoded; decodeLanes: 50", true, false),
            (40, "; disk: lru(5 objects); decodeLanes: 50; connections: 3", true, false), (20, "", true, true),
            (0, "", true, true),
        ] {
            let cache = "memory: lru(\(limit)kB)\(rules)"
            let trace = randomSession(seed, objects: objects, isOneSize: isOneSize)
            var job = ReplayJob(trace: "t", cache: try CacheConfiguration(cache))
            var costs = CostModel.standard
            // Nothing waits for the main lane, so images are there when the steps of the replay end.
            (costs.memoryLookup, costs.memoryStore) = (0, 0)
            // A decoder takes 20 ms and more.
            costs.jpegDecode.pixelRate = 50_000
            job.timing = .modelled(costs)
            job.decode = decode
            let (result, events) = try job.runWithEvents(PreparedTrace(trace))
            let twin = SlowImageMemory(trace, events, limit: limit * 1_000, holds: job.cache.memoryRules.holds)
            #expect(result.imageMemoryPeak == Int64(twin.peak), "\(cache), \(decode)")
            #expect(twin.peak >= result.tiers.memoryPeakBytes)
        }
    }

    /// Events at different times, with relaunches and memory warnings. Every image is shown for a while.
    private func randomSession(_ seed: UInt64, objects: Int, isOneSize: Bool) -> Trace {
        var random = SplitMix64(seed: seed)
        var builder = TraceBuilder()
        for number in 0..<objects {
            let id = builder.object("\(number)")
            builder.update(id) {
                $0.contentType = "image/jpeg"
                $0.bytes = 500 + random.next(below: 3_000)
                ($0.pixelWidth, $0.pixelHeight) = (isOneSize ? 1_500 : 1_000 + random.next(below: 1_000), 1)
            }
            for _ in 0..<3 {
                let times = (Int64(random.next(below: 90_000)), Int64(random.next(below: 90_000)))
                let fetch = Fetch(bytes: 0, timeToFirstByte: times.0, transferTime: times.1)
                builder.append(TraceEvent(time: 0, .fetch(id, fetch)))
            }
        }
        var visible: [ObjectID] = []
        var time: Int64 = 0
        for _ in 0..<150 {
            time += 1 + Int64(random.next(below: 60_000))
            let choice = random.next(below: 40)
            if choice == 0 {
                builder.append(TraceEvent(time: time, .memoryWarning))
            } else if choice == 1, !isOneSize {
                builder.append(TraceEvent(time: time, .terminate))
                visible = []
            } else if choice < 18, !visible.isEmpty {
                let id = visible.remove(at: random.next(below: visible.count))
                builder.append(TraceEvent(time: time, .disappear(id, .full)))
            } else {
                let id = ObjectID(random.next(below: objects))
                builder.append(TraceEvent(time: time, .appear(id, .full)))
                visible.append(id)
            }
        }
        // No cell vanishes at the very end.
        builder.append(TraceEvent(time: time + 1, .foreground))
        return builder.finish()
    }

    @Test(
        "It is at least what memory holds, for every preset",
        arguments: ["stress-flicks", "synthetic-gallery"], [false, true])
    func presets(session: String, decode: Bool) throws {
        let trace = try PreparedTrace(try FilmTests.bundled(session))
        for preset in CachePreset.all {
            var job = ReplayJob(trace: session, cache: try CacheConfiguration(preset))
            job.timing = .modelled(.standard)
            job.decode = decode
            let result = try job.run(trace)
            let peak = try #require(result.imageMemoryPeak, "\(preset.name)")
            #expect(peak >= result.tiers.memoryPeakBytes && peak > 0, "\(preset.name)")
        }
    }
}

/// The memory of images as a sum over everything that happened, at each moment at which something begins. Memory is a
/// list of objects in order of use. For full images of an LRU cache, fetches that succeed, and work on lanes.
private struct SlowImageMemory {
    private(set) var peak = 0

    init(_ trace: Trace, _ events: ReplayEvents, limit: Int, holds: HeldForm) {
        let encoded = trace.objects.map { $0.bytes ?? 0 }
        let bitmaps = trace.objects.map { 4 * ($0.pixelWidth ?? 0) * ($0.pixelHeight ?? 0) }
        let holdsBitmaps = holds == .decoded
        let fetches = events.slices.filter { $0.work == .fetch }
        let reads = events.slices.filter { $0.work == .diskRead }
        let decodes = events.slices.filter { $0.work == .decode }
        // The bytes of a fetch wait for the decoding that begins next: decoders take them in order.
        var waits: [(object: Int, start: Int64, end: Int64)] = []
        var bytes: [Int] = []
        var unread = fetches.filter { !$0.isCancelled }.sorted { $0.end < $1.end }
        for decode in decodes {
            if let place = unread.firstIndex(where: { $0.object == decode.object && $0.end <= decode.start }) {
                waits.append((decode.object, unread[place].end, decode.start))
                unread.remove(at: place)
                bytes.append(encoded[decode.object])
            } else {
                let isRead = reads.contains { $0.object == decode.object && $0.end == decode.start }
                bytes.append(isRead ? encoded[decode.object] : 0)
            }
        }
        let purges: [Int64] = trace.events.compactMap {
            switch $0.action {
            case .memoryWarning, .terminate: $0.time * 1_000
            default: nil
            }
        }
        let operations = events.slices.filter { $0.work == .memoryLookup || $0.work == .memoryStore }
        // Cells that are visible at the end stay so until all work has ended.
        let end = (trace.events.last?.time ?? 0) * 1_000
        let displays = events.cells.map {
            (object: $0.object, start: $0.delivered ?? .max, end: $0.vanished < end ? $0.vanished : .max)
        }
        var held: [Int] = []
        var (nextOperation, nextPurge) = (0, 0)
        func size(_ object: Int) -> Int { holdsBitmaps ? bitmaps[object] : encoded[object] }
        let times = Set(
            fetches.map(\.start) + waits.map(\.start) + decodes.map(\.start) + operations.map(\.start) + purges
                + events.cells.compactMap(\.delivered))
        for time in times.sorted() {
            while nextPurge < purges.count, purges[nextPurge] <= time {
                held = []
                nextPurge += 1
            }
            while nextOperation < operations.count, operations[nextOperation].start <= time {
                let operation = operations[nextOperation]
                nextOperation += 1
                let isHeld = held.contains(operation.object)
                guard isHeld || operation.work == .memoryStore else { continue }
                held.removeAll { $0 == operation.object }
                held.append(operation.object)
                while held.reduce(0, { $0 + size($1) }) > limit { held.removeFirst() }
            }
            let shown = Set(displays.filter { $0.start <= time && time < $0.end }.map(\.object))
            var sum = held.reduce(0) { $0 + size($1) }
            for object in shown where !(holdsBitmaps && held.contains(object)) { sum += bitmaps[object] }
            for fetch in fetches where fetch.start <= time && time < fetch.end { sum += encoded[fetch.object] }
            for wait in waits where wait.start <= time && time < wait.end { sum += encoded[wait.object] }
            for (place, decode) in decodes.enumerated() where decode.start <= time && time < decode.end {
                sum += bytes[place] + bitmaps[decode.object]
            }
            peak = max(peak, sum)
        }
    }
}
