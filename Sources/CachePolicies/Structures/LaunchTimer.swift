/// A timer that starts when the app starts. It is due once `first` after the start, and at each multiple of `every`
/// after the start.
///
/// The first start is at time 0, where traces begin.
struct LaunchTimer {
    let first: Int64?
    let every: Int64?
    private var launch: Int64 = 0
    /// `Int64.max` for never.
    private var next = Int64.max

    /// Creates a timer from durations in microseconds, more than 0, or nil for never.
    init(first: Int64?, every: Int64?) {
        self.first = first
        self.every = every
        next = tick(after: 0)
    }

    /// Lets time pass, and returns whether the timer was due meanwhile, once or more often.
    @inline(__always) mutating func isDue(by time: Int64) -> Bool {
        guard time >= next else { return false }
        next = tick(after: time)
        return true
    }

    /// Starts the timer anew: the app starts at `time`.
    mutating func restart(at time: Int64) {
        launch = time
        next = tick(after: time)
    }

    @inline(never) private func tick(after time: Int64) -> Int64 {
        var tick = Int64.max
        if let first, launch &+ first > time { tick = launch &+ first }
        if let every { tick = min(tick, launch &+ ((time &- launch) / every &+ 1) &* every) }
        return tick
    }
}
