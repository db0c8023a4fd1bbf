/// The link between the device and all servers, which the fetches in flight share.
///
/// At each time, the link has a rate. Each transfer gets an equal share of it, but never more than the rate of its
/// server. The rest of its share goes to the others. Times are nanoseconds, rates are bytes per nanosecond.
struct SharedLink<Payload> {
    private struct Transfer {
        var fetch: Int
        let bytes: Int
        var left: Double
        var limit: Double
        package var share = 0.0
        var payload: Payload
    }

    private let rate: LinkRate
    /// The rate at ``now``, and when it changes.
    private var piece: (rate: Double, end: Int64)
    private var now: Int64 = 0
    /// Sorted by limit.
    private var transfers: [Transfer] = []
    /// The time at which the next transfer ends or the rate changes; nil without transfers.
    private(set) var nextChange: Int64?

    init(_ rate: LinkRate) {
        self.rate = rate
        piece = rate.piece(at: 0)
    }

    /// Begins a transfer. Complexity: O(n) for n transfers in flight.
    mutating func begin(_ fetch: Int, bytes: Int, limit: Double, _ payload: Payload, at time: Int64) {
        advance(to: time)
        let index = transfers.firstIndex { $0.limit > limit } ?? transfers.count
        transfers.insert(
            Transfer(fetch: fetch, bytes: bytes, left: Double(bytes), limit: limit, payload: payload), at: index)
        share()
    }

    /// Removes a transfer that is in flight. Returns the whole bytes that have crossed the link, of how many; nil if
    /// there is no such transfer.
    mutating func cancel(_ fetch: Int, at time: Int64) -> (crossed: Int, bytes: Int, payload: Payload)? {
        guard let index = transfers.firstIndex(where: { $0.fetch == fetch }) else { return nil }
        advance(to: time)
        let ended = transfers.remove(at: index)
        share()
        let left = Int(max(0, ended.left - Self.nothing).rounded(.up))
        return (ended.bytes - left, ended.bytes, ended.payload)
    }

    /// Returns a transfer that has ended, at ``nextChange``; nil if only the rate changes then.
    mutating func change() -> (fetch: Int, payload: Payload)? {
        guard let time = nextChange else { return nil }
        advance(to: time)
        defer { share() }
        guard let index = transfers.firstIndex(where: { $0.left <= Self.nothing }) else { return nil }
        let ended = transfers.remove(at: index)
        return (ended.fetch, ended.payload)
    }

    /// The rest of a transfer that counts as ended: rounding leaves less than a millionth of a byte for each change.
    private static var nothing: Double { 1e-3 }

    private mutating func advance(to time: Int64) {
        let passed = Double(time - now)
        now = time
        if passed > 0 { for index in transfers.indices { transfers[index].left -= transfers[index].share * passed } }
        if now >= piece.end { piece = rate.piece(at: now) }
    }

    /// Divides the rate among the transfers, and finds the next change.
    private mutating func share() {
        guard !transfers.isEmpty else { return nextChange = nil }
        var left = piece.rate
        var next = Double.infinity
        for index in transfers.indices {
            let share = min(left / Double(transfers.count - index), transfers[index].limit)
            transfers[index].share = share
            left -= share
            next = min(next, max(0, transfers[index].left - Self.nothing) / share)
        }
        // An end is rounded up, so that the transfer has ended then.
        let end = next < 1e18 ? now + Int64(next.rounded(.up)) : .max
        nextChange = min(end, piece.end)
    }
}

/// The rate of a link over time.
package struct LinkRate {
    struct Segment {
        /// Nanoseconds since the start of the trace.
        var start: Int64
        /// Bytes per nanosecond, above 0.
        var rate: Double
    }

    /// In order of time, at least one. The first also applies before its start, the last also later.
    var segments: [Segment]
    /// The nanoseconds after which the segments begin again, later than the last start; nil if they do not.
    var period: Int64?

    func rate(at time: Int64) -> Double { piece(at: time).rate }

    /// Returns the rate at a time, which is at least 0, and when it changes: later than the time, `.max` for never.
    ///
    /// Complexity: O(log n) for n segments.
    func piece(at time: Int64) -> (rate: Double, end: Int64) {
        let place = period.map { time % $0 } ?? time
        var (low, high) = (0, segments.count)
        while low < high {
            let middle = (low + high) / 2
            if segments[middle].start <= place { low = middle + 1 } else { high = middle }
        }
        // The first segment also applies before its start.
        let next = low == 0 ? (segments.count > 1 ? 1 : segments.count) : low
        let end = next < segments.count ? segments[next].start : period ?? .max
        return (segments[max(0, low - 1)].rate, end == .max ? .max : time - place + end)
    }
}
