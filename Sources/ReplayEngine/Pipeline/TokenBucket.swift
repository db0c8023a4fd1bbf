/// A token bucket: `rate` fetches start in a second, and `burst` at once after a pause. Times are nanoseconds.
struct TokenBucket {
    private let interval: Int64
    private let most: Int64
    /// The time at which the bucket is empty: it holds one token for each interval since then.
    private var empty: Int64

    init(rate: Int, burst: Int, at time: Int64 = 0) {
        interval = 1_000_000_000 / Int64(rate)
        most = Int64(burst) * interval
        empty = time - most
    }

    /// Takes a token. Without a token, returns the time until there is one.
    mutating func take(at time: Int64) -> Int64? {
        empty = max(empty, time - most)
        guard time - empty >= interval else { return interval - (time - empty) }
        empty += interval
        return nil
    }
}
