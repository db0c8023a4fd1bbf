/// The times of requests in 4 bytes each: microseconds since the beginning of an **epoch**, of which there is a new one
/// whenever 32 bits hold no more (71 minutes).
///
/// Times never fall: one that would is raised to that of the request before it, and counted in `held`.
struct RequestTimes: ~Copyable {
    private var ticks = ColumnBuilder<UInt32>()
    private var epochs: [DenseTrace.Epoch] = []
    /// What the file's clock said at the start of the trace: nil for at the first request.
    private var origin: Int64?
    /// At the last request.
    private var last = Int64.min
    /// When the last epoch began, on the file's clock.
    private var epoch: Int64 = 0
    private(set) var held = 0

    init(from origin: Int64? = nil) { self.origin = origin }

    /// For the requests behind those of `other`: on the same clock, and not before the last of them.
    init(behind other: borrowing RequestTimes) {
        origin = other.origin
        last = other.last
        held = other.held
    }

    var count: Int { ticks.count }

    mutating func reserve(_ count: Int) { ticks.reserve(count) }

    @inline(__always)
    mutating func append(_ time: Int64) {
        if count == 0 {
            if origin == nil { origin = time }
            last = max(last, time)
            beginEpoch()
        }
        if time < last { held += 1 } else { last = time }
        if last - epoch > Int64(UInt32.max) { beginEpoch() }
        ticks.append(UInt32(truncatingIfNeeded: last - epoch))
    }

    /// Appends `count` times.
    @inline(__always)
    mutating func append(_ times: UnsafePointer<Int64>, count: Int) {
        guard count > 0 else { return }
        // Without branches: most files are in order, and most batches within an epoch.
        var falls = 0
        for index in 0..<count &- 1 { falls &+= times[index &+ 1] < times[index] ? 1 : 0 }
        guard falls == 0, self.count > 0, times[0] >= last, times[count - 1] - epoch <= Int64(UInt32.max) else {
            for index in 0..<count { append(times[index]) }
            return
        }
        last = times[count - 1]
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
