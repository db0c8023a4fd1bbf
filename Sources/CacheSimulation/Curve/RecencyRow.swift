/// Weights along a row of positions, of which the last is always the newest, and the sums of the weights behind each
/// position.
///
/// It is not a Fenwick tree but a tree of sixteens: a change touches one number on each level, where a Fenwick tree
/// touches one for each bit, and a sum reads one or two cache lines on each level without a branch that depends on the
/// data. Changes are twice as frequent as sums, and one of the two is at the end of the row, whose lines are in the
/// cache.
protocol RecencyRow: ~Copyable {
    init(capacity: Int)

    var capacity: Int { get }

    /// Returns the sum of the weights behind `position`.
    func weight(behind position: Int) -> Int

    /// `position` is below the capacity, and its weight was 0.
    func place(_ weight: Int, at position: Int)

    /// Sets the weight to 0, and returns its previous value.
    func clear(_ position: Int) -> Int

    /// Sets all weights to 0.
    func reset()

    /// Moves a weight to an earlier position, or to another row. Sums are invalid until ``settle(_:)``.
    func move(from position: Int, to other: Int)
    func move(from position: Int, to other: Int, of row: borrowing Self)

    /// Completes moves: the first `count` positions have the weights that were moved there, the others none.
    func settle(_ count: Int)
}

/// The tree above the leaves: each number is the sum of sixteen on the level below.
///
/// Invariant: every level has room for a multiple of sixteen, and the highest has at most sixteen numbers, so that no
/// sum reads beyond its level.
struct SumTree<Number: FixedWidthInteger & BitwiseCopyable & SIMDScalar>: ~Copyable {
    private let memory: UnsafeMutablePointer<Number>
    private let length: Int
    /// Where each level begins; the lowest is first.
    private let starts: UnsafeMutablePointer<Int>
    private let levels: Int
    /// Sixteen zeros, then sixteen times all bits: read from `15 - n`, it is a mask of the numbers behind the nth.
    private let masks: UnsafeMutablePointer<Number>

    init(leaves: Int) {
        var counts = [max(1, leaves)]
        while let last = counts.last, last > 16 { counts.append((last + 15) / 16) }
        levels = counts.count
        starts = .allocate(capacity: levels)
        var length = 0
        for (level, count) in counts.enumerated() {
            starts[level] = length
            length += (count + 15) / 16 * 16
        }
        self.length = length
        memory = .allocate(capacity: length)
        memory.initialize(repeating: 0, count: length)
        masks = .allocate(capacity: 32)
        masks.initialize(repeating: 0, count: 16)
        (masks + 16).initialize(repeating: ~0, count: 16)
    }

    deinit {
        memory.deallocate()
        starts.deallocate()
        masks.deallocate()
    }

    /// The number of the lowest level.
    subscript(leaf: Int) -> Number {
        @inline(__always) get { memory[leaf] }
        @inline(__always) nonmutating set { memory[leaf] = newValue }
    }

    @inline(__always)
    func add(_ amount: Number, at leaf: Int) {
        var index = leaf
        for level in 0..<levels {
            memory[starts[level] &+ index] &+= amount
            index >>= 4
        }
    }

    @inline(__always)
    func sum(behind leaf: Int) -> Number {
        var index = leaf
        var total: SIMD16<Number> = .zero
        for level in 0..<levels {
            let group = UnsafeRawPointer(memory + (starts[level] &+ (index & ~15)))
            let mask = UnsafeRawPointer(masks + (15 &- (index & 15)))
            total &+= group.loadUnaligned(as: SIMD16<Number>.self) & mask.loadUnaligned(as: SIMD16<Number>.self)
            index >>= 4
        }
        return total.wrappedSum()
    }

    func reset() { memory.update(repeating: 0, count: length) }

    /// Computes everything above the lowest level again.
    func settle() {
        for level in 1..<max(1, levels) {
            let (below, start) = (starts[level - 1], starts[level])
            for index in 0..<(start - below) / 16 {
                memory[start + index] = UnsafeRawPointer(memory + (below + index * 16)).loadUnaligned(
                    as: SIMD16<Number>.self
                ).wrappedSum()
            }
        }
    }
}

/// Weights that are all 1: a bit for each position, and the tree over blocks of 512, small enough for the nearest
/// cache.
struct MarkRow: RecencyRow, ~Copyable {
    private let words: UnsafeMutablePointer<UInt64>
    private let tree: SumTree<UInt32>
    let capacity: Int

    init(capacity: Int) {
        let blocks = (capacity + 511) / 512
        self.capacity = blocks * 512
        words = .allocate(capacity: blocks * 8)
        words.initialize(repeating: 0, count: blocks * 8)
        tree = SumTree(leaves: blocks)
    }

    deinit { words.deallocate() }

    @inline(__always)
    func weight(behind position: Int) -> Int {
        let word = position >> 6
        // Two shifts: by 64 at once there is no shift.
        var count = ((words[word] >> UInt64(position & 63)) >> 1).nonzeroBitCount
        for index in (word &+ 1)..<((word | 7) &+ 1) { count &+= words[index].nonzeroBitCount }
        return count &+ Int(tree.sum(behind: position >> 9))
    }

    @inline(__always)
    func place(_ weight: Int, at position: Int) {
        words[position >> 6] |= 1 << UInt64(position & 63)
        tree.add(1, at: position >> 9)
    }

    @inline(__always)
    func clear(_ position: Int) -> Int {
        words[position >> 6] &= ~(1 << UInt64(position & 63))
        tree.add(.max, at: position >> 9)  // −1, wrapping.
        return 1
    }

    func reset() {
        words.update(repeating: 0, count: capacity / 64)
        tree.reset()
    }

    // A mark looks like any other: only how many there are matters.
    @inline(__always) func move(from position: Int, to other: Int) {}
    @inline(__always) func move(from position: Int, to other: Int, of row: borrowing MarkRow) {}

    func settle(_ count: Int) {
        reset()
        words.update(repeating: .max, count: count / 64)
        if count % 64 > 0 { words[count / 64] = (1 << UInt64(count % 64)) - 1 }
        for block in 0..<count / 512 { tree[block] = 512 }
        if count % 512 > 0 { tree[count / 512] = UInt32(count % 512) }
        tree.settle()
    }
}

/// Weights of any size.
struct WeightRow: RecencyRow, ~Copyable {
    private let tree: SumTree<Int>
    let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
        tree = SumTree(leaves: capacity)
    }

    @inline(__always)
    func weight(behind position: Int) -> Int { tree.sum(behind: position) }

    @inline(__always)
    func place(_ weight: Int, at position: Int) { tree.add(weight, at: position) }

    @inline(__always)
    func clear(_ position: Int) -> Int {
        let weight = tree[position]
        tree.add(0 &- weight, at: position)
        return weight
    }

    func reset() { tree.reset() }

    @inline(__always) func move(from position: Int, to other: Int) { tree[other] = tree[position] }
    @inline(__always) func move(from position: Int, to other: Int, of row: borrowing WeightRow) {
        row.tree[other] = tree[position]
    }

    func settle(_ count: Int) {
        for position in count..<capacity { tree[position] = 0 }
        tree.settle()
    }
}
