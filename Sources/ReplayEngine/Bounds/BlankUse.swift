/// What histories take of memory and of what fetches share, by bucket.
struct BlankUse {
    private let bucket: Double
    /// Shares of memory, times the share of the bucket in which they are held.
    private(set) var memory: [Double]
    private(set) var shared: [Double]
    /// What begins less what ends, of buckets that are held throughout.
    private var changes: [Double]

    init(bucket: Double, count: Int) {
        self.bucket = bucket
        memory = Array(repeating: 0, count: count)
        shared = memory
        changes = Array(repeating: 0, count: count + 1)
    }

    mutating func reset() {
        for place in memory.indices { (memory[place], shared[place], changes[place]) = (0, 0, 0) }
        changes[memory.count] = 0
    }

    /// Notes that memory holds something.
    mutating func hold(_ amount: Double, from start: Double, to end: Double) {
        guard start < end else { return }
        let first = min(Int(start / bucket), memory.count - 1)
        let last = min(Int(end / bucket), memory.count - 1)
        guard first < last else {
            memory[first] += amount * (end - start) / bucket
            return
        }
        memory[first] += amount * (Double(first + 1) * bucket - start) / bucket
        memory[last] += amount * (end - Double(last) * bucket) / bucket
        changes[first + 1] += amount
        changes[last] -= amount
    }

    /// Notes that a fetch takes something.
    mutating func take(_ amount: Double, in bucket: Int) { shared[bucket] += amount }

    /// Completes ``memory``.
    mutating func finish() {
        var held = 0.0
        for place in memory.indices {
            held += changes[place]
            memory[place] += held
        }
    }
}
