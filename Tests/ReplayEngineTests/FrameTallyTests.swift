import Basics
import SessionModel
import Testing

@testable import ReplayEngine

/// At 60 Hz, the ticks of a stretch from 0 are at 0, 16.666666, 33.333333, 50, 66.666666, 83.333333 and 100 ms: whole
/// nanoseconds, rounded down.
@Suite("Frames that a busy main lane delays")
struct FrameTallyTests {
    /// Returns a tally of a session in which the list moves between these times, in milliseconds.
    private func tally(moving stretches: [Range<Int64>] = [0..<1_000]) -> FrameTally {
        var story = Story()
        for stretch in stretches {
            story.scroll(.dragged, at: stretch.lowerBound)
            story.scroll(.atRest, at: stretch.upperBound)
        }
        return FrameTally(ListMotion(story.trace))
    }

    @Test(
        "Work delays the frame that begins in it, until the first tick after it",
        arguments: [
            // Shorter than a frame.
            (1_000_000, 16_000_000, (0, nil)),
            // From 2 ms before the tick at 16.7 ms to 18 ms after it. The frame is due at 33.3 ms, and shown at 50 ms.
            (14_666_666, 20_000_000, (16_666_667, 1_333_333)),
            // From 5 ms before the same tick to 15 ms after it.
            (11_666_666, 20_000_000, (0, nil)),
            // From the tick at 0 on, whose frame is due at 16.7 ms.
            (0, 20_000_000, (16_666_667, 3_333_334)),
            // The work ends with a tick, and a nanosecond later.
            (0, 100_000_000, (83_333_334, 83_333_334)),
            (0, 100_000_001, (100_000_000, 83_333_335)),
        ] as [(Int64, Int64, (Int64, Int64?))])
    func onePiece(start: Int64, duration: Int64, expected: (Int64, Int64?)) {
        var tally = tally()
        tally.worked(.decode, from: start, for: duration)
        let figures = tally.figures
        #expect(figures.at60Hz.hitchTime == expected.0 && figures.at60Hz.overrunP95 == expected.1)
        #expect(figures.at60Hz.overrunFrames == (expected.1 == nil ? 0 : 1))
        #expect(figures.at60Hz.hitchTimes == (expected.1 == nil ? [:] : ["decode": expected.0]))
        #expect(figures.workTime == duration && figures.scrollTime == 1_000_000_000)
    }

    @Test("Pieces without a pause are one, named after the longest; a frame begins in any pause")
    func pieces() {
        var tally = tally()
        tally.worked(.memoryStore, from: 0, for: 2_000_000)
        tally.worked(.decode, from: 2_000_000, for: 10_000_000)
        tally.worked(.diskRead, from: 12_000_000, for: 8_000_000)
        #expect(tally.figures.at60Hz.hitchTimes == ["decode": 16_666_667])
        tally.worked(.decode, from: 100_000_000, for: 10_000_000)
        tally.worked(.decode, from: 110_000_001, for: 10_000_000)
        #expect(tally.figures.at60Hz.hitchTime == 16_666_667 && tally.figures.workTime == 40_000_000)
    }

    @Test("A relaunch ends the work of the main lane")
    func relaunch() {
        var story = Story()
        story.scroll(.dragged, at: 0)
        story.append(.terminate, at: 50)
        story.scroll(.dragged, at: 60)
        story.scroll(.atRest, at: 200)
        var tally = FrameTally(ListMotion(story.trace))
        tally.worked(.decode, from: 0, for: 150_000_000)
        tally.worked(.decode, from: 150_000_000, for: 150_000_000)
        tally.relaunch()
        // Due at 16.7 ms, and the app ends at 50 ms.
        #expect(tally.figures.at60Hz.hitchTime == 33_333_334 && tally.figures.workTime == 50_000_000)
        tally.worked(.decode, from: 60_000_000, for: 30_000_000)
        #expect(tally.figures.at60Hz.hitchTime == 33_333_334 + 16_666_667 && tally.figures.workTime == 80_000_000)
    }

    @Test("A list moves from the first event of a movement to the end of it, and rests until the next one")
    func motion() {
        var story = Story()
        story.scroll(.dragged, at: 0)
        story.scroll(.decelerating, at: 100)
        story.scroll(.atRest, at: 200)
        story.scroll(.atRest, at: 250)
        story.scroll(.dragged, at: 300)
        story.scroll(.atRest, at: 400)
        story.append(.background, at: 450)
        story.append(.foreground, at: 500)
        story.scroll(.dragged, at: 600)
        story.append(.terminate, at: 700)
        story.scroll(.atRest, at: 720)
        story.scroll(.dragged, at: 800)
        story.append(.foreground, at: 900)
        let motion = ListMotion(story.trace)
        func milliseconds(_ ranges: [Range<Int64>]) -> [Range<Int64>] {
            ranges.map { $0.lowerBound / 1_000_000..<$0.upperBound / 1_000_000 }
        }
        #expect(milliseconds(motion.stretches) == [0..<200, 300..<400, 600..<700, 800..<900])
        #expect(milliseconds(motion.rests) == [200..<300, 400..<450])
        #expect(motion.relaunches == [700_000_000] && motion.scrollTime == 500_000_000)
    }

    @Test("A walk from tick to tick has the same figures", arguments: 1...20 as ClosedRange<UInt64>)
    func twin(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var (stretches, time): ([Range<Int64>], Int64) = ([], 0)
        for _ in 0..<20 {
            let start = time + Int64.random(in: 1...200, using: &random)
            time = start + Int64.random(in: 1...400, using: &random)
            stretches.append(start..<time)
        }
        var tally = tally(moving: stretches)
        var (busy, end): ([Range<Int64>], Int64) = ([], 0)
        while end < time * 1_000_000 {
            let pause = Bool.random(using: &random) ? 0 : Int64.random(in: 1...40_000_000, using: &random)
            let duration = Int64.random(in: 1...30_000_000, using: &random)
            tally.worked(.decode, from: end + pause, for: duration)
            if pause == 0, let last = busy.popLast() {
                busy.append(last.lowerBound..<end + duration)
            } else {
                busy.append(end + pause..<end + pause + duration)
            }
            end += pause + duration
        }
        let figures = tally.figures
        let moving = stretches.map { $0.lowerBound * 1_000_000..<$0.upperBound * 1_000_000 }
        for (delays, rate) in [(figures.at60Hz, 60), (figures.at120Hz, 120)] as [(FrameDelays, Int64)] {
            let overruns = walk(moving, busy, rate)
            #expect(delays.hitchTime == overruns.reduce(0) { $0 + $1.hitch })
            #expect(delays.overrunFrames == overruns.count && delays.hitchTime <= figures.scrollTime)
            let sorted = overruns.map(\.overrun).sorted()
            let place = (sorted.count * 95 + 99) / 100 - 1
            #expect(delays.overrunP95 == (sorted.isEmpty ? nil : sorted[place]))
        }
    }

    /// Walks through the ticks of each stretch. Returns the frames that are late.
    private func walk(
        _ stretches: [Range<Int64>], _ busy: [Range<Int64>], _ rate: Int64
    ) -> [(hitch: Int64, overrun: Int64)] {
        var late: [(hitch: Int64, overrun: Int64)] = []
        for stretch in stretches {
            func time(_ tick: Int64) -> Int64 { stretch.lowerBound + tick * 1_000_000_000 / rate }
            var tick: Int64 = 0
            while time(tick) < stretch.upperBound {
                guard let work = busy.first(where: { $0.contains(time(tick)) }) else {
                    tick += 1
                    continue
                }
                let due = time(tick + 1)
                while time(tick) < work.upperBound { tick += 1 }
                let ready = min(work.upperBound, stretch.upperBound)
                if ready > due { late.append((min(time(tick), stretch.upperBound) - due, ready - due)) }
            }
        }
        return late
    }
}

@Suite("Hitches of replays")
struct HitchReplayTests {
    /// A photograph of 12 megapixels arrives at 60 ms, while the list moves from 0 to 1 s. Its decoding takes 120 ms.
    private func replay(
        _ cache: String, _ timing: ReplayJob.Timing = .modelled(.standard), scrolls: Bool = true
    ) throws -> RunResult {
        var builder = TraceBuilder()
        let id = builder.object("A")
        builder.update(id) {
            $0.bytes = 2_000_000
            $0.contentType = "image/jpeg"
            ($0.pixelWidth, $0.pixelHeight) = (4_000, 3_000)
        }
        let fetch = Fetch(status: 200, bytes: 2_000_000, timeToFirstByte: 50_000, transferTime: 10_000)
        builder.append(TraceEvent(time: 0, .fetch(id, fetch)))
        if scrolls { builder.append(TraceEvent(time: 0, .scroll(.dragged, offset: 0, velocity: 0))) }
        builder.append(TraceEvent(time: 0, .appear(id, .full)))
        if scrolls { builder.append(TraceEvent(time: 1_000_000, .scroll(.atRest, offset: 0, velocity: 0))) }
        builder.append(TraceEvent(time: 1_000_000, .foreground))
        var job = ReplayJob(trace: "story", cache: try CacheConfiguration(cache))
        job.timing = timing
        job.decode = true
        return try job.run(builder.finish())
    }

    @Test("Decoding on the main lane delays frames, and on decode lanes it does not")
    func decoding() throws {
        let main = try #require(try replay("memory: lru(100MB); decodeOnMainLane: true").mainLane)
        // The frame of 66.7 ms is due at 83.3 ms. The image is decoded at 180 ms, and the frame is shown at 183.3 ms.
        #expect(main.at60Hz.hitchTime == 100_000_000 && main.at60Hz.overrunFrames == 1)
        #expect(main.at60Hz.hitchTimes == ["decode": 100_000_000])
        #expect(main.hitchRate(main.at60Hz) == 100)
        // At 120 Hz, the same frame is due at 75 ms.
        #expect(main.at120Hz.hitchTime == 108_333_333)
        // A lookup of 1 µs, 120 ms of decoding, and a store of 2 µs.
        #expect(main.workTime == 120_003_000 && main.scrollTime == 1_000_000_000)
        let lanes = try #require(try replay("memory: lru(100MB)").mainLane)
        #expect(lanes.at60Hz == FrameDelays() && lanes.at120Hz == FrameDelays() && lanes.workTime == 3_000)
    }

    @Test("Without movement there are no frames, and without durations no figures")
    func none() throws {
        let still = try #require(try replay("memory: lru(100MB); decodeOnMainLane: true", scrolls: false).mainLane)
        #expect(still.scrollTime == 0 && still.at60Hz == FrameDelays() && still.workTime == 120_003_000)
        #expect(try replay("memory: lru(100MB); decodeOnMainLane: true", .modelled(.instant)).mainLane == nil)
    }
}
