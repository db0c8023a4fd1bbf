import CacheTraces
import Foundation
import SessionModel
import Testing

@testable import ReplayEngine

@Suite("A recording predicts another one")
struct RecordingPredictionTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
        path: "Recordings")
    private static let names = ["fast-6", "fast-2", "slow-6", "slow-2"]
    private static let pairs = names.flatMap { one in names.filter { $0 != one }.map { (one, $0) } }

    private func recording(_ name: String) throws -> Trace {
        try TraceReading(contentsOf: Self.folder.appending(path: "\(name).jsonl").path).trace
    }

    @Test("Over links of 12 and 4 Mbps, with 6 and 2 images at a time, in Chromium: within 20 %", arguments: pairs)
    func chromium(source: String, target: String) throws {
        let (trace, other) = (try recording(source), try recording(target))
        let rates = ["fast": 12.0, "slow": 4.0]
        let factor = try #require(rates[String(target.prefix(4))]) / #require(rates[String(source.prefix(4))])
        let prediction = try #require(
            try RecordingPrediction(
                of: other, from: trace, linkFactor: factor, rules: "connections: \(target.suffix(1)); order: lifo"))
        #expect(prediction.passes, "\(prediction)")
    }

    @Test("Without the factor of the link, the prediction differs: the check can fail")
    func wrongLink() throws {
        let prediction = try #require(
            try RecordingPrediction(
                of: recording("slow-6"), from: recording("fast-6"), linkFactor: 1, rules: "connections: 6; order: lifo")
        )
        #expect(!prediction.passes && prediction.medianError < -0.5, "\(prediction)")
    }

    @Test("Times to image: from an appearance to the end of the fetch, for cells that are still visible")
    func timesToImage() throws {
        var builder = TraceBuilder()
        let (a, b) = (builder.object("a"), builder.object("b"))
        func add(_ time: Int64, _ action: TraceEvent.Action) { builder.append(TraceEvent(time: time, action)) }
        func fetch(_ first: Int64, _ transfer: Int64, status: Int = 200) -> Fetch {
            Fetch(status: status, bytes: 9, timeToFirstByte: first, transferTime: transfer)
        }
        add(0, .appear(a, .full))
        add(1_000, .fetch(a, fetch(5_000, 1_000)))  // Ends at 7,000: 7 ms for the first cell.
        add(2_000, .appear(a, .full))
        add(3_000, .fetch(a, fetch(5_000, 2_000)))  // Ends at 10,000: 8 ms for the second cell.
        add(4_000, .appear(b, .full))
        add(5_000, .fetch(b, fetch(1_000, 1_000, status: 500)))  // No image.
        add(6_000, .fetch(b, fetch(1_000, 3_000)))  // Ends at 10,000, after its cell has disappeared.
        add(9_000, .disappear(b, .full))
        add(11_000, .fetch(a, fetch(1_000, 1_000)))  // No cell waits for it.
        #expect(RecordingPrediction.timesToImage(builder.finish()) == [7_000_000, 8_000_000])
    }

    /// Ten transfers of 100 kB alone, and ten pairs of them at a time. A transfer alone takes 100 ms.
    private func trace(together: Int64) -> Trace {
        var builder = TraceBuilder()
        var time: Int64 = 0
        for number in 0..<10 {
            for (transfers, duration) in [(1, Int64(100_000)), (2, together)] {
                for copy in 0..<transfers {
                    let object = builder.object("\(number) \(transfers) \(copy)")
                    builder.update(object) { $0.bytes = 100_000 }
                    let fetch = Fetch(bytes: 100_000, timeToFirstByte: 10_000, transferTime: duration)
                    builder.append(TraceEvent(time: time, .fetch(object, fetch)))
                }
                time += 500_000
            }
        }
        return builder.finish()
    }

    @Test("A link is a bottleneck if two transfers at a time bring as many bytes as one, and not if each is as fast")
    func bottleneck() throws {
        // 1 MB/s alone, and a second with 100 ms of each: 300 kB in 300 ms over the bottleneck, otherwise in 200 ms.
        for (together, isBottleneck) in [(Int64(200_000), true), (100_000, false)] {
            let trace = trace(together: together)
            let sizes = trace.resolvedSizes().bytes
            #expect(SharedLinkEstimate.isBottleneck(trace, sizes: sizes) == isBottleneck)
            var model = SharedLinkModel(isBottleneck: isBottleneck, scale: 1)
            let link = try #require(SharedLinkEstimate(trace, sizes: sizes, model))
            let rate = link.rate.rate(at: 3_000_000_000)
            #expect(abs(rate * 1e9 / (isBottleneck ? 1e6 : 1.5e6) - 1) < 0.01, "\(rate)")
            model.factor = 0.5
            let half = try #require(SharedLinkEstimate(trace, sizes: sizes, model))
            #expect(abs(half.rate.rate(at: 3_000_000_000) / rate - 0.5) < 1e-9)
        }
        // Without concurrency, the rate of the link cannot be estimated.
        var alone = trace(together: 100_000)
        alone.events.removeAll { event in
            if case .fetch(let object, _) = event.action {
                alone.objects[Int(object)].key.contains(" 2 ")
            } else {
                false
            }
        }
        #expect(!SharedLinkEstimate.isBottleneck(alone, sizes: alone.resolvedSizes().bytes))
    }
}
