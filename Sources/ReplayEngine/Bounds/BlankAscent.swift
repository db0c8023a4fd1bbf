/// Better prices for a bound on blank time, round by round.
///
/// The value of prices is a concave function. A supergradient in a bucket is the use of it by the cheapest histories,
/// less its capacity. The direction is the mean of the last one and the new one. Its length follows B. Polyak's rule,
/// towards a value that is above the best one by a gap. The gap grows with each round that gains half of it. After
/// three rounds without gain, the search returns to the best prices and halves the gap.
///
/// Each round is valid by itself (see ``BlankCertificate``). Prices count for all that there is in a bucket, so that
/// they have the size of the blank time that they stand for.
struct BlankAscent {
    /// The prices that a search may change.
    enum Goods {
        case memory
        case shared
        case both

        var includesMemory: Bool { self != .shared }
        var includesShared: Bool { self != .memory }
    }

    /// Prices by bucket, for all that there is.
    struct Point {
        var memory: [Double]
        var shared: [Double]
    }

    private let problem: BlankProblem
    private var certificate: BlankCertificate
    /// By bucket: the resource that fetches share, at least near the mean, so that prices of a lacking resource stay
    /// finite.
    private let scales: [Double]
    private var point: Point
    private var slope: Point
    private var direction: Point
    private(set) var best: Point
    private var bestValue = -Double.infinity

    /// - Parameter start: The first prices; nil for none.
    init(_ problem: BlankProblem, start: Point? = nil) {
        self.problem = problem
        certificate = BlankCertificate(problem)
        let zeros = [Double](repeating: 0, count: problem.bucketCount)
        let capacity = problem.shared?.capacity ?? zeros
        let mean = capacity.reduce(0, +) / Double(max(1, capacity.count))
        scales = capacity.map { max($0, mean / 100, 1e-9) }
        let none = Point(memory: zeros, shared: zeros)
        point = start ?? none
        (slope, direction, best) = (none, none, point)
    }

    /// The bound of the best prices, in nanoseconds, rounded down.
    var bound: Int64 {
        var copy = certificate
        return copy.bound(prices(best))
    }

    /// Searches for prices of a higher value.
    mutating func run(_ goods: Goods, rounds: Int) {
        var value = evaluate()
        note(value)
        let visible = problem.visits.reduce(0) { $0 + $1.visible }
        var gap = max(bestValue / 10, visible / 100)
        var fruitless = 0
        for _ in 0..<rounds {
            guard move(goods, by: bestValue + gap - value) else { return }
            value = evaluate()
            if value > bestValue + gap / 2 {
                gap *= 1.5
                fruitless = 0
            } else {
                // Tiny gains do not count as progress.
                fruitless = value > bestValue + gap / 20 ? 0 : fruitless + 1
            }
            note(value)
            guard fruitless >= 3 else { continue }
            (gap, fruitless, point) = (gap / 2, 0, best)
            for place in direction.memory.indices { (direction.memory[place], direction.shared[place]) = (0, 0) }
            value = evaluate()
        }
    }

    private mutating func note(_ value: Double) {
        guard value > bestValue else { return }
        (bestValue, best) = (value, point)
    }

    private func prices(_ point: Point) -> BlankPrices {
        let memory = problem.memory ?? 0
        return BlankPrices(
            problem, memory: memory > 0 ? point.memory.map { $0 / memory } : point.memory.map { _ in 0 },
            shared: zip(point.shared, scales).map { $0 / $1 })
    }

    /// Returns the value of the prices, and finds their slope.
    private mutating func evaluate() -> Double {
        let value = certificate.value(prices(point))
        for place in slope.memory.indices {
            slope.memory[place] = certificate.use.memory[place] - 1
            let capacity = problem.shared?.capacity[place] ?? 0
            slope.shared[place] = (certificate.use.shared[place] - capacity) / scales[place]
        }
        return value
    }

    /// Changes the prices. Returns false if the slope is next to 0: they are the best ones.
    private mutating func move(_ goods: Goods, by gain: Double) -> Bool {
        var square = 0.0
        func turn(_ direction: inout [Double], _ slope: [Double], _ prices: [Double]) {
            for place in slope.indices {
                // What would lower a price of 0 does not count.
                let push = prices[place] > 0 ? slope[place] : max(0, slope[place])
                direction[place] = (direction[place] + push) / 2
                square += direction[place] * direction[place]
            }
        }
        if goods.includesMemory { turn(&direction.memory, slope.memory, point.memory) }
        if goods.includesShared { turn(&direction.shared, slope.shared, point.shared) }
        guard square > 1e-9 else { return false }
        let length = gain / square
        func step(_ prices: inout [Double], _ direction: [Double]) {
            for place in prices.indices { prices[place] = max(0, prices[place] + length * direction[place]) }
        }
        if goods.includesMemory { step(&point.memory, direction.memory) }
        if goods.includesShared { step(&point.shared, direction.shared) }
        return true
    }
}
