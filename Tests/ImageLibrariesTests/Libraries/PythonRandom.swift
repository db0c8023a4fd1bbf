import Foundation

/// The generator of Python's `random` module: the Mersenne Twister (Matsumoto, Nishimura, ACM TOMACS 8, 1998), seeded
/// with a whole number. The sequences of recorded libraries were drawn from it.
struct PythonRandom {
    private var state = [UInt32](repeating: 0, count: 624)
    private var position = 624

    init(seed: UInt32) {
        state[0] = 19_650_218
        for index in 1..<624 { state[index] = 1_812_433_253 &* mixed(index) &+ UInt32(index) }
        var index = 1
        for _ in 0..<624 {
            state[index] = (state[index] ^ mixed(index) &* 1_664_525) &+ seed
            advance(&index)
        }
        for _ in 0..<623 {
            state[index] = (state[index] ^ mixed(index) &* 1_566_083_941) &- UInt32(index)
            advance(&index)
        }
        state[0] = 0x8000_0000
    }

    /// Returns a number from 0 to 1, without 1.
    mutating func random() -> Double {
        let (high, low) = (next() >> 5, next() >> 6)
        return (Double(high) * 67_108_864 + Double(low)) / 9_007_199_254_740_992
    }

    /// Returns a whole number of the range.
    mutating func integer(in range: ClosedRange<Int>) -> Int { range.lowerBound + below(range.count) }

    mutating func shuffle(_ values: inout [Int]) {
        for index in (1..<values.count).reversed() { values.swapAt(index, below(index + 1)) }
    }

    private mutating func below(_ limit: Int) -> Int {
        let bits = Int.bitWidth - limit.leadingZeroBitCount
        while true {
            let number = Int(next() >> UInt32(32 - bits))
            if number < limit { return number }
        }
    }

    private mutating func next() -> UInt32 {
        if position == 624 { refill() }
        var word = state[position]
        position += 1
        word ^= word >> 11
        word ^= word << 7 & 0x9D2C_5680
        word ^= word << 15 & 0xEFC6_0000
        return word ^ word >> 18
    }

    private mutating func refill() {
        for index in 0..<624 {
            let word = state[index] & 0x8000_0000 | state[(index + 1) % 624] & 0x7FFF_FFFF
            state[index] = state[(index + 397) % 624] ^ word >> 1 ^ (word & 1 == 1 ? 0x9908_B0DF : 0)
        }
        position = 0
    }

    private func mixed(_ index: Int) -> UInt32 { state[index - 1] ^ state[index - 1] >> 30 }

    private mutating func advance(_ index: inout Int) {
        index += 1
        if index == 624 {
            state[0] = state[623]
            index = 1
        }
    }
}
