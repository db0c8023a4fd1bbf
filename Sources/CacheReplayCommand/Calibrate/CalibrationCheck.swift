import Basics
import CacheTraces
import Foundation
import MeasuredTiers
import ReplayEngine
import SessionModel
import TraceRecording

/// The comparison of modelled with measured replays of one trace: the same images, caches and network.
///
/// Bundled traces have no bodies. Each image is replaced by a generated one of the same format and the same pixel size,
/// whose encoded size is near the recorded one; both replays use its real size.
struct CalibrationCheck {
    struct Row {
        var name: String
        /// Requests of the measured replay.
        var count: Int
        /// Nanoseconds.
        var modelled: Int64
        var measured: Int64

        /// The difference of the prediction from the measurement, as a share of the measurement.
        var difference: Double { (Double(modelled) - Double(measured)) / Double(max(measured, 1)) }
    }

    private(set) var rows: [Row] = []

    /// The comparisons: a cache, whether images are decoded, and the requests whose median counts.
    private static let comparisons: [(name: String, cache: String, decodes: Bool, group: LatencyGroup)] = [
        ("memory hit", "memory: unbounded", false, .memoryHit),
        ("disk hit", "memory: none; disk: unbounded", false, .diskHit),
        ("decode", "memory: unbounded; holds: encoded", true, .memoryHit),
    ]

    /// The most appearances and prefetches of a trace that are replayed, so that a check takes seconds: from the first
    /// one on.
    private static let mostRequests = 600

    /// - Parameter folder: An empty folder for bodies and disk tiers.
    init(_ recorded: Trace, name: String, costs: CostModel, folder: String) throws {
        let trace = try Self.withGeneratedBodies(recorded, folder: "\(folder)/bodies")
        let index = try BodyIndex(folder: "\(folder)/bodies")
        var options = LoopbackOriginOptions()
        for (object, entry) in try index.bodies(of: trace).enumerated() {
            options.bodies[ObjectID(object)] = entry.map(index.path)
        }
        let origin = try LoopbackOrigin(trace: trace, options: options)
        defer { try? origin.stopAndWait() }
        for (number, comparison) in Self.comparisons.enumerated() {
            var job = ReplayJob(trace: name, cache: try CacheConfiguration(comparison.cache))
            job.decode = comparison.decodes
            job.timing = .modelled(costs)
            let modelled = try job.run(trace)
            job.timing = .measured
            job.origin = "\(origin.address)/\(number)"
            job.folder = "\(folder)/disk-\(number)"
            job.bodies = "\(folder)/bodies"
            let measured = try job.run(trace, measured: .real)
            let medians = [modelled, measured].map { $0.latencies.first { $0.group == comparison.group } }
            guard let measured = medians[1], measured.count > 0 else { continue }
            rows.append(
                Row(
                    name: comparison.name, count: measured.count, modelled: medians[0]?.p50 ?? 0,
                    measured: measured.p50))
        }
    }

    /// Writes a body for every image of the trace, and returns the trace with the sizes of these bodies.
    private static func withGeneratedBodies(_ recorded: Trace, folder: String) throws -> Trace {
        let sizes = recorded.resolvedSizes().bytes
        let pixels = recorded.bitmapSizes(sizes).bytes.map { $0 / 4 }
        var (trace, requested) = beginning(of: recorded)
        var generated = GeneratedImage()
        var index: [UInt8] = []
        var written: Set<String> = []
        for number in trace.objects.indices where requested.contains(number) {
            let object = trace.objects[number]
            let (width, height) = size(object, pixels: pixels[number])
            let body = try generated.encoded(format(object), width: width, height: height, bytes: sizes[number])
            (trace.objects[number].pixelWidth, trace.objects[number].pixelHeight) = (width, height)
            trace.objects[number].bytes = body.count
            let hash = Digest.of(body.bytes, .sha256).hexadecimal
            let path = "\(folder)/\(hash.prefix(2))/\(hash.dropFirst(2).prefix(2))"
            if written.insert(hash).inserted {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
                try Data(body.bytes).write(to: URL(fileURLWithPath: "\(path)/\(hash)"))
            }
            index += BodyIndex.Entry(key: object.key, sha256: hash, bytes: body.count).line
        }
        try AtomicFile.write(index, to: "\(folder)/index.jsonl")
        return trace
    }

    /// Returns the trace up to its last request that counts, and the objects requested until then.
    private static func beginning(of trace: Trace) -> (Trace, requested: Set<Int>) {
        var trace = trace
        var requested: Set<Int> = []
        var count = 0
        var end = trace.events.count
        for (place, event) in trace.events.enumerated() {
            let object: ObjectID
            switch event.action {
            case .appear(let shown, _): object = shown
            case .prefetch(let ahead, _): object = ahead
            default: continue
            }
            guard count < mostRequests else {
                end = place
                break
            }
            requested.insert(Int(object))
            count += 1
        }
        trace.events.removeLast(trace.events.count - end)
        return (trace, requested)
    }

    /// Returns the recorded pixel size, or a square of the assumed number of pixels; at most 2,048 on a side.
    private static func size(_ object: TraceObject, pixels: Int) -> (Int, Int) {
        let side = Int(Double(max(pixels, 1)).squareRoot().rounded())
        let (width, height) = (object.pixelWidth ?? side, object.pixelHeight ?? side)
        return (min(max(width, 1), 2_048), min(max(height, 1), 2_048))
    }

    private static func format(_ object: TraceObject) -> ImageFormat {
        switch object.contentType?.lowercased() {
        case "image/png": .png
        case "image/webp": .webp
        default: .jpeg
        }
    }
}
