import Foundation

/// One line of a benchmark's CSV: ours beside a peer, measured in the same run.
struct BenchmarkRow: Sendable, Equatable {
    var benchmark: String
    var metric: String
    var unit: String
    var ours: Double
    var peerName: String
    var peer: Double
    /// Above 1: ours is better.
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

    /// One line of RFC 4180; names may hold commas.
    var csv: String {
        func figure(_ value: Double) -> String { String(format: value >= 1_000 ? "%.0f" : "%.3f", value) }
        return
            """
            "\(benchmark)","\(metric)",\(unit),\(figure(ours)),"\(peerName)",\(figure(peer)),\(String(format: "%.2f", ratio))
            """
    }
}

/// What was measured makes no sense: a side did other work than it was to do.
struct BenchmarkError: Error, CustomStringConvertible {
    var description: String
}

/// Runs the sides in turn, after one turn to warm up, and returns the median of each one's figures. In turn, because a
/// shared machine is faster in one second than in the next; each round begins with another side.
///
/// `warmUps`: calls before the one that counts, in each turn. In a virtual machine, memory that was free for seconds is
/// the host's again, and whoever touches it first pays for that.
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

/// ``alternating(rounds:_:)`` for sides that await.
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

/// Seconds that `body` takes.
func seconds(_ body: () throws -> Void) rethrows -> Double {
    try ContinuousClock().measure(body) / .seconds(1)
}
