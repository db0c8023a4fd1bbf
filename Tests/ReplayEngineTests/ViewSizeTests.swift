import CachePolicies
import SessionModel
import Testing

@testable import ReplayEngine

/// Sessions whose views have sizes. Figures were worked out by hand. Images A and B have 400 x 400 pixels, so that a
/// bitmap of 100 x 100 has 40,000 bytes, one of 200 x 200 has 160,000, and the whole one has 640,000.
@Suite("Sizes of views")
struct ViewSizeTests {
    /// A session that gets longer by a step a second: `A@100` appears in a view of 100 x 100 pixels and goes half a
    /// second later, `A` in a view without a size, `+A@100` stays, `-A` goes, `>A@100` is prefetched, `removeA` leaves
    /// the app, `relaunch`.
    private static func session(_ steps: String, interval: Int64 = 1_000, pixels: Int? = 400) -> Trace {
        var builder = TraceBuilder()
        builder.append(TraceEvent(time: 0, .foreground))
        var time: Int64 = 1_000
        func object(_ name: Substring) -> ObjectID {
            let object = builder.object(String(name))
            builder.update(object) { ($0.bytes, $0.pixelWidth, $0.pixelHeight) = (1_000, pixels, pixels) }
            return object
        }
        for name in ["A", "B"] as [Substring] {
            let fetch = Fetch(status: 200, bytes: 1_000, timeToFirstByte: 300_000, transferTime: 0)
            builder.append(TraceEvent(time: 0, .fetch(object(name), fetch)))
        }
        for step in steps.split(separator: " ") {
            let parts = step.split(separator: "@")
            let side = parts.count > 1 ? Int(parts[1]) : nil
            let size = side.flatMap { ViewSize(width: $0, height: $0) }
            func append(_ action: TraceEvent.Action, after delay: Int64 = 0, in view: ViewSize? = nil) {
                builder.append(TraceEvent(time: (time + delay) * 1_000, action, viewSize: view))
            }
            if step == "relaunch" {
                append(.terminate)
            } else if step.hasPrefix("remove") {
                append(.remove(object(step.dropFirst(6))))
            } else if let mark = step.first, "+->".contains(mark) {
                let name = parts[0].dropFirst()
                let action: TraceEvent.Action =
                    switch mark {
                    case "+": .appear(object(name), .full)
                    case "-": .disappear(object(name), .full)
                    default: .prefetch(object(name), .full)
                    }
                append(action, in: size)
            } else {
                append(.appear(object(parts[0]), .full), in: size)
                append(.disappear(object(parts[0]), .full), after: 500)
            }
            time += interval
        }
        builder.append(TraceEvent(time: (time + 10_000) * 1_000, .foreground))
        return builder.finish(keepingTimes: true)
    }

    private static func job(_ cache: String) throws -> ReplayJob {
        var job = ReplayJob(trace: "views", cache: try CacheConfiguration(cache))
        job.timing = .modelled(.standard)
        return job
    }

    /// The outcomes: `H` memory, `D` disk, `M` a fetch, `J` a fetch that a request joins, `-` another one.
    private static func replay(_ trace: Trace, _ cache: String) throws -> (outcomes: String, result: RunResult) {
        let (result, requests) = try job(cache).runRecordingRequests(trace)
        let outcomes = requests.map { request in
            switch request.outcome {
            case .memoryHit: "H"
            case .diskHit: "D"
            case .origin: "M"
            case .coalesced: "J"
            default: "-"
            }
        }
        return (outcomes.joined(), result)
    }

    private static func replay(_ steps: String, _ cache: String) throws -> (outcomes: String, result: RunResult) {
        try replay(session(steps), cache)
    }

    private static let tiers = "memory: lru(2MB); disk: lru(1MB)"

    // MARK: Bitmaps

    @Test(
        "A bitmap just covers its view, and is never larger than the image",
        arguments: [
            ((400, 300), (100, 100), 134 * 100 * 4), ((300, 400), (100, 100), 100 * 134 * 4),
            ((400, 300), (100, 75), 100 * 75 * 4), ((400, 300), (400, 1), 480_000), ((400, 300), (1, 300), 480_000),
            ((400, 300), (399, 1), 399 * 300 * 4), ((400, 300), (1, 1), 2 * 1 * 4),
            ((400, 300), (65_535, 65_535), 480_000),
        ] as [((Int, Int), (Int, Int), Int)])
    func covers(image: (Int, Int), view: (Int, Int), bytes: Int) throws {
        let object = TraceObject(key: "A", bytes: 1_000, pixelWidth: image.0, pixelHeight: image.1)
        let size = try #require(ViewSize(width: view.0, height: view.1))
        #expect(Renditions.bitmapBytes(of: object, image.0 * image.1 * 4, for: size) == bytes)
    }

    @Test("Without recorded pixels, a bitmap has those of its view, and at most the assumed ones")
    func assumedPixels() throws {
        let small = try #require(ViewSize(width: 100, height: 100))
        let large = try #require(ViewSize(width: 200, height: 200))
        let image = TraceObject(key: "A", bytes: 1_000)
        #expect(Renditions.bitmapBytes(of: image, 50_000, for: small) == 40_000)
        #expect(Renditions.bitmapBytes(of: image, 50_000, for: large) == 50_000)
        let other = TraceObject(key: "A", bytes: 1_000, contentType: "text/html")
        #expect(Renditions.bitmapBytes(of: other, 1_000, for: large) == 1_000)
    }

    // MARK: each

    @Test("each: a second size misses in memory and finds the file, and both bitmaps are held")
    func each() throws {
        let run = try Self.replay("A@100 A@200 A@100 A@200", "\(Self.tiers); memorySizes: each")
        #expect(run.outcomes == "MDHH")
        #expect(run.result.tiers.memoryPeakBytes == 200_000)
        #expect(run.result.tiers.originBytes == 1_000 && run.result.tiers.diskWrittenBytes == 1_000)
        // A view without a size has a key of its own.
        #expect(try Self.replay("A@100 A A A@100", "\(Self.tiers); memorySizes: each").outcomes == "MDHH")
    }

    @Test("each: what is in progress is apart for each size")
    func apart() throws {
        let trace = Self.session("+A@100 +A@200 +A@100", interval: 10)
        let cache = "memory: lru(2MB); memorySizes:"
        let each = try Self.replay(trace, "\(cache) each")
        #expect(each.outcomes == "MMJ" && each.result.tiers.originBytes == 2_000)
        let one = try Self.replay(trace, "\(cache) one")
        #expect(one.outcomes == "MJJ" && one.result.tiers.originBytes == 1_000)
    }

    // MARK: largest

    @Test("largest: a bitmap serves smaller views, and a larger one replaces it and its cost")
    func largest() throws {
        let run = try Self.replay("A@200 A@100 A@300 A@200 A", "\(Self.tiers); memorySizes: largest")
        #expect(run.outcomes == "MHDHD")
        #expect(run.result.tiers.memoryPeakBytes == 640_000)
        let small = try Self.replay("A@200 A@300", "memory: lru(400kB); disk: lru(1MB); memorySizes: largest")
        // 300 x 300 pixels have 360,000 bytes. With the smaller bitmap beside it, they would not fit.
        #expect(small.outcomes == "MD" && small.result.tiers.memoryEvictions == 0)
        #expect(small.result.tiers.memoryPeakBytes == 360_000)
        // The peak of all images is not known, because views share bitmaps.
        #expect(small.result.imageMemoryPeak == nil)
    }

    @Test("largest: a shown bitmap that has left the policy serves smaller views alone")
    func live() throws {
        let cache = "memory: lru(100kB); disk: lru(1MB); live: stays; memorySizes: largest"
        #expect(try Self.replay("+A@200 A@100 A@300", cache).outcomes == "MHD")
    }

    @Test("A tolerance lets a bitmap serve a view that is a pixel larger, and none that is two")
    func tolerance() throws {
        let cache = "\(Self.tiers); memorySizes: largest; sizeTolerance:"
        #expect(try Self.replay("A@100 A@101 A@100", "\(cache) 1").outcomes == "MHH")
        #expect(try Self.replay("A@100 A@102 A@100", "\(cache) 1").outcomes == "MDH")
        #expect(try Self.replay("A@100 A@101 A@100", "\(cache) 0").outcomes == "MDH")
        #expect(try Self.replay("A@100 A@102 A@103", "\(cache) 2").outcomes == "MHD")
        // The whole image is larger than any bitmap of it, and a view without a size needs it.
        #expect(try Self.replay("A@399 A", "\(cache) 1").outcomes == "MD")
    }

    @Test("The tolerance looks at the width and the height of the view, and the nearer one counts")
    func toleranceOfSides() throws {
        var builder = TraceBuilder()
        let object = builder.object("A")
        builder.update(object) { ($0.bytes, $0.pixelWidth, $0.pixelHeight) = (1_000, 400, 300) }
        // The bitmaps of 400 x 300 pixels that cover these views have 134 x 100, 135 x 101, 136 x 102, 180 x 135.
        for (width, height) in [(100, 100), (101, 101), (102, 102), (135, 135)] {
            builder.append(
                TraceEvent(time: 0, .appear(object, .full), viewSize: ViewSize(width: width, height: height)))
        }
        let renditions = try #require(Renditions(builder.finish(), decoded: [480_000]))
        #expect(renditions.bitmaps == [480_000, 134 * 100 * 4, 135 * 101 * 4, 136 * 102 * 4, 180 * 135 * 4])
        #expect((1...4).map { renditions.difference(1, from: $0) } == [0, 1, 2, 1])
        #expect(renditions.difference(1, from: 0) == .max)
    }

    @Test("Encoded bytes in memory serve views of all sizes")
    func encoded() throws {
        let cache = "\(Self.tiers); holds: encoded; memorySizes: largest"
        #expect(try Self.replay("A@100 A@200", cache).outcomes == "MH")
    }

    // MARK: Removal, relaunch, prefetches

    @Test("A removal takes every size out of memory, and a relaunch leaves the file", arguments: ["each", "largest"])
    func removal(rule: String) throws {
        let cache = "\(Self.tiers); memorySizes: \(rule)"
        #expect(try Self.replay("A@100 A@200 removeA A@100 A@200", cache).outcomes == "MDMD")
        #expect(try Self.replay("A@100 A@200 relaunch A@200 A@100", cache).outcomes.prefix(3) == "MDD")
        let last = try Self.replay("A@100 A@200 relaunch A@200 A@100", cache).outcomes.suffix(1)
        #expect(last == (rule == "each" ? "D" : "H"))
    }

    @Test("A prefetch without a size loads the whole image, which has another key with each")
    func prefetches() throws {
        func outcomes(_ steps: String, _ rule: String) throws -> String {
            try Self.replay(steps, "\(Self.tiers); memorySizes: \(rule)").outcomes
        }
        #expect(try outcomes(">A@100 A@100", "each") == "H")
        #expect(try outcomes(">A A@100", "each") == "D")
        #expect(try outcomes(">A A@100", "largest") == "H")
        #expect(try outcomes(">A@100 A@200", "largest") == "D")
        let used = try Self.replay(">A A@100", "\(Self.tiers); memorySizes: each").result.prefetch
        #expect(used.fetches == 1 && used.used == 1)
    }

    @Test("A planned prefetch has the size in which the session shows the image first")
    func plannedPrefetches() throws {
        let cache = "\(Self.tiers); memorySizes: each; prefetch: oracle(900ms)"
        #expect(try Self.replay("A@100 B@200", cache).outcomes == "HH")
    }

    // MARK: Causes and bounds

    private static func explain(_ steps: String, _ cache: String) throws -> [RequestExplanation] {
        try job(cache).explain(PreparedTrace(session(steps))).requests.compactMap(\.explanation)
    }

    @Test("Another size is a first request with a similar key in memory, and none on disk")
    func causes() throws {
        let each = try Self.explain("A@100 A@200 A@100", "\(Self.tiers); memorySizes: each")
        #expect(each.map(\.memoryCause) == [.firstRequest, .similarKey, nil])
        #expect(each.map(\.diskCause) == [.firstRequest, nil, nil])
        let largest = try Self.explain("A@200 A@300 A@300", "\(Self.tiers); memorySizes: largest")
        #expect(largest.map(\.memoryCause) == [.firstRequest, .similarKey, nil])
        // A file that has left was asked for before, in another size.
        let evicted = try Self.explain("A@100 B@100 A@200", "memory: lru(2MB); disk: lru(1kB); memorySizes: each")
        #expect(evicted.map(\.memoryCause) == [.firstRequest, .firstRequest, .similarKey])
        #expect(evicted.map(\.diskCause) == [.firstRequest, .firstRequest, .policy])
    }

    @Test("An evicted size has the cause of its own eviction")
    func evictedSize() throws {
        let cache = "memory: lru(180kB); disk: lru(1MB); memorySizes: each"
        let causes = try Self.explain("A@100 A@200 A@100 A@200", cache).map(\.memoryCause)
        // With foresight, 40,000 bytes stay and 160,000 are refused.
        #expect(causes == [.firstRequest, .similarKey, .policy, .capacity])
    }

    @Test("Bounds that do not hold for bitmaps in the sizes of views are left out")
    func bounds() throws {
        let sized = try PreparedTrace(Self.session("A@100 A@200"))
        let plain = try PreparedTrace(Self.session("A A"))
        for (rule, isExempt) in [("one", false), ("each", true), ("largest", true)] {
            let job = try Self.job("\(Self.tiers); memorySizes: \(rule)")
            let exemptions = try LeastBlankTime.exemptions(of: job, in: sized, job.run(sized))
            #expect(exemptions == (isExempt ? [.holdsViewSizes] : []))
            #expect(try LeastBlankTime.exemptions(of: job, in: plain, job.run(plain)).isEmpty)
            let demand = try job.explainWithDemand(sized).demand
            #expect((demand == nil) == (rule == "largest"))
        }
    }

    // MARK: Equality, and what is refused

    @Test("A wrong value names the right ones, and the default is written")
    func parsing() throws {
        let error = #expect(throws: SpecError.self) { try CacheConfiguration("lru(1MB); memorySizes: all") }
        #expect(error?.message == "memorySizes is one of one, each, largest, not 'all'")
        #expect(error?.column == 10)
        let one = try CacheConfiguration("lru(1MB); memorySizes: one")
        #expect(one.memoryRules == MemoryRules())
        let cache = try CacheConfiguration("lru(1MB); memorySizes: each")
        #expect(cache.memoryRules.sizes == .each)
        #expect(try cache.canonical(for: PolicyContext()).contains("; memorySizes: each; "))
    }

    @Test("A preset's rule on sizes is ignored in measured timing, and a note says so")
    func ignored() throws {
        var job = try Self.job(Self.tiers)
        job.cache.memoryRules.sizes = .largest
        let sized = try PreparedTrace(Self.session("A@100 A@200"))
        #expect(try !PreparedRun(job, sized, ReplaySetup()).ignoresViewSizes)
        job.timing = .measured
        let run = try PreparedRun(job, sized, ReplaySetup())
        #expect(run.ignoresViewSizes)
        #expect(run.objects.renditions == nil)
        #expect(try !PreparedRun(job, PreparedTrace(Self.session("A A")), ReplaySetup()).ignoresViewSizes)
    }

    @Test("Measured timing and an app's own cache are refused where sizes have an effect by a stated rule")
    func refusals() throws {
        let trace = Self.session("A@100")
        for rule in ["each", "largest"] {
            var job = try Self.job("\(Self.tiers); memorySizes: \(rule)")
            job.timing = .measured
            let error = #expect(throws: ReplayError.self) { try job.run(trace) }
            let message = error?.description ?? ""
            #expect(message.contains("cache '\(job.cache.name)'") && message.contains("memorySizes: \(rule)"))
            #expect(message.contains("use --timing modelled, or write memorySizes: one"), "\(message)")
        }
        let own = try Self.job("own: ./cache; memorySizes: each")
        let error = #expect(throws: ReplayError.self) { try own.run(trace) }
        #expect(error?.description.contains("keys without sizes; write memorySizes: one") == true)
    }
}
