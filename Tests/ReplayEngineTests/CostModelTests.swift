import Basics
import CacheTraces
import Foundation
import SessionModel
import Testing

@testable import ReplayEngine

@Suite("The cost model and its constants")
struct CostModelTests {
    typealias Constant = CostModel.Constant

    /// Sets constants by name.
    private func costs(_ values: KeyValuePairs<String, String>) throws -> CostModel {
        var costs = CostModel.standard
        for (name, value) in values {
            let constant = try #require(Constant.named(name))
            constant.set(try constant.unit.value(value), in: &costs)
        }
        return costs
    }

    @Test("Values have units, and read back as they are written")
    func values() throws {
        let durations: [(String, Int64, String)] = [
            ("100us", 100_000, "100us"), ("0.5us", 500, "500ns"), ("1.5ms", 1_500_000, "1.5ms"), ("0ns", 0, "0ns"),
            ("2 s", 2_000_000_000, "2s"), ("1_000us", 1_000_000, "1ms"), ("60s", 60_000_000_000, "60s"),
        ]
        for (text, value, written) in durations {
            #expect(try Constant.Unit.duration.value(text) == value)
            #expect(Constant.Unit.duration.text(value) == written)
        }
        #expect(try Constant.Unit.byteRate.value("1.5GB/s") == 1_500_000_000)
        #expect(try Constant.Unit.byteRate.value("none") == .max)
        #expect(Constant.Unit.byteRate.text(.max) == "none")
        #expect(try Constant.Unit.pixelRate.value("100MP/s") == 100_000_000)
        #expect(Constant.Unit.pixelRate.text(123_456_789) == "123.456789MP/s")
        for constant in Constant.all {
            for value: Int64 in [1_000, 1_001, 999_999, 7_654_321, 59_999_999_999] {
                #expect(try constant.unit.value(constant.unit.text(value)) == value)
            }
        }
    }

    @Test(
        "A value without a unit, with another unit, or out of range is an error",
        arguments: [
            (Constant.Unit.duration, "100", "has no unit (ns, us, ms, s)"),
            (.duration, "100MB/s", "not 'MB/s'"), (.duration, "-5us", "is not a duration such as"),
            (.duration, "nan", "is not a duration"), (.duration, "infus", "is not a duration"),
            (.duration, "61s", "out of range"), (.duration, "none", "is not a duration"),
            (.byteRate, "1GB", "not 'GB'"), (.byteRate, "100MP/s", "not 'MP/s'"), (.byteRate, "0B/s", "out of range"),
            (.byteRate, "999B/s", "from 1kB/s on"), (.pixelRate, "100Mp/s", "not 'Mp/s'"),
            (.pixelRate, "-1MP/s", "is not a rate"),
        ] as [(Constant.Unit, String, String)])
    func badValues(unit: Constant.Unit, text: String, message: String) {
        let error = #expect(throws: QuantityError.self) { try unit.value(text) }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains(text) == true)
    }

    @Test("Every constant has its own name and place, and the page has its standard value, certainty and source")
    func constants() throws {
        #expect(Set(Constant.all.map(\.name)).count == Constant.all.count)
        for constant in Constant.all {
            var changed = CostModel.standard
            constant.set(4_321_000, in: &changed)
            #expect(changed.changes == ["\(constant.name): \(constant.unit.text(4_321_000))"])
        }
        // Each number of the model is a constant.
        let encoded = try JSONSerialization.jsonObject(with: JSONEncoder().encode(CostModel.standard))
        #expect(Self.numbers(encoded) == Constant.all.count)
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appendingPathComponent(
                "Sources/ReplayEngine/ReplayEngine.docc/ModelledDurations.md"), encoding: .utf8)
        let unwrapped = page.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for constant in Constant.all {
            let value = constant.unit.text(constant.value(in: .standard))
            let row = "| `\(constant.name)` | \(value) | \(constant.meaning) | \(constant.source.certainty) |"
            #expect(page.contains(row), "write: \(row)")
            let source = "\(constant.source.certainty), \(constant.source.text)."
            #expect(unwrapped.contains(source), "write: \(source)")
        }
    }

    private static func numbers(_ value: Any) -> Int {
        (value as? [String: Any])?.values.reduce(0) { $0 + numbers($1) } ?? 1
    }

    @Test("The checksum follows from the values alone")
    func checksum() throws {
        #expect(CostModel.standard.changes.isEmpty)
        #expect(CostModel.standard.canonical.hasPrefix("memory_lookup: 1us\nmemory_store: 2us\n"))
        let one = try costs(["disk_read": "50us", "memory_store": "1ms"])
        #expect(try one.checksum == costs(["memory_store": "1000us", "disk_read": "0.05ms"]).checksum)
        #expect(one.checksum != CostModel.standard.checksum)
        #expect(one.changes == ["memory_store: 1ms", "disk_read: 50us"])
    }

    @Test("Decoding takes a fixed time, a time for each pixel, and one for each byte, by format")
    func decoding() throws {
        let costs = try costs([
            "jpeg_decode": "10us", "jpeg_decode_rate": "500MP/s", "jpeg_decode_byte_rate": "100MB/s",
            "png_decode_rate": "none", "png_decode_byte_rate": "1MB/s",
        ])
        // 10 µs, 2 ns for each of 1,000 pixels, and 10 ns for each of 200 bytes.
        #expect(costs.decoding("image/jpeg", pixels: 1_000, bytes: 200) == 10_000 + 2_000 + 2_000)
        #expect(costs.decoding(nil, pixels: 1_000, bytes: 200) == 10_000 + 2_000 + 2_000)
        #expect(costs.decoding("image/png", pixels: 1_000, bytes: 200) == 200_000)
        #expect(costs.decoding("image/webp", pixels: 1_000, bytes: 200) == 10_000)
        // 40 ns for each pixel.
        #expect(costs.decoding("image/avif", pixels: 1_000, bytes: 200) == 40_000)
        #expect(costs.decoding("image/heic", pixels: 1_000, bytes: 200) == 10_000)
        #expect(CostModel.standard.decoding("image/jpeg", pixels: 1_000, bytes: 200) == 10_000)
        for type in ["image/webp", "image/avif", "image/heif"] {
            #expect(CostModel.instant.decoding(type, pixels: 1_000, bytes: 200) == 0)
        }
        // An operation of impossible size does not overflow.
        #expect(CostModel.standard.decoding("image/png", pixels: .max / 4, bytes: .max) == 1_000_000_000_000_000)
    }

    /// Replays: fetched at 0 ms, shown again from the disk after a warning that empties memory, then from memory.
    private func latencies(_ costs: CostModel) throws -> (RunResult, [Int64]) {
        var builder = TraceBuilder()
        let object = builder.object("a")
        builder.update(object) {
            ($0.bytes, $0.pixelWidth, $0.pixelHeight, $0.contentType) = (1_000_000, 1_000, 1_000, "image/jpeg")
        }
        let fetch = Fetch(bytes: 1_000_000, timeToFirstByte: 1_000, transferTime: 0)
        builder.append(TraceEvent(time: 0, .fetch(object, fetch)))
        for time: Int64 in [0, 1_000_000, 2_000_000] { builder.append(TraceEvent(time: time, .appear(object, .full))) }
        builder.append(TraceEvent(time: 500_000, .memoryWarning))
        var job = ReplayJob(
            trace: "costs", cache: try CacheConfiguration("memory: unbounded; disk: unbounded; memoryOnWarning: clear"))
        job.timing = .modelled(costs)
        job.costsFile = "mine.yaml"
        job.decode = true
        let (result, requests) = try job.runRecordingRequests(builder.finish(keepingTimes: true))
        return (result, requests.map { $0.delivered - $0.appeared })
    }

    @Test("Doubled costs double what the tiers take, and leave the network as it is")
    func doubled() throws {
        var doubled = CostModel.standard
        for constant in Constant.all {
            let value = constant.value(in: .standard)
            guard value < .max else { continue }
            constant.set(constant.unit == .duration ? 2 * value : value / 2, in: &doubled)
        }
        let (standard, before) = try latencies(.standard)
        let (result, after) = try latencies(doubled)
        // Fetched: disk lookup 5 µs, 1 ms of network, decode 10 ms, store 2 µs. From disk: lookup, read
        // 100 µs + 1 ms, decode, store. From memory: a lookup of 1 µs.
        #expect(before == [11_007_000, 11_107_000, 1_000])
        #expect(after == [21_014_000, 22_214_000, 2_000])
        #expect(standard.identity.timing == "modelled+decode")
        #expect(result.identity.timing == "modelled+decode+costs:\(doubled.checksum.prefix(8))")
        let note = RunNote.costs(file: "mine.yaml", checksum: doubled.checksum, changes: doubled.changes)
        #expect(result.notes.contains(note))
        #expect(doubled.changes.count == 14)
        #expect(!standard.notes.contains { if case .costs = $0 { true } else { false } })
    }
}
