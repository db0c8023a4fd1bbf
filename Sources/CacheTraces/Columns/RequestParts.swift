/// The requests of a trace in parts, one behind the other, with the figures of each that no policy changes.
///
/// A mark is the number of requests before a part. Prefetches are no requests.
public struct RequestParts: Sendable {
    public struct Part: Sendable, Equatable {
        /// The number of requests of the trace before this part.
        public var first: Int
        /// The time of its first request, in microseconds since the start of the trace; nil without times.
        public var time: Int64?
        public var requests = 0
        /// The sum of the sizes of its requests.
        public var bytes = 0
    }

    /// The parts so far, none of which is empty.
    public private(set) var parts: [Part] = []
    private var marks: [Int]
    private var nextMark = 0
    private var done = 0

    /// - Parameter marks: The numbers of requests before all parts but the first, rising, each above 0.
    public init(at marks: [Int]) { self.marks = marks }

    /// Adds marks of the next window, each at least the number of requests so far and above the marks before.
    public mutating func expect(_ more: [Int]) { marks += more }

    /// Adds the requests of a trace, or of its next window.
    ///
    /// - Complexity: O(n) in the number of accesses.
    public mutating func add(_ trace: DenseTrace) {
        let prefetches = trace.prefetchPositions
        var nextPrefetch = 0
        for access in 0..<trace.objects.count {
            if nextPrefetch < prefetches.count, prefetches[nextPrefetch] == access {
                nextPrefetch += 1
                continue
            }
            let isMark = nextMark < marks.count && marks[nextMark] == done
            if isMark { nextMark += 1 }
            if isMark || parts.isEmpty {
                parts.append(Part(first: done, time: trace.hasTimes ? trace.time(of: access) : nil))
            }
            parts[parts.count - 1].requests += 1
            parts[parts.count - 1].bytes &+= trace.size(ofAccess: access)
            done += 1
        }
    }
}

extension DenseTrace {
    /// The positions of the accesses that are no requests, rising.
    var prefetchPositions: [Int] {
        exceptions.filter { $0.kind.isAccess && !$0.kind.isRequest }.map(\.position)
    }

    /// Returns the requests in parts.
    ///
    /// - Parameter marks: The numbers of requests before all parts but the first, rising, each above 0. Those from the
    ///   number of all requests up are ignored.
    public func requestParts(at marks: [Int]) -> [RequestParts.Part] {
        var parts = RequestParts(at: marks)
        parts.add(self)
        return parts.parts
    }

    /// Returns the requests with which a new period of time begins. A period without requests has none.
    ///
    /// - Parameters:
    ///   - period: Microseconds. Periods begin at multiples of it, from the start of the trace, which has times.
    ///   - first: The number of the first request, whose own period begins with it.
    /// - Returns: The numbers of the requests, rising, each above `first`.
    /// - Complexity: O(n) in the number of accesses.
    public func marks(every period: Int64, from first: Int) -> [Int] {
        let prefetches = prefetchPositions
        var nextPrefetch = 0
        var done = 0
        var last: Int64 = -1
        var marks: [Int] = []
        forEachEpoch { epoch, range in
            for access in range {
                if nextPrefetch < prefetches.count, prefetches[nextPrefetch] == access {
                    nextPrefetch += 1
                    continue
                }
                if done >= first {
                    let place = (epoch.time + Int64(ticks[access])) / period
                    if done > first, place != last { marks.append(done) }
                    last = place
                }
                done += 1
            }
        }
        return marks
    }

    /// Returns the number of requests before a time.
    ///
    /// - Parameter time: Microseconds since the start of the trace, which has times.
    /// - Complexity: O(log n) in the number of accesses, and O(m) in the number of exceptions.
    public func requests(before time: Int64) -> Int {
        var (low, high) = (0, objects.count)
        while low < high {
            let middle = (low + high) / 2
            if self.time(of: middle) < time { low = middle + 1 } else { high = middle }
        }
        let end = low
        return end - prefetchPositions.count { $0 < end }
    }
}
