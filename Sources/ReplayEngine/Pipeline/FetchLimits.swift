import SessionModel

/// The number of running transfers from each host.
struct FetchHosts {
    private let limit: Int?
    /// By object.
    private let hosts: [Int]
    private var running: [Int]

    init(_ trace: Trace, limit: Int?) {
        self.limit = limit
        guard limit != nil else {
            (hosts, running) = ([], [])
            return
        }
        var numbers: [Substring: Int] = [:]
        hosts = trace.objects.map { object in
            let host = Self.host(object.key)
            let number = numbers[host] ?? numbers.count
            numbers[host] = number
            return number
        }
        running = Array(repeating: 0, count: numbers.count)
    }

    func mayBegin(_ object: Int) -> Bool { limit.map { running[hosts[object]] < $0 } ?? true }

    mutating func begin(_ object: Int) { if limit != nil { running[hosts[object]] += 1 } }

    mutating func end(_ object: Int) { if limit != nil { running[hosts[object]] -= 1 } }

    mutating func reset() { for host in running.indices { running[host] = 0 } }

    /// Returns the text between `//` and the next slash. Keys that are not URLs belong to one host.
    static func host(_ key: String) -> Substring {
        guard let slashes = key.firstRange(of: "//") else { return "" }
        return key[slashes.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    }
}

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
