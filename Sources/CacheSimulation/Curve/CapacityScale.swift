/// The capacities at which a curve is exact: a ladder with 32 rungs to each doubling, and the capacities that were
/// requested.
///
/// Invariant: `rungs` rise strictly, from 0 on.
struct CapacityScale: Sendable {
    static let perDoubling = 32

    let rungs: [Int]
    /// By ladder step: the first rung that is not below the step.
    private let starts: [UInt32]

    /// Creates a scale from 0 to at least `highest`.
    init(upTo highest: Int, and others: [Int]) {
        var rungs = Set(others.filter { $0 >= 0 })
        rungs.insert(0)
        var last = 0
        var step = 0
        while last < highest || step == 0 {
            last = Self.value(step)
            rungs.insert(last)
            step += 1
        }
        let sorted = rungs.sorted()
        self.rungs = sorted
        starts =
            (0..<step).map { step in UInt32(Self.index(of: Self.value(step), in: sorted)) } + [UInt32(sorted.count)]
    }

    /// Returns the lowest rung that is not below `amount`, or `rungs.count` if there is none.
    @inline(__always)
    func place(of amount: Int) -> Int {
        let step = Self.step(below: amount)
        guard step < starts.count else { return rungs.count }
        var place = Int(starts[step])
        while place < rungs.count, rungs[place] < amount { place &+= 1 }
        return place
    }

    /// Returns the index of the highest rung that is not above `capacity`. It exists because 0 is a rung.
    static func index(notAbove capacity: Int, in rungs: [Int]) -> Int {
        var (low, high) = (0, rungs.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if rungs[middle] <= capacity { low = middle } else { high = middle }
        }
        return low
    }

    private static func index(of value: Int, in rungs: [Int]) -> Int {
        let place = index(notAbove: value, in: rungs)
        return rungs[place] < value ? place + 1 : place
    }

    /// Returns 0, 1 … 63, then 64, 66 … 126, 128, 132 …: whole numbers of at most six significant bits.
    private static func value(_ step: Int) -> Int {
        guard step >= 2 * perDoubling else { return step }
        let (doubling, rest) = (step / perDoubling - 1, step % perDoubling)
        let (value, overflow) = (perDoubling + rest).multipliedReportingOverflow(by: 1 << min(doubling, 57))
        return overflow || doubling > 57 ? .max : value
    }

    /// Returns the highest step whose value is not above `amount`.
    @inline(__always)
    private static func step(below amount: Int) -> Int {
        guard amount >= 2 * perDoubling else { return amount }
        let doubling = 58 &- amount.leadingZeroBitCount
        return (doubling &+ 1) &* perDoubling &+ (amount >> doubling) &- perDoubling
    }
}
