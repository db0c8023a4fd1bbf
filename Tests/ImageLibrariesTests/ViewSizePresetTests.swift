import Basics
import ImageLibraries
import SessionModel
import Testing

@testable import ReplayEngine

/// What presets make of the sizes of views.
@Suite("Presets and the sizes of views")
struct ViewSizePresetTests {
    @Test("The rule follows from what the key of the library has")
    func rules() throws {
        let each = ["glide", "picasso-2", "picasso-3", "rn-image-ios", "fast-image-android", "expo-image-android"]
        let largest = ["coil-3", "coil-3-ios"]
        for preset in CachePreset.all {
            let sizes = try CacheConfiguration(preset).memoryRules.sizes
            let expected: SizeRule =
                each.contains(preset.name) ? .each : largest.contains(preset.name) ? .largest : .one
            #expect(sizes == expected, "\(preset.name)")
            guard sizes != .one, preset.name != "expo-image-android" else { continue }
            // Those that tell sizes apart have a fact that says so, read in source.
            let fact = preset.facts.first { $0.parameter == "keys" || $0.parameter == "sizes" }
            #expect(fact?.certainty == .exact, "\(preset.name)")
        }
    }

    /// A session of 300 cells that show 30 images, with prefetches, warnings, a relaunch and removals.
    ///
    /// - Parameter hasSizes: Whether the sizes of views are recorded.
    private static func session(hasSizes: Bool) -> Trace {
        var builder = TraceBuilder()
        var random = SplitMix64(seed: 7)
        func next(_ count: Int) -> Int { random.next(below: count) }
        builder.append(TraceEvent(time: 0, .foreground))
        let objects = (0..<30).map { builder.object("https://a.example/\($0).jpg") }
        for (index, object) in objects.enumerated() {
            builder.update(object) {
                $0.bytes = 20_000 + 1_000 * index
                // Of every third image, the pixels are not known.
                if index % 3 > 0 { ($0.pixelWidth, $0.pixelHeight) = (300 + 20 * index, 400) }
            }
            let fetch = Fetch(status: 200, bytes: 20_000 + 1_000 * index, timeToFirstByte: 90_000, transferTime: 40_000)
            builder.append(TraceEvent(time: 0, .fetch(object, fetch)))
        }
        for cell in 0..<300 {
            let time = Int64(cell + 1) * 70_000
            let object = objects[next(30)]
            let side = [100, 200, 350, 1_000][next(4)]
            let view = hasSizes && cell % 7 > 0 ? ViewSize(width: side, height: side + 20) : nil
            let ends = time + Int64(next(900_000))
            builder.append(TraceEvent(time: time, .appear(object, .full), viewSize: view))
            builder.append(TraceEvent(time: ends, .disappear(object, .full)))
            switch cell % 60 {
            case 20: builder.append(TraceEvent(time: time, .memoryWarning))
            case 30: builder.append(TraceEvent(time: time, .remove(object)))
            case 40: builder.append(TraceEvent(time: time, .prefetch(objects[next(30)], .full), viewSize: view))
            case 59 where cell < 200: builder.append(TraceEvent(time: time, .terminate))
            default: break
            }
        }
        return builder.finish(keepingTimes: true)
    }

    private static func result(_ cache: String, _ trace: PreparedTrace) throws -> RunResult {
        var job = ReplayJob(trace: "session", cache: try CacheConfiguration(specification: cache))
        job.timing = .modelled(.standard)
        job.decode = true
        var result = try job.explain(trace).result
        (result.identity.cache, result.identity.specification) = ("", "")
        return result
    }

    private static let plain = Result { try PreparedTrace(session(hasSizes: false)) }
    private static let sized = Result { try PreparedTrace(session(hasSizes: true)) }

    @Test("With memorySizes: one, a preset has the figures of a session without sizes", arguments: CachePreset.all)
    func equality(preset: CachePreset) throws {
        let expected = try Self.result("\(preset.name); memorySizes: one", Self.plain.get())
        #expect(try Self.result("\(preset.name); memorySizes: one", Self.sized.get()) == expected)
        // Without sizes, the rule has no effect.
        #expect(try Self.result(preset.name, Self.plain.get()) == expected)
    }

    @Test("Outcomes add up, and each object is fetched as often as its file is missing", arguments: CachePreset.all)
    func sums(preset: CachePreset) throws {
        let result = try Self.result(preset.name, Self.sized.get())
        let counts = result.counts
        let outcomes = [
            counts.memoryHits, counts.diskHits, counts.originFetches, counts.coalesced, counts.deferred,
            counts.cancelled, counts.failed, counts.wrong,
        ]
        #expect(outcomes.reduce(0, +) == 300)
        let causes = try #require(result.causes)
        #expect(causes.memory.values.reduce(0, +) == 300 - counts.memoryHits, "\(preset.name)")
    }
}
