import Foundation

/// One line of a benchmark's CSV: CacheReplay and a peer, measured in the same run.
struct BenchmarkRow: Sendable, Equatable {
    var benchmark: String
    var metric: String
    var unit: String
    var ours: Double
    var peerName: String
    var peer: Double
    /// Above 1 if CacheReplay is better.
    var ratio: Double

    enum Polarity: Sendable { case lowerIsBetter, higherIsBetter }

    init(
        _ benchmark: String, metric: String, unit: String, _ polarity: Polarity, ours: Double, peerName: String,
        peer: Double
    ) {
        self.benchmark = benchmark
        self.metric = metric
        self.unit = unit
        self.ours = ours
        self.peerName = peerName
        self.peer = peer
        ratio = polarity == .lowerIsBetter ? peer / ours : ours / peer
    }

    /// A line of CSV (RFC 4180) with quoted names.
    var csv: String {
        func figure(_ value: Double) -> String { String(format: value >= 1_000 ? "%.0f" : "%.3f", value) }
        let ratio = String(format: "%.2f", ratio)
        return #""\#(benchmark)","\#(metric)",\#(unit),\#(figure(ours)),"\#(peerName)",\#(figure(peer)),\#(ratio)"#
    }
}

/// A measurement is invalid: a side did not do the expected work.
struct BenchmarkError: Error, CustomStringConvertible {
    var description: String
}

/// Runs the sides alternately, after one round to warm up, and returns the median of each side's results. They
/// alternate because the speed of a shared machine varies; each round begins with another side.
///
/// `warmUps` is the number of calls before the one that counts, in each turn. A virtual machine returns memory that is
/// free for seconds to the host, and the first access to it is slow.
func alternating(rounds: Int = 9, warmUps: Int = 0, _ sides: [() throws -> Double]) throws -> [Double] {
    var figures = [[Double]](repeating: [], count: sides.count)
    for round in 0...rounds {
        for turn in sides.indices {
            let side = (round + turn) % sides.count
            for _ in 0..<warmUps { _ = try sides[side]() }
            let figure = try sides[side]()
            if round > 0 { figures[side].append(figure) }
        }
    }
    return figures.map(median)
}

/// ``alternating(rounds:warmUps:_:)`` for asynchronous sides.
func alternatingAsync(rounds: Int = 9, _ sides: [() async throws -> Double]) async throws -> [Double] {
    var figures = [[Double]](repeating: [], count: sides.count)
    for round in 0...rounds {
        for turn in sides.indices {
            let side = (round + turn) % sides.count
            let figure = try await sides[side]()
            if round > 0 { figures[side].append(figure) }
        }
    }
    return figures.map(median)
}

func median(_ values: [Double]) -> Double {
    guard !values.isEmpty else { return .nan }
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/// Returns the seconds that the body takes.
func seconds(_ body: () throws -> Void) rethrows -> Double {
    try ContinuousClock().measure(body) / .seconds(1)
}

/// The files of the repository that benchmarks read.
enum Repository {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Returns the path of a bundled trace, such as `stress-feed.jsonl`.
    static func trace(_ name: String) -> String { root.appendingPathComponent("Traces/\(name)").path }
}
