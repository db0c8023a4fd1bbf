/// The least that a fetch of an object takes, whatever its number and the seed of the replay. Times are nanoseconds.
///
/// Its connection is open. Failures, retries, gates and queues only add.
struct LeastDelay {
    /// Until the first byte.
    var firstByte: Int64 = .max
    /// Until the last byte, if the fetch had the whole link.
    var whole: Int64 = .max
    /// The bytes that the shared link carries; 0 if a fetch need not use one.
    var bytes = Double.infinity

    /// - Parameter samples: What fetches of the object can meet; at least one.
    init(_ samples: [NetworkModel.Sample]) {
        for sample in samples {
            firstByte = min(firstByte, sample.timeToFirstByte)
            // A transfer ends when less than a byte is left, so that rounding does not delay it.
            let load = sample.load.map { (bytes: Double(max(0, $0.bytes - 1)), limit: $0.limit) }
            let transfer = load.map { Int64(min($0.bytes / $0.limit, 1e17)) } ?? sample.transferTime
            whole = min(whole, sample.timeToFirstByte + transfer)
            bytes = min(bytes, load?.bytes ?? 0)
        }
    }
}

extension LinkRate {
    var fastest: Double { segments.reduce(0) { max($0, $1.rate) } }

    /// Returns the first moment at which the link can have carried so many bytes since another moment, rounded down.
    ///
    /// - Parameter limit: The moment at which the search ends. It stands for all later ones.
    func end(of bytes: Double, from start: Int64, until limit: Int64) -> Int64 {
        var (time, left) = (start, bytes)
        while left > 0, time < limit {
            let (rate, end) = piece(at: time)
            let needed = left / rate
            let length = end == .max ? Double.infinity : Double(end - time)
            if needed <= length { return needed < Double(limit - time) ? time + Int64(needed) : limit }
            left -= rate * length
            time = end
        }
        return min(time, max(start, limit))
    }

    /// Returns the bytes that the link carries in each bucket of time, and the highest rate in each.
    ///
    /// - Parameter bucket: The length of a bucket, in nanoseconds.
    func buckets(of bucket: Int64, count: Int) -> (bytes: [Double], fastest: [Double]) {
        var bytes = [Double](repeating: 0, count: count)
        var fastest = bytes
        for place in 0..<count {
            var time = Int64(place) * bucket
            let edge = time + bucket
            while time < edge {
                let (rate, end) = piece(at: time)
                let stop = min(edge, end)
                bytes[place] += rate * Double(stop - time)
                fastest[place] = max(fastest[place], rate)
                time = stop
            }
        }
        return (bytes, fastest)
    }
}

extension RecordedHosts {
    /// Returns the largest number of fetches that run at a time; nil if nothing limits it.
    ///
    /// - Parameter limit: The connections to a host over HTTP/1.1; nil for the number that the recording shows.
    func mostFetches(perHost limit: Int?, of objects: some Sequence<Int>) -> Int? {
        var most = 0
        for number in Set(objects.map { numbers[$0] }) {
            let host = hosts[number]
            guard !host.isMultiplexed, !host.hidesQueue else { return nil }
            most += limit ?? max(1, host.mostAtOnce)
        }
        return most
    }
}
