import Basics
import CIntrinsics

/// Numbers that are drawn several at a time: the same ones as ``SplitMix64/next(below:)`` would return one by one.
struct SlotDraws {
    /// How the numbers are made.
    enum Method: CaseIterable {
        /// One at a time, on every processor.
        case plain
        /// Four at a time.
        case avx2
        /// Eight at a time.
        case avx512

        /// Whether this processor can.
        var isAvailable: Bool {
            switch self {
            case .plain: true
            case .avx2: cachereplay_has_avx2() != 0
            case .avx512: cachereplay_has_avx512dq() != 0
            }
        }
    }

    /// The most numbers of a call; a multiple of 8, because the fast methods make a few more than are needed.
    static var capacity: Int { 64 }

    private let numbers = UncheckedArray<UInt32>(repeating: 0, count: capacity)
    private let method: Method

    init(_ method: Method? = nil) {
        self.method = method ?? Method.allCases.last(where: \.isAvailable) ?? .plain
    }

    /// Returns `count` numbers from 0 to `limit` - 1, which are valid until the next call. `limit` is from 1 to
    /// 2^32 - 1, and `count` at most ``capacity``.
    @inline(__always)
    func draw(_ count: Int, below limit: Int, _ random: inout SplitMix64) -> UnsafeBufferPointer<UInt32> {
        let base = numbers.base
        switch method {
        case .plain:
            for index in 0..<count { base[index] = UInt32(truncatingIfNeeded: random.next(below: limit)) }
        case .avx2:
            cachereplay_draw_avx2(
                random.skip(count), SplitMix64.increment, UInt64(truncatingIfNeeded: limit), (count &+ 3) & ~3, base)
        case .avx512:
            cachereplay_draw_avx512(
                random.skip(count), SplitMix64.increment, UInt64(truncatingIfNeeded: limit), (count &+ 7) & ~7, base)
        }
        return UnsafeBufferPointer(start: base, count: count)
    }
}
