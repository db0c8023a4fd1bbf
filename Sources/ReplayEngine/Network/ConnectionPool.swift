import SessionModel

/// The connections to each host: how many fetches run at a time, and when a fetch pays for a new connection.
///
/// Over HTTP/1.1 a connection carries one fetch at a time, and a host gets a limited number of them. Over HTTP/2 and
/// HTTP/3 all fetches from a host share one connection. A relaunch closes all connections. Times are nanoseconds.
struct ConnectionPool {
    private struct Host {
        var isMultiplexed: Bool
        var limit: Int
        /// The cost of a connection whose fetch has not recorded one.
        var connectTime: Int64
        var running = 0
        /// Open connections without a fetch, over HTTP/1.1.
        var idle: Int
        /// When the shared connection is open; nil if there is none.
        var ready: Int64?
    }

    /// By object.
    private let hostNumbers: [Int]
    private var hosts: [Host]

    /// - Parameter limit: The number of connections to a host over HTTP/1.1; nil for the number that the recording
    ///   shows.
    init(_ recorded: RecordedHosts, limit: Int?) {
        hostNumbers = recorded.numbers
        hosts = recorded.hosts.map { host in
            let limit = host.hidesQueue ? .max : limit ?? max(1, host.mostAtOnce)
            return Host(
                isMultiplexed: host.isMultiplexed, limit: host.isMultiplexed ? .max : limit,
                connectTime: host.connectTime, idle: host.openAtStart, ready: host.openAtStart > 0 ? .min : nil)
        }
    }

    func host(of object: Int) -> Int { hostNumbers[object] }

    func mayBegin(_ object: Int) -> Bool {
        let host = hosts[hostNumbers[object]]
        return host.running < host.limit
    }

    /// Begins a fetch. Returns the time that passes until its connection is open.
    mutating func begin(_ object: Int, _ sample: NetworkModel.Sample, at time: Int64) -> Int64 {
        let number = hostNumbers[object]
        hosts[number].running += 1
        let cost = sample.connect > 0 ? sample.connect : hosts[number].connectTime
        if sample.opensConnection { return cost }
        if hosts[number].isMultiplexed {
            guard let ready = hosts[number].ready else {
                hosts[number].ready = time + cost
                return cost
            }
            return max(0, ready == .min ? 0 : ready - time)
        }
        guard hosts[number].idle == 0 else {
            hosts[number].idle -= 1
            return 0
        }
        return cost
    }

    /// Ends a fetch.
    ///
    /// - Parameter isReusable: Whether its connection stays open. A fetch that is cancelled or gets no response closes
    ///   its connection over HTTP/1.1.
    mutating func end(_ object: Int, isReusable: Bool) {
        let number = hostNumbers[object]
        hosts[number].running -= 1
        if isReusable, !hosts[number].isMultiplexed { hosts[number].idle += 1 }
    }

    /// Closes all connections.
    mutating func reset() {
        for number in hosts.indices {
            hosts[number].running = 0
            hosts[number].idle = 0
            hosts[number].ready = nil
        }
    }
}

/// The hosts of a trace, and the connections that the recording used.
package struct RecordedHosts {
    struct Host {
        /// Whether all fetches share a connection: the protocol of most fetches, or more than
        /// ``RecordedHosts/mostOverHTTP1`` fetches at a time where none is recorded.
        var isMultiplexed = false
        /// Whether the times of the host's fetches may contain waits for a connection. A replay adds no further waits.
        var hidesQueue = false
        /// The median of the recorded times to connect, in nanoseconds; 0 if the trace has none.
        var connectTime: Int64 = 0
        /// The connections that were open when the recording began: fetches used them, and none had opened them.
        var openAtStart = 0
        /// The largest number of fetches at a time, without those in a queue.
        var mostAtOnce = 0
    }

    /// By object.
    let numbers: [Int]
    private(set) var hosts: [Host]
    /// By recorded fetch: whether it opened a connection although another one was idle, so that it opens its own in a
    /// replay too.
    private(set) var opensOwn: [Bool]

    /// Whether recorded times of a host may contain waits for a connection.
    var hidesQueues: Bool { hosts.contains(where: \.hidesQueue) }

    /// Browsers and URLSession open 6 connections to a host over HTTP/1.1. Recordings with a few more replace
    /// connections that are being closed.
    package static let mostOverHTTP1 = 8

    init(_ trace: Trace, _ fetches: [RecordedFetch]) {
        var byName: [Substring: Int] = [:]
        numbers = trace.objects.map { object in
            let name = Self.name(object.key)
            let number = byName[name] ?? byName.count
            byName[name] = number
            return number
        }
        hosts = Array(repeating: Host(), count: byName.count)
        opensOwn = Array(repeating: false, count: fetches.count)
        var uses: [[Use]] = Array(repeating: [], count: byName.count)
        for (number, recorded) in fetches.enumerated() {
            guard let duration = recorded.fetch.duration else { continue }
            let begin = recorded.time + (recorded.fetch.queued ?? 0)
            uses[numbers[recorded.object]].append(Use(number: number, begin: begin, end: recorded.time + duration))
        }
        let usualConnect = Self.median(uses.joined().compactMap { fetches[$0.number].fetch.connect })
        for number in hosts.indices {
            study(
                number, uses[number].sorted { ($0.begin, $0.number) < ($1.begin, $1.number) }, fetches, usualConnect)
        }
    }

    /// Replaces the recorded connections by connections of another network: none is open, and each takes
    /// the same time, in nanoseconds. The protocols stay.
    mutating func replaceConnections(connect: Int64) {
        for number in hosts.indices {
            hosts[number].hidesQueue = false
            hosts[number].openAtStart = 0
            hosts[number].connectTime = connect
        }
    }

    /// One fetch, in microseconds, from the assignment of a connection to the last byte.
    private struct Use {
        /// Its number among the recorded fetches.
        package var number: Int
        var begin: Int64
        var end: Int64
    }

    private mutating func study(
        _ number: Int, _ uses: [Use], _ fetches: [RecordedFetch], _ usualConnect: Int64
    ) {
        let recorded = uses.lazy.map { fetches[$0.number].fetch }
        var host = Host()
        host.mostAtOnce = Self.mostAtOnce(uses)
        let known = recorded.compactMap(\.networkProtocol)
        if let first = known.first {
            // A host can change to another protocol during a recording.
            let multiplexed = known.count { $0.isMultiplexed }
            let others = known.count - multiplexed
            host.isMultiplexed = multiplexed == others ? first.isMultiplexed : multiplexed > others
        } else {
            host.isMultiplexed = host.mostAtOnce > Self.mostOverHTTP1
        }
        let hasPhases = recorded.contains(where: \.hasPhases)
        host.hidesQueue = !hasPhases && host.isMultiplexed
        let connects = Array(recorded.compactMap(\.connect))
        host.connectTime = hasPhases ? (connects.isEmpty ? usualConnect : Self.median(connects)) * 1_000 : 0
        if host.isMultiplexed {
            host.openAtStart = followShared(uses, fetches)
        } else {
            host.openAtStart = follow(uses, fetches)
        }
        hosts[number] = host
    }

    /// Follows the connections of a host that fetches share. Returns 1 if a connection was open at the start: a fetch
    /// that opened none was sent before the first one could be open.
    private mutating func followShared(_ uses: [Use], _ fetches: [RecordedFetch]) -> Int {
        var firstOpen = Int64.max
        for use in uses {
            if let connect = fetches[use.number].fetch.connect { firstOpen = min(firstOpen, use.begin + connect) }
        }
        let wasOpen = uses.contains { fetches[$0.number].fetch.connect == nil && $0.begin < firstOpen }
        let opening = uses.filter { fetches[$0.number].fetch.connect != nil }
        for use in opening.dropFirst(wasOpen ? 0 : 1) { opensOwn[use.number] = true }
        return wasOpen ? 1 : 0
    }

    /// Follows the connections of a host over HTTP/1.1. Returns the number that were open at the start.
    private mutating func follow(_ uses: [Use], _ fetches: [RecordedFetch]) -> Int {
        let ends = uses.map(\.end).sorted()
        // First counts the connections that none of the fetches opened. They are idle until they are used, also for
        // fetches before that opened another one.
        var openAtStart = 0
        for marks in [false, true] {
            var (ended, idle) = (0, openAtStart)
            for use in uses {
                while ended < ends.count, ends[ended] <= use.begin {
                    ended += 1
                    idle += 1
                }
                if fetches[use.number].fetch.connect != nil {
                    if marks, idle > 0 { opensOwn[use.number] = true }
                } else if idle > 0 {
                    idle -= 1
                } else {
                    openAtStart += 1
                }
            }
        }
        return openAtStart
    }

    private static func mostAtOnce(_ uses: [Use]) -> Int {
        let ends = uses.map(\.end).sorted()
        var (ended, most) = (0, 0)
        for (begun, use) in uses.enumerated() {
            while ended < ends.count, ends[ended] <= use.begin { ended += 1 }
            most = max(most, begun + 1 - ended)
        }
        return most
    }

    private static func median(_ values: [Int64]) -> Int64 { values.isEmpty ? 0 : values.sorted()[values.count / 2] }

    /// Returns the offsets of the text that ``name(_:)`` returns; an empty range at the start for none.
    private static func host(_ bytes: UnsafeBufferPointer<UInt8>) -> Range<Int> {
        var start = 0
        var last: UInt8 = 0
        while start < bytes.count, !(bytes[start] == slash && last == slash) {
            last = bytes[start]
            start += 1
        }
        guard start < bytes.count else { return 0..<0 }
        start += 1
        var end = start
        while end < bytes.count, bytes[end] != slash, bytes[end] != UInt8(ascii: "?"), bytes[end] != UInt8(ascii: "#") {
            end += 1
        }
        return start..<end
    }

    private static let slash = UInt8(ascii: "/")

    /// Returns the text between `//` and the next slash. Keys that are not URLs belong to one host.
    package static func name(_ key: String) -> Substring {
        if let host = key.utf8.withContiguousStorageIfAvailable(host) {
            let start = key.utf8.index(key.startIndex, offsetBy: host.lowerBound)
            return key[start..<key.utf8.index(start, offsetBy: host.count)]
        }
        let bytes = key.utf8
        var start = bytes.startIndex
        var last: UInt8 = 0
        while start < bytes.endIndex, !(bytes[start] == slash && last == slash) {
            last = bytes[start]
            start = bytes.index(after: start)
        }
        guard start < bytes.endIndex else { return "" }
        start = bytes.index(after: start)
        let end = bytes[start...].firstIndex { $0 == slash || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
        return key[start..<(end ?? bytes.endIndex)]
    }
}
