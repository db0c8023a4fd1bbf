import Basics
import CachePolicies
import SessionModel
import Testing

@testable import ReplayEngine

/// Compares memories that know the sizes of views with slow twins: with `each`, a session in which every size of an
/// image is an image of its own, and with `largest`, a list of what is held.
@Suite("Memories that know the sizes of views, and slow twins")
struct ViewSizeTwinTests {
    private static let sides = [60, 120, 240, 500]
    /// The pixels of the side of each image, which is a square.
    private static func pixels(_ image: Int) -> Int { 150 + 30 * image }
    /// The side of the bitmap in a view.
    private static func bitmap(_ image: Int, in side: Int?) -> Int { min(side ?? .max, pixels(image)) }

    private struct Step {
        enum Kind { case cell, prefetch, removal, warning, relaunch }

        var time: Int64
        var kind: Kind
        var image: Int
        /// The side of the view; nil if its size is not recorded.
        var side: Int?
        var visible: Int64
    }

    private static func steps(seed: UInt64, count: Int = 400) -> [Step] {
        var random = SplitMix64(seed: seed)
        return (1...count).map { number in
            let chance = random.next(below: 40)
            let kind: Step.Kind =
                switch chance {
                case 0: .relaunch
                case 1: .warning
                case 2: .removal
                case 3...6: .prefetch
                default: .cell
                }
            return Step(
                time: Int64(number) * 100_000, kind: kind, image: random.next(below: 12),
                side: random.next(below: 6) == 0 ? nil : sides[random.next(below: sides.count)],
                visible: Int64(random.next(below: 5)) * 100_000 + 50_000)
        }
    }

    /// - Parameter isSplit: Whether every size of an image is an image of its own, without sizes of views.
    private static func session(_ steps: [Step], isSplit: Bool) -> Trace {
        var builder = TraceBuilder()
        builder.append(TraceEvent(time: 0, .foreground))
        func object(_ image: Int, _ side: Int?) -> ObjectID {
            let name = isSplit ? "\(image)@\(side.map { "\($0)" } ?? "")" : "\(image)"
            let known = builder.objects.count
            let object = builder.object(name)
            guard builder.objects.count > known else { return object }
            let pixels = isSplit ? bitmap(image, in: side) : pixels(image)
            builder.update(object) { ($0.bytes, $0.pixelWidth, $0.pixelHeight) = (1_000, pixels, pixels) }
            let fetch = Fetch(status: 200, bytes: 1_000, timeToFirstByte: 230_000, transferTime: 0)
            builder.append(TraceEvent(time: 0, .fetch(object, fetch)))
            return object
        }
        // In the twin, cells of two sizes are different cells: their sizes say which of them goes.
        var shown: [Int: [(side: Int?, until: Int64)]] = [:]
        for step in steps {
            let view = isSplit ? nil : step.side.flatMap { ViewSize(width: $0, height: $0) }
            let id = object(step.image, step.side)
            switch step.kind {
            case .cell:
                builder.append(TraceEvent(time: step.time, .appear(id, .full), viewSize: view))
                shown[step.image, default: []].append((step.side, step.time + step.visible))
            case .prefetch: builder.append(TraceEvent(time: step.time, .prefetch(id, .full), viewSize: view))
            case .warning: builder.append(TraceEvent(time: step.time, .memoryWarning))
            case .relaunch:
                builder.append(TraceEvent(time: step.time, .terminate))
                shown = [:]
            case .removal:
                for side in isSplit ? sides + [nil] : [nil] {
                    builder.append(TraceEvent(time: step.time, .remove(object(step.image, side))))
                }
            }
            // The oldest cell of an image goes first, whatever its size is.
            for image in shown.keys.sorted() {
                while let first = shown[image]?.first, shown[image]?.contains(where: { $0.until <= step.time }) == true
                {
                    if let place = shown[image]?.firstIndex(where: { $0.until <= step.time }) {
                        shown[image]?[place].until = .max
                    }
                    builder.append(
                        TraceEvent(time: step.time + 1_000, .disappear(object(image, first.side), .full)))
                    shown[image]?.removeFirst()
                }
            }
        }
        builder.append(TraceEvent(time: Int64(steps.count + 100) * 100_000, .foreground))
        return builder.finish(keepingTimes: true)
    }

    private static func replay(
        _ trace: Trace, _ cache: String, _ timing: ReplayJob.Timing
    ) throws -> (outcomes: [RequestOutcome?], result: RunResult) {
        var job = ReplayJob(trace: "views", cache: try CacheConfiguration(cache))
        job.timing = timing
        let (result, requests) = try job.runRecordingRequests(trace)
        return (requests.map(\.outcome), result)
    }

    @Test(
        "each: every size is an image of its own",
        arguments: [
            "memory: lru(1MB)", "memory: lru(700kB); pinsShown: true; cancelOnDisappear: true",
            "memory: lru(1MB); live: returns", "memory: fifo(20 objects); memoryOnWarning: 200kB",
            "memory: sieve(900kB); entryLimit: 500kB; oversize: removed; live: stays",
            "memory: s3fifo(1MB); coalesce: false; connections: 2",
            "memory: ttl(lru(2MB), lifetime: 3s); memoryOnWarning: 50%", "memory: none; cancelOnDisappear: true",
        ], [1, 2, 3] as [UInt64])
    func each(cache: String, seed: UInt64) throws {
        let steps = Self.steps(seed: seed)
        let sized = try Self.replay(
            Self.session(steps, isSplit: false), "\(cache); memorySizes: each", .modelled(.standard))
        let twin = try Self.replay(Self.session(steps, isSplit: true), cache, .modelled(.standard))
        #expect(sized.outcomes == twin.outcomes)
        #expect(sized.result.tiers == twin.result.tiers)
        #expect(sized.result.counts == twin.result.counts)
        #expect(sized.result.blank == twin.result.blank)
        #expect(sized.result.prefetch.fetches == twin.result.prefetch.fetches)
        #expect(sized.result.imageMemoryPeak == twin.result.imageMemoryPeak)
    }

    @Test("largest: a list of what is held, with the bytes of each", arguments: [1, 2, 3, 4, 5] as [UInt64])
    func largest(seed: UInt64) throws {
        let steps = Self.steps(seed: seed)
        let limit = 1_500_000
        let run = try Self.replay(
            Self.session(steps, isSplit: false), "memory: lru(\(limit)B); memorySizes: largest", .modelled(.instant))
        // The images that are held, the least recently used first.
        var held: [(image: Int, bytes: Int)] = []
        var (hits, peak) = ([Bool](), 0)
        for step in steps {
            let side = Self.bitmap(step.image, in: step.side)
            switch step.kind {
            case .warning, .relaunch: held = []
            case .removal: held.removeAll { $0.image == step.image }
            case .cell, .prefetch:
                let old = held.firstIndex { $0.image == step.image }.map { held.remove(at: $0) }
                let isHit = (old?.bytes ?? 0) >= 4 * side * side
                if step.kind == .cell { hits.append(isHit) }
                held.append((step.image, isHit ? old?.bytes ?? 0 : 4 * side * side))
                while held.reduce(0, { $0 + $1.bytes }) > limit { held.removeFirst() }
            }
            peak = max(peak, held.reduce(0) { $0 + $1.bytes })
        }
        #expect(run.outcomes.map { $0 == .memoryHit } == hits)
        #expect(run.result.tiers.memoryPeakBytes == Int64(peak))
        #expect(hits.contains(true) && hits.contains(false))
    }
}
