/// A set of positions that counts its members before a position: a bit per position, and a Fenwick tree (P. Fenwick, "A
/// new data structure for cumulative frequency tables", 1994) over blocks of 512, which fits in the first-level cache.
struct MarkedPositions {
    private static let wordsPerBlock = 8
    private static let blockBits = 9

    /// Invariant: ``words`` has ``wordsPerBlock`` for each block, and ``tree`` one element more than there are blocks.
    private var words: [UInt64]
    private var tree: [UInt32]
    let capacity: Int

    init(atLeast positions: Int) {
        let blocks = max(2, (positions >> Self.blockBits) + 1)
        words = [UInt64](repeating: 0, count: blocks * Self.wordsPerBlock)
        tree = [UInt32](repeating: 0, count: blocks + 1)
        capacity = blocks << Self.blockBits
    }

    /// Marks a position below ``capacity`` that is not marked.
    @inline(__always)
    mutating func mark(_ position: Int) {
        words[position >> 6] |= 1 << UInt64(position & 63)
        add(1, position)
    }

    @inline(__always)
    mutating func unmark(_ position: Int) {
        words[position >> 6] &= ~(1 << UInt64(position & 63))
        add(.max, position)  // −1, wrapping.
    }

    /// Returns the number of marks before `position`.
    @inline(__always)
    func marks(before position: Int) -> Int {
        let word = position >> 6
        var block = position >> Self.blockBits
        var count = (words[word] & (1 << UInt64(position & 63) &- 1)).nonzeroBitCount
        for index in block * Self.wordsPerBlock..<word { count &+= words[index].nonzeroBitCount }
        while block > 0 {
            count &+= Int(tree[block])
            block &= block &- 1
        }
        return count
    }

    /// Marks only the first `count` positions.
    mutating func markOnly(first count: Int) {
        for index in words.indices { words[index] = 0 }
        for index in tree.indices { tree[index] = 0 }
        for position in 0..<count { mark(position) }
    }

    @inline(__always)
    private mutating func add(_ amount: UInt32, _ position: Int) {
        var block = (position >> Self.blockBits) + 1
        while block < tree.count {
            tree[block] &+= amount
            block &+= block & -block
        }
    }
}
