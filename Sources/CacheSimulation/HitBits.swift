/// The requests of a simulation that hit: a bit for each request, in their order. Prefetches have none.
public struct HitBits: Sendable, Equatable {
    /// Eight requests in each byte, the first one in the least significant bit. Unused bits are 0. Those that were
    /// taken are not among them.
    public private(set) var bytes: [UInt8] = []
    /// The number of requests.
    public private(set) var count = 0

    public init() {}

    /// Notes the next request.
    mutating func append(_ isHit: Bool) {
        let place = count & 7
        if place == 0 { bytes.append(0) }
        if isHit { bytes[bytes.count - 1] |= 1 << UInt8(truncatingIfNeeded: place) }
        count += 1
    }

    /// Removes and returns the bytes that have all their bits; nil if there are fewer than `least`.
    mutating func takeFullBytes(atLeast least: Int) -> [UInt8]? {
        let full = bytes.count - (count & 7 == 0 ? 0 : 1)
        guard full >= least else { return nil }
        let taken = Array(bytes[..<full])
        bytes.removeFirst(full)
        return taken
    }

    /// Returns whether a request hits, if no bytes were taken.
    ///
    /// - Parameter request: Its number, from 0 and below ``count``.
    public subscript(request: Int) -> Bool { bytes[request >> 3] >> UInt8(truncatingIfNeeded: request & 7) & 1 != 0 }
}
