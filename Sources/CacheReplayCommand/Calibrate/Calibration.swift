import Basics
import CachePolicies
import CacheTiers
import Foundation
import MeasuredTiers
import ReplayEngine
import SessionModel
import Statistics
import TraceRecording

/// The cost model of this machine, measured with the real tiers and codecs.
///
/// Every constant is measured in several rounds. Its value comes from the medians over all rounds. Its spread is the
/// least and the largest value of a single round. Files are read from the page cache, because they have just been
/// written. The first read of a file after a restart of a device takes longer. Operations in memory are the operations
/// that a replay does. Memory is written before each other operation, as an app does that draws: a cache is rarely
/// asked twice in a row. Formats without a codec, AVIF and HEIC, keep their standard costs.
struct Calibration {
    private(set) var costs = CostModel.standard
    /// By the name of the constant, the least and the largest value of the rounds. Constants that were not measured are
    /// missing.
    private(set) var spreads: [String: ClosedRange<Int64>] = [:]

    private static let rounds = 5
    private var disturbance = Disturbance()

    /// Measures everything. `folder` is for the disk tier, and is left with its files.
    init(folder: String) throws {
        try measureMemory()
        try measureDisk(folder)
        try measureImages()
    }

    // MARK: Memory

    /// As many as sessions have: the sessions recorded at the pace of people have 215 to 707.
    private static let sessionObjects = 500

    /// Measures the lookups and stores of replays. Between them, replays fetch and copy bodies, so that lookups find
    /// less of their data and code in the processor's caches than in a loop.
    private mutating func measureMemory() throws {
        let trace = Self.session()
        let origin = try LoopbackOrigin(trace: trace, options: LoopbackOriginOptions())
        defer { try? origin.stopAndWait() }
        var job = ReplayJob(trace: "memory", cache: try CacheConfiguration("memory: unbounded"))
        let prepared = try PreparedTrace(trace, network: job.network)
        var stores: [[Double]] = []
        var lookups: [[Double]] = []
        for round in 0..<Self.rounds {
            job.origin = "\(origin.address)/\(round)"
            let work = try job.measuredWork(prepared, .real)
            func durations(_ kind: ReplayEvents.Work) -> [Double] {
                work.filter { $0.work == kind }.map { Double($0.end - $0.start) }
            }
            stores.append(durations(.memoryStore))
            lookups.append(durations(.memoryLookup))
        }
        set("memory_store", stores.map(\.median), of: stores.joined().map { $0 }.median)
        set("memory_lookup", lookups.map(\.median), of: lookups.joined().map { $0 }.median)
    }

    /// A session in which each new object is followed by one of those before: one miss for each hit.
    private static func session() -> Trace {
        var random = SplitMix64(seed: 1)
        var builder = TraceBuilder()
        for number in 0..<sessionObjects {
            let object = builder.object("https://pictures.example/full/\(number).jpg")
            builder.update(object) { $0.bytes = 20_000 }
            let earlier = ObjectID(Int.random(in: 0...number, using: &random))
            for (shown, time) in [(object, 0), (earlier, 500_000)] as [(ObjectID, Int64)] {
                builder.append(TraceEvent(time: Int64(number) * 1_000_000 + time, .appear(shown, .full)))
            }
        }
        return builder.finish()
    }

    // MARK: Disk

    /// Sizes of files in bytes, and how many of each.
    private static let files = [(1_000, 24), (4_000, 24), (16_000, 24), (64_000, 24), (256_000, 12), (1_000_000, 4)]

    private mutating func measureDisk(_ folder: String) throws {
        var random = SplitMix64(seed: 2)
        var lookups: [[Double]] = []
        var (reads, writes) = (Rounds(), Rounds())
        for round in 0..<Self.rounds {
            let path = "\(folder)/round-\(round)"
            defer { try? FileManager.default.removeItem(atPath: path) }
            let tier = try DiskTier(LRU(Limits()), at: path, epoch: Date())
            lookups.append(
                try (0..<200).map { number in try time { _ = try tier.read("https://pictures.example/none/\(number)") }
                })
            let objects = Self.files.flatMap { size, count in
                (0..<count).map { (key: "https://pictures.example/\(size)/\($0).jpg", size: size) }
            }
            reads.begin()
            writes.begin()
            for (key, size) in objects.shuffled(using: &random) {
                let payload = Payload(count: size) { $0.initializeMemory(as: UInt8.self, repeating: UInt8(round)) }
                writes.add([1, Double(size)], try time { try tier.store(key, payload) })
            }
            for (key, size) in objects.shuffled(using: &random) {
                reads.add([1, Double(size)], try time { _ = try tier.read(key) })
            }
        }
        let lookup = lookups.joined().map { $0 }.median
        set("disk_lookup", lookups.map(\.median), of: lookup)
        // A read includes the lookup, which the model adds. A write has none.
        set(["disk_read", "disk_read_rate"], reads) { max($0 - lookup, 0) }
        set(["disk_write", "disk_write_rate"], writes) { $0 }
    }

    // MARK: Images

    /// The largest is last: a screen of a phone at its full resolution would take most of the time.
    private static let imageSizes = [(64, 64), (160, 120), (360, 360), (720, 480), (1_200, 800)]
    private static let imageLevels = [0, 7, 10, 13]

    private mutating func measureImages() throws {
        var generated = GeneratedImage()
        var (jpegEncodes, pngEncodes) = (Rounds(), Rounds())
        for format in ImageFormat.allCases {
            var decodes = Rounds()
            var images: [(payload: Payload, pixels: Int)] = []
            for (width, height) in Self.imageSizes {
                for level in Self.imageLevels {
                    let payload = try generated.encoded(format, width: width, height: height, level: level)
                    images.append((payload, width * height))
                }
            }
            for _ in 0..<Self.rounds {
                decodes.begin()
                for (payload, pixels) in images {
                    // Small images are decoded several times: their times vary most.
                    for _ in 0..<(pixels < 50_000 ? 5 : 2) {
                        let duration = try time { _ = try ImageCodec.decode(payload.bytes) }
                        decodes.add([1, Double(pixels), Double(payload.count)], duration)
                    }
                }
            }
            let name = "\(format)_decode"
            set([name, "\(name)_rate", "\(name)_byte_rate"], decodes) { $0 }
            generated.forget()
        }
        for _ in 0..<Self.rounds {
            jpegEncodes.begin()
            pngEncodes.begin()
            // The rates have no term for what a picture shows, so they are medians over levels of detail.
            for (width, height) in Self.imageSizes.prefix(4) {
                for level in Self.imageLevels {
                    let bitmap = try generated.bitmap(width: width, height: height, level: level)
                    let pixels = Double(width * height)
                    jpegEncodes.add([pixels], try time { _ = try ImageCodec.encodeJPEG(bitmap, quality: 100) })
                    pngEncodes.add([pixels], try time { _ = try ImageCodec.encodePNG(bitmap) })
                }
            }
        }
        set(["jpeg_encode_rate"], jpegEncodes) { $0 }
        set(["png_encode_rate"], pngEncodes) { $0 }
    }

    // MARK: Values

    /// Returns the duration of `body` in nanoseconds, after other memory has been written.
    private mutating func time(_ body: () throws -> Void) rethrows -> Double {
        disturbance.disturb()
        return Double(try MonotonicClock.timing(body).duration)
    }

    private mutating func set(_ name: String, _ rounds: [Double], of value: Double) {
        guard let constant = CostModel.Constant.named(name) else { return }
        let values = rounds.map { Self.rounded($0, constant.unit) }
        constant.set(Self.rounded(value, constant.unit), in: &costs)
        spreads[name] = (values.min() ?? 0)...(values.max() ?? 0)
    }

    /// Fits durations, and sets the constants of their parts. A duration is the factor itself, which `adjust` changes,
    /// and a rate is its reciprocal.
    private mutating func set(_ names: [String], _ rounds: Rounds, adjust: (Double) -> Double) {
        let all = LeastSquares.factors(rounds.medians(of: rounds.rounds.indices))
        let single = rounds.rounds.indices.map { LeastSquares.factors(rounds.medians(of: $0..<$0 + 1)) }
        for (part, name) in names.enumerated() {
            guard let constant = CostModel.Constant.named(name) else { continue }
            func value(_ factors: [Double]) -> Double {
                constant.unit == .duration ? adjust(factors[part]) : 1e9 / factors[part]
            }
            set(name, single.map(value), of: value(all))
        }
    }

    /// Returns a value with three digits within the limits of its unit. An infinite rate takes no time.
    private static func rounded(_ value: Double, _ unit: CostModel.Constant.Unit) -> Int64 {
        if unit != .duration, value > 1e15 { return .max }
        let limited = min(max(value, unit == .duration ? 0 : 1e3), unit == .duration ? 60e9 : 1e15)
        var digits = 1.0
        while limited / digits >= 1_000 { digits *= 10 }
        return Int64((limited / digits).rounded() * digits)
    }
}

/// Durations by the amounts that they depend on, in rounds.
private struct Rounds {
    private(set) var rounds: [[[Double]: [Double]]] = []

    mutating func begin() { rounds.append([:]) }

    mutating func add(_ amounts: [Double], _ duration: Double) {
        rounds[rounds.count - 1][amounts, default: []].append(duration)
    }

    /// Returns one sample for each kind of operation: the median of its durations in these rounds.
    func medians(of chosen: Range<Int>) -> [LeastSquares.Sample] {
        rounds[chosen].reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
            .map { LeastSquares.Sample(amounts: $0.key, time: $0.value.median) }
    }
}

/// Writes memory, so that the next operation finds its own data no longer in the processor's nearest caches.
private struct Disturbance {
    private var memory = [UInt8](repeating: 0, count: 1 << 21)
    private var value: UInt8 = 0

    mutating func disturb() {
        value &+= 1
        let value = value
        memory.withUnsafeMutableBytes { bytes in _ = bytes.initializeMemory(as: UInt8.self, repeating: value) }
    }
}
