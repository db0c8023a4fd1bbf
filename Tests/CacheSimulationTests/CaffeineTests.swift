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

    /// Returns the misses of each run, by capacity in objects.
    static func misses(_ objects: [UInt32], runs: Int, capacities: [Int]) throws -> [Int: [Int]] {
        let folder = try TemporaryFolder()
        // oracleGeneral, of which the program reads the id alone.
        var bytes = Data(capacity: objects.count * 24)
        for object in objects {
            bytes.append(contentsOf: [0, 0, 0, 0])
            withUnsafeBytes(of: UInt64(object).littleEndian) { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: [UInt8](repeating: 0, count: 12))
        }
        let file = try folder.file("trace", bytes)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            [
                "java", "-cp", jar, root.appendingPathComponent("scripts/studies/caffeine/CaffeineMisses.java").path,
                file,
            ]
            + ["\(runs)"] + capacities.map(String.init)
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

    private func misses(_ objects: [UInt32], _ capacity: Int, seed: Int) throws -> Int {
        var policy = try PolicyContext(capacity: .objects(capacity)).policy("w-tinylfu(seed: \(seed))")
        policy.reserve(Int(objects.max() ?? 0) + 1)
        var counts = SimulationCounts()
        objects.withUnsafeBufferPointer { objects in
            guard let base = objects.baseAddress else { return }
            policy.run(RequestColumns(objects: base), 0..<objects.count, into: &counts)
        }
        return counts.misses
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
