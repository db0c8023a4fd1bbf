/// Finds the requests at which a further part of a trace begins, while the trace is read in windows.
///
/// The marks equal the marks of ``DenseTrace/marks(every:from:)``, or are multiples of a number of requests.
public struct PartMarks: Sendable {
    public enum Length: Sendable, Equatable {
        case requests(Int)
        /// Microseconds. Periods begin at multiples of it, from the start of the trace.
        case time(Int64)
    }

    /// The number of requests before the first part, which is a mark if it is above 0; nil while it is a time that no
    /// request so far has reached.
    public private(set) var warmup: Int?
    /// The time before the first part, in microseconds; nil if it is not a time.
    private let warmupTime: Int64?
    private let length: Length?
    private var done = 0
    /// The next mark of a number of requests; the largest number without one.
    private var next = Int.max
    /// The period of the last request; -1 before the first one.
    private var period: Int64 = -1

    /// - Parameters:
    ///   - warmup: The length before the first part: a number of requests, or the requests before a time of the trace,
    ///     as ``DenseTrace/requests(before:)`` counts them.
    ///   - length: The length of each part; nil for one part of all requests behind the warm-up.
    public init(behind warmup: Length, every length: Length?) {
        self.length = length
        switch warmup {
        case .requests(let count):
            warmupTime = nil
            begin(behind: count)
        case .time(let time): warmupTime = time
        }
    }

    private mutating func begin(behind count: Int) {
        warmup = count
        if case .requests(let length) = length { next = Self.sum(count, length) }
    }

    /// Returns the marks of the next window: the positions of the requests with which a part begins, rising, each above
    /// 0.
    ///
    /// - Complexity: O(n) in the number of accesses for parts of a time, and else in the number of marks.
    public mutating func marks(in window: DenseTrace) -> [Int] {
        let prefetches = window.prefetchPositions
        let end = done + window.objects.count - prefetches.count
        if warmup == nil, let warmupTime {
            let before = done + window.requests(before: warmupTime)
            guard before < end else {
                done = end
                return []
            }
            begin(behind: before)
        }
        let warmup = warmup ?? 0
        var marks: [Int] = []
        if warmup > 0, (done..<end).contains(warmup) { marks.append(warmup) }
        switch length {
        case nil: break
        case .requests(let count):
            while next < end {
                marks.append(next)
                next = Self.sum(next, count)
            }
        case .time(let time): addMarks(of: window, prefetches, every: time, behind: warmup, to: &marks)
        }
        done = end
        return marks
    }

    private mutating func addMarks(
        of window: DenseTrace, _ prefetches: [Int], every time: Int64, behind warmup: Int, to marks: inout [Int]
    ) {
        guard window.hasTimes else { return }
        var (request, nextPrefetch) = (done, 0)
        window.forEachEpoch { epoch, range in
            for access in range {
                if nextPrefetch < prefetches.count, prefetches[nextPrefetch] == access {
                    nextPrefetch += 1
                    continue
                }
                if request >= warmup {
                    let place = (epoch.time + Int64(window.ticks[access])) / time
                    if request > warmup, place != period { marks.append(request) }
                    period = place
                }
                request += 1
            }
        }
    }

    private static func sum(_ one: Int, _ other: Int) -> Int {
        let (sum, overflow) = one.addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
