/// The capacities at which a curve is known exactly: a ladder with 32 rungs to each doubling, and whatever was asked
/// for besides.
///
/// Invariant: `rungs` rise strictly, from 0 on.
struct CapacityScale: Sendable {
    static let perDoubling = 32

    let rungs: [Int]
    /// By ladder step: the first rung that is not below the step.
    private let starts: [UInt32]

    /// From 0 to `highest` or above.
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

    /// The lowest rung that is not below `amount`; `rungs.count` where there is none.
    @inline(__always)
    func place(of amount: Int) -> Int {
        let step = Self.step(below: amount)
        guard step < starts.count else { return rungs.count }
        var place = Int(starts[step])
        while place < rungs.count, rungs[place] < amount { place &+= 1 }
        return place
    }

    /// The index of the highest rung that is not above `capacity`; that it is there is known, since 0 is a rung.
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

    /// 0, 1 … 63, then 64, 66 … 126, 128, 132 …: whole numbers of at most six bits that matter.
    private static func value(_ step: Int) -> Int {
        guard step >= 2 * perDoubling else { return step }
        let (doubling, rest) = (step / perDoubling - 1, step % perDoubling)
        let (value, overflow) = (perDoubling + rest).multipliedReportingOverflow(by: 1 << min(doubling, 57))
        return overflow || doubling > 57 ? .max : value
    }

    /// The highest step whose value is not above `amount`.
    @inline(__always)
    private static func step(below amount: Int) -> Int {
        guard amount >= 2 * perDoubling else { return amount }
        let doubling = 58 &- amount.leadingZeroBitCount
        return (doubling &+ 1) &* perDoubling &+ (amount >> doubling) &- perDoubling
    }
}
