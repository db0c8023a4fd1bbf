import HeapModule

/// The fetches that wait for a connection, and those that wait for the time of a retry.
///
/// A fetch that changes its class is pushed again, and a fetch that is cancelled stays: what an entry says is compared
/// with the fetch when the entry comes up. So each change takes logarithmic time, however many fetches wait. A scan for
/// the next fetch would make the time per event grow with the queue, which grows for as long as the cells of a session
/// want more than its network brings.
struct QueuedFetches {
    /// The classes of waiting fetches. The rules of the cache say which exist, and which go first.
    enum Class: UInt8, CaseIterable {
        /// A visible cell waits for the fetch; only for ``FetchOrder/visibleFirst``.
        case visible
        case needed
        /// No request waits for the fetch; only for rules that treat prefetches apart.
        case ahead
    }

    /// The place of a fetch among others of its class: the lowest rank goes first.
    struct Entry: Comparable {
        var rank: Int
        var fetch: Int
        var host: Int

        static func == (one: Entry, other: Entry) -> Bool { one.rank == other.rank }
        static func < (one: Entry, other: Entry) -> Bool { one.rank < other.rank }
    }

    struct Resting: Comparable {
        var end: Int64
        package var number: Int
        var fetch: Int

        static func == (one: Resting, other: Resting) -> Bool { one.number == other.number }
        static func < (one: Resting, other: Resting) -> Bool { (one.end, one.number) < (other.end, other.number) }
    }

    /// By class. An entry of a host without a free connection moves to ``parked`` when it comes up. If any entry of a
    /// host and class is parked, at least as many are here as the host has free connections.
    private var ready = [Heap<Entry>](repeating: Heap(), count: Class.allCases.count)
    /// By host and class.
    private var parked: [Int: Heap<Entry>] = [:]
    private var resting = Heap<Resting>()
    private var count = 0
    private let isLastInFirstOut: Bool

    init(_ order: FetchOrder) { isLastInFirstOut = order == .lifo }

    mutating func nextRank() -> Int {
        count += 1
        return isLastInFirstOut ? -count : count
    }

    mutating func push(_ entry: Entry, in kind: Class) { ready[Int(kind.rawValue)].insert(entry) }

    func first(in kind: Class) -> Entry? { ready[Int(kind.rawValue)].min }

    mutating func removeFirst(in kind: Class) { _ = ready[Int(kind.rawValue)].popMin() }

    /// Sets the first entry of a class aside, because its host has no free connection.
    mutating func parkFirst(in kind: Class) {
        guard let entry = ready[Int(kind.rawValue)].popMin() else { return }
        parked[place(entry.host, kind), default: Heap()].insert(entry)
    }

    /// Notes that a connection of a host is free, or that an entry of the host was removed that no longer counts.
    mutating func unpark(_ host: Int, in kind: Class) {
        guard !parked.isEmpty, let entry = parked[place(host, kind)]?.popMin() else { return }
        if parked[place(host, kind)]?.isEmpty == true { parked[place(host, kind)] = nil }
        push(entry, in: kind)
    }

    mutating func unpark(_ host: Int) {
        guard !parked.isEmpty else { return }
        for kind in Class.allCases { unpark(host, in: kind) }
    }

    private func place(_ host: Int, _ kind: Class) -> Int { host * Class.allCases.count + Int(kind.rawValue) }

    mutating func rest(_ fetch: Int, until end: Int64) {
        count += 1
        resting.insert(Resting(end: end, number: count, fetch: fetch))
    }

    /// The fetch whose rest ends first, or nil.
    var firstToWake: Resting? { resting.min }

    mutating func removeFirstToWake() { _ = resting.popMin() }

    mutating func removeAll() {
        for kind in ready.indices { ready[kind] = Heap() }
        parked = [:]
        resting = Heap()
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
