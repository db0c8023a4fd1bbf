import Basics
import CachePolicies
import Foundation
import TestSupport
import Testing

/// The cache library Caffeine, whose authors invented W-TinyLFU, if it can be run here.
private enum Caffeine {
    static let root = URL(fileURLWithPath: "\(#filePath)/../../..").standardized
    static let jar = ProcessInfo.processInfo.environment["CAFFEINE_JAR"] ?? "/usr/share/java/caffeine.jar"

    static let isPresent: Bool = {
        let paths = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return FileManager.default.fileExists(atPath: jar)
            && paths.contains { FileManager.default.isExecutableFile(atPath: "\($0)/javac") }
    }()

    /// Returns the misses of each run, by capacity in objects, or in bytes if there are sizes.
    static func misses(_ objects: [UInt32], sizes: [Int]? = nil, runs: Int, capacities: [Int]) throws -> [Int: [Int]] {
        let folder = try TemporaryFolder()
        // oracleGeneral, of which the program reads the id and the size.
        var bytes = Data(capacity: objects.count * 24)
        for object in objects {
            bytes.append(contentsOf: [0, 0, 0, 0])
            withUnsafeBytes(of: UInt64(object).littleEndian) { bytes.append(contentsOf: $0) }
            withUnsafeBytes(of: UInt32(sizes?[Int(object)] ?? 1).littleEndian) { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: [UInt8](repeating: 0, count: 8))
        }
        let file = try folder.file("trace", bytes)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            [
                "java", "-cp", jar, root.appendingPathComponent("scripts/studies/caffeine/CaffeineMisses.java").path,
                file,
            ]
            + ["\(runs)", sizes == nil ? "objects" : "bytes"] + capacities.map(String.init)
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        var misses: [Int: [Int]] = [:]
        for line in text.split(separator: "\n") {
            let numbers = line.split(separator: " ").compactMap { Int($0) }
            try #require(numbers.count == 2)
            misses[numbers[0], default: []].append(numbers[1])
        }
        return misses
    }
}

/// Misses as shares of the requests, over runs that differ in their seeds.
private struct MissRatios {
    var mean: Double
    /// The square of the standard error of the mean.
    var variance: Double

    init(_ misses: [Int], of requests: Int) {
        let ratios = misses.map { Double($0) / Double(requests) }
        let mean = ratios.reduce(0, +) / Double(ratios.count)
        let squares = ratios.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        self.mean = mean
        variance = squares / Double(ratios.count - 1) / Double(ratios.count)
    }
}

@Suite("W-TinyLFU beside Caffeine", .enabled(if: Caffeine.isPresent, "javac or Caffeine's jar is missing"))
struct CaffeineTests {
    private static let runs = 6

    /// W-TinyLFU may miss 0.1 percentage points more, and four standard errors of the difference.
    private func compare(_ name: String, _ objects: [UInt32], _ capacities: [Int]) throws {
        let caffeine = try Caffeine.misses(objects, runs: Self.runs, capacities: capacities)
        for capacity in capacities {
            let theirs = MissRatios(try #require(caffeine[capacity]), of: objects.count)
            let ours = MissRatios(
                try (0..<Self.runs).map { try misses(objects, capacity, seed: $0) }, of: objects.count)
            let tolerance = 0.001 + 4 * (theirs.variance + ours.variance).squareRoot()
            #expect(ours.mean <= theirs.mean + tolerance, "\(name), \(capacity) objects")
        }
    }

    private func misses(_ objects: [UInt32], sizes: [Int]? = nil, _ capacity: Int, seed: Int) throws -> Int {
        let limit: Size = sizes == nil ? .objects(capacity) : .bytes(capacity)
        var policy = try PolicyContext(capacity: limit).policy("w-tinylfu(seed: \(seed))")
        policy.reserve(Int(objects.max() ?? 0) + 1)
        var counts = SimulationCounts()
        objects.withUnsafeBufferPointer { objects in
            (sizes ?? []).withUnsafeBufferPointer { table in
                guard let base = objects.baseAddress else { return }
                let columns = RequestColumns(objects: base, sizes: sizes == nil ? nil : table.baseAddress)
                policy.run(columns, 0..<objects.count, into: &counts)
            }
        }
        return counts.misses
    }

    /// At most five requests of an object: nothing is drawn, and nothing is halved. Estimates are exact but for shared
    /// counters, which each seed shares otherwise, so the most frequent count of several seeds is compared.
    @Test("Sizes: the same misses on random traces, to the last", arguments: 0..<10)
    func sizes(trace: UInt64) throws {
        var random = SplitMix64(seed: trace)
        let sizes = (0..<40).map { _ in [1, 2, 3, 5, 8, 13, 40, 80, 200][Int(random.next() % 9)] }
        var objects = (0..<UInt32(40)).flatMap { object in
            [UInt32](repeating: object, count: 1 + Int(random.next() % 5))
        }
        objects.shuffle(using: &random)
        let sum = sizes.reduce(0, +)
        let capacities = [0.6, 0.7, 0.8, 0.9, 1].map { Int(Double(sum) * $0) }
        let caffeine = try Caffeine.misses(objects, sizes: sizes, runs: 3, capacities: capacities)
        for capacity in capacities {
            let ours = try (0..<9).map { try misses(objects, sizes: sizes, capacity, seed: $0) }
            #expect(mostFrequent(ours) == mostFrequent(try #require(caffeine[capacity])), "\(capacity) bytes")
        }
    }

    private func mostFrequent(_ counts: [Int]) -> Int? {
        counts.max { one, other in counts.count { $0 == one } < counts.count { $0 == other } }
    }

    @Test("Independent requests of Zipf's distribution")
    func zipf() throws {
        // Rank r of n has the weight 1/r. Its cumulative weight is about ln(r), which is inverted.
        var random = SplitMix64(seed: 7)
        let objects = (0..<300_000).map { _ in UInt32(min(exp(random.fraction() * log(30_000.0)), 29_999)) }
        try compare("zipf", objects, [100, 1_000, 5_000])
    }

    @Test("Classic traces", .enabled(if: SharedData.isPresent))
    func classicTraces() throws {
        for (name, capacities) in [
            ("lirs_gli", [500, 1500]), ("lirs_cs", [500, 1300]), ("lirs_multi2", [600, 3000]), ("lirs_2_pools", [450]),
            ("cache2k_web07", [300, 3000]),
        ] {
            try compare(name, try ReferenceTrace(name).objects, capacities)
        }
    }
}
