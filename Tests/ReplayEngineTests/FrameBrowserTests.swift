import Foundation
import SessionModel
import TestSupport
import Testing

@testable import ReplayEngine

/// Chromium shows a frame at the first tick of its display after the page has run for it. The test counts the ticks
/// without a frame while the page is blocked, and compares them with the hitches of the same work.
@Suite(
    "Dropped frames in a real Chromium", .enabled(if: DevTools.executable != nil, "Chromium is not installed"))
struct FrameBrowserTests {
    /// Blocks the page 60 times for 10 to 200 ms. Returns two lists of pairs of times in milliseconds: the tick at
    /// which a frame begins, and when the page runs for it; the start and the end of each block.
    private static let script = """
        (async () => {
            const frames = [], work = [];
            let isOver = false;
            const frame = tick => { frames.push([tick, performance.now()]); isOver || requestAnimationFrame(frame); };
            const pause = time => new Promise(done => setTimeout(done, time));
            requestAnimationFrame(frame);
            await pause(300);
            for (let number = 0; number < 60; number++) {
                await pause(20 + number * 37 % 100);
                const start = performance.now();
                while (performance.now() - start < 10 + number * 53 % 190);
                work.push([start, performance.now()]);
            }
            await pause(300);
            isOver = true;
            return [frames, work];
        })()
        """

    @Test("A blocked page drops the predicted frames within 10 %")
    func dropped() throws {
        let tools = try DevTools()
        var runs: [Run] = []
        repeat {
            let page = try BrowserPage(tools, context: BrowserPage.context(tools))
            let lists = try #require(try page.evaluate(Self.script) as? [[[Double]]])
            runs.append(try Self.run(frames: lists[0], work: lists[1]))
        } while runs.count < 5 && runs.last?.isDisturbed == true
        let run = try #require(runs.last)
        let told = "\(run.predicted) predicted, \(run.dropped) dropped, \(run.lostWhileFree) lost while free"
        #expect(run.predicted > 150)
        withKnownIssue("The machine has other work in each of five runs: nothing is compared") {
            #expect(abs(run.predicted - run.dropped) <= run.dropped / 10, "\(told)")
        } when: {
            run.isDisturbed
        }
    }

    private struct Run {
        /// The frames that the work is predicted to drop.
        var predicted: Double
        /// The ticks without a frame during whose second half the page was blocked.
        var dropped: Double
        /// The share of the other ticks without a frame, which other work of the machine takes.
        var lostWhileFree: Double

        /// Whether other work takes frames, so that a comparison would tell about the machine.
        var isDisturbed: Bool { lostWhileFree > 0.02 }
    }

    private static func run(frames: [[Double]], work: [[Double]]) throws -> Run {
        let (first, last) = (try #require(frames.first)[0], try #require(frames.last)[1])
        let shown = Set(frames.map { Int((($0[1] - first) * 60 / 1_000).rounded(.up)) })
        let blocked = Set(
            work.flatMap { times in
                let (start, end) = ((times[0] - first) * 60 / 1_000, (times[1] - first) * 60 / 1_000)
                return Int((start + 0.5).rounded(.up))..<Int(end.rounded(.up))
            })
        let dropped = Double(blocked.subtracting(shown).count)
        // Ticks beside a block can be late because of it.
        let free = Set(0..<Int((last - first) * 60 / 1_000)).subtracting(blocked.flatMap { [$0 - 1, $0, $0 + 1] })
        let lost = Double(free.subtracting(shown).count) / Double(max(1, free.count))

        var builder = TraceBuilder()
        builder.append(TraceEvent(time: 0, .scroll(.dragged, offset: 0, velocity: 0)))
        let end = Int64((last - first) * 1_000)
        builder.append(TraceEvent(time: end, .scroll(.atRest, offset: 0, velocity: 0)))
        var tally = FrameTally(ListMotion(builder.finish()))
        for times in work {
            let (start, end) = (Int64((times[0] - first) * 1e6), Int64((times[1] - first) * 1e6))
            tally.worked(.decode, from: start, for: end - start)
        }
        return Run(
            predicted: Double(tally.figures.at60Hz.hitchTime) * 60 / 1e9, dropped: dropped, lostWhileFree: lost)
    }
}
