/// The times of requests in 4 bytes each: microseconds since the start of an *epoch*. A new epoch begins when 32 bits
/// do not suffice (71 minutes).
///
/// A time before the preceding request's time is raised to it, and counted in `held`.
struct RequestTimes: ~Copyable {
    private var ticks = ColumnBuilder<UInt32>()
    private var epochs: [DenseTrace.Epoch] = []
    /// The start of the trace on the file's clock; nil if it is the time of the first request.
    private var origin: Int64?
    /// The time of the last request.
    private var last = Int64.min
    /// The start of the last epoch on the file's clock.
    private var epoch: Int64 = 0
    private(set) var held = 0
    /// The time of the file's clock from which times count: the first request's time, unless the creator gave another.
    var start: Int64 { origin ?? 0 }
    private(set) var count = 0
    /// Whether the ticks are kept. Without them, `ticks` stays empty; epochs and `held` are the same.
    private let keepsTicks: Bool

    init(from origin: Int64? = nil, keepsTicks: Bool = true) {
        self.origin = origin
        self.keepsTicks = keepsTicks
    }

    /// Creates times for requests that follow the requests of `other`, on the same clock and not before the last of
    /// them.
    init(behind other: borrowing RequestTimes) {
        origin = other.origin
        last = other.last
        held = other.held
        keepsTicks = other.keepsTicks
    }

    mutating func reserve(_ count: Int) { if keepsTicks { ticks.reserve(count) } }

    @inline(__always)
    mutating func append(_ time: Int64) {
        if count == 0 {
            if origin == nil { origin = time }
            last = max(last, time)
            beginEpoch()
        }
        if time < last { held += 1 } else { last = time }
        if last - epoch > Int64(UInt32.max) { beginEpoch() }
        if keepsTicks { ticks.append(UInt32(truncatingIfNeeded: last - epoch)) }
        count &+= 1
    }

    @inline(__always)
    mutating func append(_ times: UnsafePointer<Int64>, count: Int) {
        guard count > 0 else { return }
        // The fast path without branches: most files are in order, and most batches lie within an epoch.
        var falls = 0
        for index in 0..<count &- 1 { falls &+= times[index &+ 1] < times[index] ? 1 : 0 }
        guard falls == 0, self.count > 0, times[0] >= last, times[count - 1] - epoch <= Int64(UInt32.max) else {
            for index in 0..<count { append(times[index]) }
            return
        }
        last = times[count - 1]
        self.count &+= count
        guard keepsTicks else { return }
        let epoch = epoch
        ticks.append(count) { ticks in
            for index in 0..<count { ticks[index] = UInt32(truncatingIfNeeded: times[index] &- epoch) }
        }
    }

    consuming func finish() -> (ticks: TraceColumn<UInt32>, epochs: [DenseTrace.Epoch]) { (ticks.finish(), epochs) }

    private mutating func beginEpoch() {
        epoch = last
        epochs.append(DenseTrace.Epoch(start: count, time: last - (origin ?? 0)))
    }
}
