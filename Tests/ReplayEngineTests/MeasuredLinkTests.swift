import Foundation
import TestSupport
import Testing

@testable import ReplayEngine

@Suite("Measured links")
struct MeasuredLinkTests {
    /// Returns the nanoseconds of one transfer that begins at a time.
    private func time(_ bytes: Int, on link: MeasuredLink, at start: Int64) -> Int64 {
        var shared = SharedLink<Int>(link.rate)
        shared.begin(0, bytes: bytes, limit: .infinity, 0, at: start)
        while let change = shared.nextChange {
            if shared.change() != nil { return change - start }
        }
        return -1
    }

    @Test("The rate changes within a transfer, an empty interval delays it, and the first interval follows the last")
    func intervals() throws {
        // 100 bytes in each of the first 100 ns, none in the next 100 ns, 50 bytes in the third.
        let link = try #require(MeasuredLink(interval: 100, bytes: [100, 0, 50]))
        #expect(time(100, on: link, at: 0) == 100)
        // 50 bytes until 100 ns, nothing until 200 ns, 50 bytes until 300 ns.
        #expect(time(100, on: link, at: 50) == 250)
        // 25 bytes in the second half of the third interval, and 75 in the first interval of the next turn.
        #expect(time(100, on: link, at: 250) == 125)
        // After 1,000 turns of 300 ns.
        #expect(time(100, on: link, at: 300_000) == 100)
        #expect(abs(link.mean - 0.5e9) < 1)
    }

    @Test("A link without intervals, without a rate, or with a negative one is none")
    func refused() {
        #expect(MeasuredLink(interval: 100, bytes: []) == nil)
        #expect(MeasuredLink(interval: 100, bytes: [0, 0]) == nil)
        #expect(MeasuredLink(interval: 100, bytes: [1, -1]) == nil)
        #expect(MeasuredLink(interval: 0, bytes: [1]) == nil)
    }

    /// The packets of 1,500 bytes of an interval, at equal distances: a slow twin, packet by packet.
    private struct Packets {
        let ends: [Double]
        let period: Double

        init(_ megabits: [Double]) {
            var ends: [Double] = []
            for (index, rate) in megabits.enumerated() {
                // 1 Mbit/s is 12,500 bytes in 0.1 s.
                let count = Int((rate * 12_500 / 1_500).rounded())
                for packet in 0..<count {
                    ends.append((Double(index) + (Double(packet) + 1) / Double(count)) * 0.1)
                }
            }
            self.ends = ends
            period = Double(megabits.count) * 0.1
        }

        /// Returns the seconds until enough packets have been delivered.
        func time(_ bytes: Int, from start: Double) -> Double {
            var left = Double(bytes)
            var turn = 0.0
            var next = ends.firstIndex { $0 > start } ?? ends.count
            while true {
                if next == ends.count { (next, turn) = (0, turn + period) }
                left -= 1_500
                if left <= 0 { return ends[next] + turn - start }
                next += 1
            }
        }
    }

    @Test(
        "Transfers from 30 kB to 3 MB take as long as packet by packet, within 5 % at the median of each link",
        .enabled(if: SharedData.isPresent))
    func measured() throws {
        let folder = SharedData.path("links")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".csv") }.sorted()
        #expect(files.count == 13)
        for file in files {
            let text = try String(contentsOfFile: folder + "/" + file, encoding: .utf8)
            let rates = text.split(separator: "\n").dropFirst().map { Double($0.split(separator: ",")[1]) ?? -1 }
            let link = try #require(MeasuredLink(interval: 100_000_000, bytes: rates.map { $0 * 12_500 }))
            let packets = Packets(rates)
            for bytes in [30_000, 300_000, 3_000_000] {
                let errors = (0..<60).map { index in
                    let start = packets.period * (Double(index) + 0.37) / 60
                    let wanted = packets.time(bytes, from: start)
                    return abs(Double(time(bytes, on: link, at: Int64(start * 1e9))) / 1e9 - wanted) / wanted
                }.sorted()
                #expect(errors[30] <= 0.05, "\(file), \(bytes) bytes: \(errors[30])")
            }
        }
    }
}
